package pfc

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
)

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

// TestHeldThroughoutIsFound: Poll from a hundredth of the peer's refresh to ten times it. A class
// that is held without a break is found within Detection and a Poll; a class that is released now
// and then is never found.
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

// TestStormEvents: begin and end of each storm, in a ring that counts the events it loses.
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
