package pfc

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/sluicefc/sluice"
)

// TestThresholdInCellsIsOfTheOwnPool: a class whose bytes are counted in cells pauses by what is
// free in its pool, however much is in others.
func TestThresholdInCellsIsOfTheOwnPool(t *testing.T) {
	config := lossless34(2, func(c *Config) {
		c.CellSize = 208
		c.Pools = []sluice.Bytes{50 * 208}
		c.Ports[1].Profile = Profile{Pool: 1, Alpha: ratio(1, 1), Headroom: 5000}
	})
	k := newBench(t, config)
	for range 24 {
		k.enqueue(0, 1, 3, 100)
	}
	require.Empty(t, k.take(), "24 cells are taken, 26 are free")
	k.enqueue(0, 1, 3, 100)
	require.Len(t, k.take(), 1, "25 are taken, 25 are free")
}

// TestRestoredPeak begins at what is held.
func TestRestoredPeak(t *testing.T) {
	k := newBench(t, lossless34(2, func(*Config) {}))
	k.enqueue(0, 1, 3, 1500)
	k.enqueue(0, 1, 3, 1000)
	k.send(0)
	snapshot := k.s.Snapshot()
	s, err := Restore(k.s.Config(), &snapshot)
	require.NoError(t, err)
	require.Equal(t, sluice.Bytes(1000), s.Counters().BufferPeak)
}

// TestStrictTakesLongPauses: the byte that is reserved in a PFC frame is part of the time in PAUSE.
func TestStrictTakesLongPauses(t *testing.T) {
	f := Frame{Opcode: OpcodePause, Time: [8]sluice.Quanta{0xff00}}
	var parsed Frame
	require.NoError(t, parsed.ParseStrict(f.AppendTo(nil)))
	require.EqualValues(t, 0xff00, parsed.Time[0])
	used := Frame{Enabled: sluice.AllClasses}
	require.NoError(t, used.Parse(f.AppendTo(nil)))
	require.Equal(t, parsed, used, "nothing of an earlier frame is left")
}

// TestAlphaAboveTheLeastReference is scaled as above any other.
func TestAlphaAboveTheLeastReference(t *testing.T) {
	require.Equal(t, ratio(1, 2), ScaleAlpha(ratio(1, 8), 4, 1))
	most := ratio(sluice.MaxRatio, 1)
	require.Equal(t, most, ScaleAlpha(ratio(sluice.MaxRatio/2, 1), 2, 1), "the largest that is Valid")
	require.Equal(t, most, ScaleAlpha(most, 1<<40, 1))
}

// TestReservedClassesHoldTheBuffer: with fewer classes set apart than are lossless, no more is held
// than there is.
func TestReservedClassesHoldTheBuffer(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		config := drawConfig(t)
		config.Watchdog = Watchdog{}
		config.ReservedClasses = rapid.IntRange(1, 3).Draw(t, "apart")
		config.Classes = sluice.AllClasses
		config.Buffer = config.SetApart() + sluice.Bytes(rapid.IntRange(1, 60_000).Draw(t, "pool"))
		s, err := New(config)
		require.NoError(t, err)
		for range 400 {
			p := sluice.Packet{
				Size:    rapid.SampledFrom([]sluice.Bytes{64, 1000, 1500}).Draw(t, "size"),
				Class:   sluice.Class(rapid.IntRange(0, 7).Draw(t, "class")),
				Ingress: sluice.PortID(rapid.IntRange(0, s.Ports()-1).Draw(t, "ingress")),
			}
			s.Port(0).Enqueue(0, &p)
		}
		require.NoError(t, s.Audit())
		if s.Buffered() > config.Buffer {
			t.Fatalf("%d bytes in a buffer of %d", s.Buffered(), config.Buffer)
		}
	})
}
