package topo_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/topo"
)

var (
	link100 = sluice.Link{Rate: 100 * sluice.Gbps, Delay: 600 * sluice.Nanosecond}
	link400 = sluice.Link{Rate: 400 * sluice.Gbps, Delay: 600 * sluice.Nanosecond}
)

func pyrrhaLeafSpine() topo.LeafSpineConfig {
	return topo.LeafSpineConfig{
		Racks: 10, Spines: 4, HostsPerRack: 16, HostLink: link100, Uplink: link400,
	}
}

func TestLeafSpineNumbering(t *testing.T) {
	g, err := topo.LeafSpine(pyrrhaLeafSpine())
	require.NoError(t, err)
	require.Equal(t, "leaf-spine 10x4x16", g.Name)
	require.Len(t, g.Nodes, 174)
	require.Len(t, g.Hosts(), 160)
	require.Equal(t, 200, g.Links())
	for host := range sluice.SwitchID(160) {
		node := g.Nodes[host]
		require.Equal(t, topo.Node{Rack: int32(host / 16), Ports: []topo.Port{
			{Peer: 160 + host/16, PeerPort: sluice.PortID(host % 16), Link: link100},
		}}, node)
	}
	for tor := sluice.SwitchID(160); tor < 170; tor++ {
		require.Equal(t, topo.Tier(1), g.Nodes[tor].Tier)
		require.Equal(t, int32(tor-160), g.Nodes[tor].Rack)
		for spine := range sluice.SwitchID(4) {
			up := sluice.PortID(16 + spine)
			require.Equal(
				t, topo.Port{Peer: 170 + spine, PeerPort: sluice.PortID(tor - 160), Link: link400},
				g.Nodes[tor].Ports[up],
			)
			require.True(t, g.IsUp(tor, up))
			require.False(t, g.IsUp(tor, 0))
			require.False(t, g.IsUp(170+spine, 0))
		}
	}
	require.Equal(t, topo.Tier(2), g.Nodes[173].Tier)
	require.Equal(t, int32(-1), g.Nodes[173].Rack)
}

func TestLeafSpineWithFailedLinks(t *testing.T) {
	c := topo.LeafSpineConfig{Racks: 4, Spines: 2, HostsPerRack: 1, HostLink: link100, Uplink: link100,
		Failed: []topo.Uplink{{Rack: 0, Spine: 0}, {Rack: 3, Spine: 1}}}
	g, err := topo.LeafSpine(c)
	require.NoError(t, err)
	require.Equal(t, 4+4*2-2, g.Links())
	require.Equal(t, 6, g.Diameter(), "rack 0 reaches rack 3 over another rack")

	c.Failed = []topo.Uplink{{Rack: 2, Spine: 0}, {Rack: 2, Spine: 1}}
	_, err = topo.LeafSpine(c)
	require.EqualError(
		t, err, "topo: Failed = leaf-spine 4x2x1: host 2 cannot be reached from node 0",
	)
}

func TestThreeToRs(t *testing.T) {
	g, err := topo.ThreeToRs(link100)
	require.NoError(t, err)
	require.Equal(t, "three ToRs", g.Name)
	require.Len(t, g.Hosts(), 6)
	require.Equal(t, 6+3*2, g.Links())
	rack := func(h sluice.SwitchID) int32 { return g.Nodes[h].Rack }
	require.Equal(t, rack(topo.TestbedR1), rack(topo.TestbedVR))
	require.NotEqual(t, rack(topo.TestbedS2), rack(topo.TestbedVS))
	require.NotContains(
		t, []int32{rack(topo.TestbedS1), rack(topo.TestbedS2), rack(topo.TestbedVS)},
		rack(topo.TestbedR1),
	)
}

func TestFatTree(t *testing.T) {
	g, err := topo.FatTree(topo.FatTreeConfig{K: 4, Link: link100})
	require.NoError(t, err)
	require.Equal(t, "fat-tree k=4", g.Name)
	require.Len(t, g.Nodes, 16+8+8+4)
	require.Len(t, g.Hosts(), 16)
	tiers := map[topo.Tier]int{}
	for id, n := range g.Nodes {
		tiers[n.Tier]++
		if n.Tier > 0 {
			require.Len(t, n.Ports, 4, "switch %d", id)
		}
	}
	require.Equal(t, map[topo.Tier]int{0: 16, 1: 8, 2: 8, 3: 4}, tiers)
	require.Equal(t, 6, g.Diameter())
	for core := sluice.SwitchID(32); core < 36; core++ {
		for pod, p := range g.Nodes[core].Ports {
			require.Equal(t, sluice.SwitchID(24+2*pod)+(core-32)/2, p.Peer, "core %d, pod %d", core, pod)
		}
	}
	// A core reaches a host by one way only, which the hash-aware path calculation relies on.
	for host := range sluice.SwitchID(16) {
		distances := g.Distances(host)
		for core := sluice.SwitchID(32); core < 36; core++ {
			require.Len(t, g.AppendNextHops(nil, core, distances), 1)
		}
		other := (host + 8) % 16
		require.Len(t, g.AppendNextHops(nil, g.Nodes[other].Ports[0].Peer, distances), 2)
	}
}

