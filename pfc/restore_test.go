package pfc

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/pfc/trigger"
)

// TestWarmRestart: a switch that starts from a snapshot goes on as the switch that the snapshot is
// of: random hooks, a restart, and more of them, against the slow model that knows of no restart.
func TestWarmRestart(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		config := drawConfig(t)
		config.Watchdog = Watchdog{}
		for i := range config.Ports {
			config.Ports[i].ECN = [sluice.Classes]sluice.Marking{}
		}
		config.CellSize = sluice.Bytes(rapid.SampledFrom([]int{0, 208}).Draw(t, "cell"))
		config.Groups = nil // deficits are forgotten
		c := newComparison(t, config)
		c.some(t, 30)
		snapshot := c.s.Snapshot()
		restored, err := Restore(config, &snapshot)
		if err != nil {
			t.Fatal(err)
		}
		c.s = restored
		for port := range c.peers {
			c.woken[port] = true // every port is asked once
			in := portClass{port: port}
			delete(c.m.refresh, port) // and its pauses are sent anew
			for class := range sluice.Class(sluice.Classes) {
				in.class = class
				if c.m.paused[in] && config.Ports[port].Mode != ClassicPause {
					c.m.changed(c.now, in)
				}
			}
			if config.Ports[port].Mode == ClassicPause && c.m.anyPaused(port) {
				c.m.refresh[port] = c.now + c.m.third(port)
			}
		}
		// what the restored switch finds over its limits it pauses, and the other way round
		for i := range c.m.config.Ports {
			for class := range sluice.Class(sluice.Classes) {
				c.m.judge(c.now, portClass{i, class})
			}
		}
		c.poll(t, 0)
		c.compare(t)
		c.some(t, 30)
		c.compare(t)
	})
}

// TestRestoreOfAPause that the thresholds of the new configuration do not need: the paused peer is
// resumed.
func TestRestoreOfAPause(t *testing.T) {
	k := newBench(t, lossless34(2, func(*Config) {}))
	for range 5 {
		k.enqueue(0, 1, 3, 1000)
	}
	require.Len(t, k.take(), 1)
	config, snapshot := k.s.Config(), k.s.Snapshot()
	config.Ports[1].XOff, config.Ports[1].XOn = 20_000, 10_000
	s, err := Restore(config, &snapshot)
	require.NoError(t, err)
	var f Frame
	require.True(t, s.Port(1).PollFrame(0, &f))
	require.Equal(t, pauseOf(0, 3), f)
	require.False(t, s.Port(0).PollFrame(0, &f))
	require.Equal(t, sluice.Never, s.Deadline())
}

// TestRestoreRefuses snapshots that cannot be of such a switch.
func TestRestoreRefuses(t *testing.T) {
	k := newBench(t, lossless34(2, func(*Config) {}))
	k.enqueue(0, 1, 3, 1000)
	for name, spoil := range map[string]func(*Snapshot, *Config){
		"ports":        func(s *Snapshot, _ *Config) { s.Ports = s.Ports[:1] },
		"not lossless": func(_ *Snapshot, c *Config) { c.Ports[1].Classes = sluice.MakeClassSet(4) },
		"invariant 1":  func(s *Snapshot, _ *Config) { s.Ports[0].Class[3].Backlog++ },
		"packets of":   func(s *Snapshot, _ *Config) { s.Ports[0].Class[3].Packets = 0 },
		"Config.Ports": func(_ *Snapshot, c *Config) { c.Ports = nil },
	} {
		snapshot, config := k.s.Snapshot(), k.s.Config()
		spoil(&snapshot, &config)
		s, err := Restore(config, &snapshot)
		require.ErrorContains(t, err, name, name)
		require.Nil(t, s)
	}
	snapshot := k.s.Snapshot()
	_, err := Restore(k.s.Config(), &snapshot)
	require.NoError(t, err)
}

