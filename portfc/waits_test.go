package portfc

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/kit"
)

// For each queue that fills, and each that is held then anywhere in the network: what WaitsFor and
// WaitsBehind say leads from the held one to the packet in the full one, through nodes whose queues
// are empty; and to no packet of another detector there, nor out of another port.
func TestWaitsLeadToWhatFills(t *testing.T) {
	for _, network := range []NDC{{3, 1}, {2, 2}} {
		held, through := 0, 0
		class := func(int) sluice.Class { return 0 }
		eachWait(t, network, onePacket, class, func(b *bench, from, full spot, p sluice.Packet) {
			held++
			require.True(t, b.leadsTo(from, full, &p), "%v waits for %v", from, full)
			if far, _ := network.Peer(from.Hop); far.Switch != full.Switch {
				through++
			}
			elsewhere := full
			if elsewhere.queue = network.DDQ(); full.queue == elsewhere.queue {
				elsewhere.queue = 0
			}
			require.False(t, b.leadsTo(from, elsewhere, &p), "%v waits for %v", from, elsewhere)
			var other sluice.Path
			for i, hop := range p.Path.Hops() {
				if i == 0 {
					hop.Port = (hop.Port + 1) % sluice.PortID(network.Ports(hop.Switch))
				}
				other.Append(hop)
			}
			require.False(t, b.leadsTo(from, full, &sluice.Packet{Path: other}))
		})
		require.Positive(t, held)
		require.Positive(t, through, "of them beyond a node that passes the pause on")
	}
}

// leadsTo reports whether a held queue waits for a packet in a queue, or for a held queue of the
// next device that does.
func (b *bench) leadsTo(from, full spot, p *sluice.Packet) bool {
	m := b.machines[from.Switch]
	far, _ := b.network.Peer(from.Hop)
	waits := m.WaitsFor(from.Port, from.queue, p, full.queue, p.Ingress == far.Port)
	if far.Switch == full.Switch && waits {
		return true
	}
	for port := range sluice.PortID(b.network.Ports(far.Switch)) {
		for q := range sluice.QueueID(b.machines[far.Switch].Queues()) {
			behind := spot{sluice.Hop{Switch: far.Switch, Port: port}, q}
			if !b.machines[far.Switch].Sendable(port, q) &&
				kit.WaitsBehind(m, from.Port, from.queue, port, q) && b.leadsTo(behind, full, p) {
				return true
			}
		}
	}
	return false
}

// What cannot be waits for nothing.
func TestWaitsOfNonsense(t *testing.T) {
	network := NDC{3, 1}
	link := sluice.Link{Rate: 100 * sluice.Gbps, Delay: sluice.Microsecond}
	node, sw := mustNew(t, NodeConfig(network, 0, link)), mustNew(t, SwitchConfig(network, 9, link))
	for _, s := range []*Switch{node, sw} {
		p := s.Port(0)
		for _, q := range []sluice.QueueID{0, network.DDQ(), network.RelayQueue(), 99, 65535} {
			far := sluice.Packet{}
			require.False(t, p.WaitsFor(q, &far, 0, true), "a packet without a path")
			far.Path.Append(sluice.Hop{Switch: 9, Port: 65535})
			require.False(t, p.WaitsFor(q, &far, 65535, true))
			require.False(t, p.WaitsBehind(q, 65535, 65535))
			require.False(t, p.WaitsBehind(q, 1, q+2), "nothing is held")
		}
	}
	const m = 2 // queues of a class
	ddq, relay := network.DDQ(), network.RelayQueue()
	node.Port(0).Receive(0, &Frame{Type: Pause, Sequence: 1, Port: 1})
	require.False(t, node.Port(0).Sendable(0))
	require.False(t, node.Port(0).WaitsBehind(0, 0, m), "a node's queue waits for a switch")
	p := mustNew(t, SwitchConfig(network, 12, link)).Port(0) // of layer 1
	p.Receive(0, &Frame{Type: Pause, Sequence: 1, Queue: ddq, Port: 1})
	p.Receive(0, &Frame{Type: Pause, Sequence: 2, Queue: relay})
	for by := range sluice.PortID(16) {
		require.Equal(t, by == 0, p.WaitsBehind(0, by, m), "the node's port %d", by)
	}
	require.False(t, p.WaitsBehind(0, 0, m+1), "another egress port")
}
