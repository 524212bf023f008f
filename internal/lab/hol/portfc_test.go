package hol_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/hol"
	"github.com/sluicefc/sluice/portfc"
)

// A pause of one destination's queue does not hold another's (PortFC, section III-F), for all pairs
// of routes of NDC(n,1) and each of their ports that may be congested. It is so in switches. In
// nodes it is not: two four-hop flows of a node that share the port of its switch, and part at the
// next, share a queue a, which waits for either. Nothing else is blocked.
func TestPortFCBlocksInNodesOnly(t *testing.T) {
	networks := []portfc.NDC{{N: 3, K: 1}}
	if !testing.Short() {
		networks = append(networks, portfc.NDC{N: 4, K: 1})
	}
	for _, network := range networks {
		var routes []hol.Flow
		for src := range sluice.SwitchID(network.Nodes()) {
			for dst := range sluice.SwitchID(network.Nodes()) {
				for order := range network.Orders(src, dst) {
					if path, ok := network.Path(src, dst, order); ok {
						routes = append(routes, hol.Flow{ID: uint64(len(routes)), Path: path.Hops()})
					}
				}
			}
		}
		blocked := 0
		for i, x := range routes {
			for _, y := range routes[:i] {
				blocked += checkPair(t, network, x, y)
			}
		}
		require.Positive(t, blocked)
		t.Logf("%v: %d routes, %d pairs of which one can block the other", network, len(routes), blocked)
	}
}

// checkPair returns 1 if one of two flows can block the other.
func checkPair(t *testing.T, network portfc.NDC, x, y hol.Flow) int {
	var congested []sluice.Hop
	for _, f := range []hol.Flow{x, y} {
		for _, h := range f.Path {
			if !network.IsNode(h.Switch) {
				congested = append(congested, h)
			}
		}
	}
	s, err := hol.New([]hol.Flow{x, y}, congested)
	require.NoError(t, err)
	witnesses := hol.PortFC(s).Blocked()
	shares := len(x.Path) == 4 && len(y.Path) == 4 && x.Path[0] == y.Path[0] &&
		x.Path[1] == y.Path[1] &&
		x.Path[3] != y.Path[3]
	require.Equal(t, shares, len(witnesses) > 0, "%v, %v: %v", x.Path, y.Path, witnesses)
	for _, w := range witnesses {
		require.Equal(t, x.Path[0], w.In.At, "in queue a of the node that both start from")
		require.Equal(t, s.Flow(w.Because).Path[3], w.Root, "for the far port of the other")
	}
	if shares {
		return 1
	}
	return 0
}

// PFC* has a queue for each number of queues passed: flows that pass a port as the same of their
// hops share one, and block each other; flows that come from different distances do not.
func TestPFCStarBlocksByDistance(t *testing.T) {
	network := portfc.NDC{N: 3, K: 1}
	along := func(id uint64, src sluice.SwitchID, digits ...int) hol.Flow {
		path, ok := network.Through(src, 8, digits...)
		require.True(t, ok)
		return hol.Flow{ID: id, Path: path.Hops()}
	}
	// From node 3 to 8 by node 5, where a flow of its own to 8 begins.
	far, own := along(0, 3, 0, 1), along(1, 5, 1)
	shared := own.Path[0]
	require.Equal(t, shared, far.Path[2])
	s, err := hol.New([]hol.Flow{far, own}, []sluice.Hop{own.Path[1]})
	require.NoError(t, err)
	star, pfc := hol.PFCStar(s), hol.PFC(s)
	require.Equal(t, pfc.QueuesOf(0, 2), pfc.QueuesOf(1, 0))
	require.NotEqual(t, star.QueuesOf(0, 2), star.QueuesOf(1, 0))
	require.Len(t, star.QueuesAt(shared), 2)
}

// With k = 2 IHFQs are shared by the egress ports of equal number of both layers beyond.
func TestPortFCSharesIHFQsAmongLayers(t *testing.T) {
	network := portfc.NDC{N: 2, K: 2}
	// Both come to node 1 by its switch of layer 0, and leave it by another layer, by port 1.
	a, ok := network.Through(0, 3, 0, 1)
	require.True(t, ok)
	b, ok := network.Through(0, 5, 0, 2)
	require.True(t, ok)
	s, err := hol.New([]hol.Flow{{ID: 1, Path: a.Hops()}, {ID: 2, Path: b.Hops()}},
		[]sluice.Hop{a.At(3)})
	require.NoError(t, err)
	var at []sluice.Hop
	for _, w := range hol.PortFC(s).Blocked() {
		at = append(at, w.In.At)
	}
	require.Contains(t, at, a.At(1), "in the switch")
}
