package conformance

import (
	"bytes"

	"github.com/sluicefc/sluice"
)

// settle acts on the word of a hook and asserts what must hold after any.
// deadline is what Deadline was before the hook.
func (e *embedder) settle(w sluice.Wake, deadline sluice.Time) {
	e.announce(w)
	e.drain(w.Has(sluice.WakeFrames))
	if d := e.m.Deadline(); d < deadline && w&(sluice.WakeDeadline|sluice.WakeFrames) == 0 {
		e.fail(noLostWake, "the hook that started the timer: its word must say WakeDeadline", "Deadline moved from %v to %v, but the word says %v", deadline, d, w)
	}
	if e.twin != nil {
		if d, d2 := e.m.Deadline(), e.twin.Deadline(); d != d2 {
			e.fail(determinism, twinAdvice, "Deadline is %v, the twin's %v", d, d2)
		}
	}
	for i := range e.ports {
		p := &e.ports[i]
		if !p.idle || p.kicked || p.busy || p.held == 0 {
			continue
		}
		if q, found := e.sendable(sluice.PortID(i)); found {
			e.fail(noLostWake, "what released that queue: its word must name the port", "idle port %d has packets in queue %d, which is Sendable, and no word named the port; the last one: %v", i, q, w)
		}
	}
}

// announce notes the ports that a word names.
func (e *embedder) announce(w sluice.Wake) {
	if !w.Has(sluice.WakeQueues) {
		return
	}
	if w.Port() == sluice.AnyPort {
		for i := range e.ports {
			e.ports[i].kicked = true
		}
		return
	}
	if int(w.Port()) >= len(e.ports) {
		e.fail(noLostWake, "the port that the wake was made with", "the word %v names a port that does not exist", w)
	}
	e.ports[w.Port()].kicked = true
}

// drain polls frames until there is none, from both machines, and once more.
func (e *embedder) drain(flagged bool) {
	for n := 0; ; n++ {
		if n > e.frameLimit {
			e.fail(bounded, "PollFrame: what clears the bit of the frame it built", "PollFrame gave %d frames in a row", n)
		}
		frame, ok := e.poll()
		if !ok {
			break
		}
		if !flagged {
			e.fail(noLostWake, "the hook before: its word must say WakeFrames", "a frame was pending and no word said so: %s", hex(frame))
		}
	}
	// Only the machine under test: the answer must be the same and change nothing.
	if frame, at, kind, ok := e.m.PollFrame(e.now, e.buffer[0][:0]); ok {
		e.fail(noLostWake, "PollFrame: it said there was no frame", "after PollFrame answered false, asked again it gave %s for port %d: %s", kind, at, hex(frame))
	}
}

// before is what stands in the buffer that frames are appended to.
const before = "before"

// poll takes one frame from the machine, and one from its twin.
func (e *embedder) poll() ([]byte, bool) {
	s := e.journal.begin(step{kind: stepPoll, node: e.node, now: e.now, words: e.words})
	frame, at, kind, ok := e.m.PollFrame(e.now, append(e.buffer[0][:0], before...))
	s.ok, s.port, s.label, s.done = ok, at, kind, true
	e.buffer[0] = frame
	frame, intact := bytes.CutPrefix(frame, []byte(before))
	if !intact {
		e.fail(bounded, "AppendTo: it appends", "PollFrame overwrote what stood before the frame: %s", hex(frame))
	}
	if ok {
		s.frame = append([]byte(nil), frame...)
	}
	if e.twin != nil {
		frame2, at2, kind2, ok2 := e.twin.PollFrame(e.now, e.buffer[1][:0])
		if ok2 != ok || ok && (at2 != at || kind2 != kind || !bytes.Equal(frame, frame2)) {
			e.fail(determinism, twinAdvice, "PollFrame gave %s for port %d %s (%v), the twin's %s for port %d %s (%v)", kind, at, hex(frame), ok, kind2, at2, hex(frame2), ok2)
		}
		if ok2 {
			e.buffer[1] = frame2
		}
	}
	if !ok {
		return nil, false
	}
	if int(at) >= len(e.ports) || len(frame) == 0 || kind == "" {
		e.fail(bounded, "PollFrame, AppendTo and Kind", "PollFrame gave a frame of kind %q and %d bytes for port %d of %d", kind, len(frame), at, len(e.ports))
	}
	e.coverage.frames++
	e.frame(at, kind, s.frame)
	return s.frame, true
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
			e.fail(conservation, "what Enqueue adds and Dequeue takes, and moves", "port %d queue %d holds %d bytes, Backlog says %d", at, q, want, got)
		}
	}
	if got := e.m.Buffered(); got != e.held {
		e.fail(conservation, "what Enqueue adds and Dequeue takes: the switch's own sum", "the switch holds %d bytes, Buffered says %d", e.held, got)
	}
}

// checkAll compares the machine's whole account with the embedder's.
func (e *embedder) checkAll() {
	for i := range e.ports {
		e.checkPort(sluice.PortID(i))
	}
	if got := e.m.Backlog(0, sluice.QueueID(min(e.queues, 0xffff))); e.queues < 0xffff && got != 0 {
		e.fail(conservation, "Backlog of a queue that does not exist", "Backlog of queue %d of %d is %d", e.queues, e.queues, got)
	}
	err := e.m.Audit()
	if err != nil {
		e.fail(conservation, "the machine's own audit", "Audit: %v", err)
	}
	if e.held > 0 && e.m.Quiescent() == nil {
		e.fail(liveness, "Quiescent: a packet that waits is not quiet", "Quiescent answers nil, and %d bytes are held", e.held)
	}
}
