package topo_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/topo"
)

func TestKinds(t *testing.T) {
	for _, k := range []int{4, 8} {
		g, err := topo.FatTree(topo.FatTreeConfig{K: k, Link: link100})
		require.NoError(t, err)
		hosts, tors := k*k*k/4, k*k/2
		require.Equal(t, []sluice.SwitchID{
			0, sluice.SwitchID(hosts), sluice.SwitchID(hosts + tors), sluice.SwitchID(hosts + 2*tors),
		}, g.Kinds(), "hosts, top-of-rack switches, aggregation switches, cores")
	}
}

// A link that differs tells its ends apart, and so their neighbours, and so on.
func TestKindsOfNeighboursOfWhoDiffers(t *testing.T) {
	c := topo.ChainConfig{Switches: 5, HostsPerSwitch: 1, HostLink: link100, Link: link100}
	g, err := topo.Chain(c)
	require.NoError(t, err)
	require.Equal(t, []sluice.SwitchID{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}, g.Kinds(),
		"a switch has the port to the one before it first, so that the row has no mirror image")
	pair, err := topo.Dumbbell(topo.DumbbellConfig{
		Left: 2, Right: 2, HostLink: link100, Bottleneck: link100,
	})
	require.NoError(t, err)
	require.Equal(t, []sluice.SwitchID{0, 4}, pair.Kinds())
	slow := sluice.Link{Rate: sluice.Gbps, Delay: link100.Delay}
	pair.Nodes[3].Ports[0].Link, pair.Nodes[5].Ports[1].Link = slow, slow
	require.Equal(t, []sluice.SwitchID{0, 2, 3, 4, 5}, pair.Kinds())
}
