package conformance

import (
	"math"

	"github.com/sluicefc/sluice"
	"pgregory.net/rapid"
)

// Errors of an embedder or a neighbour. None reaches the twin: it must change nothing.

func (d *driver) enqueueMalformed() {
	at := d.drawPort()
	f := flow{port: at, template: d.flows[0].template}
	p := d.drawPacket(&f)
	var want sluice.Reason
	kinds := 3
	if d.spec.Malformed != nil {
		kinds = 4
	}
	switch rapid.IntRange(1, kinds).Draw(d.t, "fault") {
	case 1:
		p.Ingress = sluice.PortID(rapid.IntRange(len(d.ports), int(sluice.Local)-1).Draw(d.t, "ingress"))
		want = sluice.BadIngress
	case 2:
		p.Class = sluice.Class(rapid.IntRange(sluice.Classes, 255).Draw(d.t, "class"))
		want = sluice.BadClass
	case 3:
		p.Size = rapid.OneOf(drawSizes(math.MinInt64, 0),
			drawSizes(int64(sluice.MaxPacket)+1, math.MaxInt64)).Draw(d.t, "size")
		want = sluice.BadSize
	case 4:
		p, want = d.spec.Malformed(d.t, d.m, at)
	}
	s := d.do(step{kind: stepEnqueue, inert: true, now: d.latest(), port: at, id: -1, packet: p})
	if v := s.verdict; v.Action() != sluice.Drop || v.Reason() != want {
		d.fail(bounded, "the first lines of Enqueue", "a malformed packet got %v, want a drop: %v",
			v, want)
	}
	d.nothingChanged("a malformed packet", s)
}

func (d *driver) dequeueNothing() {
	at := d.drawPort()
	q := sluice.QueueID(rapid.OneOf(rapid.IntRange(0, d.queues+1),
		rapid.Just(0xffff)).Draw(d.t, "queue"))
	if int(q) < d.queues && len(d.ports[at].fifo[q]) > 0 {
		q = sluice.QueueID(d.queues)
	}
	f := flow{port: at, template: d.flows[0].template}
	p := d.drawPacket(&f)
	p.Note = rapid.Uint64().Draw(d.t, "note")
	s := d.do(step{
		kind: stepDequeue, inert: true, now: d.latest(), port: at, queue: q, id: -1, packet: p,
	})
	if v := s.verdict; v.Action() != sluice.Drop || v.Reason() == sluice.NoReason {
		d.fail(bounded, "the first lines of Dequeue",
			"Dequeue of queue %d, which has no packet, answered %v, want a drop with a reason", q, v)
	}
	d.nothingChanged("Dequeue of an empty queue", s)
}

func (d *driver) expireEarly() {
	now := d.latest()
	if d.deadline() <= max(now+d.base, d.now) {
		return // a timer is due, and PollFrame or Next may have told the time
	}
	if rapid.IntRange(0, 3).Draw(d.t, "at Never") == 3 {
		now = sluice.Never
	}
	s := d.do(step{kind: stepExpire, inert: true, now: now, label: " too early"})
	d.nothingChanged("Expire before Deadline", s)
}

// peek asks Next of a port whose transmitter is idle, though nothing was announced.
func (d *driver) peek() {
	at, ok := d.drawAmong("idle port", func(p *port) bool { return p.idle })
	if !ok || d.deadline() <= d.now {
		return // no port is idle, or a timer is due
	}
	if q, ok := d.next(at); ok {
		d.fail(noLostWake, "what made that queue eligible: its word must name the port",
			"Next of idle port %d, which no word named since it had nothing, answers queue %d", at,
			q)
	}
}

// receiveGarbage delivers random bytes, or a frame that was seen with some bytes changed.
func (d *driver) receiveGarbage() {
	at := d.drawPort()
	var frame []byte
	if len(d.frames) > 0 && rapid.IntRange(0, 3).Draw(d.t, "damaged") > 0 {
		f := d.frames[rapid.IntRange(0, len(d.frames)-1).Draw(d.t, "frame")]
		frame = append(frame, f.bytes...)
		for range rapid.IntRange(0, 3).Draw(d.t, "changes") {
			frame[rapid.IntRange(0, len(frame)-1).Draw(d.t, "at")] = rapid.Byte().Draw(d.t, "byte")
		}
		frame = frame[:rapid.IntRange(0, len(frame)).Draw(d.t, "length")]
	} else {
		frame = rapid.SliceOfN(rapid.Byte(), 0, 80).Draw(d.t, "bytes")
	}
	d.receive(at, garbled, frame)
}

// latest is the time that no-ops are called with: the machine has seen it, so that it is no news.
func (d *driver) latest() sluice.Time { return max(d.seen, 0) - d.base }

func (d *driver) nothingChanged(what string, s *step) {
	const early = "the early return: it changes nothing but a counter"
	if s.wake != 0 {
		d.fail(bounded, early, "%s answered with the word %v", what, s.wake)
	}
	if now := d.deadline(); now != s.deadline {
		d.fail(bounded, early, "%s moved Deadline from %v to %v", what, s.deadline, now)
	}
	d.checkStep(s)
}
