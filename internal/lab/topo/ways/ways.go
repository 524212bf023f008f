// Package ways makes forwarding of networks.
package ways

import (
	"net/netip"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/hashpath"
	"github.com/sluicefc/sluice/internal/lab/topo"
)

// Builder returns a builder with the nodes and links of a graph, and these addresses of its hosts.
func Builder(g *topo.Graph, address func(host sluice.SwitchID) netip.Addr) *hashpath.Builder {
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
