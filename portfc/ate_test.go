package portfc

import (
	"math/big"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/sluicefc/sluice"
)

var railOnly = NDC{4, 1}

func newATE(t require.TestingT, capacity sluice.Bytes) *ATE {
	a, err := NewATE(ATEConfig{Network: railOnly, Capacity: capacity, Seed: 1})
	require.NoError(t, err)
	return a
}

// "w(t+1) = w(t) p B_H / T^H(t)" (Equation 3). If all that is offered is D and w of it is in flight
// towards the HBD, one step leads to the closed form: min(1, p B_H / D), "HBD is utilized to its
// maximum efficient throughput (p B_H)" and the overflow D - p B_H goes by the ND.
func TestEquation3ConvergesInOneStep(t *testing.T) {
	const capacity = 1_000_000
	for _, demand := range []sluice.Bytes{
		100_000, 900_000, 1_000_000, 1_800_000, 9_000_000, 90_000_000,
	} {
		a := newATE(t, capacity)
		want := min(WeightOne, Weight(uint64(WeightOne)*900_000/uint64(demand)))
		for range 5 {
			a.Arrived(a.InFlight())
			a.Sent(sluice.Bytes(uint64(demand) * uint64(a.Weight(15)) / uint64(WeightOne)))
			a.First(15)
			require.InDelta(t, float64(want), float64(a.Weight(15)), float64(WeightOne)/1e6)
		}
		overflow := demand - sluice.Bytes(uint64(demand)*uint64(a.Weight(15))/uint64(WeightOne))
		require.InDelta(t, float64(max(0, demand-900_000)), float64(overflow), 200)
	}
}

// literal is Algorithm 5 as it stands: line 4 tests for an overload, line 5 sets the weight, and
// line 6 is left out, for it adds bytes to a proportion.
type literal struct{ w float64 }

func (l *literal) step(inFlight, target float64) {
	if inFlight >= target {
		l.w = target / inFlight
	}
}

// The literal algorithm does not settle: under an overload its weight jumps between two values, as
// line 5 forgets the weight before. After a burst that ends at the lower one it cannot recover:
// what is in flight is below p B_H from then on, and line 4 is never true again. Equation 3 at
// every step leads back to 1.
func TestLiteralAlgorithm5CannotRecover(t *testing.T) {
	const target = 900_000
	a, l := newATE(t, 1_000_000), literal{w: 1}
	for step := range 40 {
		demand := 400_000.0
		if step < 9 {
			demand = 9_000_000
		}
		before := l.w
		l.step(l.w*demand, target)
		if step > 0 && step < 9 {
			require.NotEqual(t, before, l.w, "it jumps")
		}
		a.Arrived(a.InFlight())
		a.Sent(sluice.Bytes(demand * float64(a.Weight(15)) / float64(WeightOne)))
		a.First(15)
	}
	require.Equal(t, WeightOne, a.Weight(15))
	require.Less(t, l.w, 0.2, "though all of the demand would fit the HBD")
	// And one step into an overload it sets w to what Equation 3 multiplies by: at a weight below 1
	// that is a jump up.
	l.w = 0.1
	l.step(950_000, target)
	require.Greater(t, l.w, 0.9)
}

// "When T^H = 0, we skip the update and keep the previous weight" (section III-F). A weight never
// falls so low that it could not recover.
func TestWeightsAreKeptAndBounded(t *testing.T) {
	a := newATE(t, 1_000)
	a.Sent(1 << 39)
	for range 10 {
		a.First(15)
	}
	require.Equal(t, MinWeight, a.Weight(15))
	require.Equal(t, WeightOne, a.Weight(14), "of each destination its own")
	a.Arrived(1 << 39)
	a.First(15)
	require.Equal(t, MinWeight, a.Weight(15))
	a.Sent(1)
	for range 2 {
		a.First(15)
	}
	require.Equal(t, WeightOne, a.Weight(15))
}

// The product is exact: rounded down once, whatever the terms.
func TestScaled(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := Weight(rapid.Uint32Range(uint32(MinWeight), uint32(WeightOne)).Draw(t, "w"))
		num := rapid.Uint64Range(1, maxCapacity).Draw(t, "num")
		den := rapid.Uint64Range(1, maxCapacity).Draw(t, "den")
		want := new(big.Int).Mul(big.NewInt(int64(w)), new(big.Int).SetUint64(num))
		want.Div(want, new(big.Int).SetUint64(den))
		limited := int64(WeightOne)
		if want.IsInt64() {
			limited = min(max(want.Int64(), int64(MinWeight)), limited)
		}
		require.Equal(t, Weight(limited), scaled(w, num, den))
	})
}

// "ATE only acts on the first-hop selection of traffic" (section III-E): by the weights, seeded,
// and only where both domains are on shortest routes.
func TestFirstHop(t *testing.T) {
	a, again := newATE(t, 1_000_000), newATE(t, 1_000_000)
	byHBD := 0
	for range 10_000 {
		a.weights[15], again.weights[15] = WeightOne/4, WeightOne/4
		layer, ok := a.First(15)
		require.True(t, ok)
		other, _ := again.First(15)
		require.Equal(t, layer, other, "the same seed draws the same")
		if layer == HBD {
			byHBD++
		}
		path, ok := a.Path(15, layer)
		require.True(t, ok)
		require.EqualValues(t, layer, path.At(0).Port)
		require.Equal(t, 4, path.Len())
	}
	require.InDelta(t, 2500, byHBD, 200)
	for dst, want := range map[sluice.SwitchID]int{3: HBD, 12: ND} {
		a.weights[dst] = MinWeight
		layer, ok := a.First(dst)
		require.True(t, ok)
		require.Equal(t, want, layer, "a two-hop flow has no choice")
		path, ok := a.Path(dst, layer)
		require.True(t, ok)
		require.Equal(t, 2, path.Len())
	}
}

func TestATEMisuse(t *testing.T) {
	a := newATE(t, 1000)
	for _, dst := range []sluice.SwitchID{0, 16} {
		_, ok := a.First(dst)
		require.False(t, ok)
	}
	a.Sent(-1)
	a.Sent(maxCapacity + 1)
	a.Sent(10)
	a.Arrived(11)
	require.Zero(t, a.InFlight())
	a.Arrived(-1)
	require.EqualValues(t, 6, a.Misuses())
	require.Zero(t, a.Weight(16))
	for field, c := range map[string]ATEConfig{
		"Network":     {Network: NDC{4, 2}, Capacity: 1},
		"Node":        {Network: railOnly, Node: 16, Capacity: 1},
		"Capacity":    {Network: railOnly},
		"Utilisation": {Network: railOnly, Capacity: 1, Utilisation: sluice.Ratio{Num: 11, Den: 10}},
	} {
		_, err := NewATE(c)
		require.ErrorContains(t, err, "Config."+field+" ")
	}
}

func TestZeroAllocATE(t *testing.T) {
	a := newATE(t, 1000)
	require.Zero(t, testing.AllocsPerRun(100, func() {
		a.Sent(100)
		layer, _ := a.First(15)
		a.Path(15, layer)
		a.Arrived(100)
	}))
}
