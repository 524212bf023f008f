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

// TestStorm: as in SONiC's detection script for Broadcom, frames came in since the last poll, no
// pause ended, and the queue was paused at both polls; the detection time is counted down by the
// poll period, and at zero it is a storm.
func TestStorm(t *testing.T) {
	k := newBench(t, stormy(WatchdogDrops))
	out := k.s.Port(0)
	k.pauseFor(599 * ms)
	// 200 ms: held, but not at the poll before. 400 ms: 200 ms are left. 600 ms: none.
	require.Zero(t, out.Storming())
	k.pauseFor(601 * ms)
	require.Equal(t, sluice.MakeClassSet(3), out.Storming())
	require.Equal(t, uint64(1), out.Counters().Class[3].Storms)
	require.Zero(t, k.s.Port(1).Storming())
}

// TestNoStorm: each of the conditions is needed.
func TestNoStorm(t *testing.T) {
	t.Run("released now and then", func(t *testing.T) {
		k := newBench(t, stormy(WatchdogDrops))
		for range 10 {
			k.pauseFor(k.now + 190*ms)
			k.receive(0, pauseOf(0, 3))
			k.pauseFor(k.now + 10*ms)
		}
		require.Zero(t, k.s.Port(0).Counters().Class[3].Storms)
	})
	t.Run("expired now and then", func(t *testing.T) {
		k := newBench(t, stormy(WatchdogDrops))
		for range 50 {
			k.receive(0, pauseOf(65535, 3))
			k.at(k.now + 40*ms)
		}
		require.Zero(t, k.s.Port(0).Counters().Class[3].Storms)
	})
	t.Run("one long pause", func(t *testing.T) {
		config := stormy(WatchdogDrops)
		config.Ports[0].Link.Rate = sluice.Mbps // 65,535 quanta last 33 s
		k := newBench(t, config)
		k.receive(0, pauseOf(65535, 3))
		k.at(5 * sluice.Second)
		require.Equal(t, sluice.MakeClassSet(3), k.s.Port(0).Held())
		require.Zero(t, k.s.Port(0).Counters().Class[3].Storms, "no frame came in")
	})
	t.Run("another begin", func(t *testing.T) {
		k := newBench(t, stormy(WatchdogDrops))
		k.pauseFor(500 * ms)
		k.at(700 * ms) // a poll that finds no storm begins the count anew
		k.pauseFor(1100 * ms)
		require.Zero(t, k.s.Port(0).Storming())
		k.pauseFor(1300 * ms)
		require.Equal(t, sluice.MakeClassSet(3), k.s.Port(0).Storming())
	})
	t.Run("class that is not lossless", func(t *testing.T) {
		k := newBench(t, stormy(WatchdogDrops))
		for range 100 {
			k.receive(0, pauseOf(65535, 2))
			k.at(k.now + 20*ms)
		}
		require.Zero(t, k.s.Counters().Class[2].Storms)
	})
}

// TestWatchdogDrops: in a storm, "all existing packets in the output queue are discarded", "all
// subsequent packets destine to the output queue are discarded", and so are those "received by the
// corresponding priority group of this queue" (SONiC, PFC watchdog).
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
// the restoration time; one that does begins it anew.
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

// TestWatchdogForwards: "the queue no longer honor the PFC frames received" (SONiC, PFC watchdog).
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

