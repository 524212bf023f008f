package workload_test

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/topo"
	"github.com/sluicefc/sluice/internal/lab/workload"
)

func sized(
	t testing.TB, c workload.TrafficConfig, d *workload.Distribution,
) func() ([]workload.Flow, error) {
	c.Sizes = d
	return func() ([]workload.Flow, error) { return workload.Poisson(pyrrhaNetwork(t), c) }
}

func TestPoissonLoad(t *testing.T) {
	g := pyrrhaNetwork(t)
	c := pyrrhaTraffic()
	c.Sizes, c.Duration = workload.MemcachedETC, 20*sluice.Microsecond
	flows, err := workload.Poisson(g, c)
	require.NoError(t, err)
	require.NoError(t, workload.CheckFlows(g, flows))
	// 159 sources of 100 Gb/s at 0.8, 185.09 B a flow.
	want := 0.8 * 159 * 100e9 / 8 * 20e-6 / workload.MemcachedETC.Mean()
	require.InDelta(t, want, len(flows), 4*math.Sqrt(want))
	var bytes sluice.Bytes
	for _, f := range flows {
		bytes += f.Bytes
		if f.Src == 0 || f.Dst == 0 || g.Nodes[f.Src].Rack == g.Nodes[f.Dst].Rack ||
			f.Start < c.Start || f.Start >= c.Start+c.Duration || f.Class != 3 || f.DstPort != 100 {
			t.Fatalf("a flow outside the configuration: %+v", f)
		}
	}
	require.InEpsilon(t, 0.8*159*100e9/8*20e-6, float64(bytes), 0.03)
	require.True(
		t, slices.IsSortedFunc(flows, func(a, b workload.Flow) int { return int(a.Start - b.Start) }),
	)
}

// The reference run's own list: 5,922 flows over 0.9 ms, the pairs drawn uniformly among other
// racks. Ours at the load that its bytes amount to looks the same.
func TestPoissonResemblesTheReferenceList(t *testing.T) {
	g, reference := readReference(t)
	reference = slices.DeleteFunc(reference, func(f workload.Flow) bool { return f.Dst == 0 })
	c := pyrrhaTraffic()
	c.LoadPerMille, c.Duration = 208, 900*sluice.Microsecond
	flows, err := workload.Poisson(g, c)
	require.NoError(t, err)
	require.InDelta(t, len(reference), len(flows), 4*math.Sqrt(2*5922))
	sizes := func(flows []workload.Flow) []float64 {
		values := make([]float64, len(flows))
		for i := range flows {
			values[i] = float64(flows[i].Bytes)
		}
		slices.Sort(values)
		return values
	}
	theirs, ours := sizes(reference), sizes(flows)
	n := float64(min(len(ours), len(theirs)))
	require.Less(t, farthest(ours, theirs), 1.95*math.Sqrt(2/n))
	for _, f := range reference {
		require.NotZero(t, f.Src)
		require.NotEqual(t, g.Nodes[f.Src].Rack, g.Nodes[f.Dst].Rack)
	}
}

// farthest returns how far the distributions of two samples, sorted, are from each other at most:
// the statistic of Kolmogorov and Smirnov.
func farthest(a, b []float64) (distance float64) {
	below := func(sample []float64, x float64) float64 {
		n, _ := slices.BinarySearchFunc(sample, x, func(v, x float64) int {
			if v <= x {
				return -1
			}
			return 1
		})
		return float64(n) / float64(len(sample))
	}
	for _, x := range slices.Concat(a, b) {
		distance = max(distance, math.Abs(below(a, x)-below(b, x)))
	}
	return distance
}

// spread returns the mean of values and their standard deviation.
func spread(values []float64) (mean, deviation float64) {
	for _, v := range values {
		mean += v / float64(len(values))
	}
	for _, v := range values {
		deviation += (v - mean) * (v - mean) / float64(len(values))
	}
	return mean, math.Sqrt(deviation)
}

func gaps(flows []workload.Flow) []float64 {
	values := make([]float64, len(flows)-1)
	for i := range values {
		values[i] = float64(flows[i+1].Start - flows[i].Start)
	}
	return values
}

func TestPoissonGaps(t *testing.T) {
	c := bfcTraffic()
	c.Duration, c.Flows = 0, 50_000
	flows, err := workload.Poisson(bfcNetwork(t), c)
	require.NoError(t, err)
	require.Len(t, flows, 50_000)
	mean := workload.AlibabaStorage.Mean() * 8 / (0.6 * 64 * 100e9) * 1e12 // ps
	got, deviation := spread(gaps(flows))
	require.InEpsilon(t, mean, got, 0.02)
	require.InEpsilon(t, mean, deviation, 0.03)
}

