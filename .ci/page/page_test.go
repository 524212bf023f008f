package main

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/hol"
	"github.com/sluicefc/sluice/internal/lab/papers"
	"github.com/sluicefc/sluice/internal/lab/run"
	"github.com/sluicefc/sluice/internal/lab/sim"
	"github.com/sluicefc/sluice/internal/lab/view"
	"github.com/sluicefc/sluice/internal/lab/workload"
	"github.com/sluicefc/sluice/kit"
)

// TestBundle: the page that is committed is what its sources give.
func TestBundle(t *testing.T) { require.NoError(t, build(folder, true)) }

// pages are those that are opened. The last is large and the first is small.
var pages = []struct {
	name     string
	scenario string
	request  run.Request
	replayed []int // the runs that are compared, by their places
	also     func(*testing.T, *browser)
}{
	{
		"loop", "pyrrha/loop", run.Request{Protocols: []string{"pfc", "pyrrha"}}, []int{0, 1},
		controls,
	},
	{"fig19", "portfc/fig19", run.Request{Until: 2 * sluice.Millisecond}, []int{0}, nil},
	{"fig3", "tcd/fig3", run.Request{Protocols: []string{"pfc", "cbfc"}}, []int{0}, nil},
	{
		"reference", "reference", run.Request{Protocols: []string{"pfc", "bfc", "pyrrha"}}, []int{2},
		answer,
	},
	{"fattree", "fattree", run.Request{
		Protocols: []string{"pfc", "pyrrha"}, Until: 120 * sluice.Microsecond,
		Set: []string{"k=16"}, Watch: run.WatchRequest{Every: sluice.Microsecond},
		Failures: run.Failures{{
			At:   sluice.Hop{Switch: 1024, Port: 8},
			Down: 40 * sluice.Microsecond, Up: 80 * sluice.Microsecond,
		}},
	}, []int{0}, nil},
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
			for _, number := range p.replayed {
				b.moments(t, subject, outcomes[number], number)
			}
			b.deadlock(t, outcomes)
			if p.also != nil {
				p.also(t, b)
			}
			b.speed(p.name)
			b.picture(p.name)
			require.Empty(t, b.errors())
		})
	}
}

