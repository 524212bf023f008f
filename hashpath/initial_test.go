package hashpath

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// The tables that Build makes, block by block, are to the word the tables that a search for every
// destination makes.
func TestRouteIsASearchForEach(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		_, net := drawNetwork(t, rapid.SampledFrom([]Selection{Modulo, Resilient}).Draw(t, "selection"))
		checkRoute(t, net)
	})
	tree := fatTree{6}
	routed := tree.declare(nil)
	routed.SetRoute(tree.tor(0, 0), tree.host(1, 1, 0), 3)
	for _, b := range []*Builder{tree.declare(nil), clos(3, 4), routed} {
		net, err := b.Build(Config{})
		require.NoError(t, err)
		checkRoute(t, net)
	}
}

func checkRoute(t require.TestingT, net *Network) {
	empty := *net.now.Load()
	empty.nodes, empty.down = slices.Clone(empty.nodes), nil
	for i := range empty.nodes {
		empty.nodes[i].row = 0
	}
	empty.rows = make([]entry, len(net.blocks)-1)
	empty.details, empty.groups, empty.members = nil, nil, nil
	blockwise, each := newDraft(net, &empty), newDraft(net, &empty)
	blockwise.route()
	each.open()
	for where := range empty.dests {
		each.reroute(uint32(where))
	}
	require.Equal(t, each.rows, blockwise.rows)
	require.Equal(t, each.sums, blockwise.sums)
	require.Equal(t, each.finish(), blockwise.finish())
}
