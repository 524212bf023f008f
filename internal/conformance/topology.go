package conformance

import (
	"fmt"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/topo"
	"pgregory.net/rapid"
)

// drawTopology draws a small network: a chain, a leaf-spine, or a ring.
func drawTopology(t *rapid.T, ring bool) *topo.Graph {
	kinds := []string{"chain", "leaf-spine"}
	if ring {
		kinds = append(kinds, "ring")
	}
	g := &topo.Graph{}
	access, fabric := drawLink(t, "access"), drawLink(t, "fabric")
	kind := rapid.SampledFrom(kinds).Draw(t, "topology")
	hosts := rapid.IntRange(1, 3).Draw(t, "hosts a switch")
	switch kind {
	case "chain":
		g.Name = chain(g, rapid.IntRange(1, 3).Draw(t, "switches"), max(hosts, 2), access, fabric)
	case "leaf-spine":
		g.Name = leafSpine(g, 2, rapid.IntRange(1, 2).Draw(t, "spines"), hosts, access, fabric)
	case "ring":
		g.Name = makeRing(g, rapid.IntRange(3, 4).Draw(t, "switches"), hosts, access, fabric)
	}
	g.Name += fmt.Sprintf(", hosts at %v %v, switches at %v %v", access.Rate, access.Delay, fabric.Rate, fabric.Delay)
	return g
}

func drawLink(t *rapid.T, what string) sluice.Link {
	return sluice.Link{
		Rate:  rapid.SampledFrom([]sluice.Rate{100 * sluice.Gbps, 10 * sluice.Gbps, 400 * sluice.Gbps}).Draw(t, what+" rate"),
		Delay: rapid.SampledFrom([]sluice.Time{100 * sluice.Nanosecond, sluice.Microsecond, 5 * sluice.Nanosecond}).Draw(t, what+" delay"),
	}
}

func addNode(g *topo.Graph, tier topo.Tier) sluice.SwitchID {
	g.Nodes = append(g.Nodes, topo.Node{Tier: tier, Rack: -1})
	return sluice.SwitchID(len(g.Nodes) - 1)
}

func addHosts(g *topo.Graph, leaf sluice.SwitchID, hosts int, link sluice.Link) {
	for range hosts {
		g.Connect(addNode(g, 0), leaf, link)
	}
}

func chain(g *topo.Graph, switches, hosts int, access, fabric sluice.Link) string {
	for i := range switches {
		s := addNode(g, 1)
		if i > 0 {
			g.Connect(s, sluice.SwitchID(i-1), fabric)
		}
	}
	for i := range switches {
		addHosts(g, sluice.SwitchID(i), hosts, access)
	}
	return fmt.Sprintf("chain of %d switches, %d hosts each", switches, hosts)
}

func leafSpine(g *topo.Graph, leaves, spines, hosts int, access, fabric sluice.Link) string {
	for range leaves {
		addNode(g, 1)
	}
	for range spines {
		spine := addNode(g, 2)
		for leaf := range leaves {
			g.Connect(sluice.SwitchID(leaf), spine, fabric)
		}
	}
	for leaf := range leaves {
		addHosts(g, sluice.SwitchID(leaf), hosts, access)
	}
	return fmt.Sprintf("leaf-spine of %d leaves, %d spines, %d hosts a leaf", leaves, spines, hosts)
}

func makeRing(g *topo.Graph, switches, hosts int, access, fabric sluice.Link) string {
	for range switches {
		addNode(g, 1)
	}
	for i := range switches {
		g.Connect(sluice.SwitchID(i), sluice.SwitchID((i+1)%switches), fabric)
	}
	for i := range switches {
		addHosts(g, sluice.SwitchID(i), hosts, access)
	}
	return fmt.Sprintf("ring of %d switches, %d hosts each, traffic clockwise", switches, hosts)
}

// describeNode makes the Node that Fabric.Node gets.
func describeNode(g *topo.Graph, id sluice.SwitchID) Node {
	n := Node{ID: id, Tier: int(g.Nodes[id].Tier)}
	for _, p := range g.Nodes[id].Ports {
		n.Ports = append(n.Ports, NodePort{Peer: p.Peer, PeerPort: p.PeerPort, PeerTier: int(g.Nodes[p.Peer].Tier), Link: p.Link})
	}
	return n
}

// path returns a shortest way from one host to another; salt chooses among equals. In a ring the
// only links towards the next switch are those that Connect made first, so that all traffic
// goes round one way.
func path(g *topo.Graph, src, dst sluice.SwitchID, salt uint64, clockwise bool) (sluice.Path, bool) {
	var hops []sluice.Hop
	distance := distances(g, dst, clockwise)
	for at := src; at != dst; {
		var best []sluice.PortID
		for i, p := range g.Nodes[at].Ports {
			if usable(g, at, sluice.PortID(i), clockwise) && distance[p.Peer] == distance[at]-1 {
				best = append(best, sluice.PortID(i))
			}
		}
		port := best[salt%uint64(len(best))]
		hops = append(hops, sluice.Hop{Switch: at, Port: port})
		at = g.Nodes[at].Ports[port].Peer
	}
	return sluice.MakePath(hops...)
}

func usable(g *topo.Graph, at sluice.SwitchID, port sluice.PortID, clockwise bool) bool {
	peer := g.Nodes[at].Ports[port].Peer
	if !clockwise || g.IsHost(at) || g.IsHost(peer) {
		return true
	}
	switches := 0
	for switches < len(g.Nodes) && !g.IsHost(sluice.SwitchID(switches)) {
		switches++
	}
	return int(peer) == (int(at)+1)%switches
}

// distances returns the hops from every node to dst, by relaxation.
func distances(g *topo.Graph, dst sluice.SwitchID, clockwise bool) []int {
	distance := make([]int, len(g.Nodes))
	for i := range distance {
		distance[i] = len(g.Nodes)
	}
	distance[dst] = 0
	for changed := true; changed; {
		changed = false
		for id := range g.Nodes {
			for i, p := range g.Nodes[id].Ports {
				if usable(g, sluice.SwitchID(id), sluice.PortID(i), clockwise) && distance[p.Peer]+1 < distance[id] {
					distance[id] = distance[p.Peer] + 1
					changed = true
				}
			}
		}
	}
	return distance
}
