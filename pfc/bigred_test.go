package pfc

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
)

// TestBigRedSwitchDiscardsWhatIsLossless, obeyed or not, and nothing else: a class whose pauses a
// port obeys but which is not lossless goes on.
func TestBigRedSwitchDiscardsWhatIsLossless(t *testing.T) {
	config := twoClasses(PriorityPause, 0, g100, g100)
	config.Ports[0].Obeys = sluice.MakeClassSet(2, 3)
	k := newBench(t, config)
	k.s.BigRedSwitch(0, true)
	require.Equal(t, sluice.DropBecause(sluice.WatchdogDrop), k.enqueue(0, 1, 3, 100))
	require.Equal(
		t, sluice.DropBecause(sluice.WatchdogDrop), k.enqueue(0, 1, 4, 100), "lossless, not obeyed",
	)
	local := k.enqueue(0, sluice.Local, 4, 100)
	require.Equal(t, sluice.DropBecause(sluice.WatchdogDrop), local, "the queue, not obeyed")
	require.Equal(t, sluice.Append, k.enqueue(0, 1, 2, 100).Action(), "obeyed, not lossless")
}

// TestBigRedSwitchRestores: the storms that it ends are counted and reported as ended.
func TestBigRedSwitchRestores(t *testing.T) {
	k := newBench(t, stormy(WatchdogForwards))
	k.pauseFor(601 * ms)
	began, ok := k.s.PollStorm()
	require.True(t, ok && began.Began)
	k.s.BigRedSwitch(k.now, true)
	require.Equal(t, uint64(1), k.s.Port(0).Counters().Class[3].Restores)
	ended, ok := k.s.PollStorm()
	require.True(t, ok)
	require.Equal(t, StormEvent{At: 601 * ms, Port: 0, Class: 3}, ended)
}

// TestBigRedSwitchTellsTime: it moves the clock, and time for which a class was held before it
// counts as held.
func TestBigRedSwitchTellsTime(t *testing.T) {
	k := newBench(t, stormy(WatchdogForwards))
	k.at(ms)
	k.receive(0, pauseOf(65535, 3))
	k.s.BigRedSwitch(3*ms, true)
	require.Equal(t, 3*ms, k.s.Snapshot().Now)
	require.Equal(t, 2*ms, k.s.Port(0).Counters().Class[3].HeldTime)
	k.s.BigRedSwitch(4*ms, false)
	require.Equal(t, 3*ms, k.s.Port(0).Counters().Class[3].HeldTime)
}

// TestBigRedSwitchBeginsTheLooksAnew: where two looks must find a storm, both come after it was
// turned off.
func TestBigRedSwitchBeginsTheLooksAnew(t *testing.T) {
	config := stormy(WatchdogForwards)
	config.Watchdog = Watchdog{Detection: 50 * ms, Poll: 200 * ms, Looks: 2}
	k := newBench(t, config)
	k.pauseFor(201 * ms)
	k.s.BigRedSwitch(k.now, true)
	k.s.BigRedSwitch(k.now, false)
	k.pauseFor(401 * ms)
	require.Zero(t, k.s.Port(0).Storming(), "one look since then")
	k.pauseFor(601 * ms)
	require.Equal(t, sluice.MakeClassSet(3), k.s.Port(0).Storming())
}

// TestStormOfClassZeroIsEmptied: a storm drops the packets of the output queue (SONiC, PFC
// watchdog), also where class 0 is the only one.
func TestStormOfClassZeroIsEmptied(t *testing.T) {
	config := stormy(WatchdogDrops)
	config.Classes = sluice.MakeClassSet(0)
	k := newBench(t, config)
	k.enqueue(0, 1, 0, 1000)
	for k.now < 700*ms {
		k.receive(0, pauseOf(65535, 0))
		k.at(k.now + 20*ms)
	}
	require.Equal(t, sluice.MakeClassSet(0), k.s.Port(0).Storming())
	require.Equal(t, sluice.WatchdogDrop, k.enqueue(0, 1, 0, 1000).Reason(), "and what comes for it")
	_, v, ok := k.send(0)
	require.True(t, ok)
	require.Equal(t, sluice.DropBecause(sluice.WatchdogDrop), v&(1<<32-1))

	r := k.restored(config)
	require.Equal(t, sluice.MakeClassSet(0), r.s.Port(0).Storming(), "a restart does not end it")
	k.reconfigure(func(c *Config) { c.Ports[0].Obeys = sluice.NoClasses })
	require.Zero(t, k.s.Port(0).Storming(), "to obey no more does")
}

