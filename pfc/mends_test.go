package pfc

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/chassis"
)

// restored returns a bench with the switch that a restart of k under a configuration gives.
func (k *bench) restored(config Config) *bench {
	k.t.Helper()
	snapshot := k.s.Snapshot()
	s, err := Restore(config, &snapshot)
	require.NoError(k.t, err)
	return &bench{t: k.t, s: s, now: k.now, queues: k.queues}
}

// TestRestoreOfAStormWithoutWatchdog: a storm is over where no watchdog would end it. The class is
// lossless again, and the pause that is under way is obeyed.
func TestRestoreOfAStormWithoutWatchdog(t *testing.T) {
	for _, off := range []func(*Config){
		func(c *Config) { c.Watchdog = Watchdog{} },
		func(c *Config) { c.Ports[0].Watchdog = &PortWatchdog{} },
		func(c *Config) { c.Watchdog.Classes = sluice.MakeClassSet(4) },
	} {
		config := stormy(WatchdogDrops)
		k := newBench(t, config)
		k.pauseFor(601 * ms)
		require.Equal(t, sluice.MakeClassSet(3), k.s.Port(0).Storming())
		off(&config)
		r := k.restored(config)
		require.Zero(t, r.s.Port(0).Storming())
		require.Equal(t, sluice.Append, r.enqueue(0, 1, 3, 1000).Action())
		require.Equal(t, sluice.Append, r.enqueue(1, 0, 3, 1000).Action())
		require.False(t, r.s.Port(0).Sendable(3))
	}
}

// TestRestoredStormCountsFromTheRestart: counters begin at zero, and no event of before comes back.
func TestRestoredStormCountsFromTheRestart(t *testing.T) {
	config := stormy(WatchdogForwards)
	k := newBench(t, config)
	k.pauseFor(601 * ms)
	k.s.Expire(k.now)
	r := k.restored(config)
	require.Zero(t, r.s.Counters().Class[3].Storms)
	require.Zero(t, r.s.Counters().Class[3].HeldTime)
	_, ok := r.s.PollStorm()
	require.False(t, ok)
	r.pauseFor(611 * ms)
	r.s.Expire(r.now)
	require.Equal(t, 10*ms, r.s.Counters().Class[3].HeldTime)
	r.receive(0, pauseOf(0, 3))
	require.Equal(t, 10*ms, r.s.Counters().Class[3].HeldTime)
	r.at(2 * sluice.Second)
	require.Zero(t, r.s.Port(0).Storming(), "it ends as it would have")
	require.Equal(t, uint64(1), r.s.Counters().Class[3].Restores)
}

// TestRestoreOfTheBigRedSwitch: turned on or off by command, it stands as it stood.
func TestRestoreOfTheBigRedSwitch(t *testing.T) {
	for _, on := range []bool{true, false} {
		config := stormy(WatchdogDrops)
		config.Watchdog.BigRedSwitch = !on
		k := newBench(t, config)
		k.s.BigRedSwitch(0, on)
		r := k.restored(config)
		require.Equal(t, on, r.enqueue(0, 1, 3, 100).Action() == sluice.Drop)
		require.Equal(t, on, r.s.Snapshot().BigRedSwitch)
	}
}