// moments compares a run with a second one, at 100 random moments.
func (b *browser) moments(
	t *testing.T, subject *run.Subject, o *run.Outcome, number int,
) {
	times := eval[[]int64](b, fmt.Sprintf("Array.from(sluice.runs[%d].times)", number))
	random := rand.New(rand.NewPCG(1, 2))
	var moments []int64
	for _, i := range random.Perm(len(times))[:min(100, len(times))] {
		moments = append(moments, times[i])
	}
	slices.Sort(moments)
	seen := replay(t, subject, o.FC, moments)
	for _, at := range moments {
		b.compare(t, subject, o, number, at, seen[at], random)
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

// portState is a port as its machine has it.
type portState struct {
	Backlog int64
	Held    []int            // queues with packets that may not send
	Waiting map[string]int64 // bytes by "queue flow"
}

// watcher looks at the machines of a run at some moments.
type watcher struct {
	subject  *run.Subject
	machines []kit.Machine
	flowOf   map[uint64]int
	moments  []int64
	seen     map[int64]map[sluice.Hop]*portState
}

func (w *watcher) Hang(_ sluice.SwitchID, m kit.Machine) kit.Machine {
	w.machines = append(w.machines, m)
	return m
}

func (w *watcher) Sample(at sluice.Time, s *sim.Simulator) {
	if _, wanted := slices.BinarySearch(w.moments, int64(at)); !wanted {
		return
	}
	all := map[sluice.Hop]*portState{}
	for node, m := range w.machines {
		for id := range m.Ports() {
			state := &portState{Held: []int{}, Waiting: map[string]int64{}}
			for q := range sluice.QueueID(m.Queues()) {
				bytes := m.Backlog(sluice.PortID(id), q)
				if state.Backlog += int64(bytes); bytes > 0 && !m.Sendable(sluice.PortID(id), q) {
					state.Held = append(state.Held, int(q))
				}
			}
			all[sluice.Hop{Switch: sluice.SwitchID(node), Port: sluice.PortID(id)}] = state
		}
		s.Buffered(sluice.SwitchID(node), func(id sluice.PortID, q sluice.QueueID, p *sluice.Packet) {
			flow, known := w.flowOf[p.Flow]
			if !known {
				return // of an answer or notice, whose key is another
			}
			hop := sluice.Hop{Switch: sluice.SwitchID(node), Port: id}
			all[hop].Waiting[fmt.Sprintf("%d %d", q, flow)] += int64(p.Size)
		})
	}
	w.seen[int64(at)] = all
}

// replay runs a subject again, and returns the ports at the moments.
func replay(
	t *testing.T, subject *run.Subject, label string, moments []int64,
) map[int64]map[sluice.Hop]*portState {
	trial := subject.Trial(label)
	w := &watcher{
		subject: trial.Subject, moments: moments, flowOf: map[uint64]int{},
		seen: map[int64]map[sluice.Hop]*portState{},
	}
	for i := range trial.Subject.Flows {
		key := workload.Key(&trial.Subject.Flows[i], i)
		w.flowOf[key.Hash()] = i
		back := key.Reverse()
		w.flowOf[back.Hash()] = i
	}
	_, err := trial.Subject.WatchedBy(w).Simulate(trial.FC, false, nil)
	require.NoError(t, err)
	return w.seen
}

// shown is a port as the page has it.
type shown struct {
	Backlog int64 `json:"backlog"`
	Held    []int `json:"held"`
	Waiting []struct {
		Queue, Flow int
		Bytes       int64
	} `json:"waiting"`
}

// compare moves the clock and compares ports: those that hold something, 40 at most, and others.
func (b *browser) compare(
	t *testing.T, subject *run.Subject, o *run.Outcome, number int, at int64,
	want map[sluice.Hop]*portState, random *rand.Rand,
) {
	require.NotNil(t, want, "the second run has no sample at %d", at)
	var hops, empty []sluice.Hop
	held, total := 0, int64(0)
	for node := range subject.Graph.Nodes {
		for id := range subject.Graph.Nodes[node].Ports {
			hop := sluice.Hop{Switch: sluice.SwitchID(node), Port: sluice.PortID(id)}
			state := want[hop]
			held += len(state.Held)
			if !subject.Graph.IsHost(hop.Switch) {
				total += state.Backlog
			}
			if state.Backlog > 0 {
				hops = append(hops, hop)
			} else {
				empty = append(empty, hop)
			}
		}
	}
	random.Shuffle(len(hops), func(i, j int) { hops[i], hops[j] = hops[j], hops[i] })
	random.Shuffle(len(empty), func(i, j int) { empty[i], empty[j] = empty[j], empty[i] })
	hops = append(hops[:min(40, len(hops))], empty[:min(10, len(empty))]...)
	names := make([]string, len(hops))
	for i, hop := range hops {
		names[i] = hop.String()
	}
	text, err := json.Marshal(names)
	require.NoError(t, err)
	ports := eval[[]shown](b, fmt.Sprintf(
		"(sluice.app.go(%d), sluice.runs[%d].seek(sluice.runs[%d].at(%d)), "+
			"%s.map(p => sluice.port(%d, p)))",
		at, number, number, at, text, number,
	))
	for i, got := range ports {
		state := want[hops[i]]
		require.Equal(t, state.Backlog, got.Backlog, "%v at %d", hops[i], at)
		require.Equal(t, state.Held, got.Held, "%v at %d", hops[i], at)
		waiting := map[string]int64{}
		for _, w := range got.Waiting {
			waiting[fmt.Sprintf("%d %d", w.Queue, w.Flow)] = w.Bytes
		}
		require.Equal(t, state.Waiting, waiting, "%v at %d", hops[i], at)
	}
	for _, sample := range o.Result.Series {
		if int64(sample.At) == at {
			require.Equal(t, int64(sample.TotalBytes), total)
			require.Equal(t, sample.PausedQueues, held)
			require.Equal(t, held, eval[int](b, fmt.Sprintf(
				"(n => (sluice.runs[%d].tracks.held.each(() => n++), n))(0)", number,
			)))
		}
	}
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
	}
}

// answer checks what docs/view.md reads off the page of the reference: why a flow takes 1.4 ms
// under PFC and 12 us under Pyrrha.
func answer(t *testing.T, b *browser) {
	b.act("location.hash = '#t=900100000&runs=0,2&flow=5389'")
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
	b.act("document.querySelector('aside').scrollTo(0, 330)")
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
func controls(t *testing.T, b *browser) {
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
	nameless := eval[int](b, `[...document.querySelectorAll('button, input, canvas, select')].filter(
		e => !e.closest('.uplot') && !e.getAttribute('aria-label') && !e.textContent.trim() &&
			!e.labels?.length).length`)
	require.Zero(t, nameless, "every control and map has a name for who does not see it")
}