func TestLogNormalGaps(t *testing.T) {
	c := bfcTraffic()
	c.Duration, c.Flows = 0, 200_000
	flows, err := workload.LogNormal(bfcNetwork(t), c, 2000)
	require.NoError(t, err)
	mean := workload.AlibabaStorage.Mean() * 8 / (0.6 * 64 * 100e9) * 1e12 // ps
	// The logarithm is normal with deviation 2 and mean ln(mean) - 2; gaps of less than a few
	// picoseconds are rounded, so compare quantiles.
	values := gaps(flows)
	slices.Sort(values)
	for p, z := range map[float64]float64{
		0.1: -1.2816, 0.25: -0.6745, 0.5: 0, 0.75: 0.6745, 0.9: 1.2816, 0.99: 2.3263,
	} {
		want := mean * math.Exp(2*z-2)
		require.InEpsilon(t, want, values[int(p*float64(len(values)))], 0.03, "quantile %v", p)
	}
	got, _ := spread(values)
	require.InEpsilon(t, mean, got, 0.1)

	// With a small sigma the gaps are nearly alike.
	flows, err = workload.LogNormal(bfcNetwork(t), c, 10)
	require.NoError(t, err)
	got, deviation := spread(gaps(flows))
	require.InEpsilon(t, mean, got, 1e-3)
	require.InEpsilon(t, 0.01*mean, deviation, 0.02)
}

// fixed is the distribution whose every draw is size.
func fixed(t testing.TB, size sluice.Bytes) *workload.Distribution {
	t.Helper()
	point := workload.Point{Size: size, PerMillion: 1_000_000}
	d, err := workload.NewDistribution("fixed", "", []workload.Point{point})
	require.NoError(t, err)
	return d
}

// With another distribution and the same rate of flows, the same hosts talk at the same times.
func TestStreamsAreSeparate(t *testing.T) {
	g := pyrrhaNetwork(t)
	c := pyrrhaTraffic()
	c.Duration, c.Flows = 0, 1000
	big, small := fixed(t, 1000), fixed(t, 500)
	c.Sizes, c.LoadPerMille = big, 800
	a, err := workload.Poisson(g, c)
	require.NoError(t, err)
	c.Sizes, c.LoadPerMille = small, 400
	b, err := workload.Poisson(g, c)
	require.NoError(t, err)
	for i := range b {
		b[i].Bytes *= 2
	}
	require.Equal(t, a, b)
	c.Seed++
	d, err := workload.Poisson(g, c)
	require.NoError(t, err)
	require.NotEqual(t, a[0].Start, d[0].Start)
}

// Every pair that the rules allow is equally likely, and no other is drawn; against the list of all
// such pairs.
func TestPairsAreUniform(t *testing.T) {
	g, err := topo.LeafSpine(topo.LeafSpineConfig{
		Racks: 3, Spines: 1, HostsPerRack: 3, HostLink: link100, Uplink: link100,
	})
	require.NoError(t, err)
	sizes := fixed(t, 1000)
	hosts := rapid.Permutation(g.Hosts())
	rapid.Check(t, func(t *rapid.T) {
		subset := func(name string) []sluice.SwitchID {
			if rapid.Bool().Draw(t, "all "+name) {
				return nil
			}
			return hosts.Draw(t, name)[:rapid.IntRange(1, 9).Draw(t, "number of "+name)]
		}
		c := workload.TrafficConfig{
			Seed: 7, Sizes: sizes, LoadPerMille: 100, Flows: 3000,
			Sources: subset("sources"), Destinations: subset("destinations"),
			Exclude: hosts.Draw(t, "exclude")[:rapid.IntRange(0, 2).Draw(t, "excluded")],
			Racks:   workload.RackRule(rapid.IntRange(0, 2).Draw(t, "racks")),
		}
		allowed := allowedPairs(g, &c)
		flows, err := workload.Poisson(g, c)
		if err != nil {
			var config *sluice.ConfigError
			require.ErrorAs(t, err, &config)
			require.True(t, slices.ContainsFunc(allowed, func(a []sluice.SwitchID) bool {
				return len(a) == 0
			}) || len(allowed) == 0,
				"refused: %v", err)
			return
		}
		counts := map[[2]sluice.SwitchID]int{}
		for _, f := range flows {
			counts[[2]sluice.SwitchID{f.Src, f.Dst}]++
		}
		pairs := 0
		for src, destinations := range allowed {
			for _, dst := range destinations {
				pairs++
				want := 3000 / float64(countSources(allowed)) / float64(len(destinations))
				got := counts[[2]sluice.SwitchID{sluice.SwitchID(src), dst}]
				require.InDelta(t, want, got, 7*math.Sqrt(want)+2, "%d to %d", src, dst)
			}
		}
		require.LessOrEqual(t, len(counts), pairs, "a pair outside the rules")
	})
}

// allowedPairs lists, for every host that may send, whom it may send to; nil for a host that may
// not send.
func allowedPairs(g *topo.Graph, c *workload.TrafficConfig) [][]sluice.SwitchID {
	in := func(list []sluice.SwitchID, h sluice.SwitchID) bool {
		return list == nil || slices.Contains(list, h)
	}
	var allowed [][]sluice.SwitchID
	for _, src := range g.Hosts() {
		allowed = append(allowed, nil)
		if !in(c.Sources, src) || slices.Contains(c.Exclude, src) {
			continue
		}
		allowed[src] = []sluice.SwitchID{}
		for _, dst := range g.Hosts() {
			sameRack := g.Nodes[src].Rack == g.Nodes[dst].Rack
			rule := c.Racks == workload.AnyRack || sameRack == (c.Racks == workload.SameRack)
			if src != dst && in(c.Destinations, dst) && !slices.Contains(c.Exclude, dst) && rule {
				allowed[src] = append(allowed[src], dst)
			}
		}
	}
	return allowed
}

func countSources(allowed [][]sluice.SwitchID) int {
	n := 0
	for _, destinations := range allowed {
		if destinations != nil {
			n++
		}
	}
	return n
}
