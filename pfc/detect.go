package pfc

import (
	"math"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/chassis"
)

type watchdog struct {
	pollAt sluice.Time // Never: nothing is detected
	early  bool        // pollAt may be far, because there was no time when it was set
	bigRed bool
	events storms
}

type watch struct {
	frameAt sluice.Time // when the last frame for the class came in
	looks   int         // that were stormy, in a row
	// As the first scripts see it.
	frames       uint64 // received for the class, since ever
	releases     uint64 // ends of a pause, since ever
	lastFrames   uint64
	lastReleases uint64
	wasHeld      bool

	txDrop, rxDrop uint64        // by the watchdog, since New
	begin          StormCounters // counters before the storm under way, or the last one
	last           StormCounters // in the last storm that ended
	all            StormCounters // in all that ended
}

func (s *Switch) startWatchdog() {
	c := &s.config.Watchdog
	s.watchdog.pollAt = sluice.Never
	if !s.config.watches() {
		return
	}
	s.watchdog.events.resize(c.Events)
	s.watchdog.pollAt = c.Poll
	if s.watchdog.early = !s.clock.Told(); !s.watchdog.early {
		s.watchdog.pollAt = chassis.After(s.clock.Now(), c.Poll)
	}
}

// lookSoon makes the watchdog look within a Poll, for a class that begins to be held: where time
// began below zero, its first look was set before it knew of that.
func (s *Switch) lookSoon() {
	s.watchdog.early = false
	soon := chassis.After(s.clock.Now(), s.config.Watchdog.Poll)
	if s.watchdog.pollAt == sluice.Never || s.watchdog.pollAt <= soon {
		return
	}
	s.watchdog.pollAt = soon
	s.woken.Deadline()
}

func (p *Port) watched() sluice.ClassSet {
	t := p.state
	if t.guard.Detection == 0 || p.owner.watchdog.bigRed {
		return 0
	}
	return t.obeys & t.guard.Classes
}

func (s *Switch) poll() {
	now := s.clock.Now()
	s.watchdog.pollAt = chassis.After(s.watchdog.pollAt, s.config.Watchdog.Poll)
	if s.watchdog.pollAt <= now {
		s.watchdog.pollAt = chassis.After(now, s.config.Watchdog.Poll) // the embedder slept through some
	}
	for i := range s.ports {
		p := &s.ports[i]
		for rest := p.watched(); rest != 0; rest &= rest - 1 {
			p.pollClass(lowest(rest))
		}
		p.reblock()
	}
}

func (p *Port) pollClass(class sluice.Class) {
	t, c := p.state, &p.owner.config.Watchdog
	w := &t.watch[class]
	storming := t.storming.Has(class)
	if storming && t.guard.Action != WatchdogAlerts {
		quiet := chassis.Span(w.frameAt, p.owner.clock.Now())
		if !t.held.Has(class) && quiet >= t.guard.Restoration {
			p.restore(class)
		}
		return
	}
	if w.looks++; !p.stormy(class) {
		w.looks = 0
	}
	needed := c.Looks
	if c.CountPolls {
		needed = int(min((t.guard.Detection-1)/c.Poll, math.MaxInt32-1)) + 1
	}
	switch {
	case storming && w.looks == 0:
		p.restore(class)
	case !storming && w.looks >= needed:
		p.storm(class)
	}
}

// stormy reports whether a look at a class finds what makes a storm.
func (p *Port) stormy(class sluice.Class) bool {
	t, c := p.state, &p.owner.config.Watchdog
	held := t.held.Has(class)
	if !c.CountPolls {
		return held && chassis.Span(t.heldSince[class], p.owner.clock.Now()) >= t.guard.Detection
	}
	w := &t.watch[class]
	stormy := w.frames != w.lastFrames && w.releases == w.lastReleases && w.wasHeld // so it is now
	w.lastFrames, w.lastReleases, w.wasHeld = w.frames, w.releases, held
	return stormy
}

func (p *Port) storm(class sluice.Class) {
	p.state.counters.Class[class].Storms++
	p.owner.watchdog.events.add(
		StormEvent{At: p.owner.clock.Now(), Port: p.id, Class: class, Began: true},
	)
	p.beginStorm(class)
}

func (p *Port) beginStorm(class sluice.Class) {
	t, bit := p.state, sluice.ClassSet(1)<<class
	t.storming |= bit
	t.watch[class].begin = p.stormCounters(class)
	switch t.guard.Action {
	case WatchdogAlerts:
		return
	case WatchdogDrops:
		p.setDiscard(class, true)
	case WatchdogForwards:
		p.mute(t.muted | 1<<p.state.maps.groupOf[class])
	}
	t.bypass |= bit
}

func (p *Port) restore(class sluice.Class) {
	p.state.counters.Class[class].Restores++
	p.owner.watchdog.events.add(StormEvent{At: p.owner.clock.Now(), Port: p.id, Class: class})
	p.calm(class)
}

// calm makes a class operational.
func (p *Port) calm(class sluice.Class) {
	t, bit := p.state, sluice.ClassSet(1)<<class
	w := &t.watch[class]
	if t.storming.Has(class) {
		w.last = p.stormCounters(class).since(&w.begin)
		w.all.add(&w.last)
	}
	t.storming &^= bit
	t.bypass &^= bit
	// The next look has nothing to compare with.
	w.looks, w.wasHeld = 0, false
	p.setDiscard(class, false)
	if group := p.state.maps.groupOf[class]; t.muted.Has(group) {
		p.mute(t.muted &^ (1 << group))
	}
}

func (p *Port) setDiscard(class sluice.Class, on bool) {
	a := p.account(p.state.maps.groupOf[class])
	if on {
		a.flags |= discards
		p.discard |= 1 << class
	} else {
		a.flags &^= discards
		p.discard &^= 1 << class
	}
	p.setPlain()
}

// Storming returns the classes of the port that are in a pause storm.
func (p *Port) Storming() sluice.ClassSet { return p.state.storming }

// BigRedSwitch turns on or off the discarding of every lossless class at every port, storm or no
// storm. While it is on, nothing is detected or restored; turning it on ends all storms, and a
// class that is held when it is turned off counts as held from then on. O(ports).
func (s *Switch) BigRedSwitch(now sluice.Time, on bool) sluice.Wake {
	s.clock.Advance(now)
	if on != s.watchdog.bigRed {
		s.setBigRedSwitch(on)
	}
	return s.woken.Take()
}

func (s *Switch) setBigRedSwitch(on bool) {
	s.watchdog.bigRed = on
	for i := range s.ports {
		p := &s.ports[i]
		lossless := p.state.maps.queueOf.Of(s.config.lossless(i))
		for rest := lossless | p.state.obeys; rest != 0; rest &= rest - 1 {
			c := lowest(rest)
			if p.state.storming.Has(c) {
				p.restore(c)
			}
			p.calm(c)
			p.setDiscard(c, on && lossless.Has(c))
			p.sinceNow(c)
		}
		if on {
			p.state.bypass = lossless
		}
		p.reblock()
	}
}

func (p *Port) sinceNow(class sluice.Class) {
	t, now := p.state, p.owner.clock.Now()
	if t.held.Has(class) {
		c := &t.counters.Class[class]
		c.HeldTime = c.HeldTime.Add(chassis.Span(t.heldSince[class], now))
		t.heldSince[class] = now
	}
}
