package pyrrha

import (
	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/chassis"
)

// Kinds of timers, in the order of slots.
const (
	moveTimer = iota
	refreshTimer
	expiryTimer
	timerKinds
)

// Deadline returns the earliest timer, Never if none runs.
func (s *Switch) Deadline() sluice.Time { return s.timers.Next() }

// Expire serves the timers that are due: moves between levels that had to wait, refreshes, pauses
// that were not repeated. Called early it does nothing.
func (s *Switch) Expire(now sluice.Time) sluice.Wake {
	now = s.clock.Advance(now)
	for slot, due := s.timers.Due(now); due; slot, due = s.timers.Due(now) {
		s.timers.Put(slot, sluice.Never)
		s.woken.Deadline()
		p := &s.ports[slot%len(s.ports)]
		switch slot / len(s.ports) {
		case moveTimer:
			p.planMove()
		case refreshTimer:
			p.refreshUpstreams()
		case expiryTimer:
			p.expirePauses()
		}
	}
	return s.finish()
}

// Rebase moves the origin of time: every time given to the switch and read from it from now on is
// less by so much. Linear in ports and roots.
func (s *Switch) Rebase(by sluice.Time) {
	by = s.clock.Rebase(by)
	s.timers.Rebase(by)
	for i := range s.ports {
		p := &s.ports[i]
		p.iq.Rebase(by)
		p.peer.Past.Rebase(by)
		for r := range p.heard {
			p.heard[r].at = chassis.Shift(p.heard[r].at, by)
		}
	}
}

func (s *Switch) start(kind int, port sluice.PortID, at sluice.Time) {
	if s.timers.Put(s.slot(kind, port), at) {
		s.woken.Deadline()
	}
}

func (s *Switch) slot(kind int, port sluice.PortID) int { return kind*len(s.ports) + int(port) }

// planMove starts the timer of moves if only time keeps a packet from moving. Every hook that
// changes the queues calls it, or park where the call would cost every packet some.
func (p *Port) planMove() {
	if p.iq.Waits() {
		p.park()
	}
}

func (p *Port) park() {
	due, opened := p.iq.Park(p.owner.clock.Now())
	if due != sluice.Never {
		p.owner.start(moveTimer, p.id, due)
	}
	if opened {
		p.owner.woken.Port(p.id)
	}
}

// refreshUpstreams repeats the last frame to the upstream at this port about every root in whose
// tree it is. A RESUME that finds no IQ is answered with DEALLOC, which repairs a lost DEALLOC.
func (p *Port) refreshUpstreams() {
	s := p.owner
	for r := p.listed.Next(0); r >= 0; r = p.listed.Next(r + 1) {
		if s.upstream(r, p.id).told != Unlisted {
			p.setPending(&p.repeating, r, true)
			p.counts.Refreshed++
		}
	}
	if !p.listed.Empty() {
		s.start(refreshTimer, p.id, chassis.After(s.clock.Now(), s.config.Refresh))
	}
}

func (p *Port) expirePauses() {
	s := p.owner
	next := sluice.Never
	for r := p.paused.Next(0); r >= 0; r = p.paused.Next(r + 1) {
		at := chassis.After(p.heard[r].at, s.config.Expiry)
		if at > s.clock.Now() {
			next = min(next, at)
			continue
		}
		p.counts.Expired++
		p.unpause(r)
	}
	if next != sluice.Never {
		s.start(expiryTimer, p.id, next)
	}
}
