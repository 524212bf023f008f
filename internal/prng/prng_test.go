package prng

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

// The first outputs of the published reference implementation for seed 1234567.
func TestKnownSequence(t *testing.T) {
	s := New(1234567)
	for _, want := range []uint64{
		6457827717110365317, 3203168211198807973, 9817491932198370423, 4593380528125082431,
		16408922859458223821,
	} {
		require.Equal(t, want, s.Uint64())
	}
}

func TestBelowIsUniform(t *testing.T) {
	s := New(1)
	const n, draws = 7, 70000
	var counts [n]int
	for range draws {
		counts[s.Below(n)]++
	}
	for value, count := range counts {
		require.InDelta(t, draws/n, count, 5*math.Sqrt(draws/n), "value %d", value)
	}
	require.Zero(t, s.Below(0))
}

func TestFloat64Range(t *testing.T) {
	s := New(2)
	sum := 0.0
	for range 10000 {
		f := s.Float64()
		require.GreaterOrEqual(t, f, 0.0)
		require.Less(t, f, 1.0)
		sum += f
	}
	require.InDelta(t, 0.5, sum/10000, 0.02)
}

// TestShuffleIsUniform: each order of a list is as probable as any other.
func TestShuffleIsUniform(t *testing.T) {
	source, counts := New(1), map[[3]int]int{}
	const of = 60_000
	for range of {
		list := [3]int{0, 1, 2}
		Shuffle(&source, list[:])
		counts[list]++
	}
	require.Len(t, counts, 6)
	for order, n := range counts {
		require.InEpsilon(t, of/6, n, 0.05, order)
	}
}
