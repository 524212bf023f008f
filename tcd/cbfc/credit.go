package cbfc

import (
	"math/bits"

	"github.com/sluicefc/sluice"
)

// announced returns FCCL of a VL: what was received, and what there is room for.
func (v *lane) announced() uint16 {
	return (v.received + uint16(min(v.size-v.used, maxCredit))) & counterMask
}

// allowance returns the blocks that may be sent by the limit heard last.
func (v *lane) allowance() int32 {
	credit := (v.limit - v.sent) & counterMask
	if credit > maxCredit {
		return 0
	}
	return int32(credit)
}

// touch notes that the limit of a VL may have changed, so that the port ticks.
func (p *Port) touch(class sluice.Class) sluice.Wake {
	if (p.changed | p.pending).Has(class) || p.down {
		return 0
	}
	p.changed |= 1 << class
	return p.schedule()
}

// schedule sets the port's next tick, if there is reason for one.
func (p *Port) schedule() sluice.Wake {
	s, t := p.owner, p.state
	if p.changed != 0 && t.tickAt == sluice.Never {
		now := s.clock.Now()
		if past := now - t.ticked; past >= t.period {
			t.ticked += past / t.period * t.period
		}
		t.tickAt = t.ticked.Add(t.period)
	}
	if s.timers.Put(int(p.id), min(t.tickAt, t.keepAt)) {
		return sluice.WakeDeadline
	}
	return 0
}

// renew works out the credit of a VL from its counters, and whether it is held. It reports whether
// that released it.
func (p *Port) renew(class sluice.Class) bool {
	v := &p.vls[class%sluice.Classes]
	v.credit = 0
	if p.heard.Has(class) {
		v.credit = v.allowance()
	}
	if v.credit < p.owner.needed {
		p.exhausted(class)
		return false
	}
	return p.release(class)
}

// exhausted holds a VL.
func (p *Port) exhausted(class sluice.Class) {
	t, bit := p.state, sluice.ClassSet(1)<<class
	if p.blocked&bit == 0 {
		p.blocked |= bit
		t.heldSince[class] = p.owner.clock.Now()
		t.counters.VL[class].Holds++
	}
}

// release lets a VL send, and reports whether it was held.
func (p *Port) release(class sluice.Class) bool {
	t, bit := p.state, sluice.ClassSet(1)<<class
	if p.blocked&bit == 0 {
		return false
	}
	p.blocked &^= bit
	t.counters.VL[class].HeldTime = p.heldTime(class)
	return true
}

// heldTime returns how long a held VL has been held in all.
func (p *Port) heldTime(class sluice.Class) sluice.Time {
	t := p.state
	before := t.counters.VL[class].HeldTime
	if t.heldSince[class] == sluice.Never {
		return before
	}
	return before.Add(p.owner.clock.Now() - t.heldSince[class])
}

// Receive takes over a flow control packet that came in at this port: the limit of its VL, and the
// number of blocks that the peer has sent, which puts right what was lost on the wire. One with op
// 1 is answered at once. An FCP of a VL that is not in use is counted and ignored. O(1), O(log
// ports) if the port's limit changes by it.
func (p *Port) Receive(now sluice.Time, f *Frame) sluice.Wake {
	s, class := p.owner, sluice.Class(f.VL)
	s.clock.Advance(now)
	counters := &p.state.counters
	counters.FramesReceived++
	switch {
	case p.down:
		counters.Stale++
		return 0
	case !s.classes.Has(class) || f.Op > Init:
		counters.Ignored++
		return 0
	}
	v, bit := &p.vls[class], sluice.ClassSet(1)<<class
	counters.VL[class].FCPsReceived++
	if lost := (f.FCTBS - v.received) & counterMask; lost != 0 {
		counters.VL[class].Corrections++
	}
	v.received = f.FCTBS & counterMask
	v.limit = f.FCCL & counterMask
	p.heard |= bit
	v.credit = v.allowance()
	var wake sluice.Wake
	if (v.credit < s.needed) != (p.blocked&bit != 0) && p.renew(class) {
		wake = sluice.WakePort(p.id)
	}
	if f.Op == Init {
		p.pending |= bit
		return wake | sluice.WakePort(p.id)
	}
	if v.announced() != v.told {
		wake |= p.touch(class)
	}
	return wake
}

// ReceiveWire is Receive of the bytes of a frame, see [Frame.Parse]. Bytes that are no FCP are
// counted as malformed at this port, and change nothing else; the error is a [*sluice.FrameError].
// It does not allocate.
func (p *Port) ReceiveWire(now sluice.Time, frame []byte) (sluice.Wake, error) {
	f := &p.owner.frame
	if err := f.Parse(frame); err != nil {
		p.state.counters.Malformed++
		return 0, err
	}
	return p.Receive(now, f), nil
}

// PollFrame builds the next FCP that this port owes its peer, from the state as it is now, for a
// transmitter that is free: one per VL, the lowest first. False, and f unchanged, when none is
// owed. O(1).
func (p *Port) PollFrame(_ sluice.Time, f *Frame) bool {
	if !p.Owes() {
		return false
	}
	class := bits.TrailingZeros8(uint8(p.pending)) & (sluice.Classes - 1)
	v, bit := &p.vls[class], sluice.ClassSet(1)<<class
	p.pending &^= bit
	v.told = v.announced()
	*f = Frame{Op: Init, VL: uint8(class), FCTBS: v.sent, FCCL: v.told}
	if p.heard&bit != 0 {
		f.Op = Normal
	}
	p.state.counters.FramesSent++
	p.state.counters.VL[class].FCPsSent++
	return true
}

// Owes reports whether PollFrame has a frame. O(1).
func (p *Port) Owes() bool { return p.pending != 0 }

// LinkDown says that the link of this port failed. No VL is held: what waits can be emptied by
// Next and Dequeue, or stay. Until LinkUp the port polls no frame and obeys none. O(log ports).
func (p *Port) LinkDown(now sluice.Time) sluice.Wake {
	p.owner.clock.Advance(now)
	p.down = true
	p.pending, p.changed = 0, 0
	t := p.state
	t.tickAt, t.keepAt = sluice.Never, sluice.Never
	var wake sluice.Wake
	for class := range sluice.Class(sluice.Classes) {
		if p.release(class) {
			wake = sluice.WakePort(p.id)
		}
	}
	return wake | p.schedule()
}

// LinkUp says that the link of this port is there again, or that the device at its other end
// started anew. All counters of the link begin at 0, and every VL is held until the peer says what
// it has room for. Both ends must call it. O(log ports).
func (p *Port) LinkUp(now sluice.Time) sluice.Wake {
	s, t := p.owner, p.state
	now = s.clock.Advance(now)
	p.down = false
	p.heard, p.changed, p.pending = 0, s.classes, s.classes // op 1 until the peer is heard
	for i := range p.vls {
		v := &p.vls[i]
		v.sent, v.limit, v.received, v.told = 0, 0, 0, unknown
		p.renew(sluice.Class(i))
	}
	t.tickAt, t.keepAt = sluice.Never, now.Add(t.keepAlive)
	return sluice.WakePort(p.id) | p.schedule()
}