// TestRestoredPauseCountsFromTheRestart: counters begin at zero, so that, if a pause is under way,
// only its time after the restart counts.
func TestRestoredPauseCountsFromTheRestart(t *testing.T) {
	config := lossless34(2, func(*Config) {})
	k := newBench(t, config)
	for range 5 {
		k.enqueue(0, 1, 3, 1000)
	}
	require.Equal(t, sluice.MakeClassSet(3), k.s.Port(1).Paused())
	k.s.Expire(10 * sluice.Microsecond)
	snapshot := k.s.Snapshot()
	s, err := Restore(config, &snapshot)
	require.NoError(t, err)
	require.Equal(t, sluice.MakeClassSet(3), s.Port(1).Paused())
	require.Zero(t, s.Port(1).Counters().Class[3].PausedTime)
	s.Expire(15 * sluice.Microsecond)
	require.Equal(t, 5*sluice.Microsecond, s.Port(1).Counters().Class[3].PausedTime)
}

// TestReconfigureAfterRestore: a packet leaves the account that took it in, though the switch was
// restored and its classes changed since.
func TestReconfigureAfterRestore(t *testing.T) {
	for _, lossless := range []bool{true, false} {
		classes := [2]sluice.ClassSet{sluice.MakeClassSet(4), sluice.MakeClassSet(3, 4)}
		if lossless {
			classes[0], classes[1] = classes[1], classes[0]
		}
		k := newBench(t, lossless34(2, func(c *Config) { c.Classes = classes[0] }))
		k.enqueue(0, 1, 3, 1000)
		snapshot := k.s.Snapshot()
		require.Equal(t, uint64(1), snapshot.Ports[0].Class[3].Packets)
		s, err := Restore(k.s.Config(), &snapshot)
		require.NoError(t, err)

		config := lossless34(2, func(c *Config) { c.Classes = classes[1] })
		_, err = s.Reconfigure(0, config)
		require.NoError(t, err)
		late := sluice.Packet{Size: 500, Class: 3, Ingress: 1}
		require.Equal(t, sluice.Append, s.Port(0).Enqueue(0, &late).Action())
		early := sluice.Packet{Size: 1000, Class: 3, Ingress: 1}
		for _, p := range []*sluice.Packet{&early, &late} {
			require.Equal(t, sluice.Transmit, s.Port(0).Dequeue(0, 3, p).Action())
			require.NoError(t, s.Audit())
		}
		require.Zero(t, s.Buffered())
		require.Zero(t, s.Snapshot().Ports[0].Class[3].Packets)
	}
}

// TestRestoreRefusesVariants: their state is not in a snapshot.
func TestRestoreRefusesVariants(t *testing.T) {
	s := variantOf(t, trigger.CAPFC)
	snapshot := s.Snapshot()
	_, err := Restore(s.Config(), &snapshot)
	require.EqualError(t, err, "pfc: Config.Trigger = caPFC: must be AtIngress to restore")
}

// TestRestoreOfAPauseBetweenTheThresholds: an ingress that came down from X_off stays paused until
// X_on, restart or not; and if the headroom is in use, were it a byte, it is paused.
func TestRestoreOfAPauseBetweenTheThresholds(t *testing.T) {
	config := lossless34(2, func(*Config) {})
	k := newBench(t, config)
	for range 5 {
		k.enqueue(0, 1, 3, 1000)
	}
	k.send(0)
	r := k.restored(config)
	require.Equal(t, sluice.MakeClassSet(3), r.s.Port(1).Paused(), "4,000 bytes of 5,000 and 2,000")
	k.enqueue(0, 1, 3, 1000)
	k.enqueue(0, 1, 3, 1)
	require.EqualValues(t, 1, k.s.Port(1).HeadroomBytes(3))
	r = k.restored(config)
	require.EqualValues(t, 1, r.s.Port(1).HeadroomBytes(3))
	r.free()
	r.drain(0)
	require.NoError(t, r.s.Quiescent())

	config.Ports[1].XOff, config.Ports[1].XOn = 1000, 500
	k = newBench(t, config)
	k.enqueue(0, 1, 3, 1500) // all of it in the headroom
	snapshot := k.s.Snapshot()
	for i := range snapshot.Ports { // as if written by another device
		snapshot.Ports[i].Paused, snapshot.Ports[i].Told = 0, 0
	}
	s, err := Restore(config, &snapshot)
	require.NoError(t, err)
	require.Equal(t, sluice.MakeClassSet(3), s.Port(1).Paused())
}

