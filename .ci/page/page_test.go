package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/hol"
	"github.com/sluicefc/sluice/internal/lab/papers"
	"github.com/sluicefc/sluice/internal/lab/run"
	"github.com/sluicefc/sluice/internal/lab/view"
)

// TestBundle: the page that is committed is what its sources give.
func TestBundle(t *testing.T) { require.NoError(t, build(folder, true)) }

// pages are the pages that are opened. The last is large and the first is small.
var pages = []struct {
	name     string
	scenario string
	request  run.Request
	also     func(*testing.T, *browser, []*run.Outcome)
}{
	{
		"loop", "pyrrha/loop", run.Request{Protocols: []string{"pfc", "pyrrha"}},
		controls,
	},
	{
		"ranks", "training/data-parallel", run.Request{
			Protocols: []string{"pfc", "pyrrha"},
			Set: []string{
				"k=4,training.ranks=6,training.bytes=400KB,training.parts=2,training.compute=30us,cc=none",
				"duration=50us,incast.degree=64,incast.roots=2",
			},
			Schedules: []string{"allreduce-ring,ranks=4,bytes=100KB,place=file:testdata/hosts.txt,start=20us,repeat=2"},
			Watch:     run.WatchRequest{Every: 5 * sluice.Microsecond},
		},
		timelines,
	},
	{"fig19", "portfc/fig19", run.Request{Until: 2 * sluice.Millisecond}, nil},
	{"fig3", "tcd/fig3", run.Request{Protocols: []string{"pfc", "cbfc"}}, nil},
	{
		"reference", "reference", run.Request{Protocols: []string{"pfc", "bfc", "pyrrha"}},
		answer,
	},
	{"fattree", "fattree", run.Request{
		Protocols: []string{"pfc", "pyrrha"}, Until: 120 * sluice.Microsecond,
		Set: []string{"k=16"}, Watch: run.WatchRequest{Every: sluice.Microsecond},
		Failures: run.Failures{{
			At:   sluice.Hop{Switch: 1024, Port: 8},
			Down: 40 * sluice.Microsecond, Up: 80 * sluice.Microsecond,
		}},
	}, nil},
}

