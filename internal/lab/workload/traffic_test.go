package workload_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/topo"
	"github.com/sluicefc/sluice/internal/lab/workload"
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

// bfcNetwork is the network of BFC's authors: 128 hosts, 8 racks, 8 spines, 100 Gb/s, 1 us.
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
			"many to one", "da2ad8f7c579359ed7cb546ca93cf5a38821982834abb95e6eb07b54544e8c29",
			func() ([]workload.Flow, error) { return workload.ManyToOne(pyrrhaNetwork(t), manyToOne()) },
		},
		{
			"many to one of the ns-3", "4e56b2dafe028877e4e1bb4fe273e702a33f08c343feaa65f472a754790fb615",
			func() ([]workload.Flow, error) {
				c := manyToOne()
				c.ByHost, c.Together = true, true
				return workload.ManyToOne(pyrrhaNetwork(t), c)
			},
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
	require.Equal(t, "RackRule(9)", workload.RackRule(9).String())
	require.Equal(t, "vulnerable", workload.Vulnerable.String())
	require.Equal(t, "Group(9)", workload.Group(9).String())
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
