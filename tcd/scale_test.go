package tcd

import (
	"math"
	"math/big"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/sluicefc/sluice"
)

// max(T_on) is computed exactly, from products of more than 128 bits, and is Never beyond the range
// of time: against arithmetic without bounds.
func TestScaleIsExact(t *testing.T) {
	check := func(t require.TestingT, hi, lo, num, den1, den2 uint64) {
		want := new(big.Int).SetUint64(hi)
		want.Lsh(want, 64).Add(want, new(big.Int).SetUint64(lo))
		want.Mul(want, new(big.Int).SetUint64(num))
		want.Quo(want, new(big.Int).SetUint64(den1)).Quo(want, new(big.Int).SetUint64(den2))
		if !want.IsInt64() {
			want.SetInt64(math.MaxInt64)
		}
		require.Equal(
			t, sluice.Time(want.Int64()), scale(hi, lo, num, den1, den2), "(%d,%d)*%d/%d/%d", hi, lo, num,
			den1, den2,
		)
	}
	const half = 1 << 63
	check(t, 0, half-1, 1, 1, 1)
	check(t, 0, half, 1, 1, 1)
	check(t, 1, 0, 1, 2, 1)
	check(t, 1, 0, 1, 1<<10, 1)
	check(t, half-1, math.MaxUint64, 1<<21, 1<<40, 1<<62)
	check(t, half-1, math.MaxUint64, 1<<21, math.MaxUint64, math.MaxUint64)
	check(t, 1<<43, 5, 1<<21, 1, 1) // the high word alone is not 0
	check(t, 1<<43, 5, 1<<21, 3, 1)
	check(t, 1<<43-1, math.MaxUint64, 1<<21, 1<<20, 1<<60)
	check(t, 0x5555555555555555, math.MaxUint64, 3, half, 1<<5) // the carry makes the high word
	rapid.Check(t, func(t *rapid.T) {
		word := rapid.Custom(func(t *rapid.T) uint64 {
			return rapid.Uint64().Draw(t, "word") >> rapid.IntRange(0, 63).Draw(t, "shift")
		})
		check(t, word.Draw(t, "hi")/2, word.Draw(t, "lo"), word.Draw(t, "num")>>43,
			max(1, word.Draw(t, "den1")), max(1, word.Draw(t, "den2")))
	})
}