// TestPages opens pages in a browser and compares what they say of ports with the machines of a
// second run, at random moments; and with the samples of the result.
func TestPages(t *testing.T) {
	if _, err := exec.LookPath("chromium"); err != nil {
		if os.Getenv("SLUICE_REQUIRE_CHROMIUM") != "" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
	for _, p := range pages {
		t.Run(p.name, func(t *testing.T) {
			p.request.Seed = run.DefaultSeed
			scenario, err := papers.All.Find(p.scenario)
			require.NoError(t, err)
			subject, err := papers.All.Prepare(scenario, p.request)
			require.NoError(t, err)
			path, outcomes := write(t, p.name, subject)
			b := open(t, path)
			b.opens(t, outcomes)
			b.roots(t)
			b.replays(t, subject, outcomes)
			b.deadlock(t, outcomes)
			b.ranks(t, outcomes)
			if p.also != nil {
				p.also(t, b, outcomes)
			}
			b.speed(p.name)
			b.picture(p.name)
			require.Empty(t, b.errors())
		})
	}
}

// write runs a subject and writes its page.
func write(t *testing.T, name string, subject *run.Subject) (string, []*run.Outcome) {
	trials := subject.Trials()
	made := make([]*run.Outcome, len(trials))
	recorders := make([]*view.Recorder, len(trials))
	err := run.InParallel(len(trials), 2, func(i int) (err error) {
		trial := &trials[i]
		recorders[i] = view.NewRecorder(trial.Subject.Graph, len(trial.Subject.Flows))
		watched := trial.Subject.WatchedBy(recorders[i])
		if made[i], err = watched.Simulate(trial.FC, false, nil); err == nil {
			made[i].FC = trial.Label
		}
		return err
	})
	require.NoError(t, err)
	path := filepath.Join(t.TempDir(), name+".html")
	file, err := os.Create(path)
	require.NoError(t, err)
	require.NoError(t, view.Write(file, subject, made, recorders))
	require.NoError(t, file.Close())
	info, err := os.Stat(path)
	require.NoError(t, err)
	require.LessOrEqual(t, info.Size(), int64(10_000_000))
	t.Logf("%s: %d bytes", name, info.Size())
	return path, made
}

// deadlock checks that the page names the circle as the result does, and that its queues wait for
// each other at the end.
func (b *browser) deadlock(t *testing.T, outcomes []*run.Outcome) {
	for i, o := range outcomes {
		if o.Result.Deadlock == "" {
			continue
		}
		require.Contains(t, o.Result.Deadlock, hol.Describe(o.Result.Circle))
		b.act(fmt.Sprintf("location.hash = '#t=%d&runs=%d'", o.Result.Simulated, i))
		text := eval[string](b, fmt.Sprintf("document.getElementById('says%d').textContent", i))
		require.Contains(t, text, o.Result.Deadlock)
		text = eval[string](b, "document.getElementById('now').textContent")
		require.Regexp(t, `The circle closes at [0-9.]+ us, and never opens again. It is found at [0-9.]+ us: `+
			"a run looks for circles when it ends", text)
	}
}

// answer checks what docs/view.md reads off the page of the reference: why a flow takes 1.4 ms
// under PFC and 12 us under Pyrrha.
func answer(t *testing.T, b *browser, _ []*run.Outcome) {
	b.victims(t)
	b.act("location.hash = '#t=900100000&runs=0,2&flow=5389'")
	b.act("document.getElementById('facts').scrollIntoView()")
	b.keep("view-flow")
	text := eval[string](b, "document.querySelector('aside').innerText")
	for _, fact := range []string{
		"flow:5389, vulnerable: host 79 to host 11, 102784 bytes",
		"pfc\t1365.3 us\t11.1807 us\t171:0 67.1 kB", "pyrrha\t11.6895 us\t11.1807 us\tover",
		"171:0\t271\t234\t160:0 (234)", "171:0\t0\t0",
	} {
		require.Contains(t, text, fact)
	}
	b.act("location.hash = '#t=900100000&runs=0,2&port=171:0'")
	b.act("document.getElementById('facts').scrollIntoView()")
	b.keep("view-port")
	text = eval[string](b, "document.getElementById('facts').innerText")
	for _, fact := range []string{
		"pfc: 7871.1 kB wait", "0.0 Gb/s, held 100 %", "q3 is held by node 160", "and 433 more",
		"215.9 Gb/s", "q1 isolates root 160:0: paused", "q1 is held by node 160",
	} {
		require.Contains(t, text, fact)
	}
}

// controls checks the keyboard, the search, and that the address brings back what it was taken of.
func controls(t *testing.T, b *browser, _ []*run.Outcome) {
	addresses(t, b)
	b.act("location.hash = '#t=500000000&runs=0,1'")
	at := func() int64 { return eval[int64](b, "sluice.time()") }
	require.EqualValues(t, 500_000_000, at())
	b.do(chromedp.KeyEvent(kb.ArrowRight), chromedp.KeyEvent(kb.ArrowRight))
	require.EqualValues(t, 510_000_000, at(), "two samples on")
	b.do(chromedp.KeyEvent(kb.ArrowLeft), chromedp.KeyEvent("/"))
	b.do(chromedp.KeyEvent(kb.Backspace)) // of "/", which no keyboard would bring to what it focuses
	b.do(chromedp.KeyEvent("8:3"), chromedp.KeyEvent(kb.Enter), chromedp.Sleep(200*time.Millisecond))
	require.EqualValues(t, 505_000_000, at())
	address := eval[string](b, "location.hash")
	require.Contains(t, address, "port=8:3")
	said := eval[string](b, "document.querySelector('aside').innerText")
	require.Contains(t, said, "Port 8:3 to 6:3")
	b.act("document.getElementById('search').value = 'flow:2', " +
		"document.getElementById('search').dispatchEvent(new Event('change'))")
	require.Contains(t, eval[string](b, "location.hash"), "flow=2")
	b.act("document.getElementById('search').value = '99:1', " +
		"document.getElementById('search').dispatchEvent(new Event('change'))")
	found := eval[string](b, "document.getElementById('found').textContent")
	require.Equal(t, "nothing is named 99:1", found)
	b.act("location.hash = '" + address + "'")
	require.Equal(t, said, eval[string](b, "document.querySelector('aside').innerText"))
	b.act("sluice.app.choose(-1, -1)")
	b.act(`(([x, y]) => { const c = document.getElementById("map0"), r = c.getBoundingClientRect()
		c.dispatchEvent(new PointerEvent("pointermove", {clientX: r.x + x, clientY: r.y + y})) })(
		sluice.app.pictures[0].ends(sluice.network.find("8:3")))`)
	b.do(chromedp.Sleep(300 * time.Millisecond))
	pointed := eval[string](b, "document.querySelector('aside').innerText")
	require.Contains(t, pointed, "Port 8:3 to 6:3", "the panel describes the port under the pointer")
	require.NotContains(t, eval[string](b, "location.hash"), "port=", "and not chosen")
	nameless := eval[int](b, `[...document.querySelectorAll('button, input, canvas, select')].filter(
		e => !e.closest('.uplot') && !e.getAttribute('aria-label') && !e.textContent.trim() &&
			!e.labels?.length).length`)
	require.Zero(t, nameless, "every control and map has a name for who does not see it")
}
