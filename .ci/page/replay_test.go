package main

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/depth"
	"github.com/sluicefc/sluice/internal/lab/run"
	"github.com/sluicefc/sluice/internal/lab/sim"
	"github.com/sluicefc/sluice/internal/lab/workload"
	"github.com/sluicefc/sluice/kit"
)

// waiting is what a flow has in a queue, as the page shows it.
type waiting struct {
	Queue int   `json:"queue"`
	Flow  int   `json:"flow"`
	Bytes int64 `json:"bytes"`
}

// portState is a port as its machine has it.
type portState struct {
	Backlog int64     `json:"backlog"`
	Held    []int     `json:"held"` // queues with packets that may not send
	Waiting []waiting `json:"waiting"`
}

// digest is a number that differs if one number of a state does; digests has it for every port.
func (s *portState) digest() uint32 {
	d := uint32(2166136261)
	add := func(numbers ...int64) {
		for _, n := range numbers {
			d = (d ^ uint32(n)) * 16777619
			d = (d ^ uint32(n>>32)) * 16777619
		}
	}
	add(s.Backlog, int64(len(s.Held)))
	for _, q := range s.Held {
		add(int64(q))
	}
	for _, w := range s.Waiting {
		add(int64(w.Queue), int64(w.Flow), w.Bytes)
	}
	return d
}

// digests is a function of JavaScript that makes the digests of what the page says of all ports.
const digests = `window.digests = run => sluice.network.ports.map(p => {
	let d = 2166136261
	const half = n => { d = Math.imul(d ^ n, 16777619) }
	const add = n => { half(n >>> 0), half(Math.floor(n / 2**32)) }
	const s = sluice.port(run, sluice.network.name(p.id))
	add(s.backlog), add(s.held.length), s.held.forEach(add)
	for (const w of s.waiting) add(w.queue), add(w.flow), add(w.bytes)
	return d >>> 0 })`

// watcher looks at the machines of a run at some moments.
type watcher struct {
	machines []kit.Machine
	flowOf   map[uint64]int
	moments  []int64
	seen     map[int64][]portState // by moment, then by port, node by node
}

func (w *watcher) Hang(_ sluice.SwitchID, m kit.Machine) kit.Machine {
	w.machines = append(w.machines, m)
	return m
}

func (w *watcher) Sample(at sluice.Time, s *sim.Simulator) {
	if _, wanted := slices.BinarySearch(w.moments, int64(at)); !wanted {
		return
	}
	var all []portState
	for node, m := range w.machines {
		first := len(all)
		for id := range m.Ports() {
			state := portState{Held: []int{}, Waiting: []waiting{}}
			for q := range sluice.QueueID(m.Queues()) {
				bytes := m.Backlog(sluice.PortID(id), q)
				if state.Backlog += int64(bytes); bytes > 0 && !m.Sendable(sluice.PortID(id), q) {
					state.Held = append(state.Held, int(q))
				}
			}
			all = append(all, state)
		}
		sums := map[[3]int]int64{} // by port, queue, flow
		s.Buffered(sluice.SwitchID(node), func(id sluice.PortID, q sluice.QueueID, p *sluice.Packet) {
			if flow, known := w.flowOf[p.Flow]; known { // else an answer or notice, of another key
				sums[[3]int{first + int(id), int(q), flow}] += int64(p.Size)
			}
		})
		for k, bytes := range sums {
			state := &all[k[0]]
			state.Waiting = append(state.Waiting, waiting{k[1], k[2], bytes})
		}
	}
	for i := range all {
		slices.SortFunc(all[i].Waiting, func(a, b waiting) int {
			return cmp.Or(cmp.Compare(b.Bytes, a.Bytes), cmp.Compare(a.Flow, b.Flow), a.Queue-b.Queue)
		})
	}
	w.seen[int64(at)] = all
}

func (w *watcher) Begin(*sim.Begun) {}

// replay runs a subject again, and returns the ports at the moments.
func replay(subject *run.Subject, label string, moments []int64) (map[int64][]portState, error) {
	trial := subject.Trial(label)
	w := &watcher{moments: moments, flowOf: map[uint64]int{}, seen: map[int64][]portState{}}
	for i := range trial.Subject.Flows {
		key := workload.Key(&trial.Subject.Flows[i], i)
		w.flowOf[key.Hash()] = i
		back := key.Reverse()
		w.flowOf[back.Hash()] = i
	}
	_, err := trial.Subject.WatchedBy(w).Simulate(trial.FC, false, nil)
	return w.seen, err
}

// replays compares what the page says of every port of every run with the machines of a second
// run, at 30 random moments, or 100 at the exhaustive depth.
func (b *browser) replays(t *testing.T, subject *run.Subject, outcomes []*run.Outcome) {
	most := 30
	if depth.Now() == depth.Exhaustive {
		most = 100
	}
	moments, seen := make([][]int64, len(outcomes)), make([]map[int64][]portState, len(outcomes))
	for i := range outcomes {
		times := eval[[]int64](b, fmt.Sprintf("Array.from(sluice.runs[%d].times)", i))
		random := rand.New(rand.NewPCG(1, uint64(i)))
		for _, k := range random.Perm(len(times))[:min(most, len(times))] {
			moments[i] = append(moments[i], times[k])
		}
		slices.Sort(moments[i])
	}
	require.NoError(t, run.InParallel(len(outcomes), 2, func(i int) (err error) {
		seen[i], err = replay(subject, outcomes[i].FC, moments[i])
		return err
	}))
	b.act(digests)
	for i, o := range outcomes {
		for _, at := range moments[i] {
			b.compare(t, subject, o, i, at, seen[i][at])
		}
	}
}

// compare moves the clock and compares all ports; and their sums with the sample of the result.
func (b *browser) compare(
	t *testing.T, subject *run.Subject, o *run.Outcome, number int, at int64, want []portState,
) {
	require.NotNil(t, want, "the second run has no sample at %d", at)
	got := eval[[]uint32](b, fmt.Sprintf(
		"(sluice.app.go(%d), sluice.runs[%d].seek(sluice.runs[%d].at(%d)), digests(%d))",
		at, number, number, at, number,
	))
	require.Len(t, got, len(want))
	port, held, total := 0, 0, int64(0)
	for node := range subject.Graph.Nodes {
		for id := range subject.Graph.Nodes[node].Ports {
			state := &want[port]
			if got[port] != state.digest() {
				says := eval[portState](b, fmt.Sprintf("sluice.port(%d, '%d:%d')", number, node, id))
				require.Equal(t, *state, says, "%s: %d:%d at %d", o.FC, node, id, at)
				t.Errorf("%s: %d:%d at %d: its digest differs", o.FC, node, id, at)
			}
			if held += len(state.Held); !subject.Graph.IsHost(sluice.SwitchID(node)) {
				total += state.Backlog
			}
			port++
		}
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
