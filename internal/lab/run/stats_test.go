package run

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestSummary(t *testing.T) {
	require.Nil(t, summarise(nil))
	var values []float64
	for i := 101; i >= 1; i-- {
		values = append(values, float64(i))
	}
	// Of 1, 2, ..., 101 the p-th percentile is p+1; between values it is interpolated.
	require.Equal(t, &Summary{Mean: 51, P50: 51, P95: 96, P99: 100, P999: 100.9, Max: 101},
		summarise(values))
	require.Equal(
		t, &Summary{Mean: 1.5, P50: 1.5, P95: 1.95, P99: 1.99, P999: 1.999, Max: 2},
		summarise([]float64{2, 1}),
	)
	require.Equal(t, &Summary{Mean: 3, P50: 3, P95: 3, P99: 3, P999: 3, Max: 3},
		summarise([]float64{3}))
}

// TestWilson: Wilson's interval of published examples (Newcombe 1998, table I: 81 of 263, 15 of
// 148, 0 of 20, 1 of 29, method 3).
func TestWilson(t *testing.T) {
	for _, c := range []struct {
		k, n      int
		low, high float64
	}{
		{81, 263, 0.2553, 0.3662}, {15, 148, 0.0624, 0.1605}, {0, 20, 0, 0.1611}, {1, 29, 0.0061, 0.1718},
	} {
		low, high := Wilson(c.k, c.n)
		require.InDelta(t, c.low, low, 5e-5)
		require.InDelta(t, c.high, high, 5e-5)
		low, high = Wilson(c.n-c.k, c.n)
		require.InDelta(t, 1-c.high, low, 5e-5)
		require.InDelta(t, 1-c.low, high, 5e-5)
	}
	low, high := Wilson(0, 0)
	require.Equal(t, [2]float64{0, 1}, [2]float64{low, high})
}