// TestWatchdogOfAPort: an entry of PFC_WD for each port, with times, an action and classes of its
// own (pfcwd_sw_enable).
func TestWatchdogOfAPort(t *testing.T) {
	config := stormy(WatchdogDrops)
	config.Watchdog = Watchdog{Poll: 100 * ms} // no port but those that have their own
	config.Ports = append(config.Ports, config.Ports[0])
	config.Ports[0].Watchdog = &PortWatchdog{Detection: 200 * ms, Action: WatchdogForwards}
	config.Ports[1].Watchdog = &PortWatchdog{
		Detection: 400 * ms, Restoration: 100 * ms, Classes: sluice.MakeClassSet(4),
	}
	k := newBench(t, config)
	storming := func() (sets [3]sluice.ClassSet) {
		for i := range sets {
			sets[i] = k.s.Port(sluice.PortID(i)).Storming()
		}
		return sets
	}
	until := func(end sluice.Time) {
		for k.now < end {
			for port := range sluice.PortID(3) {
				k.receive(port, pauseOf(65535, 3, 4))
			}
			k.at(min(k.now+20*ms, end))
		}
	}
	three, four := sluice.MakeClassSet(3), sluice.MakeClassSet(4)
	until(199 * ms)
	require.Equal(t, [3]sluice.ClassSet{}, storming())
	until(201 * ms)
	require.Equal(t, [3]sluice.ClassSet{three | four, 0, 0}, storming())
	until(401 * ms)
	require.Equal(t, [3]sluice.ClassSet{three | four, four, 0}, storming())
	require.True(t, k.s.Port(0).Sendable(3), "forward")
	require.False(t, k.s.Port(1).Sendable(3), "not looked at")
	require.Equal(t, sluice.DropBecause(sluice.WatchdogDrop), k.enqueue(1, 2, 4, 100))
	k.at(599 * ms) // the last pause has run out; the restoration of port 0 is twice its detection
	require.Equal(t, [3]sluice.ClassSet{three | four, 0, 0}, storming())
	k.at(900 * ms)
	require.Equal(t, [3]sluice.ClassSet{}, storming())
}

// TestStormDropsAtTheStormingIngress: "RX DROP" of the storming port, not drops of the healthy
// egress that the packets were for; and LAST counts the storm at hand alone.
func TestStormDropsAtTheStormingIngress(t *testing.T) {
	k := newBench(t, stormy(WatchdogDrops))
	k.enqueue(0, 1, 3, 700)
	storm := func() {
		k.pauseFor(k.now + 601*ms)
		require.Equal(t, sluice.MakeClassSet(3), k.s.Port(0).Storming())
	}
	storm()
	k.drain(0)
	k.enqueue(0, 1, 3, 100)
	for range 3 {
		k.enqueue(1, 0, 3, 100)
	}
	healthy, sick := k.s.Port(1).Counters(), k.s.Port(0).Counters()
	require.Zero(t, healthy.Drops())
	require.Equal(t, uint64(5), sick.Dropped[sluice.WatchdogDrop])
	require.Equal(t, sluice.Bytes(700+100+300), sick.Class[3].DroppedBytes)
	require.Equal(t, StormCounters{TxDrop: 2, RxDrop: 3}, sick.Class[3].Storm)
	require.Equal(t, sick.Class[3].Storm, sick.Class[3].LastStorm)
	k.at(k.now + 2*sluice.Second)
	require.Zero(t, k.s.Port(0).Storming())
	k.enqueue(0, 1, 3, 100)
	k.drain(0) // between two storms nothing counts
	storm()
	k.enqueue(1, 0, 3, 100)
	sick = k.s.Port(0).Counters()
	require.Equal(t, StormCounters{TxDrop: 2, RxDrop: 4}, sick.Class[3].Storm)
	require.Equal(t, StormCounters{RxDrop: 1}, sick.Class[3].LastStorm)
}

// TestForwardingStormDoesNotPause: under forward, the class's flow control is off both ways at the
// storming port, as SONiC takes it out of the port's PFC bits. A paused peer is resumed, and is
// paused again when the storm is over.
func TestForwardingStormDoesNotPause(t *testing.T) {
	config := stormy(WatchdogForwards)
	config.MAC = sluice.MAC{}
	k := newBench(t, config)
	for range 4 {
		k.enqueue(1, 0, 3, 1000) // over X_off of port 0
	}
	require.Equal(t, []sent{{0, pauseOf(DefaultPause, 3)}}, k.take())
	k.pauseFor(601 * ms)
	frames := k.take()
	require.Equal(t, sent{0, pauseOf(0, 3)}, frames[len(frames)-1], "after refreshes")
	for range 9 {
		k.enqueue(1, 0, 3, 1000)
	}
	require.Empty(t, k.take())
	require.Equal(t, uint64(0), k.s.Port(0).Counters().Class[3].Storm.TxOK)
	k.at(2 * sluice.Second)
	require.Zero(t, k.s.Port(0).Storming())
	require.Equal(t, sent{0, pauseOf(DefaultPause, 3)}, k.take()[0])
	k.drain(1)
	require.NoError(t, k.s.Quiescent())
}

