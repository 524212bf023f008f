package pfc

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
)

// TestRebaseCrossesTheRangeOfTime: time ends after 106 days, and Rebase moves the origin before
// (package sluice). One switch lives for 300 days; its twin gets the same inputs from time 0 on,
// anew in each month. A pause received, a pause sent with its refreshes and a storm of the watchdog
// are under way at each step.
func TestRebaseCrossesTheRangeOfTime(t *testing.T) {
	const day = 86_400 * sluice.Second
	require.Equal(t, 106, int(sluice.Never/day), "what one origin is good for")
	month := func() *bench {
		config := stormy(WatchdogForwards)
		config.Watchdog = Watchdog{
			Detection: 10 * sluice.Second,
			Poll:      sluice.Second,
			Action:    WatchdogForwards,
		}
		return newBench(t, config)
	}
	old := month()
	for range 10 {
		twin := month()
		for _, k := range []*bench{old, twin} {
			k.now = 0
			k.enqueue(1, 0, 4, 3000) // pauses port 0
			k.receive(0, pauseOf(50_000, 3))
		}
		step := func(by sluice.Time) {
			old.now, twin.now = old.now+by, twin.now+by
			require.Equal(t, twin.s.Deadline(), old.s.Deadline())
			w1, w2 := old.s.Expire(old.now), twin.s.Expire(twin.now)
			require.Equal(t, w2, w1)
			old.poll(w1)
			twin.poll(w2)
			require.Equal(t, twin.take(), old.take())
		}
		for range 40 {
			step(10 * ms)
		}
		step(30 * day)
		require.Equal(t, twin.s.Snapshot(), old.s.Snapshot())
		for _, k := range []*bench{old, twin} {
			k.receive(0, pauseOf(60_000, 3))
		}
		old.s.Rebase(old.now)
		twin.s.Rebase(twin.now)
		require.NoError(t, old.s.Audit())
		require.Equal(t, twin.s.Snapshot(), old.s.Snapshot())
		require.Zero(t, old.s.Snapshot().Now)
		until := old.s.Port(0).HeldUntil(3)
		require.Equal(t, sluice.Gbps.TimeOfQuanta(60_000), until, "the pause goes on")
		for _, k := range []*bench{old, twin} {
			k.now = 0
			k.at(until - 1)
			require.False(t, k.s.Port(0).Sendable(3))
			k.at(until)
			require.True(t, k.s.Port(0).Sendable(3))
			k.drain(1)
			k.take()
		}
		old.s.Rebase(old.now)
	}
	c := old.s.Counters()
	require.Equal(t, uint64(10), c.Class[3].Holds/2)
	require.Equal(
		t,
		sluice.Never,
		c.Class[4].PausedTime,
		"300 days are beyond the range: it stays at its end",
	)
}

// TestRebaseOfTheWatchdog: the watchdog's times of holds, frames and storms move with the origin.
func TestRebaseOfTheWatchdog(t *testing.T) {
	config := stormy(WatchdogForwards)
	config.Watchdog.CountPolls = false
	k := newBench(t, config)
	rebase := func(by sluice.Time) {
		k.s.Rebase(by)
		k.now -= by
	}
	k.at(100 * ms)
	k.pauseFor(300 * ms)
	rebase(250 * ms)
	k.pauseFor(349 * ms) // 599 ms since the first origin
	require.Zero(t, k.s.Port(0).Storming(), "held for 400 ms at 500, and the look is at 600")
	k.pauseFor(351 * ms)
	require.Equal(t, sluice.MakeClassSet(3), k.s.Port(0).Storming())
	rebase(-650 * ms)
	event, _ := k.s.PollStorm()
	require.Equal(t, 1000*ms, event.At)
	k.at(1401 * ms)
	require.Equal(t, sluice.MakeClassSet(3), k.s.Port(0).Storming(), "a frame came in at about 1,000")
	k.at(1801 * ms)
	require.Zero(t, k.s.Port(0).Storming())
	rebase(1000 * ms)
	event, _ = k.s.PollStorm()
	require.Equal(t, 600*ms, event.At)
}

// TestNeverIsMisuse: a hook called at Never counts a misuse, and uses the latest time seen (package
// sluice).
func TestNeverIsMisuse(t *testing.T) {
	k := newBench(t, twoClasses(PriorityPause, 0, g100))
	k.at(1000)
	k.receive(0, pauseOf(10, 3))
	k.s.Expire(sluice.Never)
	require.Equal(t, sluice.MakeClassSet(3), k.s.Port(0).Held())
	k.now = sluice.Never
	k.receive(0, pauseOf(20, 3))
	require.Equal(t, sluice.Time(1000+20*5120), k.s.Port(0).HeldUntil(3))
	require.Equal(t, uint64(2), k.s.Counters().Misuse)
}
