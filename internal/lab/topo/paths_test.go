package topo_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/topo"
)

// The base RTT is 5.1 us, and the base BDP 64 KB (Pyrrha paper, section VIII). The authors'
// simulator prints 5,090 ns and 63,625 B: 4 links x 600 ns x 2, and 1,460 B at 100, 400, 400 and
// 100 Gb/s, each truncated to whole nanoseconds (116 + 29 + 29 + 116).
func TestBaseRTTOfThePyrrhaPaper(t *testing.T) {
	g, err := topo.LeafSpine(pyrrhaLeafSpine())
	require.NoError(t, err)
	rtt := g.BaseRTT(1460)
	require.Equal(t, 5090*sluice.Nanosecond, rtt)
	require.Equal(t, sluice.Bytes(63_625), (100 * sluice.Gbps).BDP(rtt))
	require.Equal(t, 4, g.Diameter())
}

func TestBaseRTTCountsTheSlowestPair(t *testing.T) {
	g, err := topo.SingleSwitch(topo.SingleSwitchConfig{Hosts: 4, Link: link100})
	require.NoError(t, err)
	require.Equal(t, 2400*sluice.Nanosecond, g.BaseRTT(0))
	slow := sluice.Link{Rate: 10 * sluice.Gbps, Delay: sluice.Microsecond}
	for _, host := range []sluice.SwitchID{1, 3} {
		g.Nodes[host].Ports[0].Link = slow
		g.Nodes[4].Ports[host].Link = slow
	}
	require.NoError(t, g.Validate())
	require.Equal(t, (4000+2*800)*sluice.Nanosecond, g.BaseRTT(1000), "both slow hosts")
}

func TestBaseRTTOfOneHostIsZero(t *testing.T) {
	g, err := topo.SingleSwitch(topo.SingleSwitchConfig{Hosts: 1, Link: link100})
	require.NoError(t, err)
	require.Zero(t, g.BaseRTT(1460))
	require.Zero(t, g.Diameter())
}

func TestBaseRTTSaturates(t *testing.T) {
	crawl := sluice.Link{Rate: 1, Delay: sluice.Second}
	g, err := topo.SingleSwitch(topo.SingleSwitchConfig{Hosts: 2, Link: crawl})
	require.NoError(t, err)
	require.Equal(t, sluice.Never, g.BaseRTT(1<<62))
	require.Equal(t, 4*sluice.Second+2*8*sluice.Second, g.BaseRTT(1))
}

// The slow model of BaseRTT and Diameter: all simple paths between all pairs, the shortest by
// links, the slowest of those.
func TestFarthestAgainstAllPaths(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := anyGraph(t)
		if len(g.Nodes) > 24 {
			t.Skip("too large for the model")
		}
		payload := sluice.Bytes(rapid.Int64Range(1, 9000).Draw(t, "payload"))
		var diameter int
		var rtt sluice.Time
		for _, from := range g.Hosts() {
			for _, to := range g.Hosts() {
				if from == to {
					continue
				}
				distance := g.Distances(to)[from]
				diameter = max(diameter, int(distance))
				rtt = max(rtt, slowestShortest(g, from, to, payload))
			}
		}
		require.Equal(t, diameter, g.Diameter())
		require.Equal(t, rtt, g.BaseRTT(payload))
	})
}

// And so it is where switches have the same neighbours by links that differ, or by several links.
func TestFarthestOfLinksThatDiffer(t *testing.T) {
	kinds := []sluice.Link{
		link100, {Rate: 10 * sluice.Gbps, Delay: sluice.Microsecond},
		{Rate: 400 * sluice.Gbps, Delay: 2 * sluice.Microsecond},
	}
	rapid.Check(t, func(t *rapid.T) {
		link := func() sluice.Link { return rapid.SampledFrom(kinds).Draw(t, "link") }
		low, high := rapid.IntRange(1, 3).Draw(t, "low"), rapid.IntRange(1, 2).Draw(t, "high")
		hosts := rapid.SliceOfN(rapid.IntRange(0, 2), low, low).Draw(t, "hosts")
		hosts[0]++
		g := &topo.Graph{Nodes: make([]topo.Node, low+high, 16)}
		for n := range g.Nodes {
			g.Nodes[n].Tier = 1
		}
		for a := range low {
			for b := range high {
				links := rapid.IntRange(0, 2).Draw(t, "links")
				if a == 0 || b == 0 {
					links = max(links, 1)
				}
				for range links {
					g.Connect(sluice.SwitchID(a), sluice.SwitchID(low+b), link())
				}
			}
		}
		for a, n := range hosts {
			for range n {
				g.Nodes = append(g.Nodes, topo.Node{})
				g.Connect(sluice.SwitchID(len(g.Nodes)-1), sluice.SwitchID(a), link())
			}
		}
		require.NoError(t, g.Validate())
		var rtt sluice.Time
		for _, from := range g.Hosts() {
			for _, to := range g.Hosts() {
				rtt = max(rtt, slowestShortest(g, from, to, 4096))
			}
		}
		require.Equal(t, rtt, g.BaseRTT(4096))
	})
}

// slowestShortest walks all shortest paths by AppendNextHops.
func slowestShortest(g *topo.Graph, from, to sluice.SwitchID, payload sluice.Bytes) sluice.Time {
	distances := g.Distances(to)
	var walk func(n sluice.SwitchID) sluice.Time
	walk = func(n sluice.SwitchID) sluice.Time {
		var slowest sluice.Time
		for _, port := range g.AppendNextHops(nil, n, distances) {
			p := g.Nodes[n].Ports[port]
			nanoseconds := int64(payload) * 8_000_000_000 / int64(p.Link.Rate)
			slowest = max(slowest, 2*p.Link.Delay+sluice.Time(nanoseconds)*1000+walk(p.Peer))
		}
		return slowest
	}
	return walk(from)
}

func TestDistancesPassThroughNoHost(t *testing.T) {
	// A host with two ports is not a network of ours, but must not become a shortcut either.
	g := &topo.Graph{Nodes: make([]topo.Node, 5)}
	for _, n := range []int{2, 3, 4} {
		g.Nodes[n].Tier = 1
	}
	g.Connect(0, 2, link100)
	g.Connect(1, 2, link100) // host 1 hangs between switches 2 and 4
	g.Connect(1, 4, link100)
	g.Connect(2, 3, link100)
	require.Error(t, g.Validate())
	require.Equal(t, []int32{0, 2, 1, 2, -1}, g.Distances(0))
	require.Empty(t, g.AppendNextHops(nil, 4, g.Distances(0)))
	require.Equal(t, []sluice.PortID{0}, g.AppendNextHops(nil, 3, g.Distances(0)))
	require.Empty(t, g.AppendNextHops(nil, 0, g.Distances(0)))
}

func BenchmarkBaseRTT(b *testing.B) {
	g, err := topo.FatTree(topo.FatTreeConfig{K: 16, Link: link100})
	require.NoError(b, err)
	for b.Loop() {
		g.BaseRTT(1460)
	}
}
