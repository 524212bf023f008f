package pyrrha

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/depth"
	"github.com/sluicefc/sluice/internal/lab/run"
	"github.com/sluicefc/sluice/internal/lab/run/runtest"
	"github.com/sluicefc/sluice/internal/lab/sim"
	"github.com/sluicefc/sluice/internal/lab/workload"
)

// What Figure 2 shows, on a network a fifth of its size: an incast takes more than half of the
// throughput of flows that are not of it under PFC, for a while, and under Pyrrha never; their mean
// completion time is in the paper's range below PFC's.
func TestIsolation(t *testing.T) {
	depth.From(t, depth.Thorough, "simulates 5,147 flows twice")
	s := runtest.Prepared(t, Library, "pyrrha/fig2",
		"racks=4,hosts=8,spines=2,incast.degree=100,duration=1ms,buffer=3MiB")
	pfc, pyrrha := runtest.OutcomeOf(t, s, "pfc"), runtest.OutcomeOf(t, s, "pyrrha")
	for _, g := range uncongestedGroups {
		require.Equal(t, "never", collapseIn(pyrrha, g)[0].Words)
		span := collapseIn(pfc, g)
		require.Positive(t, span[1].Value)
		require.Less(t, span[1].Value, 1.)
	}
	none := collapseIn(pfc, workload.Incast)[0]
	require.False(t, none.Known(), "all flows of it start at once")

	mean := runtest.Finding(t, s, []*run.Outcome{pyrrha, pfc}, "mean FCT of vulnerable flows",
		"pyrrha",
		"pfc")
	require.InDelta(t, 100*(1-pyrrha.FCT.Vulnerable.Mean/pfc.FCT.Vulnerable.Mean), mean.Measured.Value,
		1e-9)
	require.Greater(t, mean.Measured.Value, 42.0)
	for _, f := range run.Findings(s, []*run.Outcome{pfc}) {
		require.Empty(t, f.Baseline, "without Pyrrha nothing is compared")
	}
}

// Flows offer 4 MB in a millisecond: a quarter of it in each window, and half of a quarter is 500
// KB. Delivered are 200, 600, 400 and 300 KB: in the first window, too, less than half, but then
// the network has been empty.
func TestCollapse(t *testing.T) {
	s := &run.Subject{}
	for i := range 5 {
		s.Flows = append(s.Flows, workload.Flow{
			Start: sluice.Time(i) * collapseWindow, Bytes: 800 * sluice.KB,
		})
		s.Groups = append(s.Groups, workload.Vulnerable)
	}
	o := &run.Outcome{Subject: s, Result: &sim.Result{}}
	for i, kilobytes := range []sluice.Bytes{200, 600, 400, 300} {
		sample := sim.Sample{At: sluice.Time(i+1) * collapseWindow}
		sample.DeliveredBytes[workload.Vulnerable] = kilobytes * sluice.KB
		o.Result.Series = append(o.Result.Series, sample)
	}
	require.Equal(t, [2]run.Measured{run.Number(0.5), run.Number(1)},
		collapseIn(o, workload.Vulnerable))
	require.InDelta(t, 130./3, meanShare(workload.Vulnerable, nil).Value(o).Value, 1e-9)
	require.InDelta(t, 30, leastShare(workload.Vulnerable).Value(o).Value, 1e-9)
	o.Result.Series = o.Result.Series[:0]
	s.Flows, s.Groups = s.Flows[:2], s.Groups[:2] // one window
	require.Nil(t, sharesOf(o, workload.Vulnerable))
}
