package workload

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/prng"
)

// The means of the whole published tables. "Stated" is the mean that Homa's and Pyrrha's simulators
// use to turn a load into a rate; it counts every interval at its upper size, which for the coarse
// upper end of the Hadoop table is 4.9 % more than the linear interpolation with which flows are
// drawn.
func TestMeansAgainstPublishedTables(t *testing.T) {
	for _, c := range []struct {
		d              *Distribution
		linear, stated float64
		percent        float64 // tolerance for stated; 0: there is none
	}{
		{WebSearch, 1_711_250, 0, 0},
		{WebServer, 62_228.78, 62_874.27, 1},
		{Hadoop, 121_848.96, 127_796.6, 4.9},
		{CacheFollower, 686_866.12, 692_975.6, 1},
		{AlibabaStorage, 40_869.8, 0, 0},
		{MemcachedETC, 185.09, 185.0, 1},
	} {
		require.InEpsilon(t, c.linear, c.d.Mean(), 0.01, c.d.Name())
		if c.stated > 0 {
			require.InEpsilon(t, c.stated, c.d.Mean(), c.percent/100, c.d.Name())
		}
		require.LessOrEqual(t, len(c.d.points), 25, c.d.Name())
		require.NotEmpty(t, c.d.Source())
	}
}

// What is drawn has the mean that load is computed with. A heavy tail makes a million draws noisy,
// so the draws are spread evenly over the quantiles.
func TestQuantilesHaveTheMean(t *testing.T) {
	for _, d := range Distributions() {
		const n = 1 << 20
		sum := 0.0
		for i := range uint64(n) {
			sum += float64(d.Quantile(i<<44 + 1<<43))
		}
		require.InEpsilon(t, d.Mean(), sum/n, 1e-3, d.Name())
	}
}

func TestQuantileIsMonotoneAndInRange(t *testing.T) {
	for _, d := range Distributions() {
		t.Run(d.Name(), func(t *testing.T) {
			largest := d.points[len(d.points)-1].Size
			if d.tail != nil {
				largest = d.tail.limit
			}
			require.Equal(t, d.points[0].Size, d.Quantile(0))
			require.Equal(t, largest, d.Quantile(math.MaxUint64))
			rapid.Check(t, func(t *rapid.T) {
				a, b := rapid.Uint64().Draw(t, "a"), rapid.Uint64().Draw(t, "b")
				small, large := d.Quantile(min(a, b)), d.Quantile(max(a, b))
				require.LessOrEqual(t, small, large)
				require.GreaterOrEqual(t, small, sluice.Bytes(1))
				require.LessOrEqual(t, large, largest)
			})
		})
	}
}

// Between points the quantile is a straight line, to the byte.
func TestQuantileInterpolates(t *testing.T) {
	d, err := NewDistribution("line", "", []Point{{100, 250_000}, {100, 500_000}, {301, 1_000_000}})
	require.NoError(t, err)
	quarter := uint64(1) << 62
	require.Equal(t, sluice.Bytes(100), d.Quantile(0))
	require.Equal(t, sluice.Bytes(100), d.Quantile(quarter-1))
	require.Equal(t, sluice.Bytes(100), d.Quantile(2*quarter))
	require.Equal(t, sluice.Bytes(201), d.Quantile(3*quarter), "100 + 201/2 = 200.5, rounded up")
	require.Equal(t, sluice.Bytes(301), d.Quantile(math.MaxUint64))
	require.Equal(t, 0.5*100+0.5*200.5, d.Mean())
}

// Atikoglu et al., section 5: values longer than Table 5's follow a generalized Pareto distribution
// with theta 0, sigma 214.476 and k 0.348238; it has the mass that the table leaves.
func TestMemcachedTail(t *testing.T) {
	const sigma, k, share = 214.476, 0.348238, 0.53
	tail := MemcachedETC.tail
	for i := range uint64(1000) {
		u := i << 54
		want := min(15+sigma/k*(math.Pow(1-float64(u)/0x1p64, -k)-1), 1e6)
		require.InDelta(t, want, float64(tail.quantile(u)), 0.5+1e-6*want, "u = %d/1024", i)
	}
	mean := 15 + sigma/(1-k)*(1-math.Pow(1+k*(1e6-15)/sigma, 1-1/k))
	got, _ := tail.mean.Float64()
	require.InEpsilon(t, mean, got, 1e-8)

	// One flow in a thousand of the tail is above 6,226 bytes.
	random := prng.New(3)
	above, long := 0, 0
	const n = 1_000_000
	for range n {
		size := MemcachedETC.Sample(&random)
		if size > 15 {
			long++
		}
		if size > 6226 {
			above++
		}
	}
	require.InDelta(t, share*n, long, 4*math.Sqrt(n*share))
	require.InDelta(t, share*n/1000, above, 4*math.Sqrt(share*n/1000))
}

func TestMemcachedTable(t *testing.T) {
	// Table 5: two bytes, 17.82 %; eleven bytes, 8.989 %.
	counts := map[sluice.Bytes]int{}
	const n = 1 << 20
	for i := range uint64(n) {
		counts[MemcachedETC.Quantile(i<<44+1<<43)]++
	}
	require.InDelta(t, 0.1782*n, counts[2], 2)
	require.InDelta(t, 0.08989*n, counts[11], 2)
}

func TestNewDistributionNamesThePoint(t *testing.T) {
	for want, points := range map[string][]Point{
		"workload: Points = []: must not be empty": nil,
		"workload: Points[1] = {4294967297B 1000000}: the size must be 1 to 4294967296": {
			{1, 0}, {MaxSize + 1, million},
		},
		"workload: Points[1] = {4B 1000000}: the size must not be below the size of the point before": {
			{5, 0}, {4, million},
		},
		"workload: Points[1] = {6B 400000}: the number per million must not be below the " +
			"number of the point before": {
			{5, 500_000}, {6, 400_000},
		},
		"workload: Points[1] = {6B 999999}: the last point must have 1000000 per million": {
			{5, 500_000}, {6, 999_999},
		},
	} {
		_, err := NewDistribution("d", "", points)
		require.EqualError(t, err, want)
	}
}

func TestNewDistributionCopiesItsPoints(t *testing.T) {
	points := []Point{{10, 0}, {20, million}}
	d, err := NewDistribution("d", "", points)
	require.NoError(t, err)
	points[1].Size = 5
	require.Equal(t, sluice.Bytes(20), d.Quantile(math.MaxUint64))
}

func TestDistributionByName(t *testing.T) {
	for _, d := range Distributions() {
		found, err := DistributionByName(d.Name())
		require.NoError(t, err)
		require.Same(t, d, found)
	}
	_, err := DistributionByName("gpt")
	require.EqualError(
		t, err,
		`workload: no distribution is called "gpt"; `+
			`there are websearch, webserver, hadoop, memcached, cachefollower, storage, edu1, edu2`,
	)
}

func BenchmarkSample(b *testing.B) {
	for _, d := range Distributions() {
		b.Run(d.Name(), func(b *testing.B) {
			random := prng.New(1)
			for b.Loop() {
				d.Sample(&random)
			}
		})
	}
}
