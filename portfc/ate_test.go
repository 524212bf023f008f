package portfc

import (
	"math"
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

// From p B_H bytes in flight on, the weight is p B_H over these bytes (Algorithm 5, lines 4 and 5):
// it is set, not multiplied, and does not depend on the number of flows that find it so.
func TestLine5SetsTheWeight(t *testing.T) {
	a := newATE(t, 1_000_000)
	a.Sent(2 * 900_000) // T^H = 2 p B_H
	for range 10 {
		a.First(15)
		require.Equal(t, WeightOne/2, a.Weight(15))
	}
	require.Equal(t, WeightOne, a.Weight(14), "of each destination its own")
	a.Sent(2 * 900_000)
	a.First(15)
	require.Equal(t, WeightOne/4, a.Weight(15))
}

// Traffic overflows to the other domain once p B_H bytes or more are in flight (section III-E).
// Below that nothing overflows, and all traffic may take the high-bandwidth domain again. Line 4's
// test leaves the weight as it was: after a burst that ends at a lower weight, some traffic would
// take the detour for good.
func TestBelowThresholdTheWeightIsOne(t *testing.T) {
	for _, inFlight := range []sluice.Bytes{1, 899_999, 900_000} {
		a := newATE(t, 1_000_000)
		a.Sent(9_000_000)
		a.First(15)
		require.Equal(t, WeightOne/10, a.Weight(15))
		a.Arrived(9_000_000 - inFlight)
		a.First(15)
		require.Equal(t, WeightOne, a.Weight(15))
	}
}

// A target that rounds down to nothing is a byte: the weight falls with what is in flight, and is
// not zero from the first byte on.
func TestTheLeastTarget(t *testing.T) {
	a := newATE(t, 1) // p B_H is 9/10
	a.Sent(1)
	a.First(15)
	require.Equal(t, WeightOne, a.Weight(15))
	a.Sent(3)
	a.First(15)
	require.Equal(t, WeightOne/4, a.Weight(15))
}

// With no byte in flight the weight stays as it was (section III-F).
func TestWithNothingInFlightTheWeightIsKept(t *testing.T) {
	a := newATE(t, 1000)
	a.Sent(1 << 39)
	a.First(15)
	before := a.Weight(15)
	require.EqualValues(t, 900*uint64(WeightOne)>>39, before)
	a.Arrived(1 << 39)
	a.First(15)
	require.Equal(t, before, a.Weight(15))
}

// What is in flight is the sum of many draws: bytes follow the weight slowly, each flow a small
// part of them. If flows are offered so that D bytes are in flight by either domain, w D of them by
// the high-bandwidth domain, then w = p B_H / (w D): it rests at the square root of p B_H / D.
func TestWeightRestsBesideWhatIsInFlight(t *testing.T) {
	const flows, size = 400, 10_000 // in flight at once: 4 MB
	a := newATE(t, 1_000_000)
	var byHBD [flows]bool
	weight := 0.0
	for i := range 20 * flows {
		if byHBD[i%flows] {
			a.Arrived(size)
		}
		layer, ok := a.First(15)
		require.True(t, ok)
		if byHBD[i%flows] = layer == HBD; byHBD[i%flows] {
			a.Sent(size)
		}
		if i >= 10*flows {
			weight += float64(a.Weight(15)) / float64(WeightOne) / (10 * flows)
		}
	}
	require.InEpsilon(t, math.Sqrt(900_000./(flows*size)), weight, 0.05)
}

// The share is exact: rounded down once, whatever the terms, and at most one.
func TestWeightIsExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		capacity := rapid.Int64Range(2, maxCapacity).Draw(t, "capacity")
		inFlight := rapid.Int64Range(1, maxCapacity).Draw(t, "in flight")
		a := newATE(t, sluice.Bytes(capacity))
		a.Sent(sluice.Bytes(inFlight))
		a.First(15)
		want := big.NewInt(capacity * 9 / 10)
		want.Div(want.Mul(want, big.NewInt(int64(WeightOne))), big.NewInt(inFlight))
		limited := int64(WeightOne)
		if want.IsInt64() {
			limited = min(want.Int64(), limited)
		}
		require.EqualValues(t, limited, a.Weight(15))
	})
}

// ATE chooses the first hop alone (section III-E): by the weights, seeded, and only where both
// domains are on shortest routes.
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
	next := a.random // a weight of w units wins the draws 0 to w-1
	draw := Weight(next.Below(uint64(WeightOne)))
	for i, want := range []int{ND, HBD} {
		c := *a
		c.weights[15] = draw + Weight(i)
		layer, _ := c.First(15)
		require.Equal(t, want, layer)
	}
	for dst, want := range map[sluice.SwitchID]int{3: HBD, 12: ND} {
		a.weights[dst] = 0
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
		layer, ok := a.First(dst)
		require.False(t, ok)
		require.Zero(t, layer)
	}
	a.Sent(-1)
	a.Sent(maxCapacity + 1)
	a.Sent(10)
	a.Arrived(11)
	require.Zero(t, a.InFlight())
	a.Arrived(-1)
	require.EqualValues(t, 6, a.Misuses())
	require.Zero(t, a.Weight(16))
	a.Sent(maxCapacity)
	a.Sent(1)
	require.EqualValues(t, 7, a.Misuses())
	require.EqualValues(t, sluice.Bytes(maxCapacity), a.InFlight())
	a.Sent(0)
	a.Arrived(0)
	a.Arrived(maxCapacity)
	require.EqualValues(t, 7, a.Misuses(), "no bytes, and all of them, are no misuse")
	for _, way := range []struct {
		dst   sluice.SwitchID
		layer int
	}{{0, HBD}, {16, HBD}, {3, ND}, {15, -1}, {15, 2}} {
		_, ok := a.Path(way.dst, way.layer)
		require.False(t, ok, "%+v", way)
	}
	share := func(num, den int64) ATEConfig {
		utilisation := sluice.Ratio{Num: num, Den: den}
		return ATEConfig{Network: railOnly, Capacity: 1, Utilisation: utilisation}
	}
	_, err := NewATE(share(1, 1))
	require.NoError(t, err)
	for _, row := range []struct {
		field string
		ATEConfig
	}{
		{"Network", ATEConfig{Network: NDC{4, 2}, Capacity: 1}},
		{"Network", ATEConfig{Network: NDC{1, 1}, Capacity: 1}},
		{"Network", ATEConfig{Network: NDC{4, math.MaxInt - 1}, Capacity: 1}},
		{"Node", ATEConfig{Network: railOnly, Node: 16, Capacity: 1}},
		{"Capacity", ATEConfig{Network: railOnly}},
		{"Utilisation", share(11, 10)},
		{"Utilisation", share(-1, 1)},
	} {
		_, err := NewATE(row.ATEConfig)
		require.ErrorContains(t, err, "Config."+row.field+" ")
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
