package pfc

import (
	"math"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/check"
	"github.com/sluicefc/sluice/internal/enum"
)

// WatchdogAction is what the watchdog does with a queue in a pause storm.
type WatchdogAction uint8

// Actions of the watchdog, with SONiC's names.
const (
	// WatchdogDrops: what the queue holds and what arrives for it is discarded, and so is what
	// arrives in that class by the ingress of the same port. Pauses received for the queue are
	// ignored.
	WatchdogDrops WatchdogAction = iota
	// WatchdogForwards: pauses received for the queue are ignored, and it sends.
	WatchdogForwards
	// WatchdogAlerts: the storm is counted and shown by Storming and PollStorm, nothing else.
	WatchdogAlerts
	numWatchdogActions
)

// String names the action as SONiC does.
func (a WatchdogAction) String() string {
	return enum.Name(watchdogActionNames[:], "WatchdogAction", a)
}

var watchdogActionNames = [...]string{"drop", "forward", "alert"}

// DefaultWatchdogPoll is the polling period where none is given, that of SONiC.
const DefaultWatchdogPoll = 200 * sluice.Millisecond

// DefaultStormEvents is how many storm events wait to be read where no number is given.
const DefaultStormEvents = 64

// Watchdog detects pause storms, a peer that keeps a queue paused without end, on each (port,
// queue) that obeys pauses, as SONiC's PFC watchdog does. Every Poll it looks at each. A class that
// has been held without a break for Detection is in a storm, however often its pause was sent anew:
// it is found within Detection and a Poll. A storm ends when the class is not held and no frame for
// it has come in for Restoration; under WatchdogAlerts, at the first look that finds that the hold
// was broken.
//
// SONiC's command line takes a detection of 100 ms to 5 s, a restoration of 100 ms to 60 s and a
// poll of 100 ms to 1 s. Here any positive times do.
type Watchdog struct {
	// Detection time. Zero: no watchdog.
	Detection sluice.Time
	// Restoration time. Zero: twice Detection.
	Restoration sluice.Time
	// Poll is the polling period, from time 0 on. Zero: DefaultWatchdogPoll.
	Poll sluice.Time
	// Looks is how many looks in a row must find a storm for it to begin, as SONiC's newer scripts
	// want two. Zero: 1.
	Looks int
	// CountPolls detects as SONiC's first script for Broadcom does, which has no clock: a look is
	// stormy if since the last one frames for the class came in, no pause of it ended, and it was
	// held both then and now. Stormy looks in a row take a Poll each off Detection, and the one
	// that leaves nothing begins the storm. A peer whose frames are rarer than Poll is not found.
	CountPolls bool
	// Action in a storm.
	Action WatchdogAction
	// BigRedSwitch is how [Switch.BigRedSwitch] stands at first. It works with Detection zero too.
	BigRedSwitch bool
	// Events is how many begins and ends of storms can wait for PollStorm. Zero:
	// DefaultStormEvents.
	Events int
}

// DefaultWatchdog returns what SONiC's `pfcwd start_default` sets on a switch of so many ports: 200
// ms for all three times, multiplied by one for every 32 ports begun, the poll at most 1 s, and
// drop.
func DefaultWatchdog(ports int) Watchdog {
	const base, longestPoll = 200 * sluice.Millisecond, sluice.Second
	t := base * sluice.Time(max(1, (ports-1)/32+1))
	return Watchdog{Detection: t, Restoration: t, Poll: min(t, longestPoll), Action: WatchdogDrops}
}

func (w *Watchdog) check(k *check.Config) {
	k.That(w.Detection >= 0, w.Detection, "must not be negative", "Watchdog.Detection")
	k.That(w.Restoration >= 0, w.Restoration, "must not be negative", "Watchdog.Restoration")
	k.That(w.Poll >= 0, w.Poll, "must not be negative", "Watchdog.Poll")
	k.That(w.Looks >= 0, w.Looks, "must not be negative", "Watchdog.Looks")
	k.That(w.Action < numWatchdogActions, w.Action, "must be one of the actions", "Watchdog.Action")
	k.That(w.Events >= 0 && w.Events <= 1<<20, w.Events, "must be 0 to 2^20", "Watchdog.Events")
}

// fill fills in the defaults.
func (w *Watchdog) fill() {
	if w.Restoration == 0 {
		w.Restoration = w.Detection.Add(w.Detection)
	}
	if w.Poll == 0 {
		w.Poll = DefaultWatchdogPoll
	}
	if w.Looks == 0 {
		w.Looks = 1
	}
	if w.Events == 0 {
		w.Events = DefaultStormEvents
	}
}

