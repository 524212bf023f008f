package ofc

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice/internal/depth"
	"github.com/sluicefc/sluice/internal/lab/run"
	"github.com/sluicefc/sluice/internal/lab/run/runtest"
	"github.com/sluicefc/sluice/internal/lab/workload"
)

// Table I, the row of the simulation: PFC 1.96 ms for all flows; OFC 1.69 ms, and 1.45 ms for the
// flow that causes no congestion. Sizes were fixed by PFC and a queue per flow alone, so that OFC's
// row is a prediction: within 5 % and 8 %.
func TestOFCTable1(t *testing.T) {
	s := runtest.Prepared(t, Library, "ofc/fig2", "")
	run := func(fc string, set ...string) *run.Outcome {
		if len(set) > 0 {
			return runtest.OutcomeOf(t, runtest.Prepared(t, Library, "ofc/fig2", set[0]), fc)
		}
		return runtest.OutcomeOf(t, s, fc)
	}
	pfc, ofc := run("pfc"), run("ofc")
	require.InEpsilon(t, 1.96, largest(workload.GroupAuto)(pfc).Value, 0.01)
	require.InEpsilon(t, 1.96, largest(workload.Vulnerable)(pfc).Value, 0.01)
	require.InEpsilon(t, 1.69, largest(workload.GroupAuto)(ofc).Value, 0.05)
	require.InEpsilon(t, 1.45, largest(workload.Vulnerable)(ofc).Value, 0.08)
	// What is it that helps? Without a congested threshold no flow is named, and without telling
	// original from local congestion the flow beside is named with the others.
	for _, without := range []string{"ofc.alpha=1", "ofc.distinguish=off"} {
		o := run("ofc", without)
		require.Greater(t, largest(workload.Vulnerable)(o).Value, 1.9, without)
		require.Zero(t, o.Result.Dropped)
	}
}

// Figure 9: no run of any kind drops a packet, OFC ends in a circle of held queues less often than
// all others but GFC proper, which never does: its ports always send, if next to nothing. README.md
// has 1,000 runs.
func TestOFCDeadlocksLess(t *testing.T) {
	runtest.Alone(t)
	kinds, seeds := figure9Protocols, 50
	if depth.Now() < depth.Thorough {
		kinds, seeds = []string{"pfc", "ofc"}, 4
	}
	scenario, err := Library.Find("ofc/fig9")
	require.NoError(t, err)
	deadlocks := make([]int, len(kinds))
	t.Run("runs", func(t *testing.T) {
		for i, fc := range kinds {
			t.Run(fc, func(t *testing.T) {
				t.Parallel()
				for seed := range seeds {
					s, err := Library.Prepare(scenario, run.Request{Seed: uint64(seed + 1)})
					require.NoError(t, err)
					s.SampleEvery = 0
					o := runtest.OutcomeOf(t, s, fc)
					require.Zero(t, o.Result.Dropped)
					switch {
					case o.Result.Deadlock != "":
						deadlocks[i]++
					case fc != "gfc":
						require.Equal(t, len(s.Flows), o.Result.Completed)
					}
				}
			})
		}
	})
	t.Logf("%d runs: %v %v", seeds, kinds, deadlocks)
	of := func(fc string) int { return deadlocks[slices.Index(kinds, fc)] }
	for _, fc := range kinds {
		switch fc {
		case "ofc":
		case "gfc":
			require.Zero(t, of(fc))
		default:
			require.Less(t, of("ofc"), of(fc), fc)
		}
	}
}
