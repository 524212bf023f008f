package pyrrha

import (
	"strconv"
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
		require.Equal(t, "never", collapse(s, pyrrha, g))
		require.Regexp(t, `^0 to 0\.\d+$`, collapse(s, pfc, g))
	}
	require.Equal(t, "-", collapse(s, pfc, workload.Incast), "all flows of it start at once")

	claims := s.Claims(s, []*run.Outcome{pyrrha, pfc})
	require.Len(t, claims, 4+5)
	mean := claims[4]
	require.Equal(t, run.Claim{
		What: "mean of vulnerable flows, less under pyrrha by %", FC: "pfc", Published: publishedLess,
		Ours: mean.Ours,
	}, mean)
	less, err := strconv.ParseFloat(mean.Ours, 64)
	require.NoError(t, err)
	require.InDelta(t, 100*(1-pyrrha.FCT.Vulnerable.Mean/pfc.FCT.Vulnerable.Mean), less, 0.05)
	require.Greater(t, less, 42.0)

	require.Len(t, s.Claims(s, []*run.Outcome{pfc}), 2, "without Pyrrha nothing is compared")
}
