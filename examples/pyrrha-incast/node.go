package main

import (
	"fmt"
	"log"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/pyrrha"
)

// node is a switch or a host, with a machine, and for each port a FIFO for each queue.
type node struct {
	id      sluice.SwitchID
	machine *pyrrha.Switch
	ports   []*port

	// Of a host: what it has to send, by one path, and what it received.
	unsent   int
	path     sluice.Path
	received int
	last     sluice.Time
}

type port struct {
	config   pyrrha.PortConfig
	peer     *node
	peerPort sluice.PortID
	idleAt   sluice.Time // its transmitter
	fifos    [][]*sluice.Packet
	onWire   []arrival // at the peer
}

type arrival struct {
	at     sluice.Time
	packet *sluice.Packet // or
	frame  *pyrrha.Frame
}

// step does what is due at a node.
func (n *node) step(now sluice.Time) {
	if now >= n.machine.Deadline() {
		n.act(now, n.machine.Expire(now))
	}
	n.pull(now)
	for i, p := range n.ports {
		n.transmit(now, sluice.PortID(i), p)
		var later []arrival
		for _, a := range p.onWire {
			switch {
			case a.at > now:
				later = append(later, a)
			case a.frame != nil:
				p.peer.act(now, p.peer.machine.Port(p.peerPort).Receive(now, a.frame))
			default:
				p.peer.arrive(now, p.peerPort, a.packet)
			}
		}
		p.onWire = later
	}
}

// pull gives a host's next packet to its network card, if the last one has gone and no paused root is on the path.
func (n *node) pull(now sluice.Time) {
	if n.unsent == 0 || n.machine.Buffered() > 0 {
		return
	}
	if _, blocked := n.machine.Port(0).Blocked(&n.path); !blocked {
		n.give(now)
	}
}

// give gives a host's next packet to its network card. One that waits in the OQ there nothing stops any more.
func (n *node) give(now sluice.Time) {
	n.unsent--
	n.arrive(now, sluice.Local, &sluice.Packet{Size: int32(mtu), Path: n.path})
}

// arrive takes in a packet. Its path begins at this node's egress; without one it is here.
func (n *node) arrive(now sluice.Time, ingress sluice.PortID, p *sluice.Packet) {
	if p.Path.Len() == 0 {
		n.received++
		n.last = now
		return
	}
	egress := p.Path.At(0).Port
	p.Ingress = ingress
	verdict := n.machine.Port(egress).Enqueue(now, p)
	if verdict.Action() != sluice.Append {
		log.Fatalf("%v at %d: %v", now, n.id, verdict)
	}
	n.ports[egress].push(verdict.Queue(), p)
	n.act(now, verdict.Wake())
}

// transmit sends a packet if the transmitter is idle and one may go. On the way to it packets move from queue to queue.
func (n *node) transmit(now sluice.Time, id sluice.PortID, out *port) {
	for now >= out.idleAt {
		q, ok := n.machine.Port(id).Next(now)
		if !ok {
			return
		}
		p := out.pop(q)
		verdict := n.machine.Port(id).Dequeue(now, q, p)
		switch verdict.Action() {
		case sluice.Append:
			out.push(verdict.Queue(), p)
		case sluice.Transmit:
			out.idleAt = now + out.config.Link.Rate.TimeOf(sluice.Bytes(p.Size))
			p.Path.Advance()
			out.onWire = append(out.onWire, arrival{at: out.idleAt + out.config.Link.Delay, packet: p})
		}
		n.act(now, verdict.Wake())
	}
}

// act sends the frames that a hook made pending. Every transmitter is asked in each step, and every deadline read, so
// that the rest of the wake can be ignored.
func (n *node) act(now sluice.Time, wake sluice.Wake) {
	for wake.Has(sluice.WakeFrames) {
		var f pyrrha.Frame
		id, ok := n.machine.PollFrame(now, &f)
		if !ok {
			return
		}
		out := n.ports[id]
		fmt.Printf("%8v  %d -> %d  %v\n", now, n.id, out.peer.id, &f)
		out.onWire = append(out.onWire, arrival{at: now + out.config.Link.Delay, frame: &f})
	}
}

func (p *port) push(q sluice.QueueID, packet *sluice.Packet) { p.fifos[q] = append(p.fifos[q], packet) }

func (p *port) pop(q sluice.QueueID) *sluice.Packet {
	packet := p.fifos[q][0]
	p.fifos[q] = p.fifos[q][1:]
	return packet
}
