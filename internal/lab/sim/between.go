package sim

import (
	"slices"

	"github.com/sluicefc/sluice"
)

// between is what happens between events, to the whole network at once: whether the run is over is
// asked at multiples of a period, so that the answer does not depend on which of the events of one
// time came last.
type between struct {
	check sluice.Time // the window ends there: events from then on wait for goOn
	until sluice.Time // the run ends after it
	look  sluice.Time // after it noteHeld is due; until if not any more

	period   sluice.Time // of asking whether the run is over
	ask      sluice.Time // when next
	farthest sluice.Time // delay of the longest link
	ahead    sluice.Time // the longest window: the least delay of a link that is cut; Never if none is
	newsAt   sluice.Time // when senders hear of the first loss, Never if no sender waits for that
	heard    bool        // newsAt is known, or was
	changes  []change    // failures and repairs to come

	parity     int         // of the window at hand
	nextSample sluice.Time // Never: none
	first      sluice.Time // start of the first flow
	told       int64       // events when Progress was called last
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
	for _, p := range s.parts {
		p.plain = !s.wire.enabled && s.spread == nil && s.config.Failures == nil && !s.config.VerifyPaths
		p.prepare()
	}
}

// lastLook is when to note what is held in a run that ends: so long before the end that every
// control frame which is under way comes.
func (s *Simulator) lastLook() sluice.Time {
	if s.until == sluice.Never {
		return s.until
	}
	return max(0, s.until-lastFrames-s.farthest)
}

// goOn does what is to be done before the next window, and reports whether there is one.
func (s *Simulator) goOn() bool {
	if s.err = s.firstError(); s.err != nil {
		return false
	}
	s.freeFlows()
	s.hearOfLoss()
	at := s.nextGlobal()
	for _, p := range s.parts {
		at = min(at, p.next)
	}
	if at == sluice.Never {
		return false
	}
	if at >= s.ask {
		if s.watchForStall(); s.stalled || s.finished() {
			return false
		}
		s.ask = (at/s.period + 1) * s.period
		s.showProgress()
	}
	if at > s.look && s.look < s.until {
		s.noteHeld()
		s.look = s.until
	}
	if at > s.until {
		return false
	}
	for s.nextSample < at {
		s.takeSample(s.nextSample)
	}
	if at == s.nextGlobal() {
		s.happen(at)
	}
	s.check = min(s.ask, s.nextGlobal(), s.look.Add(1), s.nextSample.Add(1), at.Add(s.ahead))
	s.parity = 1 - s.parity
	return s.err == nil
}

// firstError returns the error that came first; of errors at one time, the first part's.
func (s *Simulator) firstError() (first error) {
	when := sluice.Never
	for _, p := range s.parts {
		if p.err != nil && p.now < when {
			first, when = p.err, p.now
		}
	}
	return first
}

// unpack takes along what crossed in the window before.
func (s *Simulator) unpack() {
	for _, p := range s.parts {
		p.unpack(s.parity)
	}
}

// hearOfLoss plans when senders hear of the first loss. It is no earlier than the end of the window
// of the loss.
func (s *Simulator) hearOfLoss() {
	if !s.config.RetransmitFromLoss || s.heard {
		return
	}
	lost := sluice.Never
	for _, p := range s.parts {
		lost = min(lost, p.lostAt)
	}
	s.heard = lost < sluice.Never
	s.newsAt = lost.Add(s.farthest)
}

// freeFlows frees flows that are over and that more than one part has a share of.
func (s *Simulator) freeFlows() {
	for _, p := range s.parts {
		for _, stray := range p.strays {
			known := s.endsAt(stray.index)
			from := s.parts[s.partOf[known.node[sending]]]
			from.flows[known.slot[sending]].underWay += stray.packets
			from.leaving = append(from.leaving, stray.index)
		}
		p.strays = p.strays[:0]
	}
	for _, p := range s.parts {
		for _, index := range p.leaving {
			s.mayForget(s.endsAt(index))
		}
		p.leaving = p.leaving[:0]
	}
	s.retire()
}

// mayForget frees what there is of a flow that may be over.
func (s *Simulator) mayForget(known *ends) {
	if known == nil {
		return
	}
	slot := known.slot
	if slot[sending] == none || slot[receiving] == none {
		return
	}
	from, to := s.parts[s.partOf[known.node[sending]]], s.parts[s.partOf[known.node[receiving]]]
	f, g := &from.flows[slot[sending]], &to.flows[slot[receiving]]
	f.leaves, g.leaves = false, false
	underWay := f.underWay
	if from != to {
		underWay += g.underWay
	}
	if underWay != 0 || !g.arrived || !from.transport.Done(slot[sending]) {
		return
	}
	from.forget(known, sending)
	if from != to {
		to.forget(known, receiving)
	}
	known.slot[receiving] = none
}

// showProgress says now and then how far the run is.
func (s *Simulator) showProgress() {
	const progressEvery = 1 << 16
	events := s.sum(func(p *part) int64 { return p.result.Events })
	if events-s.told >= progressEvery {
		s.told = events
		s.progress()
	}
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
	s.unpack()
	s.parts[0].result.Events++
	for _, p := range s.parts {
		p.now = at
	}
	if s.newsAt != at {
		s.change()
		return
	}
	s.newsAt = sluice.Never
	for _, p := range s.parts {
		p.startTimers()
	}
}

// lastFrames is how long a run waits for the last control frame when no packet is left: some
// machines send frames for ever, so often that one is always on a wire.
const lastFrames = 100 * sluice.Microsecond

// finished reports that nothing more can happen to flows, jobs and packets: timers of machines
// alone do not keep a run alive.
func (s *Simulator) finished() bool {
	if s.missing() > 0 || !s.jobsDone() || s.live != nil && !s.live.idle {
		return false
	}
	idle := s.Now() - s.latestOf(func(p *part) sluice.Time { return p.lastSent })
	if s.config.RunOn > 0 {
		return idle > s.config.RunOn
	}
	packets := s.sum((*part).packets)
	return packets == 0 && (idle > lastFrames || s.sum((*part).frames) == 0)
}

// completed returns how many flows have arrived.
func (s *Simulator) completed() int {
	return int(s.sum(func(p *part) int64 { return int64(p.result.Completed) }))
}

// watchForStall notices that nothing moves and never will.
func (s *Simulator) watchForStall() {
	if s.stalled = s.stuck(); s.stalled {
		return
	}
	now := s.Now()
	if now-s.latestOf(func(p *part) sluice.Time { return p.lastNew }) < s.config.StallAfter {
		return
	}
	for _, p := range s.parts {
		if slices.ContainsFunc(p.flows, func(f flow) bool {
			return now < f.paceAt && f.paceAt < sluice.Never
		}) {
			return // a flow waits for its rate
		}
	}
	started := !slices.ContainsFunc(s.parts, func(p *part) bool { return p.started < p.flowsFrom })
	started = started && s.computing() == 0
	missing := s.missing() > 0 && started && !s.repairs()
	s.stalled = missing || slices.ContainsFunc(s.nodes, func(n node) bool { return n.held > 0 })
}
