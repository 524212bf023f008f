package pfc

import (
	"fmt"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/check"
)

// WatchdogAction is what the watchdog does with a queue in a pause storm.
type WatchdogAction uint8

// Actions of the watchdog, with SONiC's names.
const (
	// WatchdogDrops: what the queue holds and what arrives for it is discarded, and so is what arrives
	// in that class by the ingress of the same port. Pauses received for the queue are
	// ignored.
	WatchdogDrops WatchdogAction = iota
	// WatchdogForwards: pauses received for the queue are ignored, and it sends.
	WatchdogForwards
	// WatchdogAlerts: the storm is counted and shown by Storming, nothing else.
	WatchdogAlerts
	numWatchdogActions
)

// String names the action as SONiC does.
func (a WatchdogAction) String() string {
	if int(a) < len(watchdogActionNames) {
		return watchdogActionNames[a]
	}
	return fmt.Sprintf("WatchdogAction(%d)", uint8(a))
}

var watchdogActionNames = [...]string{"drop", "forward", "alert"}

// DefaultWatchdogPoll is the polling period where none is given, that of SONiC.
const DefaultWatchdogPoll = 200 * sluice.Millisecond

// Watchdog detects pause storms, a peer that keeps a queue paused without end, on each (port, lossless
// queue), as SONiC's PFC watchdog does. Every Poll it looks whether since the last one pause frames
// for the class came in, the class was never released in between, and it was held both then
// and now. When that has been so for Detection, there is a storm. It ends when no pause frame for the
// class has come in for Restoration; under WatchdogAlerts, at the first poll that does not
// find the three conditions.
//
// SONiC's command line takes a detection of 100 ms to 5 s, a restoration of 100 ms to 60 s and a poll of
// 100 ms to 1 s. Here any positive times do.
type Watchdog struct {
	// Detection time. Zero: no watchdog.
	Detection sluice.Time
	// Restoration time. Zero: twice Detection.
	Restoration sluice.Time
	// Poll is the polling period, from time 0 on. Zero: DefaultWatchdogPoll.
	Poll sluice.Time
	// Action in a storm.
	Action WatchdogAction
	// BigRedSwitch is how [Switch.BigRedSwitch] stands at first. It works with Detection zero too.
	BigRedSwitch bool
}

// DefaultWatchdog returns what SONiC's `pfcwd start_default` sets on a switch of so many ports: 200 ms for all
// three times, multiplied by one for every 32 ports begun, the poll at most 1 s, and drop.
func DefaultWatchdog(ports int) Watchdog {
	const base, longestPoll = 200 * sluice.Millisecond, sluice.Second
	t := base * sluice.Time(max(1, (ports-1)/32+1))
	return Watchdog{Detection: t, Restoration: t, Poll: min(t, longestPoll), Action: WatchdogDrops}
}

func (w *Watchdog) check(k *check.Config) {
	k.That(w.Detection >= 0, w.Detection, "must not be negative", "Watchdog.Detection")
	k.That(w.Restoration >= 0, w.Restoration, "must not be negative", "Watchdog.Restoration")
	k.That(w.Poll >= 0, w.Poll, "must not be negative", "Watchdog.Poll")
	k.That(w.Action < numWatchdogActions, w.Action, "must be one of the actions", "Watchdog.Action")
}

// fill fills in the defaults.
func (w *Watchdog) fill() {
	if w.Restoration == 0 {
		w.Restoration = w.Detection.Add(w.Detection)
	}
	if w.Poll == 0 {
		w.Poll = DefaultWatchdogPoll
	}
}

// watchdog is the watchdog of a switch.
type watchdog struct {
	detection, restoration, poll sluice.Time
	pollAt                       sluice.Time // Never: nothing is detected
	action                       WatchdogAction
	bigRed                       bool
}

// watch is the watchdog's view of one (port, class).
type watch struct {
	frames   uint64 // received for the class, since ever
	releases uint64 // ends of a pause, since ever
	left     sluice.Time
	// As the last poll saw them.
	lastFrames   uint64
	lastReleases uint64
	wasHeld      bool
}

