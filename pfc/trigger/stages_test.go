package trigger

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
)

// TestStages of GFC: in stage k the upstream sends at 2^-k of the rate of the link. Stage k begins
// at B_k = XOff - (XOff - Lower) / 2^(k-1): at 40, 70, 85 and so on to 100.
func TestStages(t *testing.T) {
	s := State{Off: 100_000, Lower: 40_000}
	for held, want := range map[int64]sluice.Quanta{
		39_999: 0, 40_000: 1, 69_999: 1, 70_000: 2, 84_999: 2, 85_000: 3, 92_500: 4,
	} {
		require.Equal(t, want, s.StageOf(held, 100*sluice.Gbps, false), held)
	}
	const last = 23 // 100 Gb/s / 2^23 is 11.9 kb/s, half of it is below 8
	require.EqualValues(t, last, s.StageOf(100_000, 100*sluice.Gbps, false))
	require.EqualValues(t, stopped, s.StageOf(100_000, 100*sluice.Gbps, true))
}

// TestPacer: a class of stage 2 begins a packet at most every four times that the last one lasted.
func TestPacer(t *testing.T) {
	var g Pacer
	g.Begin(3, 1000, 50)
	g.Set(3, 2)
	require.Equal(t, sluice.MakeClassSet(3), g.Paced)
	require.Equal(t, sluice.Time(1200), g.Next(3))
	g.Rebase(1000)
	require.Equal(t, sluice.Time(200), g.Next(3))
	g.Begin(3, 0, sluice.Never/2)
	require.Equal(t, sluice.Never-1, g.Next(3), "beyond all times")
	g.Set(3, stopped)
	require.Zero(t, g.Paced, "it waits for a frame, not for time")
}

// TestPacerForgets: when a packet began is forgotten once the next one may begin at any rate, and
// not as long as a frame can come that names a stage. Pauses of GFC say the stage for the packet
// before, too, which a class that was not paced began.
func TestPacerForgets(t *testing.T) {
	var g Pacer
	g.Begin(3, 0, 50)
	g.Normalize(3, 1000)
	g.Set(3, 5)
	require.Equal(t, sluice.Time(1600), g.Next(3))
	g.Set(3, 0)
	g.Normalize(3, 50<<slowestStage-1)
	g.Set(3, slowestStage)
	require.Equal(t, sluice.Time(50<<slowestStage), g.Next(3))
	g.Normalize(3, 50<<slowestStage)
	require.Equal(t, new(Pacer).Next(3), g.Next(3), "as before the first packet")
}

// TestGrown: the growth since the last look, in proportion to how far ahead is looked.
func TestGrown(t *testing.T) {
	s := State{Ahead: 100}
	require.Zero(t, s.Grown(0, 1000))
	require.EqualValues(t, 250, s.Grown(500, 1200))
	require.EqualValues(t, 250, s.Grown(900, 1250), "too soon to look again")
	require.Zero(t, s.Grown(400, 1400), "it shrinks")
	s.Rebase(400)
	require.EqualValues(t, 50, s.Grown(500, 1200))
}

// TestZeroAlloc: nothing that a packet meets allocates.
func TestZeroAlloc(t *testing.T) {
	s, g := State{Off: 10, Lower: 5, Ahead: 3}, Pacer{}
	require.Zero(t, testing.AllocsPerRun(100, func() {
		s.Grown(8, 9)
		s.StageOf(8, sluice.Gbps, false)
		g.Set(1, 2)
		g.Begin(1, 2, 3)
		g.Next(1)
	}))
}

// BenchmarkStageOf is what GFC asks for each packet.
func BenchmarkStageOf(b *testing.B) {
	b.ReportAllocs()
	s, held := State{Off: 100_000, Lower: 40_000}, int64(0)
	for b.Loop() {
		s.StageOf(held, 100*sluice.Gbps, false)
		held = (held + 1500) % 100_000
	}
}