// watchdog is the watchdog of a switch; its configuration is the switch's.
type watchdog struct {
	pollAt sluice.Time // Never: nothing is detected
	bigRed bool
	events storms
}

// watch is the watchdog's view of one (port, class).
type watch struct {
	frameAt sluice.Time // when the last frame for the class came in
	looks   int         // that were stormy, in a row
	// As the first scripts see it.
	frames       uint64 // received for the class, since ever
	releases     uint64 // ends of a pause, since ever
	lastFrames   uint64
	lastReleases uint64
	wasHeld      bool
}

// startWatchdog begins to look, or stops, as the configuration says.
func (s *Switch) startWatchdog() {
	c := &s.config.Watchdog
	s.watchdog.pollAt = sluice.Never
	if c.Detection > 0 {
		s.watchdog.pollAt = max(0, s.clock.Now()).Add(c.Poll)
		s.watchdog.events.resize(c.Events)
	}
}

// poll is one look of the watchdog at every (port, class) that obeys.
func (s *Switch) poll() {
	now := s.clock.Now()
	s.watchdog.pollAt = s.watchdog.pollAt.Add(s.config.Watchdog.Poll)
	if s.watchdog.pollAt <= now {
		s.watchdog.pollAt = now.Add(s.config.Watchdog.Poll) // the embedder slept through some
	}
	if s.watchdog.bigRed {
		return
	}
	for i := range s.ports {
		p := &s.ports[i]
		for rest := p.state.obeys; rest != 0; rest &= rest - 1 {
			p.pollClass(lowest(rest))
		}
		s.woken.Note(p.reblock())
	}
}

// pollClass is one look at one class.
func (p *Port) pollClass(class sluice.Class) {
	t, c := p.state, &p.owner.config.Watchdog
	w := &t.watch[class]
	storming := t.storming.Has(class)
	if storming && c.Action != WatchdogAlerts {
		if !t.held.Has(class) && p.owner.clock.Now()-w.frameAt >= c.Restoration {
			p.restore(class)
		}
		return
	}
	if w.looks++; !p.stormy(class) {
		w.looks = 0
	}
	needed := c.Looks
	if c.CountPolls {
		needed = int(min((c.Detection-1)/c.Poll, math.MaxInt32-1)) + 1
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
		return held && p.owner.clock.Now()-t.heldSince[class] >= c.Detection
	}
	w := &t.watch[class]
	stormy := w.frames != w.lastFrames && w.releases == w.lastReleases && held && w.wasHeld
	w.lastFrames, w.lastReleases, w.wasHeld = w.frames, w.releases, held
	return stormy
}

// storm begins a storm.
func (p *Port) storm(class sluice.Class) {
	t, c := p.state, &p.owner.config.Watchdog
	t.counters.Class[class].Storms++
	t.storming |= 1 << class
	p.owner.watchdog.events.add(
		StormEvent{At: p.owner.clock.Now(), Port: p.id, Class: class, Began: true},
	)
	if c.Action == WatchdogAlerts {
		return
	}
	t.bypass |= 1 << class
	if c.Action == WatchdogDrops {
		p.setDiscard(class, true)
	}
}

// restore ends a storm.
func (p *Port) restore(class sluice.Class) {
	p.state.counters.Class[class].Restores++
	p.owner.watchdog.events.add(StormEvent{At: p.owner.clock.Now(), Port: p.id, Class: class})
	p.calm(class)
}

// calm makes a class operational.
func (p *Port) calm(class sluice.Class) {
	t := p.state
	t.storming &^= 1 << class
	t.bypass &^= 1 << class
	// The next look has nothing to compare with.
	t.watch[class].looks, t.watch[class].wasHeld = 0, false
	p.setDiscard(class, false)
}

func (p *Port) setDiscard(class sluice.Class, on bool) {
	if on {
		p.account(class).flags |= discards
		p.discard |= 1 << class
	} else {
		p.account(class).flags &^= discards
		p.discard &^= 1 << class
	}
	p.setPlain()
}

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
		lossless := s.config.lossless(i)
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
		s.woken.Note(p.reblock())
	}
}

// sinceNow makes a class that is held count as held from now on.
func (p *Port) sinceNow(class sluice.Class) {
	t, now := p.state, p.owner.clock.Now()
	if t.held.Has(class) {
		c := &t.counters.Class[class]
		c.HeldTime = c.HeldTime.Add(now - t.heldSince[class])
		t.heldSince[class] = now
	}
}

// Storming returns the classes of the port that are in a pause storm.
func (p *Port) Storming() sluice.ClassSet { return p.state.storming }