// TestStormOfALossyClass that obeys, by asymmetric PFC: arrivals of the class at the storming
// port's ingress are discarded too.
func TestStormOfALossyClass(t *testing.T) {
	config := stormy(WatchdogDrops)
	config.Ports[0].Obeys = sluice.AllClasses
	k := newBench(t, config)
	k.enqueue(0, 1, 5, 1000)
	for k.now < 601*ms {
		k.receive(0, pauseOf(65535, 5))
		k.at(k.now + 20*ms)
	}
	require.Equal(t, sluice.MakeClassSet(5), k.s.Port(0).Storming())
	require.Equal(t, sluice.DropBecause(sluice.WatchdogDrop), k.enqueue(1, 0, 5, 1000))
	require.Equal(t, sluice.DropBecause(sluice.WatchdogDrop), k.enqueue(0, 1, 5, 1000))
	k.drain(0)
	require.Equal(t, StormCounters{TxDrop: 2, RxDrop: 1}, k.s.Port(0).Counters().Class[5].Storm)
	k.at(3 * sluice.Second)
	require.Equal(t, sluice.Append, k.enqueue(1, 0, 5, 1000).Action())
	k.drain(1)
	require.NoError(t, k.s.Quiescent())
}

// TestAnyOriginOfTime: "any origin will do" (package sluice), Never apart: pauses, refreshes and
// storms do not depend on it, whether the watchdog is on from New or turned on later.
func TestAnyOriginOfTime(t *testing.T) {
	for _, origin := range []sluice.Time{
		chassis.Earliest, -20 * 86400 * sluice.Second, -sluice.Second, 0, 5,
		chassis.Latest - 10*sluice.Second,
	} {
		for _, later := range []bool{false, true} {
			config := stormy(WatchdogAlerts)
			config.Watchdog.CountPolls = false
			on := config.Watchdog
			if later {
				config.Watchdog = Watchdog{}
			}
			k := newBench(t, config)
			k.now = origin
			k.receive(0, pauseOf(0, 3))
			require.Equal(t, origin, k.s.Snapshot().Now)
			if later {
				config.Watchdog = on
				_, err := k.s.Reconfigure(k.now, config)
				require.NoError(t, err)
			}
			for range 4 {
				k.enqueue(0, 1, 3, 1000)
			}
			require.Len(t, k.take(), 1)
			k.pauseFor(origin + 599*ms)
			k.s.Expire(k.now)
			require.Equal(t, 599*ms, k.s.Counters().Class[3].HeldTime, "from %d", origin)
			require.Equal(t, 599*ms, k.s.Counters().Class[3].PausedTime)
			require.Greater(t, k.s.Counters().Class[3].Refreshes, uint64(40))
			k.pauseFor(origin + 801*ms)
			require.Equal(t, sluice.MakeClassSet(3), k.s.Port(0).Storming(), "from %d", origin)
		}
	}
}

// TestFlushedIsNotTransmitted: a flush after LinkDown drops packets for the reason LinkDown.
func TestFlushedIsNotTransmitted(t *testing.T) {
	for _, groups := range [][]Group{nil, {{Classes: sluice.AllClasses}}} {
		config := lossless34(2, func(c *Config) { c.Groups = groups })
		k := newBench(t, config)
		for range 6 {
			k.enqueue(0, 1, 3, 1000)
			k.enqueue(0, 1, 0, 500)
			k.enqueue(0, sluice.Local, 4, 100)
		}
		k.poll(k.s.Port(0).LinkDown(k.now))
		_, v, _ := k.send(0)
		require.Equal(t, sluice.DropBecause(sluice.LinkDown), v.WithoutWake())
		k = k.restored(config)
		k.free()
		require.Equal(t, 17, k.drain(0))
		c := k.s.Port(0).Counters()
		require.Zero(t, c.Transmitted)
		require.Zero(t, c.Class[3].TransmittedBytes)
		require.Equal(t, uint64(17), c.Dropped[sluice.LinkDown])
		require.Equal(t, sluice.Bytes(6*500), c.Class[0].DroppedBytes)
		require.NoError(t, k.s.Quiescent())
		k.poll(k.s.Port(0).LinkUp(k.now))
		k.enqueue(0, 1, 3, 1000)
		_, v, _ = k.send(0)
		require.Equal(t, sluice.Transmit, v.Action())
	}
}