// TestBigRedSwitch: all lossless queues are discarded, whatever was detected.
func TestBigRedSwitch(t *testing.T) {
	config := stormy(WatchdogForwards)
	config.Watchdog = Watchdog{BigRedSwitch: true}
	k := newBench(t, config)
	require.Equal(t, sluice.Never, k.s.Deadline(), "nothing is polled")
	require.Equal(t, sluice.DropBecause(sluice.WatchdogDrop), k.enqueue(0, 1, 3, 1000))
	require.Equal(t, sluice.DropBecause(sluice.WatchdogDrop), k.enqueue(0, sluice.Local, 4, 1000))
	require.Equal(t, sluice.Append, k.enqueue(0, 1, 0, 1000).Action())
	require.Equal(t, 1, k.drain(0))

	require.Zero(t, k.s.BigRedSwitch(0, false))
	require.Zero(t, k.s.BigRedSwitch(0, false), "a second time changes nothing")
	require.Equal(t, sluice.Append, k.enqueue(0, 1, 3, 1000).Action())
	k.receive(0, pauseOf(65535, 3))
	require.Zero(t, k.drain(0))
	w := k.s.BigRedSwitch(0, true)
	require.Equal(t, sluice.WakePort(0), w)
	require.Equal(t, 1, k.drain(0))
	require.Equal(t, uint64(3), k.s.Counters().Dropped[sluice.WatchdogDrop])
	k.s.BigRedSwitch(0, false)
	require.False(t, k.s.Port(0).Sendable(3), "the pause is obeyed again")
}

// TestBigRedSwitchEndsStorms and suspends detection.
func TestBigRedSwitchEndsStorms(t *testing.T) {
	k := newBench(t, stormy(WatchdogDrops))
	k.pauseFor(601 * ms)
	k.s.BigRedSwitch(k.now, true)
	require.Zero(t, k.s.Port(0).Storming())
	require.Equal(t, uint64(1), k.s.Port(0).Counters().Class[3].Restores)
	k.s.PollStorm()
	event, ok := k.s.PollStorm()
	require.True(t, ok)
	require.Equal(t, StormEvent{At: 601 * ms, Class: 3}, event)
	k.pauseFor(1500 * ms)
	require.Zero(t, k.s.Port(0).Storming())
	k.s.BigRedSwitch(k.now, false)
	k.pauseFor(1999 * ms)
	require.Zero(t, k.s.Port(0).Storming())
	k.pauseFor(2001 * ms)
	require.Equal(t, sluice.MakeClassSet(3), k.s.Port(0).Storming())
}

// TestBigRedSwitchIsNotAStorm: the queues that it discards are sendable whatever the peer says,
// nothing is detected while it is on, and a hold from before does not count when it is off again.
func TestBigRedSwitchIsNotAStorm(t *testing.T) {
	for _, countPolls := range []bool{false, true} {
		config := stormy(WatchdogDrops)
		config.Watchdog.CountPolls = countPolls
		k := newBench(t, config)
		k.receive(0, pauseOf(65535, 3))
		require.False(t, k.s.Port(0).Sendable(3))
		require.Equal(t, sluice.WakePort(0), k.s.BigRedSwitch(k.now, true))
		require.True(t, k.s.Port(0).Sendable(3))
		require.Zero(t, k.s.BigRedSwitch(k.now, true))
		k.pauseFor(1000 * ms)
		require.Equal(
			t,
			sluice.DropBecause(sluice.WatchdogDrop),
			k.enqueue(0, 1, 3, 1000),
			"whatever a look finds",
		)
		require.Zero(t, k.s.Port(0).Counters().Class[3].Storms)
		k.s.BigRedSwitch(k.now, false)
		require.False(t, k.s.Port(0).Sendable(3))
		k.pauseFor(1399 * ms)
		require.Zero(t, k.s.Port(0).Storming(), "held for 400 ms since then, not 1,400")
		k.pauseFor(1601 * ms)
		require.Equal(t, sluice.MakeClassSet(3), k.s.Port(0).Storming())
	}
}
