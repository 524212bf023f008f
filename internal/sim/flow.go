package sim

import (
	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/hashpath"
	"github.com/sluicefc/sluice/internal/workload"
)

// flow is both ends of a transfer: a window-limited sender that goes back to the first
// unacknowledged packet, and a receiver that acknowledges every packet.
type flow struct {
	forward, back sluice.Path
	bytes         sluice.Bytes
	source, sink  int32 // ports of the hosts
	packets       int32
	class         sluice.Class
	group         workload.Group
	keys          [2]hashpath.Flow // of data and of acknowledgements
	hash          [2]uint64

	// Sender.
	next     int32 // packet to send next
	acked    int32 // packets acknowledged
	sentUpTo int32 // packets sent at least once
	inCard   bool  // a packet waits in the network card
	progress int32 // acked when the retransmission timer was set

	// Receiver.
	expected   int32
	highest    int32 // highest sequence number seen, plus one
	complained bool  // a NACK for expected was sent
}

// start prepares flow i when its first byte is due.
func (s *Simulator) start(i int32) {
	s.started++
	s.lastNew = s.now
	in := &s.config.Flows[i]
	f := &s.flows[i]
	f.keys[0] = workload.Key(in, int(i))
	f.keys[1] = f.keys[0].Reverse()
	f.forward = s.route(in.Src, i, 0)
	f.back = s.route(in.Dst, i, 1)
	if s.err != nil {
		return
	}
	f.bytes = in.Bytes
	f.packets = int32((in.Bytes + s.config.Payload - 1) / s.config.Payload)
	f.source = s.nodes[in.Src].firstPort
	f.sink = s.nodes[in.Dst].firstPort
	f.class = in.Class
	f.group = s.groups[i]
	f.hash = [2]uint64{f.keys[0].Hash(), f.keys[1].Hash()}
	s.result.Flows[i].Ideal = s.ideal(in, i)
	s.refill(i)
	if s.config.RetransmitAfter > 0 {
		s.agenda.plan(s.now+s.config.RetransmitAfter, eventRetransmit, i)
	}
}

// route predicts the way of a flow's data (0) or acknowledgements (1) from a host on.
func (s *Simulator) route(from sluice.SwitchID, i int32, direction int) sluice.Path {
	path, status := s.config.Network.Path(from, sluice.Local, &s.flows[i].keys[direction])
	if status != hashpath.OK && status != hashpath.TooLong {
		s.fail("flow %d from node %d: %v", i, from, status)
	}
	return path
}

// refill gives the network card the flow's next packet, if it has none and the window is open.
func (s *Simulator) refill(i int32) {
	f := &s.flows[i]
	if f.inCard || f.next >= f.packets || sluice.Bytes(f.next-f.acked)*s.config.Payload >= s.window {
		return
	}
	h, pkt := s.arena.take()
	pkt.Packet = sluice.Packet{
		Flow: f.hash[0], Size: int32(s.payloadOf(f, f.next) + s.config.Header), Ingress: sluice.Local,
		Class: f.class, ECN: s.config.ECN, Path: f.forward,
	}
	pkt.Value = cargo{
		kind: dataPacket, hopsLeft: s.config.HopLimit, flow: i, sequence: f.next, resent: f.next < f.sentUpTo,
	}
	f.next++
	f.sentUpTo = max(f.sentUpTo, f.next)
	f.inCard = true
	if !s.enqueue(f.source, h, pkt) {
		f.inCard = false // lost in the card: the timer finds it
	}
}

func (s *Simulator) payloadOf(f *flow, sequence int32) sluice.Bytes {
	if sequence == f.packets-1 {
		return f.bytes - sluice.Bytes(f.packets-1)*s.config.Payload
	}
	return s.config.Payload
}

// deliver takes a packet that reached a host.
func (s *Simulator) deliver(p *port, h handle, pkt *packet) {
	i, sequence, kind, resent := pkt.Value.flow, pkt.Value.sequence, pkt.Value.kind, pkt.Value.resent
	end := s.flows[i].source
	if kind == dataPacket {
		end = s.flows[i].sink
	}
	if end := &s.ports[end]; end != p {
		s.fail("a packet of flow %d came to node %d, its destination is %d", i, p.node, end.node)
		return
	}
	ecn := pkt.ECN
	s.arena.release(h)
	switch kind {
	case dataPacket:
		s.receiveData(i, sequence, resent, ecn)
	case ackPacket, nackPacket:
		s.receiveAck(i, sequence, kind == nackPacket)
	}
}

func (s *Simulator) receiveData(i, sequence int32, resent bool, ecn sluice.ECN) {
	f := &s.flows[i]
	if ecn == sluice.CE {
		s.result.Marked++
	}
	if sequence < f.highest && !resent {
		s.result.Reordered++
	}
	f.highest = max(f.highest, sequence+1)
	switch {
	case sequence == f.expected:
		f.expected++
		f.complained = false
		payload := s.payloadOf(f, sequence)
		s.delivered += payload
		s.sample.delivered[f.group] += payload
		s.answer(i, ackPacket, false)
		if f.expected == f.packets {
			s.result.Completed++
			s.result.Flows[i].FCT = s.now - s.config.Flows[i].Start
		}
	case sequence < f.expected:
		s.answer(i, ackPacket, true) // the earlier answer may be lost
	case !f.complained:
		f.complained = true
		s.answer(i, nackPacket, false)
	}
}

// answer sends an acknowledgement of all before the expected packet, which may have been acknowledged before.
func (s *Simulator) answer(i int32, kind packetKind, again bool) {
	f := &s.flows[i]
	class := f.class
	if s.config.AckClass < sluice.Classes {
		class = s.config.AckClass
	}
	h, pkt := s.arena.take()
	pkt.Packet = sluice.Packet{
		Flow: f.hash[1], Size: int32(s.config.AckSize), Ingress: sluice.Local, Class: class, Path: f.back,
	}
	pkt.Value = cargo{kind: kind, hopsLeft: s.config.HopLimit, flow: i, sequence: f.expected, resent: again}
	s.enqueue(f.sink, h, pkt)
}

func (s *Simulator) receiveAck(i, expected int32, gap bool) {
	f := &s.flows[i]
	f.acked = max(f.acked, expected)
	f.next = max(f.next, f.acked)
	if gap && expected == f.acked {
		f.next = f.acked
	}
	s.refill(i)
}

// retransmit goes back to the first unacknowledged packet if none was acknowledged since the timer
// was set.
func (s *Simulator) retransmit(i int32) {
	f := &s.flows[i]
	if f.acked >= f.packets {
		return
	}
	if f.progress == f.acked && f.next > f.acked && !f.inCard {
		f.next = f.acked
		s.result.Timeouts++
		s.refill(i)
	}
	f.progress = f.acked
	s.agenda.plan(s.now+s.config.RetransmitAfter, eventRetransmit, i)
}
