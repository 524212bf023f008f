package fabric

import (
	"net/netip"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/hashpath"
	"github.com/sluicefc/sluice/internal/lab/topo"
)

// Route overrides the shortest paths to a host at one switch.
type Route struct {
	At, Host sluice.SwitchID
	Ports    []sluice.PortID
}

// Forwarding returns shortest-path forwarding with ECMP by the five-tuple on every switch of a
// graph, but for the given routes.
func Forwarding(g *topo.Graph, seed uint64, routes ...Route) (*hashpath.Network, error) {
	return build(Builder(g), hashpath.Config{Seed: seed}, routes)
}

func build(b *hashpath.Builder, config hashpath.Config, routes []Route) (*hashpath.Network, error) {
	for _, r := range routes {
		b.SetRoute(r.At, r.Host, r.Ports...)
	}
	return b.Build(config)
}

// Builder returns a builder with the nodes and links of a graph.
func Builder(g *topo.Graph) *hashpath.Builder { return builder(g, hashpath.HostAddress) }

func builder(g *topo.Graph, address func(host sluice.SwitchID) netip.Addr) *hashpath.Builder {
	b := hashpath.NewBuilder()
	for id := range g.Nodes {
		switch n := sluice.SwitchID(id); {
		case !g.IsHost(n):
			b.AddSwitch(n)
		case g.Forwards(n):
			b.AddForwardingHost(n, address(n))
		default:
			b.AddHost(n, address(n))
		}
	}
	for id := range g.Nodes {
		for i, end := range g.Nodes[id].Ports {
			if end.Peer > sluice.SwitchID(id) || end.Peer == sluice.SwitchID(id) &&
				end.PeerPort > sluice.PortID(i) {
				b.Connect(
					sluice.Hop{Switch: sluice.SwitchID(id), Port: sluice.PortID(i)},
					sluice.Hop{Switch: end.Peer, Port: end.PeerPort},
				)
			}
		}
	}
	return b
}
