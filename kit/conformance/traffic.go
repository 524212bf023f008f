package conformance

import (
	"fmt"

	"github.com/sluicefc/sluice"
)

const (
	mostIdleSteps = 400_000 // events without a packet that moves, before the network counts as stuck
	idleJournal   = 100     // how many of these events are worth reading
)

func (n *network) deliver() {
	for n.arrived+n.lost < n.expected {
		if !n.step() {
			n.stuck("nothing is under way and no timer runs")
		}
		if n.now-n.moved > n.patience || n.idleSteps > mostIdleSteps {
			n.stuck(fmt.Sprintf("no packet moved since %v", n.moved))
		}
	}
}

// calmDown runs the network until every machine is quiescent and stays so until all packets and
// frames under way have arrived.
func (n *network) calmDown() {
	n.moved, n.idleSteps = n.now, 0
	for {
		if n.quiescent() == nil {
			for end := max(n.now, n.events.Last()); n.events.Due(end); {
				n.step()
			}
			if n.quiescent() == nil {
				break
			}
		}
		if !n.step() || n.now-n.moved > n.patience || n.idleSteps > mostIdleSteps {
			n.fail(liveness, "what is freed when the last packet has left, and who tells the peer",
				"%v after the last packet arrived: %v", n.now-n.moved, n.quiescent())
		}
	}
	for _, e := range n.nodes {
		e.checkAll()
		if e.held != 0 {
			n.fail(liveness, "the suite", "%sholds %d bytes at the end", e.node, e.held)
		}
	}
}

func (n *network) quiescent() error {
	for _, e := range n.nodes {
		if err := e.m.Quiescent(); err != nil {
			return fmt.Errorf("%sis not quiescent: %w", e.node, err)
		}
	}
	return nil
}

func (n *network) stuck(why string) {
	text := ""
	for _, e := range n.nodes {
		for i := range e.ports {
			for q, fifo := range e.ports[i].fifo {
				if len(fifo) > 0 {
					text += fmt.Sprintf("; %sport %d queue %d has %d packets, Sendable %v", e.node,
						i, q, len(fifo), e.m.Sendable(sluice.PortID(i), sluice.QueueID(q)))
				}
			}
		}
	}
	n.fail(liveness, "who holds those queues, and the frame that should have released them",
		"%d of %d packets arrived: %s%s", n.arrived, n.expected, why, text)
}

func (n *network) step() bool {
	timer, at := -1, sluice.Never
	for i, e := range n.nodes {
		if d := e.deadline(); d != sluice.Never && d.Add(n.mishaps.late) < at {
			timer, at = i, d.Add(n.mishaps.late)
		}
	}
	if n.events.Empty() && timer < 0 {
		return false
	}
	n.idleSteps++
	n.journal.muted = n.idleSteps > idleJournal
	if at < n.events.Next() {
		n.now = max(n.now, at)
		e := n.at(sluice.SwitchID(timer))
		e.expire()
		n.finish(sluice.SwitchID(timer))
		return true
	}
	_, ev := n.events.Take()
	n.now = ev.at
	n.take(&ev)
	n.finish(ev.node)
	return true
}

// at returns a node with its clock set.
func (n *network) at(id sluice.SwitchID) *embedder {
	e := n.nodes[id]
	e.now = n.now
	return e
}

func (n *network) take(ev *event) {
	e, l := n.at(ev.node), &n.links[ev.node][ev.port]
	switch ev.kind {
	case hostSends:
		n.offer(e, ev.packet.Path.At(0).Port, ev)
	case packetArrives:
		n.progress()
		if ev.life != l.carries {
			n.lost++
			return
		}
		n.inOrder(ev)
		if n.flows[ev.flow].dst == ev.node {
			n.receive(ev)
			e.consume(ev.port, ev.packet)
			return
		}
		ev.packet.Ingress = ev.port
		n.offer(e, ev.packet.Path.At(0).Port, ev)
	case frameArrives:
		if ev.life != l.carries {
			return
		}
		n.inOrder(ev)
		if err := e.receive(ev.port, ev.label, ev.frame); err != nil {
			n.fail(noLostWake, "AppendTo and Parse: they do not agree",
				"node %d refused a frame of its neighbour: %v", ev.node, err)
		}
	case frameForged:
		_ = e.receive(ev.port, "forged", ev.frame) // the machine may refuse it
		n.progress()
	case transmitterFree:
		if ev.life == l.life {
			e.ports[ev.port].busy = false
			e.ports[ev.port].kicked = true
		}
	default:
		n.befall(ev)
	}
}

