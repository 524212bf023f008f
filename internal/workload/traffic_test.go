package workload_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/stat"
	"pgregory.net/rapid"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/topo"
	"github.com/sluicefc/sluice/internal/workload"
)

var link100 = sluice.Link{Rate: 100 * sluice.Gbps, Delay: 600 * sluice.Nanosecond}

func pyrrhaNetwork(t testing.TB) *topo.Graph {
	t.Helper()
	g, err := topo.LeafSpine(topo.LeafSpineConfig{
		Racks: 10, Spines: 4, HostsPerRack: 16, HostLink: link100,
		Uplink: sluice.Link{Rate: 400 * sluice.Gbps, Delay: 600 * sluice.Nanosecond},
	})
	require.NoError(t, err)
	return g
}

// bfcNetwork is that of BFC's authors: 128 hosts, 8 racks, 8 spines, 100 Gb/s, 1 us.
func bfcNetwork(t testing.TB) *topo.Graph {
	t.Helper()
	link := sluice.Link{Rate: 100 * sluice.Gbps, Delay: sluice.Microsecond}
	g, err := topo.LeafSpine(topo.LeafSpineConfig{
		Racks: 8, Spines: 8, HostsPerRack: 16, HostLink: link, Uplink: link,
	})
	require.NoError(t, err)
	return g
}

func pyrrhaTraffic() workload.TrafficConfig {
	return workload.TrafficConfig{
		Seed: 1, Sizes: workload.WebServer, LoadPerMille: 800, Exclude: []sluice.SwitchID{0},
		Racks: workload.OtherRacks, Start: 30 * sluice.Microsecond, Duration: sluice.Millisecond,
		Class: 3,
	}
}

func bfcTraffic() workload.TrafficConfig {
	return workload.TrafficConfig{
		Seed: 1, Sizes: workload.AlibabaStorage, LoadPerMille: 600, Capacity: 64 * 100 * sluice.Gbps,
		Duration: sluice.Millisecond,
	}
}

func digest(t testing.TB, flows []workload.Flow) string {
	t.Helper()
	hash := sha256.New()
	require.NoError(t, workload.WriteFlows(hash, flows))
	for _, f := range flows {
		fmt.Fprintln(hash, f.SrcPort, f.Group)
	}
	return hex.EncodeToString(hash.Sum(nil))
}

// The lists are part of what makes a published figure reproducible: a change of any of these is a
// change of every figure, and has to be meant.
func TestGolden(t *testing.T) {
	small := workload.TrafficConfig{Seed: 42, LoadPerMille: 500, Flows: 2000}
	for _, c := range []struct {
		name, want string
		flows      func() ([]workload.Flow, error)
	}{
		{
			"pyrrha poisson", "c2119d760c853064698887ef36c8afda45ad7e51c9d3c07cf795cb132b0782bf",
			func() ([]workload.Flow, error) { return workload.Poisson(pyrrhaNetwork(t), pyrrhaTraffic()) },
		},
		{
			"bfc lognormal", "14ea5494f620876e805c688bf0b5094d991cbae16745dc8809e14f8025f16a42",
			func() ([]workload.Flow, error) { return workload.LogNormal(bfcNetwork(t), bfcTraffic(), 2000) },
		},
		{
			"pyrrha incast", "1db0a89f30c93f0fcf9c1884fb87273d5d9f3d478a9a6fc7994b774d3e5cd6fa",
			func() ([]workload.Flow, error) {
				return workload.IncastBurst(pyrrhaNetwork(t), pyrrhaIncast())
			},
		},
		{
			"bfc incast", "21ceae035e35213caefcc34689a2923c34ecd7b420f1858587ec7903868ff2d3",
			func() ([]workload.Flow, error) { return workload.PeriodicIncast(bfcNetwork(t), bfcIncast()) },
		},
		{
			"many to one", "4e56b2dafe028877e4e1bb4fe273e702a33f08c343feaa65f472a754790fb615",
			func() ([]workload.Flow, error) { return workload.ManyToOne(pyrrhaNetwork(t), manyToOne()) },
		},
		{
			"websearch", "16bb8e9cf0547c218570d3352887be5f6b918cd15489f953b9f9b821a9f38cfb",
			sized(t, small, workload.WebSearch),
		},
		{
			"webserver", "e49cc2368c95d8874199ac6a2fe978fef9e29694d59d36d297f1c575215001aa",
			sized(t, small, workload.WebServer),
		},
		{
			"hadoop", "5434880c019776821de73ff51d080d86a264159fe8c7d8a136d441bd243087d4",
			sized(t, small, workload.Hadoop),
		},
		{
			"memcached", "4eae84c16004b3d885db46af3c6a3b278ca696c07b1453c451bebc51028ae58b",
			sized(t, small, workload.MemcachedETC),
		},
		{
			"cachefollower", "21ae124cd0cef63fecc4b345dd2098be8d18c57ff425f6d7876528fd13f7c9de",
			sized(t, small, workload.CacheFollower),
		},
		{
			"storage", "70b5d90636de8499d16b4bc8c564d0bfe6e58da1671cc104a3cf6858253bed95",
			sized(t, small, workload.AlibabaStorage),
		},
	} {
		flows, err := c.flows()
		require.NoError(t, err, c.name)
		require.NotEmpty(t, flows)
		require.Equal(t, c.want, digest(t, flows), c.name)
		again, err := c.flows()
		require.NoError(t, err)
		require.Equal(t, flows, again, c.name)
	}
}

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
	require.Less(t, stat.KolmogorovSmirnov(ours, nil, theirs, nil), 1.95*math.Sqrt(2/n))
	for _, f := range reference {
		require.NotZero(t, f.Src)
		require.NotEqual(t, g.Nodes[f.Src].Rack, g.Nodes[f.Dst].Rack)
	}
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
	got, deviation := stat.MeanStdDev(gaps(flows), nil)
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
		require.InEpsilon(t, want, stat.Quantile(p, stat.Empirical, values, nil), 0.03, "quantile %v", p)
	}
	require.InEpsilon(t, mean, stat.Mean(values, nil), 0.1)

	// With a small sigma the gaps are nearly alike.
	flows, err = workload.LogNormal(bfcNetwork(t), c, 10)
	require.NoError(t, err)
	got, deviation := stat.MeanStdDev(gaps(flows), nil)
	require.InEpsilon(t, mean, got, 1e-3)
	require.InEpsilon(t, 0.01*mean, deviation, 0.02)
}