// TestRestoreOfAFailedLink: while it is down, no frame of it is owed, whatever is paused.
func TestRestoreOfAFailedLink(t *testing.T) {
	config := twoClasses(PriorityPause, 0, g100, g100)
	k := newBench(t, config)
	k.enqueue(0, 1, 3, 1000)
	k.s.Port(1).LinkDown(k.now)
	r := k.restored(config)
	require.Equal(t, sluice.MakeClassSet(3), r.s.Port(1).Paused())
	require.False(t, r.s.Port(1).Owes())
	require.Equal(t, sluice.Never, r.s.Deadline())
}

// TestRestoredFrame speaks of classes that are paused, and of those that the last frame paused. A
// pause that was in no frame yet, and that the new thresholds do not need, is not resumed.
func TestRestoredFrame(t *testing.T) {
	config := lossless34(2, func(*Config) {})
	k := newBench(t, config)
	k.enqueue(0, 1, 3, 5000)
	k.take()
	k.busy = true
	k.enqueue(0, 1, 4, 5000)
	config.Ports[1].Profiles[4] = &Profile{XOff: 20_000, XOn: 10_000, Headroom: 5000}
	r := k.restored(config)
	r.free()
	require.Equal(t, []sent{{1, pauseOf(DefaultPause, 3)}}, r.take())
	config.Ports[1].Profiles[3] = config.Ports[1].Profiles[4]
	r = k.restored(config)
	r.free()
	require.Equal(t, []sent{{1, pauseOf(0, 3)}}, r.take(), "neither is needed")
}

// TestRestoredHold: a hold goes on from when it began, if the class obeys still, and the watchdog
// looks again a Poll after the restart.
func TestRestoredHold(t *testing.T) {
	config := stormy(WatchdogForwards)
	config.Watchdog.CountPolls = false // found when held for 400 ms
	k := newBench(t, config)
	k.at(10_030 * ms)
	k.pauseFor(10_330 * ms)
	k.s.Expire(k.now)
	r := k.restored(config)
	require.Equal(t, 10_030*ms, r.s.Port(0).Snapshot().Class[3].HeldSince)
	require.Equal(t, k.s.Port(0).HeldUntil(3), r.s.Port(0).HeldUntil(3))
	r.at(10_331 * ms)
	r.pauseFor(10_529 * ms)
	require.Zero(t, r.s.Port(0).Storming())
	r.pauseFor(10_530 * ms)
	require.Equal(t, sluice.MakeClassSet(3), r.s.Port(0).Storming())

	config.Ports[0].Obeys = sluice.MakeClassSet(4)
	r = k.restored(config)
	require.Zero(t, r.s.Port(0).Held())
	require.Equal(t, 10_530*ms, r.s.Deadline(), "the look")
}

// TestRestoredStormLasts for the restoration time from the restart on at least: when the last frame
// came in is not known.
func TestRestoredStormLasts(t *testing.T) {
	config := stormy(WatchdogForwards) // restoration 600 ms, looks every 200 ms
	for _, held := range []bool{false, true} {
		k := newBench(t, config)
		k.pauseFor(601 * ms)
		if !held {
			k.receive(0, pauseOf(0, 3))
		}
		k.s.Expire(k.now)
		r := k.restored(config)
		require.Equal(t, held, r.s.Port(0).Held().Has(3))
		r.at(1200 * ms)
		require.Equal(t, sluice.MakeClassSet(3), r.s.Port(0).Storming())
		r.at(1201 * ms)
		require.Zero(t, r.s.Port(0).Storming())
	}
	config.Watchdog = Watchdog{Detection: ms, Restoration: 600 * ms, Poll: ms}
	k := newBench(t, config)
	k.at(700 * ms)
	k.receive(0, pauseOf(65535, 3)) // for 33 ms
	r := k.restored(config)
	r.at(760 * ms)
	require.Equal(t, sluice.MakeClassSet(3), r.s.Port(0).Storming(), "a hold of before became a storm")
	require.Zero(t, r.s.Port(0).Held())
	r.at(1299 * ms)
	require.Equal(t, sluice.MakeClassSet(3), r.s.Port(0).Storming())
}
