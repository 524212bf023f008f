package cbfc

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/testnet"
	"github.com/sluicefc/sluice/kit"
)

// TestRing: credits deadlock where pauses do. In a ring of three switches, 0 to 2, with a host
// each, 3 to 5, packets that go two switches on fill each buffer, and wait for room in the next
// one: no FCP and no time helps. Packets that go one switch on get through.
func TestRing(t *testing.T) {
	for _, hops := range []sluice.SwitchID{1, 2} {
		n := testnet.New(t, 1)
		link := sluice.Link{Rate: 40 * g, Delay: us}
		for id := range sluice.SwitchID(3) {
			n.Connect(id+3, id, link) // port 0 of each is to its host
		}
		var onward [3]sluice.Hop
		for id := range sluice.SwitchID(3) {
			port, _ := n.Connect(id, (id+1)%3, link)
			onward[id] = sluice.Hop{Switch: id, Port: port}
		}
		port := PortConfig{Link: link, Buffer: 2 * 1536, PeerBuffer: 2 * 1536}
		for _, v := range n.Nodes {
			c := Config{MTU: 1500, Classes: sluice.MakeClassSet(3)}
			for range v.Links {
				c.Ports = append(c.Ports, port)
			}
			n.Start(v.ID, func() kit.Machine { return kit.Wrap(newSwitch(t, c)) })
		}
		for id := range sluice.SwitchID(3) {
			p := sluice.Packet{Size: 1500, Class: 3}
			p.Path.Append(sluice.Hop{Switch: id + 3})
			for hop := range hops {
				p.Path.Append(onward[(id+hop)%3])
			}
			p.Path.Append(sluice.Hop{Switch: (id + hops) % 3})
			n.Send(p, 60, 0)
		}
		n.Run(sluice.Millisecond)
		n.Audit()
		for _, hop := range onward {
			p := kit.Unwrap(n.Node(hop.Switch).Machine()).(*Switch).Port(hop.Port)
			require.Equal(t, hops == 2, p.Backlog(3) > 0, "%v", hop)
			require.Equal(t, hops == 1, p.Sendable(3), "%v holds its packets as it has no credit", hop)
		}
		for _, f := range n.Flows {
			require.Equal(t, hops == 1, f.Received == f.Count, "%d of %d packets", f.Received, f.Count)
		}
	}
}
