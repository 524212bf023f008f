package pfc

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
)

const ms = sluice.Millisecond

// stormy is a switch whose watchdog counts polls as SONiC's first script does, with the times of
// its documentation: detection 400 ms, restoration 600 ms, poll 200 ms. Its peers are at 1 Gb/s,
// where a pause lasts up to 33.5 ms.
func stormy(action WatchdogAction) Config {
	config := twoClasses(PriorityPause, 0, sluice.Gbps, sluice.Gbps)
	config.Ports[0].XOff, config.Ports[0].XOn = 3000, 1000
	config.Ports[1].XOff, config.Ports[1].XOn = 3000, 1000
	config.Watchdog = Watchdog{
		Detection:   400 * ms,
		Restoration: 600 * ms,
		Poll:        200 * ms,
		Action:      action,
		CountPolls:  true,
	}
	return config
}

// pauseFor keeps class 3 of port 0 paused from now to the given time: a frame every 20 ms.
func (k *bench) pauseFor(until sluice.Time) {
	for k.now < until {
		k.receive(0, pauseOf(65535, 3))
		k.at(min(k.now+20*ms, until))
	}
}

// TestWatchdogDrops: a storm drops the packets in the output queue, later packets for it, and
// packets that arrive in its priority group (SONiC, PFC watchdog).
func TestWatchdogDrops(t *testing.T) {
	k := newBench(t, stormy(WatchdogDrops))
	for range 3 {
		k.enqueue(0, 1, 3, 1000)
	}
	require.Equal(
		t,
		"pause",
		k.take()[0].Kind(),
		"what waits for the stormy queue pauses its upstream",
	)
	k.enqueue(1, 0, 3, 1000)
	k.pauseFor(599 * ms)
	require.Zero(t, k.drain(0))
	k.receive(0, pauseOf(65535, 3))
	k.now = 600 * ms
	w := k.s.Expire(k.now)
	require.Equal(t, sluice.WakePort(0)|sluice.WakeDeadline, w)

	for range 3 {
		_, v, ok := k.send(0)
		require.True(t, ok, "Next answers the queue, which is paused, to have it emptied")
		require.Equal(t, sluice.DropBecause(sluice.WatchdogDrop), v&(1<<32-1))
	}
	require.Zero(t, k.s.Port(0).Backlog(3))
	frames := k.take()
	require.Equal(t, "resume", frames[len(frames)-1].Kind(), "after refreshes")
	require.Equal(
		t,
		sluice.DropBecause(sluice.WatchdogDrop),
		k.enqueue(0, 1, 3, 1000),
		"for the queue",
	)
	require.Equal(
		t,
		sluice.DropBecause(sluice.WatchdogDrop),
		k.enqueue(1, 0, 3, 1000),
		"from the port",
	)
	require.Equal(t, sluice.Append, k.enqueue(1, 0, 4, 1000).Action(), "another class")
	require.Equal(t, sluice.Append, k.enqueue(0, 1, 4, 1000).Action())
	require.Equal(t, 2, k.drain(1), "other ports go on, with what came from the stormy one before")
	require.Equal(t, 1, k.drain(0))
	require.Equal(t, uint64(5), k.s.Counters().Dropped[sluice.WatchdogDrop])
	require.Empty(t, k.take(), "no pause is sent on account of the stormy queue")
}

// TestWatchdogRestores: as in SONiC's restoration script, when no frame for the class came in for
// the restoration time; a frame that does begins the time anew.
func TestWatchdogRestores(t *testing.T) {
	k := newBench(t, stormy(WatchdogDrops))
	k.pauseFor(601 * ms)
	k.at(1190 * ms) // polls at 800 and 1000 are quiet
	k.receive(0, pauseOf(65535, 3))
	k.at(1790 * ms) // 1200 is not; 1400 and 1600 are
	require.Equal(t, sluice.MakeClassSet(3), k.s.Port(0).Storming())
	require.True(t, k.s.Port(0).Sendable(3))
	k.at(1800 * ms)
	require.Zero(t, k.s.Port(0).Storming())
	require.Equal(t, uint64(1), k.s.Port(0).Counters().Class[3].Restores)
	require.Equal(t, sluice.Append, k.enqueue(0, 1, 3, 1000).Action())
	require.Equal(t, sluice.Append, k.enqueue(1, 0, 3, 1000).Action())
	require.Equal(t, 1, k.drain(0))
	k.receive(0, pauseOf(65535, 3))
	require.Equal(t, sluice.MakeClassSet(3), k.s.Port(0).Held(), "pauses are obeyed again")
	require.False(t, k.s.Port(0).Sendable(3))
}

