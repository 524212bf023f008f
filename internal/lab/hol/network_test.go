package hol

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/topo"
)

var anyLink = sluice.Link{Rate: 100 * sluice.Gbps}

func leafSpine(racks, spines, hosts int) *topo.Graph {
	return must(topo.LeafSpine(topo.LeafSpineConfig{
		Racks: racks, Spines: spines, HostsPerRack: hosts, HostLink: anyLink, Uplink: anyLink,
	}))
}

func fatTree(k int) *topo.Graph {
	return must(topo.FatTree(topo.FatTreeConfig{K: k, Link: anyLink}))
}

func ring(switches int) *topo.Graph {
	return must(topo.Ring(topo.RingConfig{
		Switches: switches, HostsPerSwitch: 1, HostLink: anyLink, RingLink: anyLink,
	}))
}

func must(g *topo.Graph, err error) *topo.Graph {
	if err != nil {
		panic(err)
	}
	return g
}

// tangle is a random connected network of switches with one host at each.
func tangle(t *rapid.T) *topo.Graph {
	switches := rapid.IntRange(3, 8).Draw(t, "switches")
	g := &topo.Graph{Name: "tangle", Nodes: make([]topo.Node, 2*switches)}
	for s := range switches {
		g.Nodes[s].Tier = 1
		g.Connect(sluice.SwitchID(s), sluice.SwitchID(switches+s), anyLink)
		if s > 0 {
			g.Connect(
				sluice.SwitchID(s), sluice.SwitchID(rapid.IntRange(0, s-1).Draw(t, "neighbour")), anyLink,
			)
		}
	}
	for range rapid.IntRange(0, switches).Draw(t, "more links") {
		a := rapid.IntRange(0, switches-1).Draw(t, "from")
		b := rapid.IntRange(0, switches-1).Draw(t, "to")
		if a != b {
			g.Connect(sluice.SwitchID(a), sluice.SwitchID(b), anyLink)
		}
	}
	return g
}

// drawClos returns a network whose shortest paths go up, then down.
func drawClos(t *rapid.T) *topo.Graph {
	if rapid.Bool().Draw(t, "fat-tree") {
		return fatTree(4)
	}
	return leafSpine(rapid.IntRange(3, 4).Draw(t, "racks"), rapid.IntRange(1, 3).Draw(t, "spines"), 2)
}

// drawAny returns a network of any shape.
func drawAny(t *rapid.T) *topo.Graph {
	switch rapid.IntRange(0, 2).Draw(t, "shape") {
	case 0:
		return drawClos(t)
	case 1:
		return ring(rapid.IntRange(3, 6).Draw(t, "switches"))
	default:
		return tangle(t)
	}
}

// shortestPath draws one of the shortest paths between two hosts, the sender's own port included.
func shortestPath(t *rapid.T, g *topo.Graph, from, to sluice.SwitchID) []sluice.Hop {
	distances := g.Distances(to)
	var path []sluice.Hop
	for at := from; at != to; {
		port := rapid.SampledFrom(g.AppendNextHops(nil, at, distances)).Draw(t, "port")
		path = append(path, sluice.Hop{Switch: at, Port: port})
		at = g.Nodes[at].Ports[port].Peer
	}
	return path
}

// wanderingPath draws a path between two hosts that visits no switch twice and need not be short.
func wanderingPath(t *rapid.T, g *topo.Graph, from, to sluice.SwitchID) []sluice.Hop {
	first := rapid.IntRange(0, 7).Draw(t, "wander")
	path := detour(
		g, nil, from, func(n sluice.SwitchID) bool { return n == to },
		sluice.Hop{Switch: ^sluice.SwitchID(0)}, first,
	)
	if path == nil {
		t.Fatalf("no path from %d to %d in a connected network", from, to)
	}
	return path
}