// inOrder asserts that a link hands over packets and frames in the order in which they were
// dequeued and polled, except the frames that are held back on purpose. The contract of package
// sluice orders a frame after the packets dequeued before its poll, and before later ones.
func (n *network) inOrder(ev *event) {
	l := &n.links[ev.node][ev.port]
	if ev.turn < l.turn && !ev.late {
		n.fail(order, "the suite",
			"port %d of node %d got what was sent as number %d after number %d", ev.port, ev.node,
			ev.turn, l.turn)
	}
	l.turn = max(l.turn, ev.turn)
}

func (n *network) progress() {
	n.moved, n.idleSteps = n.now, 0
	n.journal.muted = false
}

// offer enqueues a packet at a node, and keeps its number with it.
func (n *network) offer(e *embedder, port sluice.PortID, ev *event) {
	ev.packet.Note = 0
	if !e.enqueue(port, ev.flow, ev.packet) {
		n.lost++
		return
	}
	e.packets[len(e.packets)-1].origin = ev.number
}

func (n *network) receive(ev *event) {
	f := &n.flows[ev.flow]
	n.journal.remark(n.now, fmt.Sprintf("node %d ", ev.node), "has packet %d of flow %d", ev.number,
		ev.flow)
	if ev.number <= f.received {
		n.fail(order, "the switches on its path",
			"host %d received packet %d of flow %d after packet %d", ev.node, ev.number, ev.flow,
			f.received)
	}
	f.received = ev.number
	n.arrived++
}

// finish lets a node's idle transmitters start.
func (n *network) finish(id sluice.SwitchID) {
	e := n.nodes[id]
	e.service()
	n.lost += e.dequeueDrops
	e.dequeueDrops = 0
	n.checked++
	if n.checked%32 == 0 {
		e.checkAll()
	}
}

func (n *network) sendFrame(id sluice.SwitchID, port sluice.PortID, kind string, frame []byte) {
	l := &n.links[id][port]
	at := n.transmit(id, port, sluice.Bytes(len(frame)))
	ev := event{
		at: at, kind: frameArrives, node: l.Peer, port: l.PeerPort, frame: frame, label: kind,
		turn: l.sent, life: l.carries,
	}
	if n.chance(n.faults.drop) {
		n.journal.remark(n.now, fmt.Sprintf("node %d ", id), "port %d: %s is lost", port, kind)
		return
	}
	if n.chance(n.faults.double) {
		n.schedule(ev)
	}
	if n.chance(n.faults.reorder) {
		ev.late = true
		ev.at += sluice.Time(n.random.Below(uint64(4 * l.Link.Delay)))
	}
	n.schedule(ev)
}

func (n *network) chance(percent uint64) bool {
	return percent > 0 && n.random.Below(100) < percent
}

func (n *network) sent(
	id sluice.SwitchID, port sluice.PortID, packet int, q sluice.QueueID, v sluice.Verdict,
) {
	n.progress()
	l := &n.links[id][port]
	if l.downs > 0 { // it is discarded
		n.lost++
		return
	}
	p := n.nodes[id].packets[packet]
	at := n.transmit(id, port, p.Size)
	p.Depart(q, v)
	if n.chance(n.mishaps.loses) {
		n.lost++
		return
	}
	n.schedule(event{
		at: at, kind: packetArrives, node: l.Peer, port: l.PeerPort, flow: p.flow, number: p.origin,
		packet: p.Packet, turn: l.sent, life: l.carries,
	})
}

// transmit occupies a transmitter and returns when the last bit arrives at the other end: after the
// link's delay or less, and not before the bits sent earlier.
func (n *network) transmit(id sluice.SwitchID, port sluice.PortID, size sluice.Bytes) sluice.Time {
	l := &n.links[id][port]
	l.sent++
	n.nodes[id].ports[port].busy = true
	end := n.now + l.Link.Rate.TimeOf(size)
	n.schedule(event{at: end, kind: transmitterFree, node: id, port: port, life: l.life})
	delay := l.Link.Delay - sluice.Time(n.random.Below(uint64(l.Link.Delay/4)+1))
	l.arrival = max(l.arrival, end+delay)
	return l.arrival
}
