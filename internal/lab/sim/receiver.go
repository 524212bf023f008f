package sim

import (
	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/cc"
	"github.com/sluicefc/sluice/internal/lab/transport"
)

// receiveData takes a data packet that came to its destination.
func (s *part) receiveData(slot int32, size sluice.Bytes, c *cargo, ecn sluice.ECN) {
	f := &s.flows[slot]
	if ecn == sluice.CE {
		s.result.Marked++
	}
	if c.sequence < f.highest && !c.resent {
		s.result.Reordered++
		if s.config.Balance.Kind != ECMP && !s.resequences() {
			s.firstLoss()
		}
	}
	f.highest = max(f.highest, c.sequence+1)
	if s.resequences() {
		s.resequence(slot, arrival{cargo: *c, size: size, ecn: ecn, letter: s.letter})
		return
	}
	s.takeData(slot, size, c, ecn)
}

// takeData takes a data packet that is handed up.
func (s *part) takeData(slot int32, size sluice.Bytes, c *cargo, ecn sluice.ECN) {
	f := &s.flows[slot]
	var arrival cc.Arrival
	if s.paces {
		arrival = s.control.Arrive(s.now, slot, size, ecn)
	} else if s.labels != nil && ecn == sluice.CE {
		arrival.Echo = ecn
	}
	answer, kept := s.transport.Arrive(s.now, slot, c.sequence)
	if kept {
		payload := s.payloadOf(f, c.sequence)
		s.delivered += payload
		s.byGroup[f.group] += payload
	}
	if answer.Kind != transport.NoAnswer {
		s.answer(slot, answer, arrival.Echo)
	}
	if s.paces {
		if arrival.Notice != (cc.Notice{}) {
			s.notify(slot, arrival.Notice)
		}
	}
	if f := &s.flows[slot]; !f.arrived && s.transport.Complete(slot) {
		f.arrived = true
		s.result.Completed++
		r := s.resultOf(f.index)
		r.FCT = s.now - r.Start
		if s.live != nil {
			s.live.note(f.index, false)
		} else if s.isMessage(f.index) {
			s.messageArrived(f.index)
		}
	}
	if s.paces {
		s.planNotice(slot)
	}
}

// answer sends what the receiver says of the packets that came, with the letter of the last.
func (s *part) answer(slot int32, a transport.Answer, echo sluice.ECN) {
	f := &s.flows[slot]
	p := sluice.Packet{
		Flow: f.hash[1], Size: s.config.AckSize + s.telemetryBytes(), Ingress: sluice.Local,
		Class: s.classOf(f, s.config.AckClass), Path: f.back,
	}
	c := cargo{kind: packetKind(a.Kind), sequence: a.Expected, resent: a.Again, mark: echo}
	s.letter.seen = a.Seen
	s.send(f.sink, f.index, p, c)
}

// notify sends a notice of the receiver to the sender.
func (s *part) notify(slot int32, n cc.Notice) {
	f := &s.flows[slot]
	s.result.Notices++
	s.send(
		f.sink, f.index, s.noticePacket(f, f.back),
		cargo{kind: noticePacket, mark: n.Mark, sequence: int32(n.RecRate)},
	)
}

// notifyFrom sends a notice of a switch to the sender of a packet that leaves one of its ports.
func (s *part) notifyFrom(n *node, at sluice.SwitchID, index int32, feedback uint8) {
	in, key := s.flowOf(index), s.tuple(index)
	s.key = key.Reverse()
	path, status, ok := s.way(at, sluice.Local, &s.key)
	if !ok {
		s.fail("notice of flow %d from node %d: %v", index, at, status)
		return
	}
	s.result.Notices++
	out := n.firstPort + int32(path.At(0).Port)
	f := flow{class: in.Class, hash: [2]uint64{0, s.hashesOf(index)[1]}}
	s.send(out, index, s.noticePacket(&f, path), cargo{kind: noticePacket, sequence: int32(feedback)})
}

func (s *part) noticePacket(f *flow, path sluice.Path) sluice.Packet {
	return sluice.Packet{
		Flow: f.hash[1], Size: s.config.AckSize, Ingress: sluice.Local,
		Class: s.classOf(f, s.config.NoticeClass), Path: path,
	}
}

// classOf returns a class of a configuration, or the class of the flow's data.
func (s *part) classOf(f *flow, class sluice.Class) sluice.Class {
	if class < sluice.Classes {
		return class
	}
	return f.class
}

// planNotice makes sure that a notice which the receiver has to send later is in the agenda. One of
// a flow that has arrived is of no use.
func (s *part) planNotice(slot int32) {
	if s.flows[slot].arrived {
		return
	}
	s.planSooner(&s.flows[slot].noticeAt, s.control.NoticeDue(slot), eventNotice, slot)
}

// noticed handles the instant at which a notice is due.
func (s *part) noticed(slot int32, planned sluice.Time) {
	f := &s.flows[slot]
	if planned != f.noticeAt || f.arrived {
		return
	}
	f.noticeAt = sluice.Never
	s.account(f.index, 1) // the flow lives until the notice is sent
	if s.control.NoticeDue(slot) <= s.now {
		if n, ok := s.control.TakeNotice(s.now, slot); ok {
			s.notify(slot, n)
		}
	}
	s.planNotice(slot)
	s.leaveFlow(f.index)
}
