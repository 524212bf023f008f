package pfc

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/kit"
)

// TestDump: what people read of a switch.
func TestDump(t *testing.T) {
	k := newBench(t, twoClasses(PriorityPause, 0, g100, g100))
	k.enqueue(1, 0, 3, 1000)
	k.receive(1, pauseOf(100, 3))
	var text strings.Builder
	require.NoError(t, kit.Dump(&text, k.s.Snapshot()))
	require.Equal(t, `pfc: Buffered 1000B, Free 1007576B, Deadline 512ns
  Pools 0: Size 1008576B, Free 1007576B
  Ports 0: Paused {3}, Told {3}
    Class 0-2: Sendable
    Class 3: Sendable, Ingress 1000B, XOff 1000B
    Class 4: Sendable, XOff 1000B
    Class 5-7: Sendable
  Ports 1: Port 1, Held {3}
    Class 0-2: Sendable
    Class 3: Backlog 1000B, Packets 1, HeldUntil 512ns, XOff 1000B
    Class 4: Sendable, XOff 1000B
    Class 5-7: Sendable
`, text.String())
}

// TestSnapshot: a value that does not change with the switch.
func TestSnapshot(t *testing.T) {
	k := newBench(t, twoClasses(PriorityPause, 0, g100, g100))
	k.busy = true
	k.enqueue(1, 0, 3, 1000)
	before := k.s.Snapshot()
	require.Equal(t, sluice.Bytes(1000), before.Ports[0].Class[3].Ingress)
	require.Equal(t, sluice.Bytes(1000), before.Ports[1].Class[3].Backlog)
	require.True(t, before.Ports[0].Pending)
	require.Zero(t, before.Ports[0].Told)
	k.drain(1)
	require.Equal(t, sluice.Bytes(1000), before.Ports[0].Class[3].Ingress)
	require.NotEqual(t, before, k.s.Snapshot())
}

// TestConfigOfSwitch: with defaults filled in, and not the switch's own.
func TestConfigOfSwitch(t *testing.T) {
	config := HostConfig(sluice.Link{Rate: g100})
	config.MAC = sluice.MAC{2, 0, 0, 0, 0, 7}
	config.Groups = []Group{{Classes: sluice.AllClasses}}
	config.Watchdog.Detection = ms
	s, err := New(config)
	require.NoError(t, err)
	got := s.Config()
	require.Equal(t, sluice.AllClasses, got.Classes)
	require.Equal(t, DefaultPause, got.Ports[0].Pause)
	require.Equal(t, config.MAC, got.Ports[0].MAC)
	require.Equal(t, DefaultQuantum, got.Groups[0].Quantum[5])
	require.Equal(t, 2*ms, got.Watchdog.Restoration)
	require.Equal(t, DefaultWatchdogPoll, got.Watchdog.Poll)
	got.Ports[0].Pause, got.Groups[0].Classes = 1, 1
	require.Equal(t, DefaultPause, s.Config().Ports[0].Pause)
	require.Equal(t, sluice.AllClasses, s.Config().Groups[0].Classes)
	require.Zero(t, config.Ports[0].Pause, "New changes nothing of what it was given")

	config.Classes = sluice.NoClasses
	s, err = New(config)
	require.NoError(t, err)
	again, err := New(s.Config())
	require.NoError(t, err)
	require.Equal(t, s.Config(), again.Config(), "it makes the same switch")
}

// TestPoolsThatDoNotExist have nothing that is free.
func TestPoolsThatDoNotExist(t *testing.T) {
	k := newBench(t, lossless34(2, func(c *Config) { c.EgressPools = []sluice.Bytes{700} }))
	for _, pool := range []int{-1, 1, maxPools, maxPools + 1} {
		require.Zero(t, k.s.FreeOf(pool), "%d", pool)
		require.Zero(t, k.s.FreeOfEgress(pool), "%d", pool)
	}
	require.Equal(t, k.s.Free(), k.s.FreeOf(0))
	require.EqualValues(t, 700, k.s.FreeOfEgress(0))
	require.Zero(t, k.s.FreeHeadroom(), "each account has its own")
}

// TestSnapshotOfAHold: since when and until when, of a class that is held.
func TestSnapshotOfAHold(t *testing.T) {
	k := newBench(t, twoClasses(PriorityPause, 0, g100))
	k.at(1000)
	k.receive(0, pauseOf(1, 3))
	k.now = 2000
	k.receive(0, pauseOf(1, 3))
	c := k.s.Port(0).Snapshot().Class
	require.Equal(t, [2]sluice.Time{1000, 2000 + 5120}, [2]sluice.Time{c[3].HeldSince, c[3].HeldUntil})
	require.Equal(t, [2]sluice.Time{0, sluice.Never}, [2]sluice.Time{c[4].HeldSince, c[4].HeldUntil})
}

// TestWhatIsFlushedHasLeft: neither a queue nor the count of its packets has a packet that a failed
// link flushed.
func TestWhatIsFlushedHasLeft(t *testing.T) {
	k := newBench(t, twoClasses(PriorityPause, 0, g100, g100))
	k.enqueue(0, 1, 3, 100)
	k.enqueue(0, 1, 3, 100)
	require.EqualValues(t, 2, k.s.Port(0).Snapshot().Class[3].Packets)
	k.s.Port(0).LinkDown(0)
	k.drain(0)
	for class, c := range k.s.Port(0).Snapshot().Class {
		require.Zero(t, c.Packets, "%d", class)
	}
}

// TestReceiveWire: a malformed frame is counted at its port and changes nothing else.
func TestReceiveWire(t *testing.T) {
	k := newBench(t, twoClasses(PriorityPause, 0, g100, g100))
	f := pauseOf(100, 3)
	b := f.AppendTo(nil)
	w, err := k.s.Port(1).ReceiveWire(0, b[:20])
	require.Error(t, err)
	require.Zero(t, w)
	require.Equal(t, uint64(1), k.s.Port(1).Counters().Malformed)
	require.Zero(t, k.s.Port(1).Counters().FramesReceived)
	_, err = k.s.Port(1).ReceiveWire(0, b)
	require.NoError(t, err)
	require.Equal(t, sluice.MakeClassSet(3), k.s.Port(1).Held())
	require.Equal(t, uint64(1), k.s.Port(1).Counters().FramesReceived)
	_, err = k.s.Port(1).ReceiveWire(sluice.Never, b[:20])
	require.Error(t, err)
	require.Equal(t, uint64(1), k.s.Counters().Misuse, "Never is no time")
}

// TestFramesThatAreNotObeyedWakeNoPort, whatever the port has to do.
func TestFramesThatAreNotObeyedWakeNoPort(t *testing.T) {
	k := newBench(t, twoClasses(PriorityPause, 0, g100, g100))
	k.enqueue(0, 1, 3, 100)
	k.s.BigRedSwitch(0, true) // the queue is to be emptied
	require.Zero(t, k.receive(0, Frame{Opcode: OpcodePause}))
	k.s.Port(0).LinkDown(0)
	require.Zero(t, k.receive(0, pauseOf(1, 3)))
}