// TestWatchdogLate: an embedder that slept gets one poll, not all it missed.
func TestWatchdogLate(t *testing.T) {
	k := newBench(t, stormy(WatchdogDrops))
	k.now = 10 * sluice.Second
	k.poll(k.s.Expire(k.now))
	require.Equal(t, 10_200*ms, k.s.Deadline())
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

// TestHeldThroughoutIsFound: Poll from a hundredth of the peer's refresh to ten times it. A class
// that is held without a break is found within Detection and a Poll; one that is released now and
// then is never.
func TestHeldThroughoutIsFound(t *testing.T) {
	const refresh = 10 * ms
	for _, poll := range []sluice.Time{
		refresh / 100, refresh / 10, refresh / 3, refresh, 3 * refresh, 10 * refresh,
	} {
		for _, detection := range []sluice.Time{poll / 2, poll, 7 * poll, 30 * refresh} {
			for _, broken := range []bool{false, true} {
				config := stormy(WatchdogAlerts)
				config.Watchdog = Watchdog{Detection: detection, Poll: poll, Action: WatchdogAlerts}
				k := newBench(t, config)
				k.at(poll / 3)
				begin := k.now
				for k.now-begin <= detection+poll {
					k.receive(0, pauseOf(65535, 3))
					step := refresh
					if broken {
						step = min(refresh, detection*3/4)
					}
					k.at(k.now + step)
					if broken {
						k.receive(0, pauseOf(0, 3))
					}
				}
				event, found := k.s.PollStorm()
				require.Equal(t, !broken, found, "poll %v, detection %v", poll, detection)
				if found {
					require.LessOrEqual(
						t,
						event.At-begin,
						detection+poll,
						"poll %v, detection %v",
						poll,
						detection,
					)
					require.GreaterOrEqual(t, event.At-begin, detection)
				}
			}
		}
	}
}

// TestClassicPauseStorm: a peer that keeps the whole port paused by PAUSE frames, on a switch
// without lossless classes.
func TestClassicPauseStorm(t *testing.T) {
	for _, mode := range []Mode{ClassicPause, ClassicObey} {
		config := stormy(WatchdogForwards)
		config.Classes = sluice.NoClasses
		config.Ports[0].Mode = mode
		k := newBench(t, config)
		k.enqueue(0, 1, 2, 1000)
		for range 40 {
			k.receive(0, Frame{Opcode: OpcodePause, Time: [8]sluice.Quanta{65535}})
			k.at(k.now + 20*ms)
		}
		require.Equal(t, sluice.AllClasses, k.s.Port(0).Storming())
		require.Equal(t, 1, k.drain(0))
	}
}

// TestOneLongPause: a single frame whose pause outlasts the detection time is a storm, and no
// restoration while it lasts, though no frame comes in.
func TestOneLongPause(t *testing.T) {
	config := stormy(WatchdogForwards)
	config.Ports[0].Link.Rate = sluice.Mbps // 65,535 quanta last 33.6 s
	config.Watchdog.CountPolls = false
	k := newBench(t, config)
	k.receive(0, pauseOf(65535, 3))
	k.at(400 * ms)
	require.Equal(t, sluice.MakeClassSet(3), k.s.Port(0).Storming())
	k.at(33 * sluice.Second)
	require.Equal(t, sluice.MakeClassSet(3), k.s.Port(0).Storming())
	k.at(34 * sluice.Second)
	require.Zero(t, k.s.Port(0).Storming())
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

// TestTwoLooksThatAgree: SONiC's newer scripts want two looks in a row that find the storm.
func TestTwoLooksThatAgree(t *testing.T) {
	config := stormy(WatchdogDrops)
	config.Watchdog = Watchdog{Detection: 300 * ms, Poll: 200 * ms, Looks: 2}
	k := newBench(t, config)
	k.pauseFor(599 * ms)
	require.Zero(t, k.s.Port(0).Storming(), "the look at 400 ms found it, and is one")
	k.pauseFor(601 * ms)
	require.Equal(t, sluice.MakeClassSet(3), k.s.Port(0).Storming())
}

// TestStormEvents: begin and end of each storm, in a ring that counts what it loses.
func TestStormEvents(t *testing.T) {
	config := stormy(WatchdogAlerts)
	config.Watchdog.Events = 3
	k := newBench(t, config)
	for range 3 {
		k.pauseFor(k.now + 1000*ms)
		k.receive(0, pauseOf(0, 3))
		k.at(k.now + 200*ms)
	}
	var got []string
	for e, ok := k.s.PollStorm(); ok; e, ok = k.s.PollStorm() {
		got = append(got, e.String())
	}
	require.Equal(t, []string{
		"2.4s: port 0 class 3: storm ended", "3s: port 0 class 3: storm began",
		"3.6s: port 0 class 3: storm ended",
	}, got)
	require.Equal(t, uint64(3), k.s.Counters().StormEventsLost)
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

// TestWatchdogOff: a storm goes on for ever.
func TestWatchdogOff(t *testing.T) {
	config := stormy(WatchdogDrops)
	config.Watchdog = Watchdog{}
	k := newBench(t, config)
	k.pauseFor(3 * sluice.Second)
	require.Zero(t, k.s.Port(0).Storming())
	require.False(t, k.s.Port(0).Sendable(3))
}

// TestStormEventsOfAnotherNumber: the latest that wait stay, in their order, when there is room for
// fewer or for more.
func TestStormEventsOfAnotherNumber(t *testing.T) {
	for size, want := range map[int][]sluice.PortID{2: {3, 4}, 3: {2, 3, 4}, 9: {2, 3, 4}} {
		s := &Switch{}
		events := &s.watchdog.events
		events.resize(3)
		for port := range sluice.PortID(5) {
			events.add(StormEvent{Port: port})
		}
		events.resize(size)
		var got []sluice.PortID
		for e, ok := s.PollStorm(); ok; e, ok = s.PollStorm() {
			got = append(got, e.Port)
		}
		require.Equal(t, want, got, "%d", size)
	}
}
