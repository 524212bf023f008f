package pfc

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
)

// TestLooksKeepTheirPhase: an embedder that serves a look late moves no later one; a look that was
// due by then is left out.
func TestLooksKeepTheirPhase(t *testing.T) {
	k := newBench(t, stormy(WatchdogDrops)) // looks every 200 ms
	for _, late := range [][2]sluice.Time{{250, 400}, {401, 600}, {800, 1000}, {1650, 1850}} {
		k.poll(k.s.Expire(late[0] * ms))
		require.Equal(t, late[1]*ms, k.s.Deadline(), "served at %d ms", late[0])
	}
}

// TestFirstLookBelowZero: the first pause sets the first look, within a Poll of it, wherever time
// begins, and wakes the embedder. A watchdog that was turned off looks at nothing.
func TestFirstLookBelowZero(t *testing.T) {
	config := stormy(WatchdogDrops)
	config.Watchdog = Watchdog{Detection: 10 * ms, Poll: 5 * ms}
	k := newBench(t, config)
	k.now = -sluice.Second
	require.True(t, k.receive(0, pauseOf(65535, 3)).Has(sluice.WakeDeadline)) // of 33 ms
	require.Equal(t, k.now+5*ms, k.s.Deadline())

	k = newBench(t, config)
	k.reconfigure(func(c *Config) { c.Watchdog = Watchdog{} })
	k.receive(0, pauseOf(65535, 3))
	k.at(k.s.Port(0).HeldUntil(3))
	require.Equal(t, sluice.Never, k.s.Deadline(), "only the pause ran out")
}

// TestPortWithoutWatchdog beside one that has a watchdog: no class of it is looked at, class 0 no
// more than others.
func TestPortWithoutWatchdog(t *testing.T) {
	config := stormy(WatchdogDrops)
	config.Classes = sluice.MakeClassSet(0)
	config.Ports[0].Watchdog = &PortWatchdog{}
	config.Watchdog.CountPolls = false
	k := newBench(t, config)
	for k.now < 700*ms {
		k.receive(0, pauseOf(65535, 0))
		k.receive(1, pauseOf(65535, 0))
		k.at(k.now + 20*ms)
	}
	require.Zero(t, k.s.Port(0).Storming())
	require.Equal(t, sluice.MakeClassSet(0), k.s.Port(1).Storming())
}

// TestLooksThatAreCounted: each takes a Poll off Detection, and what is left of it, however little,
// needs a look more.
func TestLooksThatAreCounted(t *testing.T) {
	for detection, at := range map[sluice.Time]sluice.Time{
		400*ms - 1: 600 * ms, 400 * ms: 600 * ms, 400*ms + 1: 800 * ms, 1: 400 * ms,
	} {
		config := stormy(WatchdogAlerts)
		config.Watchdog.Detection = detection
		k := newBench(t, config)
		k.pauseFor(at - 1)
		require.Zero(t, k.s.Port(0).Storming(), "%v", detection)
		k.pauseFor(at)
		require.Equal(t, sluice.MakeClassSet(3), k.s.Port(0).Storming(), "%v", detection)
	}
}

// TestCountersOfTwoStorms: TX OK and RX OK count what the port sent and took in while a storm was
// under way; LAST of the last storm, the others of all.
func TestCountersOfTwoStorms(t *testing.T) {
	k := newBench(t, stormy(WatchdogForwards))
	counters := func() (all, last StormCounters) {
		c := k.s.Port(0).Counters().Class[3]
		return c.Storm, c.LastStorm
	}
	pass := func(sent, received int) {
		for range sent {
			k.enqueue(0, 1, 3, 100)
		}
		for range received {
			k.enqueue(1, 0, 3, 100)
		}
		k.drain(0)
		k.drain(1)
	}
	pass(4, 9) // before any storm
	for _, storm := range []struct {
		sent, received int
		all            StormCounters
	}{{1, 2, StormCounters{TxOK: 1, RxOK: 2}}, {3, 5, StormCounters{TxOK: 4, RxOK: 7}}} {
		k.pauseFor(k.now + 601*ms)
		require.Equal(t, sluice.MakeClassSet(3), k.s.Port(0).Storming())
		pass(storm.sent, storm.received)
		k.at(k.now + 2*sluice.Second)
		require.Zero(t, k.s.Port(0).Storming())
		pass(6, 6) // between storms
		all, last := counters()
		require.Equal(t, storm.all, all)
		require.EqualValues(t, storm.sent, last.TxOK)
		require.EqualValues(t, storm.received, last.RxOK)
	}
}

// TestReconfigureBesideAStorm: a storm goes on where the watchdog stays as it is, of the switch and
// of each port, and ends where either changes.
func TestReconfigureBesideAStorm(t *testing.T) {
	for _, change := range []func(*Config){
		func(c *Config) { c.Watchdog.Restoration++ },
		func(c *Config) { c.Ports[1].Watchdog = &PortWatchdog{Detection: ms} },
	} {
		k := newBench(t, stormy(WatchdogAlerts))
		k.pauseFor(601 * ms)
		k.reconfigure(func(c *Config) { c.Ports[0].XOn++ })
		require.Equal(t, sluice.MakeClassSet(3), k.s.Port(0).Storming())
		k.reconfigure(change)
		require.Zero(t, k.s.Port(0).Storming())
	}
}

// TestReconfigureTheWatchdog: the big red switch stands as the new configuration says if that
// changes it, and fewer storm events wait if there is room for fewer, also where it turns the
// watchdog off.
func TestReconfigureTheWatchdog(t *testing.T) {
	k := newBench(t, stormy(WatchdogAlerts))
	for range 2 {
		k.pauseFor(k.now + 1000*ms)
		k.receive(0, pauseOf(0, 3))
		k.at(k.now + 200*ms)
	}
	k.reconfigure(func(c *Config) { c.Watchdog = Watchdog{Events: 1} })
	e, ok := k.s.PollStorm()
	require.True(t, ok && !e.Began, "the latest")
	_, ok = k.s.PollStorm()
	require.False(t, ok)
	require.EqualValues(t, 3, k.s.Counters().StormEventsLost)

	for _, on := range []bool{true, false} {
		k.reconfigure(func(c *Config) { c.Watchdog.BigRedSwitch = on })
		require.Equal(t, on, k.enqueue(0, 1, 3, 100).Action() == sluice.Drop)
		require.Equal(t, on, k.s.Snapshot().BigRedSwitch)
	}
	k.s.BigRedSwitch(k.now, true)
	k.reconfigure(func(c *Config) { c.Watchdog.Detection = ms })
	require.Equal(t, sluice.Drop, k.enqueue(0, 1, 3, 100).Action(), "it stays on")
}