// detour extends a path, which leads to node at, to a node that is wanted: the first found in
// depth-first order, in which a node's ports are tried in turn from the given one on. It visits no
// node twice and does not pass the port to avoid. It returns nil if there is none.
func detour(
	g *topo.Graph, path []sluice.Hop, at sluice.SwitchID, wanted func(sluice.SwitchID) bool,
	avoid sluice.Hop, first int,
) []sluice.Hop {
	visited := make(map[sluice.SwitchID]bool)
	for _, hop := range path {
		visited[hop.Switch] = true
	}
	var search func(at sluice.SwitchID, path []sluice.Hop) []sluice.Hop
	search = func(at sluice.SwitchID, path []sluice.Hop) []sluice.Hop {
		if wanted(at) && len(path) > 0 {
			return path
		}
		if visited[at] || g.IsHost(at) && len(path) > 0 {
			return nil
		}
		visited[at] = true
		ports := g.Nodes[at].Ports
		for k := range ports {
			hop := sluice.Hop{Switch: at, Port: sluice.PortID((k + first) % len(ports))}
			if hop == avoid {
				continue
			}
			if found := search(ports[hop.Port].Peer, append(slices.Clone(path), hop)); found != nil {
				return found
			}
		}
		return nil
	}
	return search(at, path)
}

type router func(t *rapid.T, g *topo.Graph, from, to sluice.SwitchID) []sluice.Hop

// drawScenario puts flows on a network and congests some of the ports they pass.
func drawScenario(t *rapid.T, g *topo.Graph, route router) *Scenario {
	hosts := g.Hosts()
	var flows []Flow
	var ports []sluice.Hop
	for range rapid.IntRange(1, 16).Draw(t, "flows") {
		from := rapid.IntRange(0, len(hosts)-1).Draw(t, "sender")
		to := rapid.IntRange(0, len(hosts)-2).Draw(t, "receiver")
		if to >= from {
			to++
		}
		flow := Flow{ID: uint64(len(flows)), Path: route(t, g, hosts[from], hosts[to])}
		flows = append(flows, flow)
		ports = append(ports, flow.Path...)
	}
	var congested []sluice.Hop
	for range rapid.IntRange(1, 6).Draw(t, "roots") {
		congested = append(congested, rapid.SampledFrom(ports).Draw(t, "root"))
	}
	return mustScenario(t, flows, congested)
}

func mustScenario(t require.TestingT, flows []Flow, congested []sluice.Hop) *Scenario {
	s, err := New(flows, congested)
	require.NoError(t, err)
	return s
}

func mustMerge(t require.TestingT, a *Assignment, x, y Queue) *Assignment {
	merged, err := a.Merge(x, y)
	require.NoError(t, err)
	return merged
}

// pairs calls f for every two queues of one port.
func pairs(a *Assignment, f func(x, y Queue)) {
	for _, port := range a.s.Ports() {
		queues := a.QueuesAt(port)
		for i, x := range queues {
			for _, y := range queues[i+1:] {
				f(x, y)
			}
		}
	}
}

func TestScenarioRefuses(t *testing.T) {
	_, err := New([]Flow{{Path: []sluice.Hop{{Switch: 1}}}, {}}, nil)
	require.EqualError(t, err, "hol: flow 1: the path is empty")

	_, err = New(make([]Flow, MaxFlows+1), nil)
	require.EqualError(t, err, "hol: 65536 flows: at most 65535")

	_, err = New(nil, make([]sluice.Hop, MaxFlows+1))
	require.EqualError(t, err, "hol: 65536 congested ports: at most 65535")

	require.PanicsWithValue(t, "hol: BFC needs a queue", func() { BFCDynamic(0) })
}

func TestScenarioCopiesItsInput(t *testing.T) {
	path, _ := sluice.MakePath(sluice.Hop{Switch: 1, Port: 2}, sluice.Hop{Switch: 3, Port: 4})
	path.Advance()
	flows := []Flow{{ID: 7, Path: path.Hops()}}
	s := mustScenario(t, flows, []sluice.Hop{{Switch: 9}})

	flows[0].Path[0] = sluice.Hop{}
	path.Append(sluice.Hop{})

	require.Equal(t, Flow{ID: 7, Path: []sluice.Hop{{Switch: 3, Port: 4}}}, s.Flow(0))
	require.Equal(t, []sluice.Hop{{Switch: 3, Port: 4}, {Switch: 9}}, s.Ports())
	require.Nil(t, s.Through(sluice.Hop{Switch: 9}))
	require.Nil(t, s.Through(sluice.Hop{Switch: 10}))
	require.Nil(t, s.PausedPorts(sluice.Hop{Switch: 10}))
}
