package conformance

import "github.com/sluicefc/sluice"

// checkStep acts on the word of a hook and asserts what must hold after any hook.
func (e *embedder) checkStep(s *step) {
	e.announce(s.wake)
	if d := e.deadline(); d < s.deadline && !s.wake.Has(sluice.WakeDeadline) {
		e.fail(noLostWake, "the hook that started the timer: its word must say WakeDeadline",
			"Deadline moved from %v to %v, but the word of %v says %v", s.deadline, d, s.kind, s.wake)
	}
	if e.twin != nil {
		if d, d2 := e.deadline(), e.twin.Deadline(); d != d2 {
			e.fail(determinism, twinAdvice, "Deadline is %v, the twin's %v", d, d2)
		}
	}
	for i := range e.ports {
		e.checkWakes(sluice.PortID(i), s)
	}
}

// checkWakes asserts that a port was named if it has something to send now, or if one of its queues
// is held no longer, and that no queue became held that may not.
func (e *embedder) checkWakes(at sluice.PortID, s *step) {
	p, w := &e.ports[at], s.wake
	waits, found := sluice.QueueID(0), false
	if obeyed := w; p.down && s.kind == stepReceive && s.port == at {
		if s.first {
			obeyed &^= sluice.WakeDeadline
		}
		if obeyed != 0 {
			e.fail(bounded, "Receive of a port whose link is down: it obeys nothing",
				"Receive answered %v", w)
		}
	}
	for q := range p.open {
		open := e.m.Sendable(at, sluice.QueueID(q))
		switch {
		case open && !p.open[q] && !e.named(at, w):
			e.fail(noLostWake, "what released that queue: its word must name the port, packets or not",
				"queue %d of port %d is held no longer, and the word of %v says %v", q, at, s.kind, w)
		case !open && p.open[q] && len(p.fifo[q]) > 1 && !s.mayHold(at):
			e.fail(noLostWake, "what holds that queue: only a hook of its own port, or Expire, may",
				"%v held queue %d of port %d, which has packets", s.kind, q, at)
		}
		p.open[q] = open
		if open && len(p.fifo[q]) > 0 {
			waits, found = sluice.QueueID(q), true
		}
	}
	if !p.idle || p.kicked || p.busy {
		return
	}
	if found {
		e.fail(noLostWake, "what released that queue: its word must name the port",
			"idle port %d has packets in queue %d, which is Sendable, and no word named the port; the "+
				"last one: %v", at, waits, w)
	}
	// Only the machine under test: it must answer that there is none, and change nothing.
	if frame, kind, ok := e.m.PollFrame(e.now-e.base, at, e.buffer[0][:0]); ok {
		e.fail(noLostWake, "the hook that made the frame: its word must name the port",
			"idle port %d has a frame to send, and no word named the port; the last one: %v: %s %s", at, w,
			kind, hex(frame))
	}
}

// mayHold reports whether queues of a port may have become held by a step.
func (s *step) mayHold(at sluice.PortID) bool {
	switch s.kind {
	case stepEnqueue, stepDequeue, stepLinkDown, stepLinkUp:
		return at == s.port && !s.inert
	case stepReceive:
		return at == s.port && s.err == nil
	}
	return s.kind == stepExpire && !s.inert
}

// named reports whether a word names a port, or an earlier word that was not acted on yet.
func (e *embedder) named(at sluice.PortID, w sluice.Wake) bool {
	port, one := w.Port()
	return one && port == at || e.ports[at].kicked
}

func (e *embedder) announce(w sluice.Wake) {
	if port, ok := w.Port(); ok {
		e.kick(port, w)
	}
	if !w.Has(sluice.WakeSeveral) {
		return
	}
	for n := 0; ; n++ {
		port, ok := e.m.PollPort()
		if e.twin != nil {
			if port2, ok2 := e.twin.PollPort(); port2 != port || ok2 != ok {
				e.fail(determinism, twinAdvice, "PollPort answered (%d, %v), the twin's (%d, %v)",
					port, ok, port2, ok2)
			}
		}
		if !ok {
			return
		}
		if n > len(e.ports) {
			e.fail(bounded, "PollPort: what takes out the port it answers",
				"PollPort named %d ports of %d", n, len(e.ports))
		}
		e.kick(port, w)
	}
}

func (e *embedder) kick(port sluice.PortID, w sluice.Wake) {
	if int(port) >= len(e.ports) {
		e.fail(noLostWake, "the port that the wake was made with",
			"the word %v names port %d of %d", w, port, len(e.ports))
	}
	e.ports[port].kicked = true
}

// sendable finds a queue of a port that has packets and is Sendable.
func (e *embedder) sendable(at sluice.PortID) (sluice.QueueID, bool) {
	for q := range e.ports[at].fifo {
		if len(e.ports[at].fifo[q]) > 0 && e.m.Sendable(at, sluice.QueueID(q)) {
			return sluice.QueueID(q), true
		}
	}
	return 0, false
}

func (e *embedder) checkPort(at sluice.PortID) {
	for q, want := range e.ports[at].bytes {
		if got := e.m.Backlog(at, sluice.QueueID(q)); got != want {
			e.fail(conservation, "what Enqueue adds and Dequeue takes, and moves",
				"port %d queue %d holds %d bytes, Backlog says %d", at, q, want, got)
		}
	}
	if got := e.m.Buffered(); got != e.held {
		e.fail(conservation, "what Enqueue adds and Dequeue takes: the switch's own sum",
			"the switch holds %d bytes, Buffered says %d", e.held, got)
	}
}

func (e *embedder) checkAll() {
	for i := range e.ports {
		e.checkPort(sluice.PortID(i))
	}
	if got := e.m.Backlog(0, sluice.QueueID(min(e.queues, 0xffff))); e.queues < 0xffff && got != 0 {
		e.fail(conservation, "Backlog of a queue that does not exist",
			"Backlog of queue %d of %d is %d", e.queues, e.queues, got)
	}
	err := e.m.Audit()
	if err != nil {
		e.fail(conservation, "the machine's own audit", "Audit: %v", err)
	}
	if e.held > 0 && e.m.Quiescent() == nil {
		e.fail(liveness, "Quiescent: a packet that waits is not quiet",
			"Quiescent answers nil, and %d bytes are held", e.held)
	}
}
