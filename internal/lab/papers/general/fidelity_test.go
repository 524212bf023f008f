package general

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/depth"
	"github.com/sluicefc/sluice/internal/golden"
	"github.com/sluicefc/sluice/internal/lab/run"
	"github.com/sluicefc/sluice/internal/lab/run/runtest"
	"github.com/sluicefc/sluice/internal/lab/sim"
	"github.com/sluicefc/sluice/internal/lab/workload"
)

// reference builds the reference scenario.
func reference(t testing.TB) *run.Subject {
	t.Helper()
	subject := runtest.Prepared(t, Library, "reference")
	subject.SampleEvery = 0
	return subject
}

// The reference is a run of the Pyrrha authors' ns-3 under PFC. Its switches hash flows onto paths
// in their own way, so that single flows differ and groups do not.
func TestReferenceUnderPFC(t *testing.T) {
	depth.From(t, depth.Thorough, "simulates 6,642 flows twice")
	s := reference(t)
	o := runtest.OutcomeOf(t, s, "pfc")

	counts := s.CountGroups()
	require.Equal(t, map[workload.Group]int{
		workload.GroupAuto: 6642, workload.Incast: 720, workload.Vulnerable: 632,
		workload.Background: 5290,
	}, counts)
	require.Equal(t, 6642, o.Result.Completed)
	require.Zero(t, o.Result.Dropped)
	require.Zero(t, o.Result.Reordered)
	requireMean(t, s, o, 2530.5, 0.10, workload.Incast)
	requireMean(t, s, o, 1445.0, 0.25, workload.Vulnerable)
	calm := uncongested(t, s)
	require.GreaterOrEqual(
		t, o.FCT.Background.Mean, 2*calm.FCT.Background.Mean,
		"PFC must spread the incast's congestion to other racks",
	)
}

// Under Pyrrha the same authors' code leaves the vulnerable flows untouched; so does ours.
func TestReferenceUnderPyrrha(t *testing.T) {
	depth.From(t, depth.Thorough, "simulates 6,642 flows twice")
	s := reference(t)
	o := runtest.OutcomeOf(t, s, "pyrrha")
	require.Equal(t, 6642, o.Result.Completed)
	require.Zero(t, o.Result.Dropped)
	require.Zero(t, o.Result.Reordered)
	requireMean(t, s, o, 2494.3, 0.10, workload.Incast)
	requireMean(t, s, o, 12.19, 0.30, workload.Vulnerable)
	requireMean(t, s, o, 11.15, 0.30, workload.Background)

	pfc := runtest.OutcomeOf(t, s, "pfc")
	require.GreaterOrEqual(t, pfc.FCT.Vulnerable.Mean, 60*o.FCT.Vulnerable.Mean)
}

// On the paths that the flows and their acknowledgements took there, each mean is theirs within
// five per mille; for means of some 12 us a digit of the table below is four. With events of one
// time in the order in which they were planned, as ns-3 has them, all were within two.
func TestReferenceOnTheirPaths(t *testing.T) {
	depth.From(t, depth.Usual, "simulates 6,642 flows")
	theirs := golden.ReadCSV(t, filepath.Join("testdata", "pyrrha-ns3", "results.csv"), 0)
	s := reference(t)
	takeSpines(t, s, theirs)
	pfc := runtest.OutcomeOf(t, s, "pfc")
	requireMean(t, s, pfc, 2530.5, 0.005, workload.Incast)
	requireMean(t, s, pfc, 1445.0, 0.005, workload.Vulnerable)
	requireMean(t, s, pfc, 43.99, 0.005, workload.Background)
	pyrrha := runtest.OutcomeOf(t, s, "pyrrha")
	requireMean(t, s, pyrrha, 2494.3, 0.005, workload.Incast)
	requireMean(t, s, pyrrha, 12.19, 0.005, workload.Vulnerable)
	requireMean(t, s, pyrrha, 11.15, 0.005, workload.Background)
}

// With 8 isolation queues per port instead of 100 nothing changes, because no port keeps one for a
// level that its place in the network does not have.
func TestReferenceWithFewQueues(t *testing.T) {
	depth.From(t, depth.Thorough, "simulates 6,642 flows")
	s := runtest.Prepared(t, Library, "reference", "pyrrha.iqs=8")
	s.SampleEvery = 0
	requireMean(t, s, runtest.OutcomeOf(t, s, "pyrrha"), 12.19, 0.03, workload.Vulnerable)
}

// requireMean compares a group's mean completion time with the reference's, in microseconds.
func requireMean(t *testing.T, s *run.Subject, o *run.Outcome, want, tolerance float64,
	g workload.Group) {
	t.Helper()
	published, ok := s.Published.Mean(o.FC, s.Groups, g)
	require.True(t, ok)
	require.InDelta(t, want, published, 0.05, "the embedded results are not the reference's")
	require.Equal(t, s.CountGroups()[g], o.Completed(g))
	require.InEpsilon(t, want, (*o.FCT.Of(g)).Mean, tolerance, "%v", g)
}

// uncongested runs the scenario without its incast.
func uncongested(t *testing.T, s *run.Subject) *run.Outcome {
	t.Helper()
	calm := *s
	calm.Flows, calm.Published = nil, nil
	for i, f := range s.Flows {
		if s.Groups[i] != workload.Incast {
			f.Group = s.Groups[i]
			calm.Flows = append(calm.Flows, f)
		}
	}
	calm.Groups = sim.Groups(calm.Graph, calm.Flows)
	o := runtest.OutcomeOf(t, &calm, "pfc")
	require.Equal(t, len(calm.Flows), o.Result.Completed)
	return o
}

// No protocol makes a flow faster than an empty network does.
func TestReferenceSlowdownIsAtLeastOne(t *testing.T) {
	depth.From(t, depth.Thorough, "simulates 6,642 flows")
	s := reference(t)
	for _, fc := range []string{"pfc", "ideal"} {
		o := runtest.OutcomeOf(t, s, fc)
		for i := range o.Result.Flows {
			f := &o.Result.Flows[i]
			require.NotEqual(t, sluice.Never, f.FCT)
			require.GreaterOrEqual(t, f.FCT, f.Ideal, "flow %d under %s", i, fc)
		}
	}
}
