package pfc

import (
	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/chassis"
	"github.com/sluicefc/sluice/pfc/trigger"
)

// Receive obeys a pause frame that came in at this port. For each class that it enables, its time
// replaces the rest of an earlier one; 0 releases the class at once; other classes are untouched.
// Classes that are not lossless here ignore it. A classic PAUSE holds all classes. A frame that is
// not of the port's mode is counted and ignored. O(log ports).
func (p *Port) Receive(now sluice.Time, f *Frame) sluice.Wake {
	p.owner.clock.Advance(now)
	t := p.state
	t.counters.FramesReceived++
	switch {
	case p.down:
		t.counters.Stale++
		return 0
	case f.Opcode == OpcodePFC && t.mode == PriorityPause:
		for rest := f.Enabled & sluice.AllClasses; rest != 0; rest &= rest - 1 {
			p.load(t.maps.holds[lowest(rest)%sluice.Classes], f.Time[lowest(rest)])
		}
	case f.Opcode == OpcodePause && t.mode != PriorityPause:
		for c := range sluice.Class(sluice.Classes) {
			p.load(c, f.Time[0])
		}
	default:
		t.counters.Ignored++
		return 0
	}
	if p.released() {
		p.owner.woken.Port(p.id)
	}
	if p.owner.watchdog.early {
		p.owner.lookSoon()
	}
	p.reschedule()
	return p.owner.woken.Take()
}

// ReceiveWire is Receive of the bytes of a frame, see [Frame.Parse], or [Frame.ParseStrict] if the
// port is Strict. A classic PAUSE may also be addressed to the port's own MAC. Bytes that are no
// pause frame are counted as malformed, and change nothing else. It does not allocate.
func (p *Port) ReceiveWire(now sluice.Time, frame []byte) (sluice.Wake, error) {
	f := &p.owner.scratch
	var err error
	if p.state.strict {
		err = f.ParseStrict(frame)
	} else {
		err = f.parse(frame, p.state.mac)
	}
	if err != nil {
		p.owner.clock.Overlook(now)
		p.state.counters.Malformed++
		return 0, err
	}
	return p.Receive(now, f), nil
}

func (p *Port) load(class sluice.Class, time sluice.Quanta) {
	t := p.state
	counters := &t.counters.Class[class]
	if !t.obeys.Has(class) {
		counters.PausesIgnored++
		return
	}
	now := p.owner.clock.Now()
	t.watch[class].frames++
	t.watch[class].frameAt = now
	if time == 0 {
		counters.ResumesReceived++
		p.release(class)
		return
	}
	if p.owner.config.Trigger == trigger.GFC {
		p.setRate(class, time)
		time = DefaultPause
	}
	counters.PausesReceived++
	if !t.held.Has(class) {
		t.held |= 1 << class
		t.heldSince[class] = now
		counters.Holds++
	}
	t.expiresAt[class] = chassis.After(now, t.rate.TimeOfQuanta(time))
}

func (p *Port) release(class sluice.Class) {
	t := p.state
	if !t.held.Has(class) {
		return
	}
	if p.owner.config.Trigger == trigger.GFC {
		p.setRate(class, 0)
	}
	t.held &^= 1 << class
	t.expiresAt[class] = sluice.Never
	t.watch[class].releases++
	counters := &t.counters.Class[class]
	counters.HeldTime = counters.HeldTime.Add(chassis.Span(t.heldSince[class], p.owner.clock.Now()))
}

// reblock works out which queues may send, and wakes the port if that released one.
func (p *Port) reblock() {
	if p.released() {
		p.owner.woken.Port(p.id)
	}
}

// released works out which queues may send, and reports whether the port may have a packet now.
func (p *Port) released() bool {
	before := p.blocked
	p.blocked = p.state.blocks()
	p.setOpen()
	return before&^p.blocked != 0 || p.discard&p.backlog != 0
}

// LinkDown reports that the link of this port failed. Every class that the peer or a shaper held
// may go: packets stay, or Next and Dequeue flush them, with a drop for the reason LinkDown. Until
// LinkUp the port polls no frame and obeys none; the bytes of its ingress stay accounted, and its
// classes pause and resume, but no frame reports it. O(log ports).
func (p *Port) LinkDown(now sluice.Time) sluice.Wake {
	p.owner.clock.Advance(now)
	p.down = true
	p.state.slow = 0
	p.setPlain()
	p.forget()
	return p.owner.woken.Take()
}

// LinkUp reports that the link of this port is there again, or that the device at its other end
// started anew. Frames of either end from before are void: no class is held, and if classes of this
// ingress are paused, the port owes the peer a pause. Packets that the peer sends until then go to
// the headroom, as far as the headroom is not in use. Both ends must call LinkUp: a peer without a
// new pause may send until the next refresh, at most a third of the pause time. O(log ports).
func (p *Port) LinkUp(now sluice.Time) sluice.Wake {
	p.owner.clock.Advance(now)
	p.down = false
	p.setPlain()
	if p.state.rules != nil {
		p.delay(sluice.AllClasses)
	}
	p.forget()
	if p.pending = p.wanted(); p.pending != 0 {
		p.state.refreshAt = chassis.After(p.owner.clock.Now(), p.state.refreshEvery)
		p.owner.woken.Port(p.id)
		p.reschedule()
	}
	return p.owner.woken.Take()
}

// forget ends every hold, and makes the port owe its peer nothing.
func (p *Port) forget() {
	t := p.state
	for rest := t.held; rest != 0; rest &= rest - 1 {
		p.release(lowest(rest))
	}
	t.told, p.pending, t.refreshAt = 0, 0, sluice.Never
	p.reblock()
	p.reschedule()
}
