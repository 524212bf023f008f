package conformance

import (
	"bytes"
	"math"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/kit"
)

// receive delivers a frame. A frame that does not parse reaches no machine, so the twin does not
// get it.
func (e *embedder) receive(at sluice.PortID, label string, frame []byte) error {
	now, twinNow := e.now-e.base, e.now
	if e.skew > 0 && e.seen != math.MinInt64 {
		now, twinNow = e.seen-e.skew-e.base, e.seen
	}
	s := e.journal.begin(step{
		kind: stepReceive, node: e.node, now: now, port: at, frame: append([]byte(nil), frame...),
		words: e.words, label: label,
	})
	deadline := e.deadline()
	handed := append([]byte(nil), frame...)
	w, err := e.m.Receive(now, at, handed)
	s.wake, s.err, s.done = w, err, true
	if !bytes.Equal(handed, frame) {
		e.fail(bounded, "Parse: it reads", "Receive changed the bytes of the frame to %s", hex(handed))
	}
	for i := range handed { // a machine that kept the slice reads rubbish
		handed[i] = 0xA5
	}
	if err != nil {
		if w != 0 {
			e.fail(bounded, "Parse and Receive: what is refused changes nothing",
				"a frame was refused with %q, and the wake says %v", err, w)
		}
		e.settle(hook{name: "Receive"}, 0, deadline)
		return err
	}
	e.seen = max(e.seen, now+e.base)
	if e.twin != nil {
		w2, err2 := e.twin.Receive(twinNow, at, append([]byte(nil), frame...))
		if w2 != w || err2 != nil {
			e.fail(determinism, twinAdvice, "Receive answered %v, the twin's %v, %v", w, w2, err2)
		}
	}
	e.settle(hook{name: "Receive", holds: true, port: at}, w, deadline)
	return nil
}

// expire serves the timers that are due.
func (e *embedder) expire() {
	now := e.now - e.base
	s := e.journal.begin(step{kind: stepExpire, node: e.node, now: now})
	e.coverage.expired++
	e.seen = max(e.seen, e.now)
	deadline := e.deadline()
	w := e.m.Expire(now)
	s.wake, s.done = w, true
	if e.twin != nil {
		if w2 := e.twin.Expire(e.now); w2 != w {
			e.fail(determinism, twinAdvice, "Expire answered %v, the twin's %v", w, w2)
		}
	}
	e.settle(hook{name: "Expire", holds: true, port: everyPort}, w, deadline)
	if d := e.m.Deadline(); d <= now {
		e.fail(bounded, "Expire: it serves everything due at now, and what it starts anew ends later",
			"after Expire(%v) Deadline is %v", now, d)
	}
}

// consume tells the machine that a packet came in by a port and goes no further, if it is to know.
func (e *embedder) consume(at sluice.PortID, p sluice.Packet) {
	if !kit.Consumes(e.m) {
		return
	}
	now, twinNow := e.given()
	s := e.journal.begin(step{kind: stepConsume, node: e.node, now: now, port: at, id: -1, packet: p})
	deadline := e.deadline()
	e.hand(0, p)
	w := kit.Consume(e.m, now, at, e.scratch[0])
	s.wake, s.done = w, true
	e.takeBack(0, &p)
	if e.twin != nil {
		e.hand(1, p)
		if w2 := kit.Consume(e.twin, twinNow, at, e.scratch[1]); w2 != w {
			e.fail(determinism, twinAdvice, "Consume answered %v, the twin's %v", w, w2)
		}
		e.takeBack(1, &p)
	}
	e.settle(hook{name: "Consume"}, w, deadline)
	e.checkPort(at)
}
