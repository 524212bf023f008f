package conformance

import (
	"fmt"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/topo"
	"pgregory.net/rapid"
)

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
