package bfc

import (
	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/chassis"
)

// Kinds of timers that each port has, in the order of slots. The timers of resume windows come
// after.
const (
	bitmapTimer = iota
	expiryTimer
	timerKinds
)

// Expire serves the timers that are due at now: Bitmaps, resumes that waited for
// Config.ResumeLimit, and the end of pauses that were not repeated. Before Deadline it does
// nothing. O(log n) for each timer that is due, O(queues) where pauses end.
func (s *Switch) Expire(now sluice.Time) sluice.Wake {
	s.advance(now)
	now = s.clock.Now()
	for slot, due := s.timers.Due(now); due; slot, due = s.timers.Due(now) {
		s.woken.Deadline()
		switch slot / len(s.ports) {
		case bitmapTimer:
			s.ports[slot].tick(now)
		case expiryTimer:
			s.ports[slot-len(s.ports)].expire(now)
		default:
			s.windowEnded(slot-timerKinds*len(s.ports), now)
		}
	}
	return s.woken.Take()
}

// advance passes a time to the clock. Bitmaps that come without a pause are planned from time 0 on:
// if that is still to come when the clock gets its first time, they begin now.
func (s *Switch) advance(now sluice.Time) {
	told := s.clock.Told()
	now = s.clock.Advance(now)
	if told || !s.bitmaps || s.config.IdleBitmaps >= 0 || !s.clock.Told() {
		return
	}
	for i := range s.ports {
		if at := s.periodAfter(now); at < s.timers.At(i) && !s.ports[i].upstream.Down {
			s.setTimer(i, at)
		}
	}
}

// Deadline returns when Expire has something to do, sluice.Never if it has nothing. It moves with
// WakeDeadline. Bitmaps go on after the last resume, at intervals that double: do not wait for
// Never, ask Quiescent.
func (s *Switch) Deadline() sluice.Time { return s.timers.Next() }

// Rebase moves the origin of time: every time given to the switch and read from it is less by so
// much from now on. O(flow tables + timers).
func (s *Switch) Rebase(by sluice.Time) {
	by = s.clock.Rebase(by)
	s.phase = (s.phase - by%s.config.Period) % s.config.Period
	s.timers.Rebase(by)
	for i := range s.resumes.windows {
		w := &s.resumes.windows[i]
		w.end = chassis.Shift(w.end, by)
	}
	for i := range s.ports {
		s.ports[i].upstream.Past.Rebase(by)
		s.ports[i].told = chassis.Shift(s.ports[i].told, by)
		entries := s.ports[i].entries
		for j := range entries {
			entries[j].last = chassis.Shift(entries[j].last, by)
		}
	}
}

func (p *Port) tick(now sluice.Time) {
	s, up := p.owner, &p.upstream
	if !p.pending() {
		s.woken.Port(p.id)
	}
	up.bitmap = true
	if up.heldLen == 0 && s.config.IdleBitmaps > 0 {
		if up.quiet++; up.quiet >= s.config.IdleBitmaps {
			up.interval = min(2*up.interval, chassis.Longest)
		}
	}
	s.timers.Put(int(p.id), chassis.After(s.periodAfter(now), up.interval-s.config.Period))
}

// hold notes that the device downstream repeated its pauses, so that they hold on.
func (p *Port) hold(now sluice.Time) {
	p.told = now
	if !p.expiring && p.expiry != 0 {
		p.startExpiry(chassis.After(now, p.expiry))
	}
}

// startExpiry sets the timer that ends pauses, sluice.Never to stop it.
func (p *Port) startExpiry(at sluice.Time) {
	s := p.owner
	p.expiring = at != sluice.Never
	s.setTimer(len(s.ports)+int(p.id), at)
}

// expire ends all pauses if downstream has not repeated them for Config.Expiry. Downstream repeats
// them every Config.Period while it pauses any queue.
func (p *Port) expire(now sluice.Time) {
	due := chassis.After(p.told, p.expiry)
	paused := ones(p.paused)
	if paused == 0 {
		due = sluice.Never
	}
	if due <= now {
		p.counters.Expired += uint64(paused)
		p.runAll()
		due = sluice.Never
	}
	p.startExpiry(due)
}

// refreshSoon sets the timer of a Bitmap to the next multiple of Config.Period, after the held
// queues changed.
func (p *Port) refreshSoon() {
	s, now := p.owner, p.owner.clock.Now()
	p.upstream.interval = s.config.Period
	p.upstream.quiet = 0
	if !p.upstream.Down && s.timers.At(int(p.id)) > chassis.After(now, s.config.Period) {
		s.setTimer(int(p.id), s.periodAfter(now))
	}
}

// setTimer sets the timer of a slot, sluice.Never to stop it.
func (s *Switch) setTimer(slot int, at sluice.Time) {
	if s.timers.Put(slot, at) {
		s.woken.Deadline()
	}
}

// periodAfter returns the first multiple of Config.Period after t, counted from the first origin of
// time.
func (s *Switch) periodAfter(t sluice.Time) sluice.Time {
	past := (t - s.phase) % s.config.Period
	if past < 0 {
		past += s.config.Period
	}
	return chassis.After(t, s.config.Period-past)
}
