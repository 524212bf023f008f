package pcn

import (
	"math"
	"testing"

	"github.com/sluicefc/sluice"
	"github.com/stretchr/testify/require"
)

// TestAdvice: section 6.2 advises a w of 0.1/N, which keeps the swings of the total rate below 0.1C
// and of the queue below 0.1CT, a T of the largest round-trip time, and a w_max of 0.5.
func TestAdvice(t *testing.T) {
	for _, n := range []int{1, 2, 3, 16, 1024, MaxAdviceFlows} {
		p, b, err := Advice(n, 40*g, 40*us)
		require.NoError(t, err)
		require.Equal(t, Parameters{Period: 40 * us, WMin: ratio(1, int64(10*n)), WMax: ratio(1, 2)}, p)
		relative(t, 4e9, b.Total)
		relative(t, 4e9/float64(n), b.Rate)
		require.LessOrEqual(t, b.SteadyRate, b.Rate)
		require.Less(t, b.Queue, 0.1*40e9/8*40e-6)
		_, err = NewReactionPoint(RPConfig{LineRate: 40 * g, WMin: p.WMin, WMax: p.WMax})
		require.NoError(t, err, "what is advised can be configured")
	}
}

// TestDrainLoops at its ends.
func TestDrainLoops(t *testing.T) {
	p := Parameters{WMin: DefaultWMin()}
	require.Zero(t, p.DrainLoops(10*g, 10*g))
	require.EqualValues(t, 2, p.DrainLoops(10*g+1, 10*g))
	require.EqualValues(t, 129, p.DrainLoops(20*g, 10*g))
	require.EqualValues(t, 130, p.DrainLoops(20*g+1, 10*g))
	require.EqualValues(t, 129, p.DrainLoops(2, 1))
	require.Equal(t, int64(math.MaxInt64), p.DrainLoops(math.MaxInt64, 1))
	p.WMin = ratio(1, 1)
	require.Equal(t, int64(math.MaxInt64), p.DrainLoops(math.MaxInt64, 1))
	p.WMin = ratio(1, 3) // 3/2 of what 64 bits hold
	require.Equal(t, int64(math.MaxInt64), p.DrainLoops(math.MaxInt64, 1))
	p.WMin = ratio(1, 9) // 2^64 - 1/4
	require.Equal(t, int64(math.MaxInt64), p.DrainLoops((1<<66-1)/9+4, 4))
	p.WMin = ratio(1, sluice.MaxRatio) // of which the loops fit into 64 bits, but not into 63
	require.Equal(t, int64(math.MaxInt64), p.DrainLoops(math.MaxInt64, 1<<19+1))
	for _, never := range []sluice.Ratio{ratio(-1, 2), ratio(1, -2), ratio(0, 1), ratio(1, 0)} {
		p.WMin = never
		require.Equal(t, int64(math.MaxInt64), p.DrainLoops(20*g, 10*g), "%v", never)
	}
	require.Equal(t, int64(math.MaxInt64), Parameters{}.DrainLoops(g, 0))
	require.Equal(t, int64(math.MaxInt64), Parameters{}.DrainLoops(math.MaxInt64, -g))
}

// TestZeroParameters are the paper's, as in configurations.
func TestZeroParameters(t *testing.T) {
	given := Parameters{Period: DefaultPeriod, WMin: DefaultWMin(), WMax: DefaultWMax()}
	require.Equal(t, given.Bounds(4, 10*g), Parameters{}.Bounds(4, 10*g))
	require.EqualValues(t, 257, Parameters{}.DrainLoops(30*g, 10*g))
}
