package cbfc

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/kit"
)

const ringNext, ringPrevious, ringHost = 0, 1, 2 // ports of a switch of a ring

// ringNode is a switch of a ring, and where its driver sends. The value of a packet is how many
// hops remain.
type ringNode struct {
	*Switch
	driver         *kit.Driver[int]
	free           int // the port whose transmitter is free, negative if none is
	next, previous *ringNode
	left           kit.Handle // a packet on its way to the next node
	now            sluice.Time
}

func newRing(t testing.TB, n int, c Config, store *kit.Store[int]) []*ringNode {
	nodes := make([]*ringNode, n)
	for i := range nodes {
		nodes[i] = &ringNode{Switch: newSwitch(t, c), free: -1}
		nodes[i].driver = kit.NewDriver(kit.Wrap(nodes[i].Switch), store, nodes[i])
	}
	for i, node := range nodes {
		node.next, node.previous = nodes[(i+1)%n], nodes[(i+n-1)%n]
	}
	return nodes
}

// ready lets one packet, or one FCP, leave by a port. It reports whether one did.
func (n *ringNode) ready(now sluice.Time, port int) bool {
	n.now, n.free = now, port
	n.driver.Ready(now, sluice.PortID(port))
	left := n.free < 0
	n.free = -1
	return left
}

func (n *ringNode) Free(port sluice.PortID) bool { return int(port) == n.free }

func (n *ringNode) Send(_ sluice.PortID, h kit.Handle) { n.free, n.left = -1, h }

// SendFrame hands an FCP to the neighbour at once.
func (n *ringNode) SendFrame(port sluice.PortID, octets []byte, _ string) {
	n.free = -1
	to, in := n.next, sluice.PortID(ringPrevious)
	if port == ringPrevious {
		to, in = n.previous, ringNext
	}
	if port != ringHost {
		_ = to.driver.Receive(n.now, in, octets)
	}
}

func (n *ringNode) Drop(_ sluice.PortID, _ kit.Handle, why sluice.Reason) { panic(why) }

// TestRing: credits deadlock where pauses do. In a ring of three switches whose packets go two hops
// on, each buffer is full of packets that wait for room in the next one: no FCP and no time helps.
// Packets that go one hop only get through.
func TestRing(t *testing.T) {
	const rounds, offers = 200, 60
	for _, hops := range []int{1, 2} {
		port := PortConfig{Link: sluice.Link{Rate: 40 * g}, Buffer: 2 * 1536, PeerBuffer: 2 * 1536}
		store, err := kit.NewStore[int](offers)
		require.NoError(t, err)
		nodes := newRing(t, 3, Config{
			MTU: 1500, Classes: sluice.MakeClassSet(3), Ports: []PortConfig{port, port, port},
		}, store)
		offered, delivered := 0, 0
		enter := func(n *ringNode, now sluice.Time, h kit.Handle) {
			p := store.At(h)
			if p.Value == 0 {
				n.driver.Consume(now, p.Ingress, &p.Packet)
				store.Release(h)
				delivered++
				return
			}
			n.driver.Enqueue(now, ringNext, h)
		}
		for round := range rounds {
			now := sluice.Time(round) * us
			for _, n := range nodes {
				if n.Port(ringHost).IngressBlocks(3) <= 24 && offered < offers { // the host has credit
					offered++
					h, _ := store.Take()
					p := store.At(h)
					p.Value, p.Packet = hops, sluice.Packet{Size: 1500, Class: 3, Ingress: ringHost}
					enter(n, now, h)
				}
			}
			for _, n := range nodes {
				for n.ready(now, ringNext) && n.left == 0 { // FCPs leave before the packet
				}
				if h := n.left; h != 0 {
					p := store.At(h)
					p.Value, p.Ingress, n.left = p.Value-1, ringPrevious, 0
					enter(n.next, now, h)
				}
				n.driver.Expire(now)
			}
			for _, n := range nodes {
				for n.ready(now, ringPrevious) {
				}
			}
		}
		for i, n := range nodes {
			require.NoError(t, n.driver.Err())
			require.NoError(t, n.Audit())
			require.Equal(t, hops == 2, n.Port(ringNext).Backlog(3) > 0, "switch %d", i)
			require.Equal(
				t, hops == 1, n.Port(ringNext).Sendable(3),
				"switch %d holds its packets because it has no credit", i,
			)
		}
		if hops == 1 {
			require.Equal(t, offers, delivered)
		} else {
			require.Less(t, delivered, offers)
		}
	}
}
