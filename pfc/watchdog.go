package pfc

import (
	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/check"
	"github.com/sluicefc/sluice/internal/enum"
)

// WatchdogAction is what the watchdog does with a queue in a pause storm.
type WatchdogAction uint8

// Actions of the watchdog, with SONiC's names.
const (
	// WatchdogDrops: what the queue holds and what arrives for it is discarded, and so is what
	// arrives in that class by the ingress of the same port, lossless there or not. Pauses received
	// for the queue are ignored. The first two are counted at the port as egress, the third as
	// ingress: see StormCounters.
	WatchdogDrops WatchdogAction = iota
	// WatchdogForwards: pauses received for the queue are ignored, and it sends; nor is the peer
	// paused in that class: its flow control is off in both directions.
	WatchdogForwards
	// WatchdogAlerts: the storm is counted and shown by Storming and PollStorm, nothing else.
	WatchdogAlerts
	numWatchdogActions
)

// String names the action as SONiC does.
func (a WatchdogAction) String() string {
	return enum.Name(a, "WatchdogAction", "drop", "forward", "alert")
}

// DefaultWatchdogPoll is the polling period where none is given: the period of SONiC.
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
	// Classes that are looked at, among the classes that obey: SONiC's pfcwd_sw_enable. Zero: all.
	Classes sluice.ClassSet
	// Poll is the polling period, from time 0 on, or from the first pause received if that is before
	// it. Zero: DefaultWatchdogPoll.
	Poll sluice.Time
	// Looks is how many looks in a row must find a storm for it to begin, as SONiC's newer scripts
	// want two. Zero: 1.
	Looks int
	// CountPolls detects as SONiC's first script for Broadcom does, which has no clock: a look is
	// stormy if since the last look frames for the class came in, no pause of it ended, and it was
	// held both then and now. Stormy looks in a row take a Poll each off Detection, and the look
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

// PortWatchdog is what the watchdog does at one port, in the place of what Watchdog says: SONiC's
// PFC_WD has an entry for each port.
type PortWatchdog struct {
	// Detection time. Zero: the watchdog does not look at this port.
	Detection sluice.Time
	// Restoration time. Zero: twice Detection.
	Restoration sluice.Time
	// Action in a storm.
	Action WatchdogAction
	// Classes that are looked at, among the classes that obey. Zero: all.
	Classes sluice.ClassSet
}

// DefaultWatchdog returns the watchdog of SONiC's `pfcwd start_default` on a switch with the given
// number of ports: 200 ms for all three times, multiplied by one for every 32 ports begun, the poll
// at most 1 s, and drop.
func DefaultWatchdog(ports int) Watchdog {
	const base, longestPoll = 200 * sluice.Millisecond, sluice.Second
	t := base * sluice.Time(max(1, (ports-1)/32+1))
	return Watchdog{Detection: t, Restoration: t, Poll: min(t, longestPoll), Action: WatchdogDrops}
}

func (w *Watchdog) check(k *check.Config) {
	w.ofPort().check(k, "Watchdog.")
	k.That(w.Poll >= 0, w.Poll, "must not be negative", "Watchdog.Poll")
	k.That(w.Looks >= 0, w.Looks, "must not be negative", "Watchdog.Looks")
	k.That(w.Events >= 0 && w.Events <= 1<<20, w.Events, "must be 0 to 2^20", "Watchdog.Events")
}

func (w *PortWatchdog) check(k *check.Config, prefix string) {
	k.That(w.Detection >= 0, w.Detection, "must not be negative", prefix+"Detection")
	k.That(w.Restoration >= 0, w.Restoration, "must not be negative", prefix+"Restoration")
	k.That(w.Action < numWatchdogActions, w.Action, "must be one of the actions", prefix+"Action")
	k.That(areClasses(w.Classes), uint16(w.Classes), ruleClasses, prefix+"Classes")
}

// ofPort returns the watchdog of ports that have none of their own.
func (w *Watchdog) ofPort() *PortWatchdog {
	return &PortWatchdog{w.Detection, w.Restoration, w.Action, w.Classes}
}

func (w *Watchdog) fill() {
	own := w.ofPort()
	own.fill()
	w.Restoration, w.Classes = own.Restoration, own.Classes
	check.Default(&w.Poll, DefaultWatchdogPoll)
	check.Default(&w.Looks, 1)
	check.Default(&w.Events, DefaultStormEvents)
}

func (w *PortWatchdog) fill() {
	check.Default(&w.Restoration, w.Detection.Add(w.Detection))
	w.Classes = w.Classes.Or(sluice.AllClasses)
}

// watchdog returns what the watchdog does at a port of a configuration that is filled in.
func (c *Config) watchdog(port int) PortWatchdog {
	if own := c.Ports[port].Watchdog; own != nil {
		return *own
	}
	return *c.Watchdog.ofPort()
}

func (c *Config) watches() bool {
	for i := range c.Ports {
		if c.watchdog(i).Detection > 0 {
			return true
		}
	}
	return false
}

// sameWatchdogs compares the watchdogs of two configurations with as many ports.
func (c *Config) sameWatchdogs(other *Config) bool {
	for i := range c.Ports {
		if c.watchdog(i) != other.watchdog(i) {
			return false
		}
	}
	return c.Watchdog == other.Watchdog
}
