package conformance

import (
	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/kit"
)

func (e *embedder) enqueue(at sluice.PortID, flow int, p sluice.Packet) bool {
	id := len(e.packets)
	e.packets = append(e.packets, packet{Packet: p, twinNote: p.Note, flow: flow})
	s := e.do(step{kind: stepEnqueue, port: at, id: id, packet: p})
	switch v := s.verdict; v.Action() {
	case sluice.Append:
		e.coverage.enqueued++
		e.push(at, v.Queue(), id)
		e.ports[at].entered[flow]++
		e.packets[id].number = e.ports[at].entered[flow]
		e.ports[at].kicked = true
	case sluice.Drop:
		e.dropped(at, &p, v)
	default:
		e.fail(conservation, "Enqueue's verdicts: only Append and Drop", "Enqueue answered %v", v)
	}
	e.checkStep(s)
	e.checkPort(at)
	return s.verdict.Action() == sluice.Append
}

// next asks the machine twice, its twin once.
func (e *embedder) next(at sluice.PortID) (sluice.QueueID, bool) {
	s := e.do(step{kind: stepNext, port: at})
	q, ok, p := s.next, s.ok, &e.ports[at]
	if q2, ok2 := e.m.Next(s.now, at); q2 != q || ok2 != ok {
		e.fail(determinism, "what Next changes: it must answer the same until an input",
			"Next of port %d answered (%d, %v), asked again (%d, %v)", at, q, ok, q2, ok2)
	}
	if !ok {
		if p.held > 0 {
			e.coverage.held++
		}
		if p.held > 0 {
			e.waits(at)
		}
		if q, found := e.sendable(at); found {
			e.fail(noLostWake, "Next, and what makes queue's bit in the scheduler",
				"port %d queue %d has %d packets and is Sendable, but Next answers none", at, q,
				len(p.fifo[q]))
		}
	} else if int(q) >= e.queues || len(p.fifo[q]) == 0 {
		e.fail(noLostWake, "what takes a queue out of the scheduler when its last packet goes",
			"Next of port %d answers queue %d, which is empty", at, q)
	}
	e.checkStep(s)
	return q, ok
}

// waits asks what the held queues of a port wait for: the answer changes nothing, and depends on no
// field of a packet but those that kit.Machine names; a queue that does not exist waits for none.
func (e *embedder) waits(at sluice.PortID) {
	p := e.packets[len(e.packets)-1].Packet
	changed := p
	changed.Size, changed.Note, changed.ECN = p.Size+1, ^p.Note, p.ECN^sluice.CE
	changed.Stamped = !p.Stamped
	asked, before := changed, p
	for q, fifo := range e.ports[at].fifo {
		if len(fifo) == 0 || e.m.Sendable(at, sluice.QueueID(q)) {
			continue
		}
		for _, came := range []bool{false, true} {
			in := sluice.QueueID(q)
			says := e.m.WaitsFor(at, sluice.QueueID(q), &p, in, came)
			if again := e.m.WaitsFor(at, sluice.QueueID(q), &asked, in, came); again != says {
				e.fail(determinism, "WaitsFor: what it reads of the packet",
					"port %d queue %d waits for a packet: %v; of another size, note and mark: %v", at, q,
					says, again)
			}
		}
	}
	if e.queues < 0xffff && e.m.WaitsFor(at, sluice.QueueID(e.queues), &p, 0, true) {
		e.fail(bounded, "WaitsFor of a queue that does not exist",
			"port %d queue %d of %d waits for a packet", at, e.queues, e.queues)
	}
	if p != before || asked != changed {
		e.fail(determinism, "WaitsFor: it changes nothing", "WaitsFor of port %d changed a packet", at)
	}
}

func (e *embedder) dequeue(at sluice.PortID, q sluice.QueueID) bool {
	sendable := e.m.Sendable(at, q)
	id := e.pop(at, q)
	s := e.do(step{kind: stepDequeue, port: at, queue: q, id: id, packet: e.packets[id].Packet})
	v := s.verdict
	switch v.Action() {
	case sluice.Append:
		if v.Queue() == q {
			e.fail(bounded, "the move that Dequeue chose",
				"port %d moved a packet from queue %d to its own tail", at, q)
		}
		e.coverage.moved++
		e.push(at, v.Queue(), id)
	case sluice.Drop:
		e.dropped(at, &s.packet, v)
		e.lost(id)
	case sluice.Transmit:
		if !sendable {
			e.fail(noLostWake,
				"Next's set of eligible queues and what Sendable reads: they disagree",
				"port %d queue %d is not Sendable, and its head went to the wire", at, q)
		}
		e.coverage.sent++
		e.departed(at, id)
		e.ports[at].busy = true
	default:
		e.fail(conservation, "Dequeue's verdicts", "Dequeue answered %v", v)
	}
	e.ports[at].idle = false
	e.checkStep(s)
	e.checkPort(at)
	if v.Action() == sluice.Transmit {
		e.sent(at, id, q, v)
	}
	return v.Action() == sluice.Transmit
}

// receive delivers a frame. A frame that does not parse reaches no machine, so the twin does not
// get it.
func (e *embedder) receive(at sluice.PortID, label string, frame []byte) error {
	s := e.do(step{kind: stepReceive, port: at, frame: frame, label: label})
	if s.err != nil && s.wake != 0 {
		e.fail(bounded, "Parse and Receive: what is refused changes nothing",
			"a frame was refused with %q, and the wake says %v", s.err, s.wake)
	}
	e.checkStep(s)
	return s.err
}

func (e *embedder) expire() {
	e.coverage.expired++
	s := e.do(step{kind: stepExpire})
	e.checkStep(s)
	if d := e.m.Deadline(); d <= s.now {
		e.fail(bounded, "Expire: it serves everything due at now, and what it starts anew ends later",
			"after Expire(%v) Deadline is %v", s.now, d)
	}
}

// consume passes to a machine with a Consume a packet that came in by a port and goes no further.
func (e *embedder) consume(at sluice.PortID, p sluice.Packet) {
	if kit.Consumes(e.m) {
		e.checkStep(e.do(step{kind: stepConsume, port: at, packet: p}))
		e.checkPort(at)
	}
}

func (e *embedder) poll(at sluice.PortID) bool {
	owes, says := e.owes(at)
	s := e.do(step{kind: stepPoll, port: at})
	if says && owes != s.ok {
		e.fail(noLostWake, "Owes: it must answer what PollFrame does next",
			"Owes of port %d answers %v, PollFrame %v", at, owes, s.ok)
	}
	if !s.ok {
		return false
	}
	frame, kind := s.polled, s.answer.kind
	if len(frame) == 0 || kind == "" {
		e.fail(bounded, "PollFrame, AppendTo and Kind",
			"PollFrame gave a frame of kind %q and %d bytes", kind, len(frame))
	}
	if e.ports[at].down {
		e.fail(bounded, "PollFrame of a port whose link is down: it owes no frame",
			"port %d sent %s", at, kind)
	}
	e.coverage.frames++
	e.checkStep(s)
	e.frame(at, kind, frame)
	return true
}

// owes returns what a port says of whether it has a frame, if the machine has hooks of its own.
func (e *embedder) owes(at sluice.PortID) (owes, says bool) {
	if m, ok := e.m.(interface{ Hooks(sluice.PortID) kit.Hooks }); ok {
		return m.Hooks(at).Owes(), true
	}
	return false, false
}