// TestWatchdogForwards: under forward a storming queue ignores pauses (SONiC, PFC watchdog).
func TestWatchdogForwards(t *testing.T) {
	k := newBench(t, stormy(WatchdogForwards))
	k.enqueue(0, 1, 3, 1000)
	k.pauseFor(601 * ms)
	require.Equal(t, sluice.MakeClassSet(3), k.s.Port(0).Storming())
	require.Equal(t, 1, k.drain(0))
	k.pauseFor(900 * ms)
	require.Equal(t, sluice.MakeClassSet(3), k.s.Port(0).Held())
	require.True(t, k.s.Port(0).Sendable(3))
	k.enqueue(0, 1, 3, 1000)
	require.Equal(t, 1, k.drain(0))
	k.at(1400 * ms)
	require.Equal(t, sluice.MakeClassSet(3), k.s.Port(0).Storming())
	k.at(1600 * ms) // quiet polls at 1200, 1400, 1600
	require.Zero(t, k.s.Port(0).Storming())
	require.Zero(t, k.s.Counters().Dropped[sluice.WatchdogDrop])
}

// TestWatchdogAlerts: a storm is reported, nothing else, and ends at the first poll that finds
// none.
func TestWatchdogAlerts(t *testing.T) {
	k := newBench(t, stormy(WatchdogAlerts))
	k.enqueue(0, 1, 3, 1000)
	k.pauseFor(601 * ms)
	require.Equal(t, sluice.MakeClassSet(3), k.s.Port(0).Storming())
	require.Zero(t, k.drain(0), "the pause is obeyed")
	k.pauseFor(799 * ms)
	require.Equal(t, sluice.MakeClassSet(3), k.s.Port(0).Storming())
	k.receive(0, pauseOf(0, 3))
	k.at(800 * ms)
	require.Zero(t, k.s.Port(0).Storming())
	require.Equal(t, 1, k.drain(0))
	c := k.s.Port(0).Counters().Class[3]
	require.Equal(t, uint64(1), c.Storms)
	require.Equal(t, uint64(1), c.Restores)
}

// TestRestorationToTheInstant: the look that finds no frame for exactly the restoration time ends
// the storm.
func TestRestorationToTheInstant(t *testing.T) {
	k := newBench(t, stormy(WatchdogForwards))
	k.pauseFor(601 * ms)
	k.at(800 * ms)
	k.receive(0, pauseOf(1, 3))
	k.at(1399 * ms)
	require.Equal(t, sluice.MakeClassSet(3), k.s.Port(0).Storming())
	k.at(1400 * ms)
	require.Zero(t, k.s.Port(0).Storming())
}

// TestDefaultWatchdog: what `pfcwd start_default` computes.
func TestDefaultWatchdog(t *testing.T) {
	for _, test := range []struct {
		ports      int
		time, poll sluice.Time
	}{
		{0, 200 * ms, 200 * ms}, {1, 200 * ms, 200 * ms}, {32, 200 * ms, 200 * ms},
		{33, 400 * ms, 400 * ms},
		{64, 400 * ms, 400 * ms}, {160, 1000 * ms, 1000 * ms}, {256, 1600 * ms, 1000 * ms},
	} {
		require.Equal(
			t,
			Watchdog{Detection: test.time, Restoration: test.time, Poll: test.poll},
			DefaultWatchdog(test.ports),
		)
	}
	// `pfcwd start` without a restoration time sets twice the detection time.
	s, err := New(
		Config{
			Ports:    []PortConfig{{Link: sluice.Link{Rate: 1}}},
			Buffer:   1,
			Watchdog: Watchdog{Detection: 300 * ms},
		},
	)
	require.NoError(t, err)
	require.Equal(t, 600*ms, s.config.Watchdog.Restoration)
	require.Equal(t, 200*ms, s.Deadline())
}
