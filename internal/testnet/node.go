package testnet

import (
	"fmt"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/kit"
)

// Node is a machine and its links. A node of one link is a host: packets that come to it are
// received.
type Node struct {
	ID     sluice.SwitchID
	Links  []*Link // by port
	Driver *kit.Driver[Cargo]

	network *Network
	make    func() kit.Machine
	timer   sluice.Time
}

// Link is a port's end of a link.
type Link struct {
	sluice.Link
	Peer *Node
	Port sluice.PortID // of Peer
	busy bool
	down bool
	life int // its packets are lost when it fails
}

// Host reports whether packets end at the node.
func (v *Node) Host() bool { return len(v.Links) == 1 }

// Machine returns what the function that the node was started with returned.
func (v *Node) Machine() kit.Machine { return v.Driver.Machine() }

func (v *Node) renew() {
	v.Driver, v.timer = kit.NewDriver(v.make(), v.network.Store, v), sluice.Never
}

// refill hands the next packet of a flow to its host's card.
func (n *Network) refill(f *Flow) {
	if f.inCard || f.Sent == f.Count || f.Ready != nil && !f.Ready() {
		return
	}
	f.Sent++
	f.inCard = true
	h, ok := n.Store.Take()
	if !ok {
		n.Fatal("the store is full")
	}
	item := n.Store.At(h)
	item.Packet, item.Value = f.Packet, Cargo{f, f.Sent}
	n.enqueue(f.source, h)
}

func (n *Network) enqueue(v *Node, h kit.Handle) {
	if n.Route != nil && !n.Route(v, h) {
		n.discard(h)
		return
	}
	v.Driver.Enqueue(n.Now, n.Store.At(h).Path.At(0).Port, h)
	v.Acted()
}

// Acted must be called after a method of the node's machine or driver that a test calls itself. It
// plans the node's next timer, and lets the flows of a host go on that were not ready.
func (v *Node) Acted() {
	n := v.network
	if v.Driver.DeadlineMoved() {
		v.plan()
	}
	if n.Every > 0 && n.agenda.Planned()%n.Every == 0 {
		n.look(v)
	}
	if !v.Host() {
		return
	}
	for _, f := range n.Flows {
		if f.source == v && f.Ready != nil && f.Sent > 0 {
			n.refill(f)
		}
	}
}

func (v *Node) plan() {
	if at := v.Driver.Deadline(); at < v.timer {
		v.timer = at
		v.network.At(max(at, v.network.Now), func() { v.expire(at) })
	}
}

func (v *Node) expire(planned sluice.Time) {
	if v.timer != planned {
		return
	}
	v.timer = sluice.Never
	v.Driver.Expire(v.network.Now)
	v.plan()
	v.Acted()
}

func (n *Network) look(v *Node) {
	if n.Look != nil {
		n.Look(v)
	}
}

// Free, Send, SendFrame and Drop are the kit.Output of a node.
func (v *Node) Free(port sluice.PortID) bool { return !v.Links[port].busy && !v.Links[port].down }

func (v *Node) Send(port sluice.PortID, h kit.Handle) {
	n, l := v.network, v.Links[port]
	item := n.Store.At(h)
	arrival := v.transmit(port, item.Size)
	item.Ingress = l.Port
	life := l.life
	n.At(arrival, func() {
		if l.life != life {
			n.discard(h)
			return
		}
		n.arrive(l.Peer, h)
	})
	if v.Host() {
		n.next(h)
	}
}

// next lets the flow of a packet go on that is in its host's card no more.
func (n *Network) next(h kit.Handle) {
	flow := n.Store.At(h).Value.Flow
	flow.inCard = false
	n.At(n.Now, func() { n.refill(flow) })
}

