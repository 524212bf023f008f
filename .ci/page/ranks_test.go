package main

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/run"
	"github.com/sluicefc/sluice/internal/lab/schedule"
	"github.com/sluicefc/sluice/internal/lab/sim"
)

// doing is what a rank does at an instant, as the page says it.
type doing struct {
	State  int     `json:"state"` // of schedule.State, -1 idle
	Cause  string  `json:"cause"`
	Sends  []int   `json:"sends"`
	Awaits int     `json:"awaits"`
	Until  []int64 `json:"until"` // of computations
}

const doings = `window.doing = (run, row, time) => {
	const now = sluice.runs[run].ranks.now(row, time), c = now.span.cause
	return {state: now.span.state, cause: c ? c.node + ":" + c.port + (c.root ? " root" : "") : "",
		sends: now.sends.map(b => b.flow).sort((a, b) => a - b), awaits: now.awaits ? now.awaits.flow : -1,
		until: now.computes.map(b => b.to)} }`

// ranks compares what the page says of ranks with the result, at random instants; pages of runs
// without jobs have nothing of them.
func (b *browser) ranks(t *testing.T, outcomes []*run.Outcome) {
	shown := eval[int](b, `document.querySelectorAll("canvas.ranks, p.ranks, .signs .jobs").length`)
	if len(outcomes[0].Result.Jobs) == 0 {
		require.Zero(t, shown)
		return
	}
	require.Positive(t, shown)
	b.act(doings)
	random := rand.New(rand.NewPCG(1, 2))
	seen := map[int]int{}
	for i, o := range outcomes {
		row := 0
		for k := range o.Result.Jobs {
			j := &o.Result.Jobs[k]
			for rank := range j.Timeline {
				for range 20 {
					at := j.Start + sluice.Time(random.Int64N(int64(j.TimelineEnd()-j.Start)))
					want := doingAt(o, k, rank, at)
					got := eval[doing](b, fmt.Sprintf("doing(%d, %d, %d)", i, row, at))
					seen[got.State]++
					require.Equal(t, want.State == int(schedule.Computing), len(got.Until) > 0)
					got.Until = nil
					require.Equal(t, want, got, "%s, job %d, rank %d at %d", o.FC, k, rank, at)
				}
				row++
			}
		}
	}
	require.Len(t, seen, 4, "instants of each state, and idle: %v", seen)
}

// doingAt is what a rank does at an instant as the result has it, without Until.
func doingAt(o *run.Outcome, job, rank int, at sluice.Time) doing {
	d := doing{State: -1, Sends: []int{}, Awaits: -1}
	for _, s := range o.Result.Jobs[job].Timeline[rank] {
		if s.From > at || at >= s.To {
			continue
		}
		if d.State = int(s.State); s.State == schedule.Held {
			d.Cause = fmt.Sprint(s.For.At) + map[bool]string{true: " root"}[s.For.Root]
		}
	}
	of := &o.Subject.Jobs[job]
	host, next := of.Hosts[rank], sluice.Never
	for i := of.First; i < of.First+of.Messages(); i++ {
		f := &o.Result.Flows[i]
		arrived := sluice.Never
		if f.FCT < sluice.Never {
			arrived = f.Start + f.FCT
		}
		if f.Src == host && f.Start <= at && at < arrived {
			d.Sends = append(d.Sends, i)
		}
		if f.Dst == host && at < arrived && arrived < next {
			next, d.Awaits = arrived, i
		}
	}
	if d.Awaits >= 0 && o.Result.Flows[d.Awaits].Start > at {
		d.Awaits = -1
	}
	slices.Sort(d.Sends)
	return d
}

// longestHeld returns the longest held span of a run's first job, and its rank.
func longestHeld(j *sim.JobResult) (rank int, longest schedule.Span) {
	for r, spans := range j.Timeline {
		for _, s := range spans {
			if s.State == schedule.Held && s.To-s.From > longest.To-longest.From {
				rank, longest = r, s
			}
		}
	}
	return rank, longest
}