func (s *Switch) startWatchdog() {
	c := s.config.Watchdog
	s.watchdog = watchdog{detection: c.Detection, restoration: c.Restoration, poll: c.Poll, pollAt: sluice.Never, action: c.Action}
	for i := range s.ports {
		for c := range sluice.Classes {
			s.ports[i].state.watch[c].left = s.watchdog.detection
		}
	}
	if c.Detection > 0 {
		s.watchdog.pollAt = s.watchdog.poll
	}
	s.setBigRedSwitch(c.BigRedSwitch)
	s.woken.Take()
}

// poll is one look of the watchdog at every (port, lossless class).
func (s *Switch) poll() {
	dog, now := &s.watchdog, s.clock.Now()
	dog.pollAt = dog.pollAt.Add(dog.poll)
	if dog.pollAt <= now {
		dog.pollAt = now.Add(dog.poll) // the embedder slept through some
	}
	if dog.bigRed {
		return
	}
	for i := range s.ports {
		p := &s.ports[i]
		for rest := s.config.Classes & sluice.AllClasses; rest != 0; rest &= rest - 1 {
			p.pollClass(lowest(rest))
		}
		s.woken.Note(p.reblock())
	}
}

// pollClass is one look at one class: the storm test of SONiC's detection script, and its
// restoration.
func (p *Port) pollClass(class sluice.Class) {
	t := p.state
	w, dog := &t.watch[class], &p.owner.watchdog
	paused := t.held.Has(class)
	advanced := w.frames != w.lastFrames
	stormy := advanced && w.releases == w.lastReleases && paused && w.wasHeld
	w.lastFrames, w.lastReleases, w.wasHeld = w.frames, w.releases, paused

	switch storming := t.storming.Has(class); {
	case storming && dog.action != WatchdogAlerts:
		if advanced {
			w.left = dog.restoration
		} else if w.left -= dog.poll; w.left <= 0 {
			p.restore(class)
		}
	case !stormy:
		w.left = dog.detection
		if storming {
			p.restore(class)
		}
	case !storming:
		if w.left -= dog.poll; w.left <= 0 {
			p.storm(class)
		}
	}
}

// storm begins a storm.
func (p *Port) storm(class sluice.Class) {
	t, dog := p.state, &p.owner.watchdog
	t.counters.Class[class].Storms++
	t.storming |= 1 << class
	t.watch[class].left = dog.restoration
	if dog.action == WatchdogAlerts {
		return
	}
	t.bypass |= 1 << class
	if dog.action == WatchdogDrops {
		p.setDiscard(class, true)
	}
}

// restore ends a storm.
func (p *Port) restore(class sluice.Class) {
	p.state.counters.Class[class].Restores++
	p.calm(class)
}

// calm makes a class operational.
func (p *Port) calm(class sluice.Class) {
	t := p.state
	t.storming &^= 1 << class
	t.bypass &^= 1 << class
	t.watch[class].left = p.owner.watchdog.detection
	p.setDiscard(class, false)
}

func (p *Port) setDiscard(class sluice.Class, on bool) {
	if on {
		p.account(class).aside |= discards
		p.discard |= 1 << class
	} else {
		p.account(class).aside &^= discards
		p.discard &^= 1 << class
	}
	p.plain = p.owner.groups == nil && p.discard == 0
}

// BigRedSwitch turns on or off the discarding of every lossless class at every port, storm or no
// storm. While it is on, nothing is detected or restored; turning it off ends all storms.
// O(ports).
func (s *Switch) BigRedSwitch(now sluice.Time, on bool) sluice.Wake {
	s.clock.Advance(now)
	if on != s.watchdog.bigRed {
		s.setBigRedSwitch(on)
	}
	return s.woken.Take()
}

func (s *Switch) setBigRedSwitch(on bool) {
	s.watchdog.bigRed = on
	lossless := s.config.Classes & sluice.AllClasses
	for i := range s.ports {
		p := &s.ports[i]
		for rest := lossless; rest != 0; rest &= rest - 1 {
			c := lowest(rest)
			p.calm(c)
			p.setDiscard(c, on)
			p.state.watch[c].wasHeld = false // the next poll has nothing to compare with
		}
		if on {
			p.state.bypass = lossless
		}
		s.woken.Note(p.reblock())
	}
}

// Storming returns the classes of the port that are in a pause storm.
func (p *Port) Storming() sluice.ClassSet { return p.state.storming }
