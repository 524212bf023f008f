package sim

import (
	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/cc"
	"github.com/sluicefc/sluice/internal/lab/transport"
)

// refill gives the network card the flow's next packet, if it has none, the windows are open, and
// the rate lets it go now.
func (s *part) refill(slot int32) {
	f := &s.flows[slot]
	if f.inCard || !s.mayGo(slot) {
		return
	}
	sequence, ok := s.transport.Next(slot)
	if !ok {
		return
	}
	if s.paces { // else the card itself sends at line rate
		if ready := s.control.Ready(s.now, slot); ready > s.now {
			s.pace(slot, min(ready, s.control.Changes(slot)))
			return
		}
	}
	_, again, _ := s.transport.Send(s.now, slot)
	s.weigh(slot)
	size := s.payloadOf(f, sequence) + s.config.Header + s.telemetryBytes()
	if s.paces && !s.config.PaceOnWire {
		s.control.Sent(s.now, slot, size)
	}
	f.inCard, f.unsent = true, !again
	p := sluice.Packet{
		Flow: f.hash[0], Size: size, Ingress: sluice.Local, Class: f.class, ECN: s.config.ECN,
		Path: f.forward,
	}
	c := cargo{kind: dataPacket, sequence: sequence, resent: again}
	if s.arena.letters != nil {
		s.letter = letter{sentAt: s.now, label: f.keys[0].FlowLabel}
	}
	if !s.send(f.source, f.index, p, c) {
		s.flows[slot].inCard = false // lost in the card: a timer finds it
	}
	s.planTimeout(slot)
}

// begins takes note of a flow's packet whose first bit goes on the wire, if that is what counts.
func (s *part) begins(slot int32, h handle, size sluice.Bytes) {
	if s.paces {
		s.control.Sent(s.now, slot, size)
	}
	if s.arena.letters != nil {
		s.arena.letters[h].sentAt = s.now
	}
}

// mayGo reports whether the windows let a flow send.
func (s *part) mayGo(slot int32) bool {
	inFlight := sluice.Bytes(s.transport.InFlight(slot)) * s.config.Payload
	return inFlight < s.window && (!s.paces || inFlight < s.control.Window(s.now, slot))
}

func (s *part) payloadOf(f *flow, sequence int32) sluice.Bytes {
	if sequence == f.packets-1 {
		return f.bytes - sluice.Bytes(f.packets-1)*s.config.Payload
	}
	return s.config.Payload
}

// telemetryBytes is what telemetry adds to a packet.
func (s *part) telemetryBytes() sluice.Bytes {
	if s.signals&cc.Telemetry != 0 {
		return cc.INTBytes
	}
	return 0
}

// rateOf returns the rate of a port's link.
func (s *Simulator) rateOf(p *port) sluice.Rate {
	return s.config.Topology.Nodes[p.node].Ports[p.id].Link.Rate
}

// receiveAnswer takes what the receiver says of the packets that came.
func (s *part) receiveAnswer(slot int32, c *cargo) {
	answer := transport.Answer{
		Kind: transport.AnswerKind(c.kind), Again: c.resent, Expected: c.sequence, Seen: s.letter.seen,
	}
	s.transport.Answered(slot, answer)
	if f := &s.flows[slot]; s.transport.Done(slot) {
		r := s.resultOf(f.index)
		if s.live != nil && r.Acknowledged == sluice.Never {
			s.live.note(f.index, true)
		}
		r.Acknowledged = min(r.Acknowledged, s.now-r.Start)
	}
	s.weigh(slot)
	if s.labels != nil {
		s.judge(slot, c)
	}
	if s.signals != 0 {
		sample := cc.Sample{
			Acked: c.sequence, Sent: s.sentOf(slot), RTT: s.now - s.letter.sentAt, Mark: c.mark,
		}
		if s.signals&cc.Telemetry != 0 {
			sample.Telemetry = &s.letter.telemetry
		}
		s.control.Ack(s.now, slot, &sample)
	}
	s.resume(slot)
}

// sentOf returns how many packets of a flow were sent, as its congestion control counts them. A
// packet that waits in the card does not count if its time counts from its first bit on the wire.
func (s *part) sentOf(slot int32) int32 {
	n := s.transport.Highest(slot)
	if f := &s.flows[slot]; s.config.PaceOnWire && f.inCard && f.unsent {
		n--
	}
	return n
}

// receiveNotice takes a notice of the receiver or of a switch.
func (s *part) receiveNotice(slot int32, c *cargo) {
	s.control.Notice(s.now, slot, cc.Notice{
		Mark: c.mark, Feedback: uint8(c.sequence), RecRate: uint32(c.sequence),
	})
	s.resume(slot)
}

// resume lets a flow send after something came for it: the window may have opened, and a rate that
// rose shortens a wait.
func (s *part) resume(slot int32) {
	s.refill(slot)
	s.planTimeout(slot)
}

// pace plans to try again at an instant.
func (s *part) pace(slot int32, at sluice.Time) {
	s.planSooner(&s.flows[slot].paceAt, at, eventPace, slot)
}

// planSooner plans an event of a flow, unless one is planned for then or before. An event that
// comes at another instant than the one noted was overtaken by a sooner one.
func (s *part) planSooner(planned *sluice.Time, at sluice.Time, kind eventKind, slot int32) {
	if at = max(at, s.now); at < *planned {
		*planned = at
		s.agenda.plan(at, kind, s.flows[slot].index)
	}
}

// paced handles the end of a wait, or of a wait that a later rate made shorter.
func (s *part) paced(slot int32, planned sluice.Time) {
	f := &s.flows[slot]
	if planned != f.paceAt {
		return
	}
	f.paceAt = sluice.Never
	s.refill(slot)
}

// planTimeout makes sure that the transport's timer of a flow is in the agenda.
func (s *part) planTimeout(slot int32) {
	s.planSooner(&s.flows[slot].timerAt, s.transport.Deadline(slot), eventRetransmit, slot)
}

// retransmit handles a timer of the transport, or a plan that was overtaken.
func (s *part) retransmit(slot int32, planned sluice.Time) {
	f := &s.flows[slot]
	if planned != f.timerAt {
		return
	}
	f.timerAt = sluice.Never
	if s.transport.Deadline(slot) <= s.now {
		timeouts := s.transport.Expire(s.now, slot, f.inCard)
		s.result.Timeouts += int64(timeouts)
		if timeouts > 0 && s.labels != nil {
			s.suspend(slot)
		}
		s.weigh(slot)
		s.refill(slot)
	}
	s.planTimeout(slot)
}
