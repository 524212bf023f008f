package main

import (
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice/internal/lab/workload"
)

// What Figure 2 shows, on a network a fifth of its size: an incast takes more than half of the
// throughput of flows that are not of it under PFC, for a while, and under Pyrrha never; their mean
// completion time is in the paper's range below PFC's.
func TestIsolation(t *testing.T) {
	if testing.Short() {
		t.Skip("simulates 5,147 flows twice")
	}
	s := prepared(t, pyrrhaLibrary, "pyrrha/fig2", "racks=4,hosts=8,spines=2,incast.degree=100,duration=1ms,buffer=3MiB")
	pfc, pyrrha := outcomeOf(t, s, "pfc"), outcomeOf(t, s, "pyrrha")
	for _, g := range uncongestedGroups {
		require.Equal(t, "never", s.collapse(pyrrha, g))
		require.Regexp(t, `^0 to 0\.\d+$`, s.collapse(pfc, g))
	}
	require.Equal(t, "-", s.collapse(pfc, workload.Incast), "all flows of it start at once")

	claims := s.claims(s, []*outcome{pyrrha, pfc})
	require.Len(t, claims, 4+5)
	mean := claims[4]
	require.Equal(t, claim{
		what: "mean of vulnerable flows, less under pyrrha by %", fc: "pfc", published: publishedLess,
		ours: mean.ours,
	}, mean)
	less, err := strconv.ParseFloat(mean.ours, 64)
	require.NoError(t, err)
	require.InDelta(t, 100*(1-pyrrha.fct.Vulnerable.Mean/pfc.fct.Vulnerable.Mean), less, 0.05)
	require.Greater(t, less, 42.0)

	require.Len(t, s.claims(s, []*outcome{pfc}), 2, "without Pyrrha nothing is compared")
}