// The paper's scalability runs use 1,024 hosts (k = 16) and its prototype is sized for 11,664 (k =
// 36).
func TestFatTreeSizes(t *testing.T) {
	for k, hosts := range map[int]int{2: 2, 12: 432, 16: 1024, 36: 11664} {
		g, err := topo.FatTree(topo.FatTreeConfig{K: k, Link: link100})
		require.NoError(t, err)
		require.Len(t, g.Hosts(), hosts)
		require.Len(t, g.Nodes, hosts+k*k+k*k/4)
	}
}

func TestFatTreeOversubscribed(t *testing.T) {
	fabric := link400
	g, err := topo.FatTree(topo.FatTreeConfig{K: 8, HostsPerToR: 8, Link: link100, Fabric: &fabric})
	require.NoError(t, err)
	require.Equal(t, "fat-tree k=8 8:4", g.Name)
	require.Len(t, g.Hosts(), 256)
	require.Equal(t, link100, g.Nodes[0].Ports[0].Link)
	require.Equal(t, link400, g.Nodes[256].Ports[8].Link)
}

func TestSmallNetworks(t *testing.T) {
	single, err := topo.SingleSwitch(topo.SingleSwitchConfig{Hosts: 5, Link: link100})
	require.NoError(t, err)
	require.Equal(t, 2, single.Diameter())
	require.Equal(t, sluice.SwitchID(3), single.Nodes[5].Ports[3].Peer)

	dumbbell, err := topo.Dumbbell(topo.DumbbellConfig{
		Left: 3, Right: 2, HostLink: link100, Bottleneck: link400,
	})
	require.NoError(t, err)
	require.Equal(t, []int32{0, 0, 0, 1, 1, 0, 1}, racks(dumbbell))
	require.Equal(t, topo.Port{Peer: 6, PeerPort: 2, Link: link400}, dumbbell.Nodes[5].Ports[3])
	require.Equal(t, 3, dumbbell.Diameter())
	require.False(t, dumbbell.IsUp(5, 3))

	ring, err := topo.Ring(topo.RingConfig{
		Switches: 5, HostsPerSwitch: 2, HostLink: link100, RingLink: link100,
	})
	require.NoError(t, err)
	require.Equal(t, 2+2, ring.Diameter())
	for i := range sluice.SwitchID(5) {
		next, ok := ring.PortTo(10+i, 10+(i+1)%5)
		require.True(t, ok)
		back, ok := ring.PortTo(10+(i+1)%5, 10+i)
		require.True(t, ok)
		require.Equal(t, back, ring.Nodes[10+i].Ports[next].PeerPort)
	}
	_, ok := ring.PortTo(10, 12)
	require.False(t, ok)
}

func racks(g *topo.Graph) []int32 {
	numbers := make([]int32, len(g.Nodes))
	for i := range g.Nodes {
		numbers[i] = g.Nodes[i].Rack
	}
	return numbers
}

