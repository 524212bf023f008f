package portfc

import (
	"math/bits"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/chassis"
)

// Kinds of timers, in the order of slots.
const (
	refreshTimer = iota
	expiryTimer
	timerKinds
)

// Deadline returns the earliest timer, Never if none runs.
func (s *Switch) Deadline() sluice.Time { return s.timers.Next() }

// Expire does what is due at now: it plans frames that repeat pauses, and ends pauses that no frame
// repeated. Before Deadline it does nothing. O(queues) per timer that is due.
func (s *Switch) Expire(now sluice.Time) sluice.Wake {
	now = s.clock.Advance(now)
	for slot, due := s.timers.Due(now); due; slot, due = s.timers.Due(now) {
		s.timers.Put(slot, sluice.Never)
		s.woken.Deadline()
		p := &s.ports[slot%len(s.ports)]
		if slot/len(s.ports) == refreshTimer {
			p.refresh()
		} else {
			p.expire(now)
		}
	}
	return s.woken.Take()
}

// Rebase moves the origin of time: see Time in package sluice. O(timers + queues).
func (s *Switch) Rebase(by sluice.Time) {
	by = s.clock.Rebase(by)
	s.timers.Rebase(by)
	for i := range s.ports {
		chassis.ShiftAll(by, s.ports[i].heardAt)
	}
}

func (p *Port) start(kind int, at sluice.Time) {
	if p.owner.timers.Put(kind*len(p.owner.ports)+int(p.id), at) {
		p.owner.woken.Deadline()
	}
}

func (p *Port) stop(kind int) { p.start(kind, sluice.Never) }

func (p *Port) timer(kind int) sluice.Time {
	return p.owner.timers.At(kind*len(p.owner.ports) + int(p.id))
}

func (p *Port) planRefresh() {
	s := p.owner
	if s.config.Refresh > 0 && !p.down && p.timer(refreshTimer) == sluice.Never {
		p.start(refreshTimer, chassis.After(s.clock.Now(), s.config.Refresh))
	}
}

func (p *Port) refresh() {
	had := p.Owes()
	if p.out.paused == 0 {
		return
	}
	for item := range p.owner.items() {
		if p.owner.wanted(p, item) && !p.out.differs.Has(item) {
			p.out.repeats.Add(item)
		}
	}
	p.planRefresh()
	if !had {
		p.owner.woken.Port(p.id)
	}
}

// remember notes when a pause was heard, and starts the timer that ends pauses without a
// repetition.
func (p *Port) remember(q, reason int) {
	now := p.owner.clock.Now()
	*p.heardOf(q, reason) = now
	if p.timer(expiryTimer) == sluice.Never {
		p.start(expiryTimer, chassis.After(now, p.owner.config.Expiry))
	}
}

// heardOf returns when a pause was heard that holds queue q for a reason. The relay queue of a
// layer holds all queues at once, which is noted at HQ, for nothing holds that.
func (p *Port) heardOf(q, reason int) *sluice.Time {
	if reason >= relayHold {
		q, reason = p.owner.queues-1, reason-relayHold
	}
	return &p.heardAt[reason*p.owner.queues+q]
}

// expire ends the holds whose pause was not repeated in time.
func (p *Port) expire(now sluice.Time) {
	next := sluice.Never
	for q := range p.owner.queues {
		for holds := p.queue(q).holds; holds != 0; holds &= holds - 1 {
			reason := bits.TrailingZeros8(holds)
			at := chassis.After(*p.heardOf(q, reason), p.owner.config.Expiry)
			if at > now {
				next = min(next, at)
				continue
			}
			p.counters.Expired++
			p.apply(q, reason, false)
		}
	}
	if next != sluice.Never {
		p.start(expiryTimer, next)
	}
}
