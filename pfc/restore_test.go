package pfc

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/sluicefc/sluice"
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

// TestRestoreOfAStorm: a storm under way is under way.
func TestRestoreOfAStorm(t *testing.T) {
	config := stormy(WatchdogForwards)
	k := newBench(t, config)
	k.pauseFor(601 * ms)
	k.s.Port(1).LinkDown(k.now)
	snapshot := k.s.Snapshot()
	s, err := Restore(config, &snapshot)
	require.NoError(t, err)
	require.Equal(t, sluice.MakeClassSet(3), s.Port(0).Storming())
	require.True(t, s.Port(0).Sendable(3))
	require.True(t, s.Snapshot().Ports[1].Down)
	require.Equal(t, k.s.Port(0).HeldUntil(3), s.Port(0).HeldUntil(3))
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
