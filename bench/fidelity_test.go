package main

import (
	"io"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/sim"
	"github.com/sluicefc/sluice/internal/workload"
)

// reference builds the reference scenario.
func reference(t testing.TB) *subject {
	t.Helper()
	s, err := findScenario("reference")
	require.NoError(t, err)
	subject, err := s.prepare(defaultSeed, "")
	require.NoError(t, err)
	subject.sampleEvery = 0
	return subject
}

// The reference is a run of the Pyrrha authors' ns-3 under PFC. Its switches hash flows onto paths in their own way, so that
// single flows differ and groups do not.
func TestReferenceUnderPFC(t *testing.T) {
	if testing.Short() {
		t.Skip("simulates 6,642 flows")
	}
	s := reference(t)
	o, err := s.run("pfc", io.Discard)
	require.NoError(t, err)

	require.Equal(t, 6642, len(o.result.Flows))
	require.Equal(t, 6642, o.result.Completed)
	require.Zero(t, o.result.Dropped)
	require.Zero(t, o.result.Reordered)
	for _, c := range []struct {
		group     workload.Group
		flows     int
		mean      float64 // of the reference, us
		tolerance float64
	}{
		{workload.Incast, 720, 2530.5, 0.10},
		{workload.Vulnerable, 632, 1445.0, 0.25},
	} {
		published, ok := s.published.mean("pfc", s.groups, c.group)
		require.True(t, ok)
		require.InDelta(t, c.mean, published, 0.05, "the reference's own figures")
		require.Equal(t, c.flows, o.completed(c.group))
		require.InEpsilon(t, c.mean, o.fct.of(c.group).Mean, c.tolerance, "%v", c.group)
	}
	calm := uncongested(t, s)
	require.GreaterOrEqual(t, o.fct.Background.Mean, 2*calm.fct.Background.Mean, "PFC must spread the incast's congestion to other racks")
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
	o, err := calm.run("pfc", io.Discard)
	require.NoError(t, err)
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
		o, err := s.run(fc, io.Discard)
		require.NoError(t, err)
		for i := range o.result.Flows {
			f := &o.result.Flows[i]
			require.NotEqual(t, sluice.Never, f.FCT)
			require.GreaterOrEqual(t, f.FCT, f.Ideal, "flow %d under %s", i, fc)
		}
	}
}
