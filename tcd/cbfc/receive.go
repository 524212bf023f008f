package cbfc

import (
	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/chassis"
)

// Receive takes over a flow control packet that came in at this port: the limit of its VL, and the
// number of blocks that the peer has sent, which repairs losses on the wire. One with op 1 is
// answered at once. An FCP of a VL that is not in use is counted and ignored. O(1), O(log ports) if
// the port's limit changes by it.
func (p *Port) Receive(now sluice.Time, f *Frame) sluice.Wake {
	s, class := p.owner, sluice.Class(f.VL)
	s.advance(now)
	counters := &p.state.counters
	counters.FramesReceived++
	switch {
	case p.down:
		counters.Stale++
		return s.woken.Take()
	case !s.classes.Has(class) || f.Op > Init:
		counters.Ignored++
		return s.woken.Take()
	}
	v, bit := &p.vls[class], sluice.ClassSet(1)<<class
	counters.VL[class].FCPsReceived++
	if lost := (f.FCTBS - v.received) & counterMask; lost != 0 {
		counters.VL[class].Corrections++
	}
	v.received = f.FCTBS & counterMask
	v.limit = f.FCCL & counterMask
	p.heard |= bit
	if p.renew(class) {
		s.woken.Port(p.id)
	}
	if f.Op == Init {
		p.pending |= bit
		s.woken.Port(p.id)
	} else if v.announced() != v.told {
		p.touch(class)
	}
	return s.woken.Take()
}

// ReceiveWire is Receive of the bytes of a frame, see [Frame.Parse]. Bytes that are no FCP are
// counted as malformed, and change nothing else. It does not allocate.
func (p *Port) ReceiveWire(now sluice.Time, frame []byte) (sluice.Wake, error) {
	f := &p.owner.frame
	if err := f.Parse(frame); err != nil {
		p.owner.clock.Overlook(now)
		p.state.counters.Malformed++
		return 0, err
	}
	return p.Receive(now, f), nil
}

// LinkDown reports that the link of this port failed. No VL is held: Next and Dequeue can take the
// packets out, or they stay. Until LinkUp the port polls no frame and obeys none. O(log ports).
func (p *Port) LinkDown(now sluice.Time) sluice.Wake {
	s, t := p.owner, p.state
	s.advance(now)
	p.down = true
	p.pending, p.changed = 0, 0
	t.tickAt, t.keepAt = sluice.Never, sluice.Never
	for class := range sluice.Class(sluice.Classes) {
		if p.release(class) {
			s.woken.Port(p.id)
		}
	}
	p.schedule()
	return s.woken.Take()
}

// LinkUp reports that the link of this port is there again, or that the device at its other end
// started anew. All counters of the link begin at 0, and every VL is held until the peer announces
// its room. Both ends must call it. O(log ports).
func (p *Port) LinkUp(now sluice.Time) sluice.Wake {
	s, t := p.owner, p.state
	s.advance(now)
	now = s.clock.Now()
	p.down = false
	p.heard, p.changed, p.pending = 0, s.classes, s.classes // op 1 until the peer is heard
	for i := range p.vls {
		v := &p.vls[i]
		v.sent, v.limit, v.received, v.told = 0, 0, 0, unknown
		p.renew(sluice.Class(i))
	}
	t.tickAt, t.keepAt = sluice.Never, chassis.After(now, t.keepAlive)
	s.woken.Port(p.id)
	p.schedule()
	return s.woken.Take()
}
