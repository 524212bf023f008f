package sim

import (
	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/machine"
)

// port is one end of a link: the transmitter with its queues, and the wire that leads in.
type port struct {
	machine machine.Machine
	node    int32
	peer    int32 // index of the port at the other end
	id      sluice.PortID
	host    bool
	kicked  bool // in Simulator.kicks

	planned   bool        // eventSent is in the agenda
	busyUntil sluice.Time // the transmitter is free from then on
	perByte   sluice.Time // picoseconds, 0 if not whole
	link      sluice.Link

	control list // frames to send, before all queues
	queues  []list
	waiting int // packets in queues
	held    sluice.Bytes

	incoming list   // on the wire towards this port
	late     handle // a control frame that lets the next one pass
	lateTo   sluice.Time
}

// newWire returns a port of which only the link is known.
func newWire(link sluice.Link) port {
	p := port{link: link}
	const byteAtOneBitPerSecond = 8 * sluice.Rate(sluice.Second)
	if byteAtOneBitPerSecond%link.Rate == 0 {
		p.perByte = link.Rate.TimeOf(1)
	}
	return p
}

// serialisation returns how long n bytes keep the transmitter busy.
func (p *port) serialisation(n int32) sluice.Time {
	if p.perByte != 0 {
		return p.perByte * sluice.Time(n)
	}
	return p.link.Rate.TimeOf(sluice.Bytes(n))
}

// kick notes that the port may have something to send.
func (s *Simulator) kick(index int32) {
	if p := &s.ports[index]; !p.kicked {
		p.kicked = true
		s.kicks = append(s.kicks, index)
	}
}

// settle lets every kicked port send. Work that this makes is settled too.
func (s *Simulator) settle() {
	for len(s.kicks) > 0 {
		last := len(s.kicks) - 1
		index := s.kicks[last]
		s.kicks = s.kicks[:last]
		p := &s.ports[index]
		p.kicked = false
		if s.now < p.busyUntil {
			if !p.planned {
				p.planned = true
				s.agenda.plan(p.busyUntil, eventSent, index)
			}
			continue
		}
		s.transmit(index, p)
	}
}

// transmit sends the next packet of an idle port, if one may go.
func (s *Simulator) transmit(index int32, p *port) {
	if !p.control.empty() {
		s.launch(index, p, p.control.pop(&s.arena))
		return
	}
	for p.waiting > 0 {
		q, ok := p.machine.Next(s.now, p.id)
		if !ok {
			return
		}
		var h handle
		if int(q) < len(p.queues) {
			h = p.queues[q].head
		}
		if h == 0 {
			s.fail("machine of node %d named empty queue %d of port %d", p.node, q, p.id)
			return
		}
		pkt := s.arena.at(h)
		verdict := p.machine.Dequeue(s.now, p.id, q, &pkt.Packet)
		p.queues[q].pop(&s.arena)
		switch verdict.Action() {
		case sluice.Transmit:
			pkt.ECN = verdict.Mark()
			pkt.UpstreamQueue = q
			s.leave(p, pkt)
			flow, data := pkt.flow, pkt.kind == dataPacket
			s.launch(index, p, h)
			s.act(p, verdict.Wake())
			if p.host && data {
				s.flows[flow].inCard = false
				s.refill(flow)
			}
			return
		case sluice.Append:
			p.queues[verdict.Queue()].push(&s.arena, h)
			s.act(p, verdict.Wake())
		default:
			s.leave(p, pkt)
			s.lose(p, pkt, verdict.Reason())
			s.arena.release(h)
			s.act(p, verdict.Wake())
		}
		if !p.control.empty() { // a frame made just now goes before data
			s.launch(index, p, p.control.pop(&s.arena))
			return
		}
	}
}

// leave accounts a packet that is no longer held for p.
func (s *Simulator) leave(p *port, pkt *packet) {
	p.waiting--
	p.held -= sluice.Bytes(pkt.Size)
	s.nodes[p.node].held -= sluice.Bytes(pkt.Size)
}

// launch puts a packet on the wire.
func (s *Simulator) launch(index int32, p *port, h handle) {
	pkt := s.arena.at(h)
	s.result.PacketHops++
	p.busyUntil = s.now + p.serialisation(pkt.Size)
	pkt.arrivesAt = p.busyUntil + p.link.Delay
	if pkt.kind != controlPacket {
		s.lastSent = s.now
		if !pkt.resent {
			s.lastNew = s.now
		}
	}
	pkt.Path.Advance()
	peer := &s.ports[p.peer]
	if peer.incoming.empty() {
		s.agenda.plan(pkt.arrivesAt, eventArrival, p.peer)
	}
	peer.incoming.push(&s.arena, h)
	if p.waiting > 0 || !p.control.empty() {
		if !p.planned {
			p.planned = true
			s.agenda.plan(p.busyUntil, eventSent, index)
		}
	}
}

// sent handles a transmitter that became free. Something that happened at the same instant may
// have made it busy again.
func (s *Simulator) sent(index int32) {
	s.ports[index].planned = false
	s.kick(index)
}
