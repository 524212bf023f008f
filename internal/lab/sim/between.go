package sim

import (
	"slices"

	"github.com/sluicefc/sluice"
)

// between is what happens between events, to the whole network at once: whether the run is over is
// asked at multiples of a period, so that the answer does not depend on which of the events of one
// time came last.
type between struct {
	check sluice.Time // events from then on wait for goOn
	until sluice.Time // the run ends after it
	look  sluice.Time // after it noteHeld is due; until if not any more

	period   sluice.Time // of asking whether the run is over
	ask      sluice.Time // when next
	farthest sluice.Time // delay of the longest link
	newsAt   sluice.Time // when senders hear of the first loss, Never if nobody waits for that
	changes  []change    // failures and repairs to come
}

const (
	leastPeriod = sluice.Microsecond
	mostPeriod  = 10 * sluice.Microsecond
)

// begin prepares a run that ends at an instant.
func (s *Simulator) begin(until sluice.Time) {
	s.until, s.newsAt, s.period = until, sluice.Never, mostPeriod
	for i := range s.ports {
		if delay := s.ports[i].delay; delay > 0 {
			s.farthest, s.period = max(s.farthest, delay), min(s.period, delay)
		}
	}
	s.period = max(s.period, leastPeriod)
	s.look = s.lastLook()
}

// lastLook is when to note what is held in a run that ends: so long before the end that every
// control frame which is under way comes.
func (s *Simulator) lastLook() sluice.Time {
	if s.until == sluice.Never {
		return s.until
	}
	return max(0, s.until-lastFrames-s.farthest)
}

// goOn does what is to be done before the next event, and reports whether there is one.
func (s *Simulator) goOn() bool {
	at := s.nextGlobal()
	if s.agenda.ready() {
		at = min(at, s.agenda.first().at)
	}
	if at == sluice.Never {
		return false
	}
	if at >= s.ask {
		if s.watchForStall(); s.stalled || s.finished() {
			return false
		}
		s.ask = (at/s.period + 1) * s.period
	}
	if at > s.look && s.look < s.until {
		s.noteHeld()
		s.look = s.until
	}
	if at > s.until {
		return false
	}
	for s.sample.next < at {
		s.takeSample(s.sample.next)
	}
	if at == s.nextGlobal() {
		s.happen(at)
	}
	s.check = min(s.ask, s.nextGlobal(), s.look.Add(1), s.sample.next.Add(1))
	return true
}

// nextGlobal returns when something happens next that is not at one place of the network.
func (s *Simulator) nextGlobal() sluice.Time {
	if len(s.changes) > 0 {
		return min(s.changes[0].at, s.newsAt)
	}
	return s.newsAt
}

// happen carries out what nextGlobal is about, before the events of its time.
func (s *Simulator) happen(at sluice.Time) {
	s.now = at
	s.result.Events++
	if s.newsAt == at {
		s.newsAt = sluice.Never
		s.startTimers()
		return
	}
	s.change()
}

// lastFrames is how long a run waits for the last control frame when no packet is left: some
// machines send frames for ever, so often that one is always on a wire.
const lastFrames = 100 * sluice.Microsecond

// finished reports that nothing can happen any more that anybody asked for: timers of machines
// alone do not keep a run alive once every flow has completed and every packet is gone.
func (s *Simulator) finished() bool {
	if s.result.Completed < len(s.config.Flows) {
		return false
	}
	if s.config.RunOn > 0 {
		return s.now-s.lastSent > s.config.RunOn
	}
	return s.arena.Used() == 0 || s.arena.packets() == 0 && s.now-s.lastSent > lastFrames
}

// watchForStall notices that nothing moves and never will.
func (s *Simulator) watchForStall() {
	if s.now-s.lastNew < s.config.StallAfter {
		return
	}
	flows := len(s.config.Flows)
	if slices.ContainsFunc(s.flows, func(f flow) bool {
		return s.now < f.paceAt && f.paceAt < sluice.Never
	}) {
		return // a flow waits for its rate
	}
	missing := s.result.Completed < flows && s.allStarted() && !s.repairs()
	s.stalled = missing || slices.ContainsFunc(s.nodes, func(n node) bool { return n.held > 0 })
}
