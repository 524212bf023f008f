package main

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/sim"
	"github.com/sluicefc/sluice/internal/lab/workload"
)

// reference builds the reference scenario.
func reference(t testing.TB) *subject {
	t.Helper()
	subject := prepared(t, generalLibrary, "reference")
	subject.sampleEvery = 0
	return subject
}

// The reference is a run of the Pyrrha authors' ns-3 under PFC. Its switches hash flows onto paths
// in their own way, so that single flows differ and groups do not.
func TestReferenceUnderPFC(t *testing.T) {
	if testing.Short() {
		t.Skip("simulates 6,642 flows")
	}
	s := reference(t)
	o := outcomeOf(t, s, "pfc")

	counts := countGroups(s.groups)
	require.Equal(t, [...]int{6642, 720, 632, 5290}, counts)
	require.Equal(t, 6642, o.result.Completed)
	require.Zero(t, o.result.Dropped)
	require.Zero(t, o.result.Reordered)
	requireMean(t, s, o, 2530.5, 0.10, workload.Incast)
	requireMean(t, s, o, 1445.0, 0.25, workload.Vulnerable)
	calm := uncongested(t, s)
	require.GreaterOrEqual(
		t, o.fct.Background.Mean, 2*calm.fct.Background.Mean,
		"PFC must spread the incast's congestion to other racks",
	)
}

// Under Pyrrha the same authors' code leaves the vulnerable flows untouched; so does ours.
func TestReferenceUnderPyrrha(t *testing.T) {
	if testing.Short() {
		t.Skip("simulates 6,642 flows")
	}
	s := reference(t)
	o := outcomeOf(t, s, "pyrrha")
	require.Equal(t, 6642, o.result.Completed)
	require.Zero(t, o.result.Dropped)
	require.Zero(t, o.result.Reordered)
	requireMean(t, s, o, 2494.3, 0.10, workload.Incast)
	requireMean(t, s, o, 12.19, 0.30, workload.Vulnerable)
	requireMean(t, s, o, 11.15, 0.30, workload.Background)

	pfc := outcomeOf(t, s, "pfc")
	require.GreaterOrEqual(t, pfc.fct.Vulnerable.Mean, 60*o.fct.Vulnerable.Mean)
}

// On the paths that the flows and their acknowledgements took there, each mean is theirs within two
// per mille; for those of some 12 us a digit of the table below is four.
func TestReferenceOnTheirPaths(t *testing.T) {
	if testing.Short() {
		t.Skip("simulates 6,642 flows")
	}
	theirs := readCSV(t, filepath.Join("testdata", "pyrrha-ns3", "results.csv"), 0)
	s := reference(t)
	takeSpines(t, s, theirs)
	pfc := outcomeOf(t, s, "pfc")
	requireMean(t, s, pfc, 2530.5, 0.002, workload.Incast)
	requireMean(t, s, pfc, 1445.0, 0.002, workload.Vulnerable)
	requireMean(t, s, pfc, 43.99, 0.002, workload.Background)
	pyrrha := outcomeOf(t, s, "pyrrha")
	requireMean(t, s, pyrrha, 2494.3, 0.002, workload.Incast)
	requireMean(t, s, pyrrha, 12.19, 0.005, workload.Vulnerable)
	requireMean(t, s, pyrrha, 11.15, 0.005, workload.Background)
}

// With 8 isolation queues per port instead of 100 nothing changes, because no port keeps one for a
// level that its place in the network does not have.
func TestReferenceWithFewQueues(t *testing.T) {
	if testing.Short() {
		t.Skip("simulates 6,642 flows")
	}
	s := prepared(t, generalLibrary, "reference", "pyrrha.iqs=8")
	s.sampleEvery = 0
	requireMean(t, s, outcomeOf(t, s, "pyrrha"), 12.19, 0.03, workload.Vulnerable)
}

// requireMean compares a group's mean completion time with the reference's, in microseconds.
func requireMean(t *testing.T, s *subject, o *outcome, want, tolerance float64, g workload.Group) {
	t.Helper()
	published, ok := s.published.mean(o.fc, s.groups, g)
	require.True(t, ok)
	require.InDelta(t, want, published, 0.05, "the embedded results are not the reference's")
	require.Equal(t, countGroups(s.groups)[g], o.completed(g))
	require.InEpsilon(t, want, (*o.fct.of(g)).Mean, tolerance, "%v", g)
}

// uncongested runs the scenario without its incast.
func uncongested(t *testing.T, s *subject) *outcome {
	t.Helper()
	calm := *s
	calm.flows, calm.published = nil, nil
	for i, f := range s.flows {
		if s.groups[i] != workload.Incast {
			f.Group = s.groups[i]
			calm.flows = append(calm.flows, f)
		}
	}
	calm.groups = sim.Groups(calm.graph, calm.flows)
	o := outcomeOf(t, &calm, "pfc")
	require.Equal(t, len(calm.flows), o.result.Completed)
	return o
}

// No protocol makes a flow faster than an empty network does.
func TestReferenceSlowdownIsAtLeastOne(t *testing.T) {
	if testing.Short() {
		t.Skip("simulates 6,642 flows")
	}
	s := reference(t)
	for _, fc := range []string{"pfc", "ideal"} {
		o := outcomeOf(t, s, fc)
		for i := range o.result.Flows {
			f := &o.result.Flows[i]
			require.NotEqual(t, sluice.Never, f.FCT)
			require.GreaterOrEqual(t, f.FCT, f.Ideal, "flow %d under %s", i, fc)
		}
	}
}
