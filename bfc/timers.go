package bfc

import (
	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/chassis"
)

// Expire does what is due at now: Bitmaps, and resumes that waited for Config.ResumeLimit. Before
// Deadline it does nothing. O(log n) for each timer that is due.
func (s *Switch) Expire(now sluice.Time) sluice.Wake {
	now = s.clock.Advance(now)
	for slot, due := s.timers.Due(now); due; slot, due = s.timers.Due(now) {
		s.woken.Deadline()
		if slot < len(s.ports) {
			s.ports[slot].tick(now)
		} else {
			s.windowEnded(slot-len(s.ports), now)
		}
	}
	return s.woken.Take()
}

// Deadline returns when Expire has something to do, sluice.Never if it has nothing. It moves with
// WakeDeadline. Bitmaps go on after the last resume, at intervals that double: do not wait for
// Never, ask Quiescent.
func (s *Switch) Deadline() sluice.Time {
	_, at := s.timers.Min()
	return at
}

// Rebase moves the origin of time: every time given to the switch and read from it is less by so
// much from now on. O(flow tables + timers).
func (s *Switch) Rebase(by sluice.Time) {
	s.clock.Rebase(by)
	s.phase = (s.phase - by%s.config.Period) % s.config.Period
	s.timers.Rebase(by)
	for i := range s.resumes.windows {
		w := &s.resumes.windows[i]
		w.end = chassis.Shift(w.end, by)
	}
	for i := range s.ports {
		s.ports[i].upstream.past.Rebase(by)
		entries := s.ports[i].entries
		for j := range entries {
			entries[j].last = chassis.Shift(entries[j].last, by)
		}
	}
}

// tick makes a Bitmap due and schedules the next one.
func (p *Port) tick(now sluice.Time) {
	s, up := p.owner, &p.upstream
	if !p.pending() {
		s.woken.Port(p.id)
	}
	up.bitmap = true
	if up.heldLen == 0 && s.config.IdleBitmaps > 0 {
		if up.quiet++; up.quiet >= s.config.IdleBitmaps {
			up.interval = up.interval.Add(up.interval)
		}
	}
	s.timers.Put(int(p.id), s.periodAfter(now).Add(up.interval-s.config.Period))
}

// hasten sees to it that a Bitmap is sent at the next multiple of Config.Period, after what is held
// changed. It reports whether the deadline moved.
func (p *Port) hasten() bool {
	s, now := p.owner, p.owner.clock.Now()
	p.upstream.interval = s.config.Period
	p.upstream.quiet = 0
	if p.upstream.down || s.timers.At(int(p.id)) <= now.Add(s.config.Period) {
		return false
	}
	return s.timers.Put(int(p.id), s.periodAfter(now))
}

// periodAfter returns the first multiple of Config.Period after t, counted from the first origin of
// time.
func (s *Switch) periodAfter(t sluice.Time) sluice.Time {
	past := (t - s.phase) % s.config.Period
	if past < 0 {
		past += s.config.Period
	}
	return t.Add(s.config.Period - past)
}
