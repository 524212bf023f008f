package conformance

import (
	"fmt"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/topo"
	"pgregory.net/rapid"
)

type topology struct {
	*topo.Graph
	ring bool // packets go round the ring one way, so that buffers can wait for each other in a cycle
	// route returns the ways of a Spec's own layout; nil: ways are the shortest.
	route func(src, dst sluice.SwitchID, salt uint64) sluice.Path
}

func drawTopology(t *rapid.T, spec *Network) topology {
	if spec.Layout != nil {
		if l := spec.Layout(t); l != nil {
			return l.topology(t)
		}
	}
	kinds := []string{"chain", "leaf-spine"}
	if spec.Ring {
		kinds = append(kinds, "ring")
	}
	kind := rapid.SampledFrom(kinds).Draw(t, "topology")
	hosts := rapid.IntRange(1, 3).Draw(t, "hosts a switch")
	access, fabric := drawLink(t, "access"), drawLink(t, "fabric")
	var g *topo.Graph
	var err error
	switch kind {
	case "chain":
		g, err = topo.Chain(topo.ChainConfig{
			Switches: rapid.IntRange(1, 3).Draw(t, "switches"), HostsPerSwitch: max(hosts, 2),
			HostLink: access, Link: fabric,
		})
	case "leaf-spine":
		spines := rapid.IntRange(1, 2).Draw(t, "spines")
		g, err = topo.LeafSpine(topo.LeafSpineConfig{
			Racks: 2, Spines: spines, HostsPerRack: hosts, HostLink: access, Uplink: fabric,
		})
	case "ring":
		switches := rapid.IntRange(3, 4).Draw(t, "switches")
		g, err = topo.Ring(topo.RingConfig{
			Switches: switches, HostsPerSwitch: hosts, HostLink: access, RingLink: fabric,
		})
	}
	if err != nil {
		t.Fatalf("the suite's own topology: %v", err)
	}
	g.Name += fmt.Sprintf(": hosts at %v %v, switches at %v %v", access.Rate, access.Delay,
		fabric.Rate, fabric.Delay)
	return topology{Graph: g, ring: kind == "ring"}
}

func drawLink(t *rapid.T, what string) sluice.Link {
	return sluice.Link{
		Rate: rapid.SampledFrom([]sluice.Rate{
			100 * sluice.Gbps, 10 * sluice.Gbps, 400 * sluice.Gbps,
		}).Draw(t, what+" rate"),
		Delay: rapid.SampledFrom([]sluice.Time{
			100 * sluice.Nanosecond, sluice.Microsecond, 5 * sluice.Nanosecond,
		}).Draw(t, what+" delay"),
	}
}

func (g *topology) node(id sluice.SwitchID) Node {
	n := Node{ID: id, Tier: int(g.Nodes[id].Tier)}
	for _, p := range g.Nodes[id].Ports {
		n.Ports = append(n.Ports,
			NodePort{Peer: p.Peer, PeerPort: p.PeerPort, PeerTier: int(g.Nodes[p.Peer].Tier), Link: p.Link})
	}
	return n
}

// path returns a way from one host to another; salt chooses among several.
func (g *topology) path(src, dst sluice.SwitchID, salt uint64) (path sluice.Path) {
	if g.route != nil {
		return g.route(src, dst, salt)
	}
	distances := g.Distances(dst)
	var ports []sluice.PortID
	for at := src; at != dst; {
		ports = g.AppendNextHops(ports[:0], at, distances)
		if clockwise, ok := g.clockwise(at, dst); ok {
			ports = []sluice.PortID{clockwise}
		}
		port := ports[salt%uint64(len(ports))]
		path.Append(sluice.Hop{Switch: at, Port: port})
		at = g.Nodes[at].Ports[port].Peer
	}
	return path
}

// clockwise returns the port by which a switch of a ring sends to another switch's host.
func (g *topology) clockwise(at, dst sluice.SwitchID) (sluice.PortID, bool) {
	if _, last := g.PortTo(at, dst); !g.ring || last || g.IsHost(at) {
		return 0, false
	}
	next := at + 1
	if int(next) == len(g.Nodes) {
		next = sluice.SwitchID(len(g.Hosts()))
	}
	return g.PortTo(at, next)
}

// topology makes the suite's form of a Spec's own network.
func (l *Layout) topology(t *rapid.T) topology {
	g := &topo.Graph{
		Name: l.Name, Nodes: make([]topo.Node, len(l.Nodes)), HostsForward: l.HostsForward,
	}
	for id := range l.Nodes {
		node := &g.Nodes[id]
		node.Tier = topo.Tier(l.Nodes[id].Tier)
		for _, p := range l.Nodes[id].Ports {
			node.Ports = append(node.Ports, topo.Port{Peer: p.Peer, PeerPort: p.PeerPort, Link: p.Link})
		}
	}
	if err := g.Validate(); err != nil {
		t.Fatalf("the Spec's layout: %v", err)
	}
	for i, host := range g.Hosts() {
		if int(host) != i {
			t.Fatalf("the Spec's layout: host %d comes after a switch", host)
		}
	}
	return topology{Graph: g, route: func(src, dst sluice.SwitchID, salt uint64) sluice.Path {
		path := l.Path(src, dst, salt)
		if err := check(g, src, dst, path); err != nil {
			t.Fatalf("the Spec's layout: path %v from %d to %d: %v", path, src, dst, err)
		}
		return path
	}}
}

func check(g *topo.Graph, src, dst sluice.SwitchID, path sluice.Path) error {
	at := src
	for i, hop := range path.Hops() {
		switch {
		case hop.Switch != at || int(hop.Port) >= len(g.Nodes[at].Ports):
			return fmt.Errorf("%v is no port of node %d", hop, at)
		case i > 0 && !g.Forwards(at):
			return fmt.Errorf("host %d does not forward", at)
		}
		at = g.Nodes[at].Ports[hop.Port].Peer
	}
	if at != dst {
		return fmt.Errorf("it ends at %d", at)
	}
	return nil
}
