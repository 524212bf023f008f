package cbfc

import (
	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/chassis"
)

// announced returns FCCL of a VL: the blocks received, and the free ones.
func (v *lane) announced() uint16 {
	return (v.received + uint16(min(v.size-v.used, maxCredit))) & counterMask
}

func (v *lane) allowance() int32 {
	credit := (v.limit - v.sent) & counterMask
	if credit > maxCredit {
		return 0
	}
	return int32(credit)
}

// touch notes that the limit of a VL may have changed, so that the port ticks.
func (p *Port) touch(class sluice.Class) {
	if (p.changed | p.pending).Has(class) || p.down {
		return
	}
	p.changed |= 1 << class
	p.schedule()
}

// schedule sets the port's next tick, if there is reason for one.
func (p *Port) schedule() {
	s, t := p.owner, p.state
	if p.changed != 0 && t.tickAt == sluice.Never {
		now := s.clock.Now()
		if past := chassis.Span(t.ticked, now); past >= t.period {
			t.ticked = now - past%t.period
		}
		t.tickAt = chassis.After(t.ticked, t.period)
	}
	if s.timers.Put(int(p.id), min(t.tickAt, t.keepAt)) {
		s.woken.Deadline()
	}
}

// renew works out the credit of a VL. It reports whether that released it.
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

func (p *Port) exhausted(class sluice.Class) {
	t, bit := p.state, sluice.ClassSet(1)<<class
	if p.blocked&bit == 0 {
		p.blocked |= bit
		t.heldSince[class] = p.owner.clock.Now()
		t.counters.VL[class].Holds++
	}
}

func (p *Port) release(class sluice.Class) bool {
	t, bit := p.state, sluice.ClassSet(1)<<class
	if p.blocked&bit == 0 {
		return false
	}
	p.blocked &^= bit
	t.counters.VL[class].HeldTime = p.heldTime(class)
	return true
}

func (p *Port) heldTime(class sluice.Class) sluice.Time {
	t := p.state
	before := t.counters.VL[class].HeldTime
	if t.heldSince[class] == sluice.Never {
		return before
	}
	return before.Add(chassis.Span(t.heldSince[class], p.owner.clock.Now()))
}
