package topo_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/topo"
)

var (
	link10 = sluice.Link{Rate: 10 * sluice.Gbps, Delay: 5 * sluice.Microsecond}
	link40 = sluice.Link{Rate: 40 * sluice.Gbps, Delay: 5 * sluice.Microsecond}
)

// PCN (NSDI 2020), section 7.4: a Clos network of 8 pods and 8 spines; a pod has 2 leaves, 4 ToRs
// and 64 hosts. Links of hosts have 10 Gb/s, all others 40, and no switch is oversubscribed.
func TestPods(t *testing.T) {
	g, err := topo.Pods(topo.PodsConfig{
		Pods: 8, Leafs: 2, ToRs: 4, HostsPerToR: 16, Spines: 8, Parallel: 2,
		HostLink: link10, FabricLink: link40,
	})
	require.NoError(t, err)
	require.Equal(t, "pods 8x(4+2) 8", g.Name)
	require.Len(t, g.Hosts(), 512)
	require.Equal(t, 512+8*4*2*2+8*2*8, g.Links())
	require.Equal(t, 6, g.Diameter())
	tiers := map[topo.Tier][2]sluice.Rate{}
	for n := range g.Nodes {
		var up, down sluice.Rate
		for i, p := range g.Nodes[n].Ports {
			if g.IsUp(sluice.SwitchID(n), sluice.PortID(i)) {
				up += p.Link.Rate
			} else {
				down += p.Link.Rate
			}
		}
		tiers[g.Nodes[n].Tier] = [2]sluice.Rate{up, down}
	}
	require.Equal(t, map[topo.Tier][2]sluice.Rate{
		0: {10 * sluice.Gbps, 0}, 1: {160 * sluice.Gbps, 160 * sluice.Gbps},
		2: {320 * sluice.Gbps, 320 * sluice.Gbps}, 3: {0, 640 * sluice.Gbps},
	}, tiers)

	// Two links to either leaf: from a rack to another of its pod there are four ways.
	require.Len(t, g.AppendNextHops(nil, 512, g.Distances(16)), 4)
}

// Figure 21: a pod of section 7.4 whose links L0-T3 and L1-T0 have failed, so that buffers depend
// on one another in a circle.
func TestPodWithFailedLinks(t *testing.T) {
	c := topo.PodsConfig{
		Pods: 1, Leafs: 2, ToRs: 4, HostsPerToR: 16, HostLink: link10, FabricLink: link40,
		Failed: []topo.PodLink{{ToR: 3, Leaf: 0}, {ToR: 0, Leaf: 1}},
	}
	g, err := topo.Pods(c)
	require.NoError(t, err)
	require.Equal(t, 64+8-2, g.Links())
	require.Equal(t, 6, g.Diameter(), "from T0 down and up again to T3")
	for _, change := range []struct {
		field string
		make  func(c *topo.PodsConfig)
	}{
		{"Pods", func(c *topo.PodsConfig) { c.Pods = 0 }},
		{"Leafs", func(c *topo.PodsConfig) { c.Leafs = 0 }},
		{"ToRs", func(c *topo.PodsConfig) { c.ToRs = -1 }},
		{"HostsPerToR", func(c *topo.PodsConfig) { c.HostsPerToR = topo.MaxPorts - 1 }},
		{"Spines", func(c *topo.PodsConfig) { c.Pods = 2 }},
		{"Parallel", func(c *topo.PodsConfig) { c.Parallel = -1 }},
		{"HostLink", func(c *topo.PodsConfig) { c.HostLink.Rate = 0 }},
		{"FabricLink", func(c *topo.PodsConfig) { c.FabricLink.Delay = -1 }},
		{"Failed[0]", func(c *topo.PodsConfig) { c.Failed = []topo.PodLink{{ToR: 4}} }},
		{"Failed", func(c *topo.PodsConfig) { c.Failed = []topo.PodLink{{ToR: 1}, {ToR: 1, Leaf: 1}} }},
	} {
		bad := c
		change.make(&bad)
		_, err := topo.Pods(bad)
		var e *sluice.ConfigError
		require.ErrorAs(t, err, &e, change.field)
		require.Equal(t, change.field, e.Field)
	}
}

func TestChain(t *testing.T) {
	g, err := topo.Chain(topo.ChainConfig{
		Switches: 3, HostsPerSwitch: 2, HostLink: link10, Link: link40,
	})
	require.NoError(t, err)
	require.Equal(t, "chain 3x2", g.Name)
	require.Equal(t, []topo.Port{
		{Peer: 2, Link: link10}, {Peer: 3, Link: link10},
		{Peer: 6, PeerPort: 2, Link: link40}, {Peer: 8, PeerPort: 2, Link: link40},
	}, g.Nodes[7].Ports)
	require.Equal(t, 4, g.Diameter())
	for _, bad := range []topo.ChainConfig{
		{HostsPerSwitch: 2, HostLink: link10, Link: link40},
		{Switches: 2, HostLink: link10, Link: link40},
		{Switches: 2, HostsPerSwitch: 1, Link: link40},
		{Switches: 2, HostsPerSwitch: 1, HostLink: link10},
	} {
		_, err := topo.Chain(bad)
		var e *sluice.ConfigError
		require.ErrorAs(t, err, &e)
	}
}
