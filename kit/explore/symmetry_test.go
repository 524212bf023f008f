package explore_test

import (
	"testing"

	"github.com/sluicefc/sluice/internal/depth"
	"github.com/sluicefc/sluice/kit"
	"github.com/sluicefc/sluice/kit/explore"
	"github.com/stretchr/testify/require"
)

// searched explores a network with and without its symmetries.
func searched(t *testing.T, n *explore.Network) (with, without explore.Result) {
	with = explored(t, n)
	without, err := n.Explore(explore.Options{NoSymmetry: true})
	require.NoError(t, err)
	require.Equal(t, 1, without.Symmetries)
	return with, without
}

// TestSymmetry: a circle of three is like itself in three ways, so that a state stands for the
// three that are turned; states that look the same turned stand for themselves. A violation is as
// many steps away, and its steps are steps of the network, not of what was turned.
func TestSymmetry(t *testing.T) {
	depth.From(t, depth.Thorough, "the states of a circle, twice")
	with, without := searched(t, circle(protocolOf("pyrrha")))
	require.Equal(t, 3, with.Symmetries)
	require.True(t, with.Whole && without.Whole)
	require.LessOrEqual(t, without.States, 3*with.States)
	require.Greater(t, without.States, 29*with.States/10)
	require.Equal(t, without.Depth, with.Depth)

	n := circle(protocolOf("pfc"))
	with, without = searched(t, n)
	require.Equal(t, 3, with.Symmetries)
	require.Len(t, with.Violation.Steps, len(without.Violation.Steps))
	require.ErrorContains(t, n.Replay(nil, texts(with.Violation.Steps)...), "no deadlock")
}

// TestNoSymmetry: what two places do differently is no symmetry: a fault, a flow, a machine.
func TestNoSymmetry(t *testing.T) {
	n := circle(protocolOf("cbfc"))
	n.Faults.Flaps = []int{1}
	r, err := n.Explore(explore.Options{States: 100})
	require.NoError(t, err)
	require.Equal(t, 1, r.Symmetries, "one link flaps")

	n.Faults.Flaps = []int{1, 3, 5}
	r, err = n.Explore(explore.Options{States: 100})
	require.NoError(t, err)
	require.Equal(t, 3, r.Symmetries, "all links of the circle flap")

	n = circle(protocolOf("pyrrha"))
	n.Flows = n.Flows[:2]
	with, without := searched(t, n)
	require.Equal(t, without.States, with.States, "one flow is missing")

	n = pair(protocolOf("pyrrha"))
	n.Flows = n.Flows[:2]
	r, err = n.Explore(explore.Options{})
	require.NoError(t, err)
	require.Equal(t, 2, r.Symmetries, "two hosts send to a third")
	n.Nodes[2].New = func() (kit.Machine, error) {
		return protocolOf("pyrrha").node(site{id: 2, roles: nic, repairs: true})
	}
	with, without = searched(t, n)
	require.Equal(t, 1, with.Symmetries, "one of them obeys no pause for ever")
	require.Equal(t, without.States, with.States)
}

// TestBounds: a search says what ended it, and how far it is complete.
func TestBounds(t *testing.T) {
	n := circle(protocolOf("ofc"))
	for want, o := range map[string]explore.Options{
		"States": {States: 1000}, "Time": {Time: 1}, "Memory": {Memory: 1},
	} {
		r, err := n.Explore(o)
		require.NoError(t, err)
		require.Nil(t, r.Violation)
		require.Equal(t, want, r.Bound)
		require.False(t, r.Whole)
		require.Positive(t, r.Waiting)
		require.LessOrEqual(t, r.Through, r.Depth)
	}
	near, err := n.Explore(explore.Options{States: 500})
	require.NoError(t, err)
	far, err := n.Explore(explore.Options{States: 5_000})
	require.NoError(t, err)
	require.Greater(t, far.Through, near.Through)
	require.Positive(t, far.Memory)
}
