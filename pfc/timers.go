package pfc

import (
	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/chassis"
)

// Expire serves the timers that are due at now: refreshes of pauses sent, expiries of pauses
// received, polls of the watchdog. An early call does nothing. O(d log ports) for d ports that are
// due.
func (s *Switch) Expire(now sluice.Time) sluice.Wake {
	now = s.clock.Advance(now)
	for port, due := s.timers.Due(now); due; port, due = s.timers.Due(now) {
		s.ports[port].expire()
		s.woken.Deadline()
	}
	if s.watchdog.pollAt <= now {
		s.poll()
		s.woken.Deadline()
	}
	return s.woken.Take()
}

// Deadline returns the time of the earliest timer, Never if none runs. O(1).
func (s *Switch) Deadline() sluice.Time {
	return min(s.timers.Next(), chassis.Due(s.watchdog.pollAt))
}

// Rebase moves the origin of time: see Time in package sluice. O(ports).
func (s *Switch) Rebase(by sluice.Time) {
	by = s.clock.Rebase(by)
	for i := range s.ports {
		p := &s.ports[i]
		t := p.state
		t.refreshAt = chassis.Shift(t.refreshAt, by)
		t.pacer.Rebase(by)
		chassis.ShiftAll(by, t.expiresAt[:], t.pausedSince[:], t.heldSince[:], t.ready[:])
		for c := range t.watch {
			t.watch[c].frameAt = chassis.Shift(t.watch[c].frameAt, by)
		}
	}
	s.rebaseRules(by)
	for i := range s.variant.of {
		s.variant.of[i].Rebase(by)
	}
	s.timers.Rebase(by)
	s.watchdog.pollAt = chassis.Shift(s.watchdog.pollAt, by)
	s.watchdog.events.rebase(by)
}

// expire serves the timers that are due at the port: classes whose pause has run out send again,
// and a pause that has lasted a third of the time sent is sent anew.
func (p *Port) expire() {
	t, now := p.state, p.owner.clock.Now()
	for rest := t.held; rest != 0; rest &= rest - 1 {
		if c := lowest(rest); t.expiresAt[c] <= now {
			p.release(c)
			t.counters.Class[c].Expiries++
		}
	}
	for rest := t.slow; rest != 0; rest &= rest - 1 {
		if c := lowest(rest); t.ready[c] <= now {
			t.slow &^= 1 << c
		}
	}
	if t.refreshAt <= now {
		for rest := p.wanted(); rest != 0; rest &= rest - 1 {
			t.counters.Class[lowest(rest)].Refreshes++
		}
		t.refreshAt = chassis.After(now, t.refreshEvery)
		p.pending |= p.wanted()
		p.owner.woken.Port(p.id)
	}
	p.reblock()
	p.reschedule()
}

// reschedule sets the timer of the port.
func (p *Port) reschedule() {
	s, t := p.owner, p.state
	due := t.refreshAt
	for rest := t.held; rest != 0; rest &= rest - 1 {
		due = min(due, t.expiresAt[lowest(rest)])
	}
	for rest := t.slow; rest != 0; rest &= rest - 1 {
		due = min(due, t.ready[lowest(rest)])
	}
	before := s.Deadline()
	if s.timers.Put(int(p.id), due) && s.Deadline() != before {
		s.woken.Deadline()
	}
}
