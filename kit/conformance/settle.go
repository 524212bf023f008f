package conformance

import (
	"bytes"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/kit"
)

// hook is what settle is to know of the hook that was called.
type hook struct {
	name  string
	holds bool          // queues of port may have become held
	port  sluice.PortID // or everyPort
}

const everyPort = sluice.Local

// settle acts on the word of a hook and asserts what must hold after any. deadline is what Deadline
// was before the hook, in the embedder's time.
func (e *embedder) settle(h hook, w sluice.Wake, deadline sluice.Time) {
	e.announce(w)
	if d := e.deadline(); d < deadline && !w.Has(sluice.WakeDeadline) {
		e.fail(noLostWake, "the hook that started the timer: its word must say WakeDeadline",
			"Deadline moved from %v to %v, but the word of %s says %v", deadline, d, h.name, w)
	}
	if e.twin != nil {
		if d, d2 := e.deadline(), e.twin.Deadline(); d != d2 {
			e.fail(determinism, twinAdvice, "Deadline is %v, the twin's %v", d, d2)
		}
	}
	for i := range e.ports {
		e.settlePort(sluice.PortID(i), h, w)
	}
}

// settlePort asserts that a port was named if it has something to send now, or if one of its queues
// is held no longer, and that no queue was held which may not be.
func (e *embedder) settlePort(at sluice.PortID, h hook, w sluice.Wake) {
	p := &e.ports[at]
	waits, found := sluice.QueueID(0), false
	if p.down && h.name == "Receive" && h.port == at && h.holds && w != 0 {
		e.fail(bounded, "Receive of a port whose link is down: it obeys nothing",
			"Receive answered %v", w)
	}
	for q := range p.open {
		open := e.m.Sendable(at, sluice.QueueID(q))
		switch {
		case open && !p.open[q] && !e.named(at, w):
			e.fail(noLostWake, "what released that queue: its word must name the port, packets or not",
				"queue %d of port %d is held no longer, and the word of %s says %v", q, at, h.name, w)
		case !open && p.open[q] && len(p.fifo[q]) > 1 &&
			!(h.holds && (h.port == at || h.port == everyPort)):
			e.fail(noLostWake, "what holds that queue: only a hook of its own port, or Expire, may",
				"%s held queue %d of port %d, which has packets", h.name, q, at)
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

// named reports whether a word, or one before it that was not acted on yet, names a port.
func (e *embedder) named(at sluice.PortID, w sluice.Wake) bool {
	port, one := w.Port()
	return one && port == at || e.ports[at].kicked
}

// announce notes the ports that a word names.
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

// before is what stands in the buffer that frames are appended to.
const before = "before"

// poll takes one frame from a port of the machine, and one from its twin.
func (e *embedder) poll(at sluice.PortID) ([]byte, bool) {
	now := e.now - e.base
	s := e.journal.begin(step{kind: stepPoll, node: e.node, now: now, port: at, words: e.words})
	deadline := e.deadline()
	owes, says := e.owes(at)
	frame, kind, ok := e.m.PollFrame(now, at, append(e.buffer[0][:0], before...))
	s.ok, s.label, s.done = ok, kind, true
	if says && owes != ok {
		e.fail(noLostWake, "Owes: it must answer what PollFrame does next",
			"Owes of port %d answers %v, PollFrame %v", at, owes, ok)
	}
	e.buffer[0] = frame
	frame, intact := bytes.CutPrefix(frame, []byte(before))
	if !intact {
		e.fail(bounded, "AppendTo: it appends",
			"PollFrame overwrote what stood before the frame: %s", hex(frame))
	}
	if ok {
		s.frame = append([]byte(nil), frame...)
	}
	if e.twin != nil {
		frame2, kind2, ok2 := e.twin.PollFrame(e.now, at, e.buffer[1][:0])
		if ok2 != ok || ok && (kind2 != kind || !bytes.Equal(frame, frame2)) {
			e.fail(determinism, twinAdvice, "PollFrame of port %d gave %s %s (%v), the twin's %s %s (%v)",
				at, kind, hex(frame), ok, kind2, hex(frame2), ok2)
		}
		if ok2 {
			e.buffer[1] = frame2
		}
	}
	if !ok {
		return nil, false
	}
	if len(frame) == 0 || kind == "" {
		e.fail(bounded, "PollFrame, AppendTo and Kind",
			"PollFrame gave a frame of kind %q and %d bytes", kind, len(frame))
	}
	if e.ports[at].down {
		e.fail(bounded, "PollFrame of a port whose link is down: it owes nobody anything",
			"port %d sent %s", at, kind)
	}
	e.coverage.frames++
	e.settle(hook{name: "PollFrame"}, 0, deadline)
	e.frame(at, kind, s.frame)
	return s.frame, true
}

// owes returns what a port says of whether it has a frame, if it says so: see kit.Owing.
func (e *embedder) owes(at sluice.PortID) (owes, says bool) {
	if m, ok := e.m.(interface{ Hooks(sluice.PortID) kit.Hooks }); ok {
		if port, ok := m.Hooks(at).(kit.Owing); ok {
			return port.Owes(), true
		}
	}
	return false, false
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

// checkPort compares the machine's account of a port with the embedder's.
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

// checkAll compares the machine's whole account with the embedder's.
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