// SendFrame puts a control frame on a link that may lose it, double it, or let others pass.
func (v *Node) SendFrame(port sluice.PortID, frame []byte, kind string) {
	n, l := v.network, v.Links[port]
	arrival := v.transmit(port, sluice.Bytes(len(frame)))
	lost := n.chance(n.Lost) || n.Lose != nil && n.Lose(v, kind)
	n.Frames++
	if n.Saw != nil {
		n.Saw(v, port, frame, lost)
	}
	if lost {
		n.Vanished++
		return
	}
	sent := append([]byte(nil), frame...)
	deliver := func() { l.Peer.Receive(l.Port, sent) } // even if the link failed meanwhile
	if n.chance(n.Doubled) {
		n.At(arrival, deliver)
	}
	if n.chance(n.Late) {
		arrival += sluice.Time(n.Random.Below(uint64(5 * sluice.Microsecond)))
	}
	n.At(arrival, deliver)
}

func (n *Network) chance(percent uint64) bool {
	return percent > 0 && n.Random.Below(100) < percent
}

func (v *Node) Drop(_ sluice.PortID, h kit.Handle, why sluice.Reason) {
	n := v.network
	if why != sluice.LinkDown && why != n.MayDrop {
		n.Fatalf("%v: node %d dropped a packet: %v", n.Now, v.ID, why)
	}
	v.discard(h)
}

// discard takes a packet out that a node lost.
func (v *Node) discard(h kit.Handle) {
	if v.Host() { // what the card had of its flow is gone
		v.network.next(h)
	}
	v.network.discard(h)
}

// discard takes a packet out that was lost.
func (n *Network) discard(h kit.Handle) {
	n.Store.At(h).Value.Flow.Lost++
	n.Store.Release(h)
}

// transmit occupies a transmitter for size bytes, and returns when the last of them arrives.
func (v *Node) transmit(port sluice.PortID, size sluice.Bytes) sluice.Time {
	n, l := v.network, v.Links[port]
	l.busy = true
	end := n.Now + l.Rate.TimeOf(size)
	n.At(end, func() {
		l.busy = false
		if !l.down {
			v.Driver.Ready(n.Now, port)
			v.Acted()
		}
	})
	return end + l.Delay
}

// arrive delivers a packet to a node.
func (n *Network) arrive(v *Node, h kit.Handle) {
	if !v.Host() {
		n.enqueue(v, h)
		return
	}
	item := n.Store.At(h)
	f := item.Value.Flow
	if item.Value.Number <= f.last {
		n.Overtaken++
	}
	f.last = max(f.last, item.Value.Number)
	f.Received++
	if v.Driver != nil {
		v.Driver.Act(n.Now, kit.Consume(v.Machine(), n.Now, item.Ingress, &item.Packet))
		v.Acted()
	}
	n.Store.Release(h)
}

// Receive hands a control frame that came in at a port, or that a test forged, to the machine.
func (v *Node) Receive(port sluice.PortID, frame []byte) {
	if v.Driver == nil {
		return
	}
	n := v.network
	if err := v.Driver.Receive(n.Now, port, frame); err != nil {
		n.Fatal(err)
	}
	v.Acted()
	n.look(v)
}

// Done returns what is left: packets that have not arrived and were not lost, or what a machine is
// not quiescent for. It is nil if nothing is.
func (n *Network) Done() error {
	for i, f := range n.Flows {
		if f.Received+f.Lost != f.Count {
			return fmt.Errorf("%v: %d of %d packets of flow %d arrived, %d were lost", n.Now, f.Received,
				f.Count, i, f.Lost)
		}
	}
	for _, v := range n.Nodes {
		if v.Driver == nil {
			continue
		}
		if err := v.Machine().Quiescent(); err != nil {
			return fmt.Errorf("%v: node %d: %w", n.Now, v.ID, err)
		}
	}
	return nil
}

// Missing returns how many packets were lost.
func (n *Network) Missing() (packets int) {
	for _, f := range n.Flows {
		packets += f.Lost
	}
	return packets
}

// Audit asserts the invariants of every machine, and that it kept the contract.
func (n *Network) Audit() {
	for _, v := range n.Nodes {
		if v.Driver == nil {
			continue
		}
		if err := v.Machine().Audit(); err != nil {
			n.Fatalf("%v: node %d: %v", n.Now, v.ID, err)
		}
		if err := v.Driver.Err(); err != nil {
			n.Fatalf("%v: node %d: %v", n.Now, v.ID, err)
		}
	}
}
