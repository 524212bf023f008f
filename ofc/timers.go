package ofc

import (
	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/chassis"
)

// Expire does what is due at now: it plans refreshes, ends pauses without a repetition, and lets
// classes go on that moved as much as Config.Speedup allows. An early call does nothing.
// O(d log ports) for d ports that are due.
func (s *Switch) Expire(now sluice.Time) sluice.Wake {
	now = s.clock.Advance(now)
	for port, due := s.timers.Due(now); due; port, due = s.timers.Due(now) {
		s.ports[port].expire()
	}
	return s.woken.Take()
}

// Deadline returns the time of the earliest timer, Never if none runs. O(1).
func (s *Switch) Deadline() sluice.Time { return s.timers.Next() }

// Rebase moves the origin of time: every time given to the switch and read from it from now on is
// less by so much. O(ports).
func (s *Switch) Rebase(by sluice.Time) {
	by = s.clock.Rebase(by)
	for i := range s.ports {
		t := s.ports[i].state
		t.refresh.at = chassis.Shift(t.refresh.at, by)
		t.expires = chassis.Shift(t.expires, by)
		chassis.ShiftAll(by, t.rotating[:], t.said[:], t.moving[:])
	}
	s.timers.Rebase(by)
}

func (p *Port) expire() {
	t, now := p.state, p.owner.clock.Now()
	for rest := t.slow; rest != 0; rest &= rest - 1 {
		class := highest(rest & -rest)
		if t.moving[class] > now {
			continue
		}
		t.slow &^= 1 << class
		p.block(class)
		if !p.blocked.Has(class) {
			p.owner.woken.Port(p.id)
		}
	}
	if t.expires <= now {
		p.expirePauses(now)
	}
	if t.refresh.at <= now {
		p.refresh()
	}
	p.reschedule()
}

// reschedule puts the port's earliest timer into the switch's.
func (p *Port) reschedule() {
	t := p.state
	due := min(t.refresh.at, t.expires)
	for rest := t.slow; rest != 0; rest &= rest - 1 {
		due = min(due, t.moving[highest(rest&-rest)])
	}
	if p.owner.timers.Put(int(p.id), due) {
		p.owner.woken.Deadline()
	}
}

// holdOn notes that downstream said what it pauses of a class, so that its pauses hold on.
func (p *Port) holdOn(k *egress, class sluice.Class) {
	t, now := p.state, p.owner.clock.Now()
	t.said[class] = now
	if t.expires != sluice.Never || !k.obeys() {
		return
	}
	t.expires = chassis.After(now, t.expiry)
	p.reschedule()
}

// obeys reports whether downstream pauses anything of the class. A resume that waits for the end of
// a rotation needs no further frame.
func (k *egress) obeys() bool { return k.held() || k.congested > k.deferred }

// expirePauses ends the pauses of each class that downstream said nothing of for Config.Expiry. A
// device that refreshes says so every Config.Refresh while it pauses anything.
func (p *Port) expirePauses(now sluice.Time) {
	t := p.state
	t.expires = sluice.Never
	for class := range sluice.Class(sluice.Classes) {
		k := &p.classes[class]
		if !k.obeys() {
			continue
		}
		if at := chassis.After(t.said[class], t.expiry); at > now {
			t.expires = min(t.expires, at)
			continue
		}
		t.counters.Expired++
		before := p.sendable(class)
		p.letGo(k, class)
		if p.sendable(class)&^before != 0 {
			p.owner.woken.Port(p.id)
		}
	}
}

func (p *Port) letGo(k *egress, class sluice.Class) {
	k.all, k.spilled = false, false
	p.unmark(class)
	p.state.gather[class] = gathering{}
	p.resumeUnnamed(k, class)
	p.block(class)
}