// timelines checks the drawing of ranks, the pointer on it, clicks, the zoom, the search and the
// address, where PFC holds a rank of the first job.
func timelines(t *testing.T, b *browser, outcomes []*run.Outcome) {
	const run = 0 // under PFC
	o := outcomes[run]
	require.Positive(t, o.Result.Jobs[0].Spent.Held)
	j := &o.Result.Jobs[0]
	rank, span := longestHeld(j)
	host, at := o.Subject.Jobs[0].Hosts[rank], (span.From+span.To)/2
	b.act(fmt.Sprintf("location.hash = '#t=0&runs=%d'", run))
	b.do(chromedp.Sleep(200 * time.Millisecond))
	b.legend(t, span, rank, at)

	pointer := func(kind string, at sluice.Time, more string) {
		b.act(fmt.Sprintf(`(t => { const r = t.canvas.getBoundingClientRect()
			t.canvas.setPointerCapture = () => {}
			t.canvas.dispatchEvent(new %sEvent("%s", {clientX: r.x + t.x(%d),
				clientY: r.y + t.y(%d.5)%s})) })(sluice.app.timelines[0])`,
			map[bool]string{true: "Wheel", false: "Pointer"}[kind == "wheel"], kind, at, rank, more))
	}
	pointer("pointermove", at, "")
	said := eval[string](b, "document.querySelector('p.ranks').innerText")
	cause := map[bool]string{true: "root ", false: "port "}[span.For.Root] + span.For.At.String()
	require.Regexp(t, fmt.Sprintf(`%s, %s, rank %d, host %d at [0-9.]+ us: held for %s from `,
		o.FC, j.Name, rank, host, cause), said)
	require.Regexp(t, `operation [0-9]+ sends flow:[0-9]+ to rank|flow:[0-9]+ arrives next, from rank`, said)

	pointer("pointerdown", at, "")
	pointer("pointerup", at, "")
	b.keep("view-ranks")
	address := eval[string](b, "location.hash")
	require.Contains(t, address, fmt.Sprintf("port=%d:0", host))
	require.Contains(t, address, fmt.Sprintf("rank=0:%d", rank))
	clock := eval[int64](b, "sluice.time()")
	require.LessOrEqual(t, clock, int64(at))
	require.Greater(t, clock+5_000_000, int64(at), "the last sample before")
	facts := func() string { return eval[string](b, "document.getElementById('facts').innerText") }
	require.Contains(t, facts(), fmt.Sprintf("%s, rank %d, at ", j.Name, rank))
	require.Contains(t, facts(), fmt.Sprintf("%s: on host %d\n\nheld for %s from ", o.FC, host, cause))
	require.Contains(t, facts(), fmt.Sprintf("Port %d:0 to ", host))
	require.False(t, span.For.Root, "PFC's pauses name none")
	waits := fmt.Sprintf("at [0-9.]+ us port %v waits for [0-9]+:[0-9]+", span.For.At)
	require.Regexp(t, waits, facts())

	for range 3 {
		pointer("wheel", at, ", deltaY: -400")
	}
	const shows = "(p => [p.from, p.to, p.top, p.bottom])(sluice.app.timelines[0].part)"
	part, whole := eval[[]float64](b, shows), float64(j.TimelineEnd()-j.Start)
	require.InDelta(t, float64(at), part[0]+(part[1]-part[0])*float64(at-j.Start)/whole, 5e6,
		"it stays below the pointer")
	require.InEpsilon(t, whole/20, part[1]-part[0], 0.1)
	address = eval[string](b, "location.hash")
	require.Contains(t, address, "&ranks=")
	b.act("document.getElementById('fit').click()")
	require.NotContains(t, eval[string](b, "location.hash"), "ranks=")
	b.act("location.hash = '" + address + "'")
	require.InDeltaSlice(t, part, eval[[]float64](b, shows), 1)
	require.Contains(t, facts(), fmt.Sprintf("%s, rank %d, at ", j.Name, rank))

	search := func(text string) {
		b.act(fmt.Sprintf(`document.getElementById('search').value = '%s',
			document.getElementById('search').dispatchEvent(new Event('change'))`, text))
	}
	search("rank:1:2")
	require.Contains(t, facts(), o.Result.Jobs[1].Name+", rank 2, at ")
	search("rank:99")
	require.Equal(t, "nothing is named rank:99",
		eval[string](b, "document.getElementById('found').textContent"))
	b.act("location.hash = '#t=1&rank=7:7'")
	require.Equal(t, "the address: no rank 7:7",
		eval[string](b, "document.getElementById('found').textContent"))
}

// legend checks that the legend names the states in the colours of pictures, and that a pixel in
// the middle of a long held span of a rank has the colour of held ones.
func (b *browser) legend(t *testing.T, span schedule.Span, rank int, at sluice.Time) {
	said := eval[string](b, "document.querySelector('p.ranks').innerText")
	require.Equal(t, "computing exposed held", strings.Join(strings.Fields(said), " "))
	colours := eval[[]string](b,
		"[...document.querySelectorAll('p.ranks i')].map(i => getComputedStyle(i).backgroundColor)")
	require.Equal(t, []string{"rgb(179, 212, 234)", "rgb(230, 159, 0)", "rgb(139, 0, 26)"}, colours)
	pixel := eval[[]int](b, fmt.Sprintf(`((t, ratio) => [...t.canvas.getContext("2d").getImageData(
		t.x(%d) * ratio, t.y(%d.4) * ratio, 1, 1).data])(sluice.app.timelines[0], devicePixelRatio)`,
		at, rank))
	require.Equal(t, []int{139, 0, 26, 255}, pixel, "%v", span)
}
