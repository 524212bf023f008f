package marking

import (
	"math"
	"math/big"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/prng"
)

// TestAgainstFractions compares the decision and the number of draws with the rule in exact
// fractions.
func TestAgainstFractions(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		kMin := rapid.Int64Range(0, 1<<42).Draw(t, "KMin")
		kMax := rapid.Int64Range(max(1, kMin), 1<<42).Draw(t, "KMax")
		den := rapid.Int64Range(1, sluice.MaxRatio).Draw(t, "Den")
		m := sluice.Marking{
			KMin: sluice.Bytes(kMin), KMax: sluice.Bytes(kMax),
			PMax: sluice.Ratio{Num: rapid.Int64Range(1, den).Draw(t, "Num"), Den: den},
		}
		require.Nil(t, m.Check())
		q := rapid.OneOf(rapid.Int64Range(kMin, kMax), rapid.Int64Range(0, 1<<43),
			rapid.SampledFrom([]int64{0, kMin, kMin + 1, kMax, kMax + 1})).Draw(t, "q")
		seed := rapid.Uint64().Draw(t, "seed")
		random, draws := prng.New(seed), prng.New(seed)

		r := New(m)
		got := r.Congested(q, &random)

		want := q > kMax
		if kMin < q && q <= kMax {
			// A draw is a number in [0, 1) with 64 bits; marked if, in units of 1/span, its whole
			// part is below q's.
			p := new(big.Rat).SetFrac64(q-kMin, kMax-kMin)
			p.Mul(p, new(big.Rat).SetFrac64(m.PMax.Num, m.PMax.Den))
			whole := new(big.Int).Lsh(big.NewInt(1), 64)
			draw := new(big.Rat).SetFrac(new(big.Int).SetUint64(draws.Uint64()), whole)
			want = draw.Cmp(p) < 0
		}
		require.Equal(t, want, got)
		require.Equal(t, draws, random, "one draw on the ramp, none elsewhere")
		require.Equal(t, q > r.Above(), q > kMin)
	})
}

// TestCodePoints: RFC 3168, section 5: a packet that is not ECN-capable is not marked CE; CE stays.
func TestCodePoints(t *testing.T) {
	r := New(sluice.Marking{KMin: 10, KMax: 20, PMax: sluice.Ratio{Num: 1, Den: 1}})
	random := prng.New(1)
	for ecn, want := range map[sluice.ECN]sluice.ECN{
		sluice.NotECT: sluice.NotECT, sluice.ECT1: sluice.CE, sluice.ECT0: sluice.CE,
		sluice.CE: sluice.CE, 4: 4,
	} {
		require.Equal(t, want, r.Mark(ecn, 21, &random))
		require.Equal(t, ecn, r.Mark(ecn, 10, &random))
	}
	require.Equal(t, sluice.NotECT, r.Mark(sluice.NotECT, 15, &random))
	require.Equal(t, sluice.CE, r.Mark(sluice.CE, 15, &random))
	require.Equal(t, prng.New(1), random, "no draw for what cannot be marked")
}

// TestMiddleOfTheShortestRamp: one of two numbers marks.
func TestMiddleOfTheShortestRamp(t *testing.T) {
	r := New(sluice.Marking{KMin: 10, KMax: 12, PMax: sluice.Ratio{Num: 1, Den: 1}})
	random := prng.New(1)
	marked := 0
	for range 1000 {
		if r.Congested(11, &random) {
			marked++
		}
	}
	require.InDelta(t, 500, marked, 80)
}

func TestOff(t *testing.T) {
	r := New(sluice.Marking{})
	random := prng.New(1)
	require.False(t, r.Congested(math.MaxInt64, &random))
	require.Equal(t, int64(math.MaxInt64), r.Above())
}
