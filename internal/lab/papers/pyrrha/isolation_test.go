package pyrrha

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice/internal/lab/run"
	"github.com/sluicefc/sluice/internal/lab/run/runtest"
	"github.com/sluicefc/sluice/internal/lab/workload"
)

// What Figure 2 shows, on a network a fifth of its size: an incast takes more than half of the
// throughput of flows that are not of it under PFC, for a while, and under Pyrrha never; their mean
// completion time is in the paper's range below PFC's.
func TestIsolation(t *testing.T) {
	if testing.Short() {
		t.Skip("simulates 5,147 flows twice")
	}
	s := runtest.Prepared(t, Library, "pyrrha/fig2", "racks=4,hosts=8,spines=2,incast.degree=100,duration=1ms,buffer=3MiB")
	pfc, pyrrha := runtest.OutcomeOf(t, s, "pfc"), runtest.OutcomeOf(t, s, "pyrrha")
	for _, g := range uncongestedGroups {
		require.Equal(t, "never", collapseIn(pyrrha, g)[0].Words)
		span := collapseIn(pfc, g)
		require.Zero(t, span[0].Value)
		require.Positive(t, span[1].Value)
		require.Less(t, span[1].Value, 1.)
	}
	none := collapseIn(pfc, workload.Incast)[0]
	require.False(t, none.Known(), "all flows of it start at once")

	mean := runtest.Finding(t, s, []*run.Outcome{pyrrha, pfc}, "mean FCT of vulnerable flows", "pyrrha",
		"pfc")
	require.Equal(t, run.Between(42, 98), *mean.Published)
	require.InDelta(t, 100*(1-pyrrha.FCT.Vulnerable.Mean/pfc.FCT.Vulnerable.Mean), mean.Measured.Value,
		1e-9)
	require.Greater(t, mean.Measured.Value, 42.0)
	for _, f := range run.Findings(s, []*run.Outcome{pfc}) {
		require.Empty(t, f.Baseline, "without Pyrrha nothing is compared")
	}
}