// With another distribution and the same rate of flows, the same hosts talk at the same times.
func TestStreamsAreSeparate(t *testing.T) {
	g := pyrrhaNetwork(t)
	c := pyrrhaTraffic()
	c.Duration, c.Flows = 0, 1000
	big, err := workload.Fixed(1000)
	require.NoError(t, err)
	small, err := workload.Fixed(500)
	require.NoError(t, err)
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
	fixed, err := workload.Fixed(1000)
	require.NoError(t, err)
	hosts := rapid.Permutation(g.Hosts())
	rapid.Check(t, func(t *rapid.T) {
		subset := func(name string) []sluice.SwitchID {
			if rapid.Bool().Draw(t, "all "+name) {
				return nil
			}
			return hosts.Draw(t, name)[:rapid.IntRange(1, 9).Draw(t, "number of "+name)]
		}
		c := workload.TrafficConfig{
			Seed: 7, Sizes: fixed, LoadPerMille: 100, Flows: 3000,
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

// allowedPairs lists, for every host that may send, whom it may send to; nil for those that may not
// send.
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

func TestTrafficConfigErrors(t *testing.T) {
	g := bfcNetwork(t)
	for want, breakIt := range map[string]func(*workload.TrafficConfig){
		"Sizes":           func(c *workload.TrafficConfig) { c.Sizes = nil },
		"LoadPerMille":    func(c *workload.TrafficConfig) { c.LoadPerMille = 0 },
		"Capacity":        func(c *workload.TrafficConfig) { c.Capacity = -1 },
		"Racks":           func(c *workload.TrafficConfig) { c.Racks = 3 },
		"Start":           func(c *workload.TrafficConfig) { c.Start = -1 },
		"Duration":        func(c *workload.TrafficConfig) { c.Duration = 0 },
		"Flows":           func(c *workload.TrafficConfig) { c.Flows = workload.MaxFlows + 1 },
		"Class":           func(c *workload.TrafficConfig) { c.Class = 8 },
		"Sources[0]":      func(c *workload.TrafficConfig) { c.Sources = []sluice.SwitchID{128} },
		"Destinations[1]": func(c *workload.TrafficConfig) { c.Destinations = []sluice.SwitchID{5, 5} },
		"Exclude[0]":      func(c *workload.TrafficConfig) { c.Exclude = []sluice.SwitchID{9999} },
		"Sources": func(c *workload.TrafficConfig) {
			c.Sources, c.Exclude = []sluice.SwitchID{3}, []sluice.SwitchID{3}
		},
		"Destinations": func(c *workload.TrafficConfig) { c.Destinations = []sluice.SwitchID{3} },
	} {
		c := bfcTraffic()
		breakIt(&c)
		requireConfigError(t, want, second(workload.Poisson(g, c)))
	}
	c := bfcTraffic()
	requireConfigError(t, "Graph", second(workload.Poisson(nil, c)))
	requireConfigError(t, "sigma", second(workload.LogNormal(g, c, 0)))
	requireConfigError(t, "sigma", second(workload.LogNormal(g, c, 5001)))
	c.Capacity = 1
	requireConfigError(t, "LoadPerMille", second(workload.Poisson(g, c)), "gaps of hours")
	c.Capacity = math.MaxInt64
	requireConfigError(t, "LoadPerMille", second(workload.Poisson(g, c)), "gaps below a picosecond")
	c.Capacity, c.LoadPerMille, c.Duration, c.Flows = sluice.Mbps, 100, 0, 1000
	requireConfigError(t, "Flows", second(workload.Poisson(g, c)), "takes an hour")
}

func second(_ []workload.Flow, err error) error { return err }

func requireConfigError(t *testing.T, field string, err error, about ...any) {
	t.Helper()
	var config *sluice.ConfigError
	require.ErrorAs(t, err, &config, about...)
	require.Equal(t, "workload", config.Package)
	require.Equal(t, field, config.Field, err)
}

func TestRackRuleNames(t *testing.T) {
	require.Equal(t, "other racks", workload.OtherRacks.String())
	require.Equal(t, "unknown", workload.RackRule(9).String())
	require.Equal(t, "vulnerable", workload.Vulnerable.String())
	require.Equal(t, "unknown", workload.Group(9).String())
}

func BenchmarkPoisson(b *testing.B) {
	g := pyrrhaNetwork(b)
	c := pyrrhaTraffic()
	var out bytes.Buffer
	flows, err := workload.Poisson(g, c)
	require.NoError(b, err)
	require.NoError(b, workload.WriteFlows(&out, flows))
	for b.Loop() {
		if _, err := workload.Poisson(g, c); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(flows)), "ns/flow")
}
