package workload

import (
	"math"
	"math/big"
	"math/bits"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/sluicefc/sluice/internal/prng"
)

// referenceNegLog is -ln(u / 2^64); near 1 the quotient would lose the digits that matter.
func referenceNegLog(u uint64) float64 {
	if u >= 1<<63 {
		return -math.Log1p(-float64(-u) / 0x1p64)
	}
	return 64*math.Ln2 - math.Log(float64(u))
}

func TestNegLog(t *testing.T) {
	check := func(t require.TestingT, u uint64) {
		want := referenceNegLog(max(u, 1))
		got := float64(negLog(u)) / 0x1p57
		require.InDelta(t, want, got, 1e-14, "u = %#x", u)
		require.InEpsilon(t, 1+want, 1+got, 1e-9, "u = %#x", u)
	}
	for shift := range 64 {
		u := uint64(1) << shift
		for _, u := range []uint64{u, u + 1, u - 1, u | u>>1, -u} {
			check(t, u)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		check(t, rapid.Uint64().Draw(t, "u")>>rapid.IntRange(0, 63).Draw(t, "shift"))
	})
}

// Larger draws give shorter gaps: no step back anywhere a step could hide.
func TestNegLogIsMonotone(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		u := rapid.Uint64Range(1, math.MaxUint64).Draw(t, "u")
		step := uint64(1) << rapid.IntRange(8, 60).Draw(t, "step")
		if u+step < u {
			return
		}
		require.GreaterOrEqual(t, negLog(u), negLog(u+step))
	})
}

func TestExp(t *testing.T) {
	check := func(t require.TestingT, y int64) {
		mantissa, exponent := exp(y)
		require.GreaterOrEqual(t, mantissa, uint64(1)<<63)
		got := math.Ldexp(float64(mantissa)/0x1p63, exponent)
		require.InEpsilon(t, math.Exp(float64(y)/0x1p52), got, 1e-12, "y = %d", y)
	}
	for _, y := range []int64{
		0, 1, -1, ln2In52, ln2In52 - 1, ln2In52 + 1, -ln2In52, 100 << 52, -100 << 52,
	} {
		check(t, y)
	}
	rapid.Check(t, func(t *rapid.T) { check(t, rapid.Int64Range(-200<<52, 200<<52).Draw(t, "y")) })
}

func TestScale(t *testing.T) {
	limit := new(big.Int).SetUint64(math.MaxUint64)
	rapid.Check(t, func(t *rapid.T) {
		n, mantissa := rapid.Uint64().Draw(
			t, "n",
		), rapid.Uint64Range(1<<63, math.MaxUint64).Draw(t, "mantissa")
		exponent := rapid.IntRange(-140, 140).Draw(t, "exponent")
		want := new(big.Int).Mul(new(big.Int).SetUint64(n), new(big.Int).SetUint64(mantissa))
		if exponent >= 63 {
			want.Lsh(want, uint(exponent-63))
		} else {
			want.Rsh(want, uint(63-exponent))
		}
		if want.Cmp(limit) > 0 {
			want = limit
		}
		require.Equal(t, want.Uint64(), scale(n, mantissa, exponent))
	})
}

func TestSquareRoot(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		root := rapid.Uint64().Draw(t, "root") >> rapid.IntRange(0, 63).Draw(t, "shift")
		hi, lo := bits.Mul64(root, root)
		require.Equal(t, root, squareRoot(hi, lo))
		lo, carry := bits.Add64(lo, 2*root&math.MaxUint64, 0)
		hi += carry + root>>63 // the largest number with this root
		require.Equal(t, root, squareRoot(hi, lo))
	})
}

func TestExponentialDeviates(t *testing.T) {
	random := prng.New(1)
	values := make([]float64, 100_000)
	for i := range values {
		values[i] = float64(negLog(random.Uint64())) / 0x1p57
	}
	m := moments(values)
	require.InDelta(t, 1, m[0], 0.01)
	require.InDelta(t, 1, math.Sqrt(m[1]), 0.02)
	requireDistribution(t, values, func(x float64) float64 { return -math.Expm1(-x) })
}

func TestNormalDeviates(t *testing.T) {
	random := prng.New(1)
	values := make([]float64, 100_000)
	for i := range values {
		values[i] = float64(normal(&random)) / 0x1p52
	}
	m := moments(values)
	require.InDelta(t, 0, m[0], 0.01)
	require.InDelta(t, 1, math.Sqrt(m[1]), 0.01)
	require.InDelta(t, 0, m[2]/math.Pow(m[1], 1.5), 0.03, "skewness")
	require.InDelta(t, 3, m[3]/(m[1]*m[1]), 0.06, "kurtosis")
	requireDistribution(t, values, func(x float64) float64 { return math.Erfc(-x/math.Sqrt2) / 2 })
}

// moments returns the mean of values, and the second to fourth moments about it.
func moments(values []float64) (m [4]float64) {
	for _, v := range values {
		m[0] += v / float64(len(values))
	}
	for _, v := range values {
		for i := 1; i < len(m); i++ {
			m[i] += math.Pow(v-m[0], float64(i+1)) / float64(len(values))
		}
	}
	return m
}

// The polar method in floating point, from the same draws, is the reference for each value.
func TestNormalAgainstFloatingPoint(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		seed := rapid.Uint64().Draw(t, "seed")
		fixed, float := prng.New(seed), prng.New(seed)
		var want float64
		for {
			x, y := float64(int64(float.Uint64()))/0x1p63, float64(int64(float.Uint64()))/0x1p63
			if s := x*x + y*y; s > 0 && s < 1 {
				want = x * math.Sqrt(-2*math.Log(s)/s)
				break
			}
		}
		require.InDelta(t, want, float64(normal(&fixed))/0x1p52, 1e-9)
		require.Equal(t, float, fixed, "as many draws")
	})
}

// requireDistribution is the Kolmogorov-Smirnov test at one in a thousand; the seeds are fixed.
func requireDistribution(t *testing.T, values []float64, cdf func(float64) float64) {
	t.Helper()
	slices.Sort(values)
	distance := 0.0
	n := float64(len(values))
	for i, v := range values {
		distance = max(distance, math.Abs(cdf(v)-float64(i)/n), math.Abs(cdf(v)-float64(i+1)/n))
	}
	require.Less(t, distance, 1.95/math.Sqrt(n))
}
