package cbfc

import (
	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/chassis"
)

// Expire makes pending the FCPs that are due at now. An early call does nothing. O(d log ports)
// for d ports that are due.
func (s *Switch) Expire(now sluice.Time) sluice.Wake {
	s.advance(now)
	now = s.clock.Now()
	for port, due := s.timers.Due(now); due; port, due = s.timers.Due(now) {
		s.ports[port].tick(now)
	}
	return s.woken.Take()
}

// advance passes a time to the clock. FCPs are planned from time 0 on: if that is still to come
// when the clock gets its first time, they begin now.
func (s *Switch) advance(now sluice.Time) {
	told := s.clock.Told()
	now = s.clock.Advance(now)
	if told || now >= s.first || !s.clock.Told() {
		return
	}
	for i := range s.ports {
		t := s.ports[i].state
		if s.ports[i].down {
			continue
		}
		next := now + chassis.Span(now, t.ticked+t.period)%t.period
		t.ticked, t.tickAt, t.keepAt = next-t.period, next, next+t.keepAlive
		if s.config.Ports[i].PeerBuffer == 0 {
			t.tickAt = now
		}
		s.ports[i].schedule()
	}
}

// Deadline returns when Expire has something to do. FCPs go on for ever, so that it is Never only
// while all links are down. O(1).
func (s *Switch) Deadline() sluice.Time { return s.timers.Next() }

// Rebase moves the origin of time: see Time in package sluice. O(ports).
func (s *Switch) Rebase(by sluice.Time) {
	by = s.clock.Rebase(by)
	s.first = chassis.Shift(s.first, by)
	for i := range s.ports {
		t := s.ports[i].state
		t.ticked = chassis.Shift(t.ticked, by)
		t.tickAt = chassis.Shift(t.tickAt, by)
		t.keepAt = chassis.Shift(t.keepAt, by)
		chassis.ShiftAll(by, t.heldSince[:])
	}
	s.timers.Rebase(by)
}

// tick makes pending an FCP for each VL whose limit differs from the last one sent, and at longer
// intervals for every VL.
func (p *Port) tick(now sluice.Time) {
	s, t := p.owner, p.state
	if t.tickAt <= now {
		t.tickAt = sluice.Never
		for class := range sluice.Class(sluice.Classes) {
			if v := &p.vls[class]; p.changed.Has(class) && v.announced() != v.told {
				p.pending |= 1 << class
			}
		}
		p.pending |= s.classes &^ p.heard // op 1 until the peer is heard
		p.changed = s.classes &^ p.heard
	}
	if t.keepAt <= now {
		p.pending |= s.classes
		t.keepAt = chassis.After(now, t.keepAlive-chassis.Span(t.keepAt, now)%t.keepAlive)
	}
	if p.pending != 0 {
		s.woken.Port(p.id)
	}
	p.schedule()
}
