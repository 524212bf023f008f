package testnet

import (
	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/kit"
)

// Flow is packets of one way.
type Flow struct {
	Packet sluice.Packet // what they have in common; its Path begins at the source
	To     sluice.SwitchID
	Count  int
	Start  sluice.Time
	// Timed packets come to the host's card Gap apart. Otherwise one of them is in it at a time.
	Timed bool
	Gap   sluice.Time
	// Ready says whether the card may get the next packet; it is asked when anything happens at the
	// card. Nil: it always may.
	Ready func() bool

	ID       int // its place in Network.Flows
	Sent     int // to the card
	Received int
	Last     int // the largest number received

	source *Node
	inCard bool
}

// Cargo is what the network knows of a packet.
type Cargo struct {
	Flow   *Flow
	Number int // from 1
	at     *Node
}

// storeStep is by how many packets the store grows.
const storeStep = 1 << 10

// Send starts a flow.
func (n *Network) Send(f *Flow) *Flow {
	f.Packet.Ingress = sluice.Local
	f.source = n.Node(f.Packet.Path.At(0).Switch)
	f.ID, n.Flows, n.Left = len(n.Flows), append(n.Flows, f), n.Left+f.Count
	if !f.Timed {
		n.At(f.Start, func() { n.refill(f) })
		return f
	}
	for i := range f.Count {
		n.At(f.Start+sluice.Time(i)*f.Gap, func() { n.offer(f) })
	}
	return f
}

// refill hands the next packet of a flow to its host's card.
func (n *Network) refill(f *Flow) {
	if f.Timed || f.inCard || f.Sent == f.Count || f.Ready != nil && !f.Ready() {
		return
	}
	f.inCard = true
	n.offer(f)
}

func (n *Network) offer(f *Flow) {
	f.Sent++
	h, ok := n.Store.Take()
	if !ok {
		n.Store.Grow(storeStep)
		h, _ = n.Store.Take()
	}
	item := n.Store.At(h)
	item.Packet, item.Value = f.Packet, Cargo{Flow: f, Number: f.Sent}
	f.source.enqueue(h)
}

func (v *Node) enqueue(h kit.Handle) {
	n := v.network
	item := n.Store.At(h)
	item.Value.at = v
	if !n.Route(v, h) {
		v.Discard(h)
		return
	}
	v.Driver.Enqueue(n.Now, item.Path.At(0).Port, h)
	v.Acted()
}

// arrive delivers a packet to a node.
func (v *Node) arrive(h kit.Handle) {
	n := v.network
	item := n.Store.At(h)
	f := item.Value.Flow
	n.Progress()
	if v.ID != f.To {
		v.enqueue(h)
		return
	}
	n.Got(v, h)
	if item.Value.Number <= f.Last {
		n.Overtaken++
	}
	f.Last = max(f.Last, item.Value.Number)
	f.Received++
	n.Left--
	if v.Driver != nil {
		v.Driver.Consume(n.Now, item.Ingress, &item.Packet)
		v.Acted()
	}
	n.Store.Release(h)
}

// leave lets the flow of a packet go on that is in its host's card no more.
func (v *Node) leave(h kit.Handle) {
	n, cargo := v.network, &v.network.Store.At(h).Value
	n.Progress()
	cargo.at = nil
	if f := cargo.Flow; f.source == v {
		f.inCard = false
		n.At(n.Now, func() { n.refill(f) })
	}
}

// Discard takes a packet out that a node lost.
func (v *Node) Discard(h kit.Handle) {
	v.leave(h)
	v.network.lose(h)
}

// lose takes a packet out that was lost.
func (n *Network) lose(h kit.Handle) {
	n.Left--
	n.Missing++
	n.Store.Release(h)
}