func TestConstructorsNameTheBadField(t *testing.T) {
	leafSpine := func(change func(*topo.LeafSpineConfig)) error {
		c := pyrrhaLeafSpine()
		change(&c)
		_, err := topo.LeafSpine(c)
		return err
	}
	fatTree := func(c topo.FatTreeConfig) error { _, err := topo.FatTree(c); return err }
	single := func(c topo.SingleSwitchConfig) error { _, err := topo.SingleSwitch(c); return err }
	dumbbell := func(c topo.DumbbellConfig) error { _, err := topo.Dumbbell(c); return err }
	ring := func(c topo.RingConfig) error { _, err := topo.Ring(c); return err }
	ndc := func(c topo.NDCConfig) error { _, err := topo.NDC(c); return err }
	for want, err := range map[string]error{
		"topo: LeafSpineConfig.Racks = 0: must be 1 to 65535": leafSpine(func(c *topo.LeafSpineConfig) {
			c.Racks = 0
		}),
		"topo: LeafSpineConfig.Spines = 0: must be 1 to 65535": leafSpine(func(c *topo.LeafSpineConfig) {
			c.Spines = 0
		}),
		"topo: LeafSpineConfig.HostsPerRack = 65532: must be 1 to 65531": leafSpine(func(c *topo.LeafSpineConfig) {
			c.Racks, c.HostsPerRack = 2, 65532
		}),
		"topo: LeafSpineConfig.HostsPerRack = 60000: makes a network of more than 2097152 nodes or 4194304 links": leafSpine(func(
			c *topo.LeafSpineConfig,
		) {
			c.Racks, c.HostsPerRack = 60000, 60000
		}),
		"topo: LeafSpineConfig.HostLink = {0b/s 600ns}: the rate must be positive": leafSpine(func(
			c *topo.LeafSpineConfig,
		) {
			c.HostLink.Rate = 0
		}),
		"topo: LeafSpineConfig.Uplink = {400Gb/s -1ps}: the delay must not be negative": leafSpine(func(
			c *topo.LeafSpineConfig,
		) {
			c.Uplink.Delay = -1
		}),
		"topo: LeafSpineConfig.Uplink = {400Gb/s never}: the delay must be at most 1s": leafSpine(func(
			c *topo.LeafSpineConfig,
		) {
			c.Uplink.Delay = sluice.Never
		}),
		"topo: LeafSpineConfig.Failed[1] = {0 4}: must name a rack and a spine that are there": leafSpine(func(
			c *topo.LeafSpineConfig,
		) {
			c.Failed = []topo.Uplink{{}, {0, 4}}
		}),
		"topo: FatTreeConfig.K = 3: must be even": fatTree(topo.FatTreeConfig{
			K: 3, Link: link100,
		}),
		"topo: FatTreeConfig.K = 0: must be 2 to 128": fatTree(topo.FatTreeConfig{
			Link: link100,
		}),
		"topo: FatTreeConfig.HostsPerToR = -1: must be 0 to 65531": fatTree(topo.FatTreeConfig{
			K: 4, HostsPerToR: -1, Link: link100,
		}),
		"topo: FatTreeConfig.Link = {0b/s 0ps}: the rate must be positive": fatTree(topo.FatTreeConfig{
			K: 4,
		}),
		"topo: FatTreeConfig.Fabric = {0b/s 0ps}: the rate must be positive": fatTree(topo.FatTreeConfig{
			K: 4, Link: link100, Fabric: &sluice.Link{},
		}),
		"topo: SingleSwitchConfig.Hosts = 65536: must be 1 to 65535": single(topo.SingleSwitchConfig{
			Hosts: 65536, Link: link100,
		}),
		"topo: DumbbellConfig.Right = 0: must be 1 to 65534": dumbbell(topo.DumbbellConfig{
			Left: 1, HostLink: link100, Bottleneck: link100,
		}),
		"topo: DumbbellConfig.Bottleneck = {0b/s 0ps}: the rate must be positive": dumbbell(topo.DumbbellConfig{
			Left: 1, Right: 1, HostLink: link100,
		}),
		"topo: NDCConfig.N = 2000: makes a network of more than 2097152 nodes or 4194304 links": ndc(
			topo.NDCConfig{N: 2000, K: 1, Links: []sluice.Link{link100, link100}}),
		"topo: RingConfig.Switches = 2: must be 3 to 2097152": ring(topo.RingConfig{
			Switches: 2, HostsPerSwitch: 1, HostLink: link100, RingLink: link100,
		}),
		"topo: RingConfig.RingLink = {0b/s 0ps}: the rate must be positive": ring(topo.RingConfig{
			Switches: 3, HostsPerSwitch: 1, HostLink: link100,
		}),
	} {
		require.EqualError(t, err, want)
		var config *sluice.ConfigError
		require.ErrorAs(t, err, &config)
	}
}

func TestSingleRackNeedsNoSpine(t *testing.T) {
	g, err := topo.LeafSpine(topo.LeafSpineConfig{Racks: 1, HostsPerRack: 4, HostLink: link100})
	require.NoError(t, err)
	require.Equal(t, 2, g.Diameter())
}

// anyGraph draws a network of every kind.
func anyGraph(t *rapid.T) *topo.Graph {
	link := func(name string) sluice.Link {
		return sluice.Link{
			Rate:  sluice.Rate(rapid.Int64Range(1, int64(2*sluice.Tbps)).Draw(t, name+" rate")),
			Delay: sluice.Time(rapid.Int64Range(0, int64(sluice.Millisecond)).Draw(t, name+" delay")),
		}
	}
	n := func(name string, least, most int) int { return rapid.IntRange(least, most).Draw(t, name) }
	var g *topo.Graph
	var err error
	switch n("kind", 0, 5) {
	case 0:
		g, err = topo.LeafSpine(topo.LeafSpineConfig{
			Racks: n("racks", 1, 5), Spines: n("spines", 1, 4), HostsPerRack: n("hosts", 1, 4),
			HostLink: link("host"), Uplink: link("up"),
		})
	case 1:
		fabric := link("fabric")
		g, err = topo.FatTree(topo.FatTreeConfig{
			K: 2 * n("k/2", 1, 3), HostsPerToR: n("hosts", 0, 4), Link: link("host"), Fabric: &fabric,
		})
	case 2:
		g, err = topo.Dumbbell(topo.DumbbellConfig{
			Left: n("left", 1, 5), Right: n("right", 1, 5), HostLink: link("host"), Bottleneck: link("neck"),
		})
	case 3:
		g, err = topo.Ring(topo.RingConfig{
			Switches: n("switches", 3, 7), HostsPerSwitch: n("hosts", 1, 3), HostLink: link("host"),
			RingLink: link("ring"),
		})
	case 4:
		c := topo.NDCConfig{N: n("n", 2, 4), K: n("k", 0, 2)}
		for range c.K + 1 {
			c.Links = append(c.Links, link("layer"))
		}
		g, err = topo.NDC(c)
	default:
		g, err = topo.SingleSwitch(topo.SingleSwitchConfig{Hosts: n("hosts", 1, 9), Link: link("host")})
	}
	require.NoError(t, err)
	return g
}

func TestEveryNetworkIsValid(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		require.NoError(t, anyGraph(t).Validate())
	})
}
