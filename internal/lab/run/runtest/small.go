package runtest

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/run"
	"github.com/sluicefc/sluice/internal/lab/sim"
	"github.com/sluicefc/sluice/internal/lab/topo"
	"github.com/sluicefc/sluice/internal/lab/workload"
)

// SmallSubject is five flows on a dumbbell: two into host 2, one to its neighbour 3, two back. One
// result has everything a report must show: a loss, a flow that did not complete, notes.
func SmallSubject(t testing.TB) (*run.Subject, []*run.Outcome) {
	t.Helper()
	link := sluice.Link{Rate: 100 * sluice.Gbps, Delay: 600 * sluice.Nanosecond}
	graph, err := topo.Dumbbell(topo.DumbbellConfig{
		Left: 2, Right: 2, HostLink: link, Bottleneck: link,
	})
	require.NoError(t, err)
	flows := []workload.Flow{
		{Src: 0, Dst: 2, Bytes: 10_000},
		{Src: 1, Dst: 2, Bytes: 20_000, Start: 100 * sluice.Nanosecond},
		{Src: 1, Dst: 3, Bytes: 1_000},
		{Src: 2, Dst: 0, Bytes: 1_460},
		{Src: 3, Dst: 1, Bytes: 1_460, Start: sluice.Microsecond},
	}
	parameters, err := new(run.Library).Registry()
	require.NoError(t, err)
	values, err := parameters.Parse("buffer=1MiB")
	require.NoError(t, err)
	s := &run.Subject{
		Scenario: &run.Scenario{Name: "small", Doc: "five flows on a dumbbell"}, Seed: 7, Values: values,
		Graph: graph, Flows: flows, Groups: sim.Groups(graph, flows),
		Published: &run.Published{Source: "a table", FCT: map[string][]float64{"pfc": {5, 7, 3, 2, 2}}},
	}
	times := func(microseconds ...float64) []sim.FlowResult {
		results := make([]sim.FlowResult, len(flows))
		for i, us := range microseconds {
			results[i] = sim.FlowResult{
				Flow: flows[i], FCT: sluice.Time(us * 1e6), Ideal: 2 * sluice.Microsecond,
			}
			if us == 0 {
				results[i].FCT = sluice.Never
			}
		}
		return results
	}
	series := func(scale sluice.Bytes) (samples []sim.Sample) {
		for i := range sluice.Time(10) {
			samples = append(samples, sim.Sample{
				At: (i + 1) * sluice.Microsecond, MaxPortBytes: scale * sluice.Bytes(i),
				TotalBytes:   2 * scale * sluice.Bytes(i),
				PausedQueues: int(i % 3), DeliveredBytes: [4]sluice.Bytes{0, 2000, 100, 300},
			})
		}
		return samples
	}
	pfc := &sim.Result{
		Flows: times(6, 8, 3, 2.5, 2.5), Completed: 5, PacketHops: 123_456, Events: 234_567,
		Simulated: 9 * sluice.Microsecond,
		Wall:      50 * time.Millisecond, MaxSwitchBytes: 31_000, MaxPortBytes: 30_000,
		Series:        series(3000),
		ControlFrames: map[string]int64{"resume": 4, "pause": 1005},
		Notes: []string{
			"pfc: port 5:1 was paused for most of the run, and this sentence is made long enough to be " +
				"broken into two lines of the report",
		},
	}
	none := &sim.Result{
		Flows: times(0, 9.25, 3, 2.5, 0), Completed: 3, Dropped: 1234, Reordered: 2, PacketHops: 3456,
		Events: 4567, Simulated: 10 * sluice.Millisecond,
		Wall: 5 * time.Millisecond, MaxSwitchBytes: 21_000, MaxPortBytes: 20_000, Series: series(2000),
		Drops: []sim.DropRecord{
			{
				At: sluice.Hop{Switch: 4, Port: 2}, Reason: sluice.BufferFull, Packets: 34,
				First: 3 * sluice.Microsecond,
			},
			{
				At: sluice.Hop{Switch: 5, Port: 0}, Reason: sluice.BufferFull, Packets: 1100,
				First: 2500 * sluice.Nanosecond,
			},
			{
				At: sluice.Hop{Switch: 5, Port: 1}, Reason: sluice.BufferFull, Packets: 60,
				First: 4 * sluice.Microsecond,
			},
			{
				At: sluice.Hop{Switch: 5, Port: 2}, Reason: sluice.BufferFull, Packets: 40,
				First: 4 * sluice.Microsecond,
			},
		},
	}
	outcomes := []*run.Outcome{run.NewOutcome(s, "pfc", pfc), run.NewOutcome(s, "none", none)}
	for i, peak := range []int64{20_000_000, 21_000_000} {
		outcomes[i].PeakRSS = &peak
	}
	return s, outcomes
}
