package pcn

import (
	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/generate"
	"github.com/sluicefc/sluice/internal/lab/params"
	"github.com/sluicefc/sluice/internal/lab/topo"
	"github.com/sluicefc/sluice/internal/lab/workload"
	"github.com/sluicefc/sluice/internal/prng"
)

// The workloads of Table 1 of the PCN paper give the shares of four classes of sizes in the flows
// and in the bytes; so the mean of each class is known in units of the mean of all. The tables here
// are ours: they have those shares, with a mean of 80 KB and of 500 KB, and sizes spread evenly
// around the mean of each class.
var pcnSizes = map[string]*workload.Distribution{
	"w1": workload.MustDistribution(
		"w1", "web server, by classes: Cheng et al., PCN, NSDI 2020, Table 1",
		[]workload.Point{
			{Size: 1, PerMillion: 0}, {Size: 6143, PerMillion: 801_500},
			{Size: 10_000, PerMillion: 801_500}, {Size: 81_360, PerMillion: 904_700},
			{Size: 470_400, PerMillion: 904_700}, {Size: 1_000_000, PerMillion: 995_900},
			{Size: 1_000_000, PerMillion: 995_900}, {Size: 1_752_000, PerMillion: 1_000_000},
		}),
	"w2": workload.MustDistribution(
		"w2", "Hadoop, by classes: Cheng et al., PCN, NSDI 2020, Table 1",
		[]workload.Point{
			{Size: 1, PerMillion: 0}, {Size: 3109, PerMillion: 707_900},
			{Size: 10_000, PerMillion: 707_900}, {Size: 84_000, PerMillion: 873_800},
			{Size: 100_000, PerMillion: 873_800}, {Size: 335_000, PerMillion: 909_000},
			{Size: 1_000_000, PerMillion: 909_000}, {Size: 9_620_000, PerMillion: 1_000_000},
		}),
}

// pcnHostRate is the rate of a host's link in Figures 14 and 21.
const pcnHostRate = 10 * sluice.Gbps

// pcnPods is the network of Figure 14, or, with one pod, of Figure 21.
func pcnPods(c topo.PodsConfig) (*topo.Graph, error) {
	c.Leafs, c.ToRs, c.HostsPerToR = 2, 4, 16
	c.HostLink = sluice.Link{Rate: pcnHostRate, Delay: 5 * sluice.Microsecond}
	c.FabricLink = sluice.Link{Rate: 40 * sluice.Gbps, Delay: 5 * sluice.Microsecond}
	return topo.Pods(c)
}

func buildPCNPods(sizes string) generate.Builder {
	return func(seed uint64, v *params.Values) (*topo.Graph, []workload.Flow, error) {
		graph, err := pcnPods(topo.PodsConfig{Pods: 8, Spines: 8, Parallel: 2})
		if err != nil {
			return nil, nil, err
		}
		flows, err := pcnIncasts(graph, seed, v, workload.TrafficConfig{
			Sizes: pcnSizes[sizes], Flows: int(v.Int("f.count")),
		})
		return graph, flows, err
	}
}

// pcnTopClass is the class of Figure 20's shortest flows; longer flows have lower classes, down to
// pcnClass.
const pcnTopClass sluice.Class = 6

// buildPCNFigure20 gives short flows a higher class.
func buildPCNFigure20(seed uint64, v *params.Values) (*topo.Graph, []workload.Flow, error) {
	graph, flows, err := buildPCNPods("w1")(seed, v)
	for i := range flows {
		switch f := &flows[i]; {
		case f.Bytes < 10*sluice.KB:
			f.Class = pcnTopClass
		case f.Bytes < 100*sluice.KB:
			f.Class = pcnTopClass - 1
		case f.Bytes < sluice.MB:
			f.Class = pcnTopClass - 2
		}
	}
	return graph, flows, err
}

func buildPCNDeadlock(seed uint64, v *params.Values) (*topo.Graph, []workload.Flow, error) {
	graph, err := pcnPods(topo.PodsConfig{
		Pods: 1, Parallel: 1, Failed: []topo.PodLink{{ToR: 3, Leaf: 0}, {ToR: 0, Leaf: 1}},
	})
	if err != nil {
		return nil, nil, err
	}
	flows, err := pcnIncasts(graph, seed, v, workload.TrafficConfig{
		Sizes: pcnSizes["w2"], Duration: v.Time("duration"),
	})
	return graph, flows, err
}

// pcnIncasts draws flows by a Poisson process. Section 7.4 has random sources and destinations,
// with a random incast ratio of 1 to 15. We read that as groups of 1 to 15 flows that begin at one
// instant (f.incast=15). The other reading is that the ratio comes of itself (f.incast=1): of
// 50,000 flows of W1 that begin one by one, 99.5 % find their destination with 1 to 15 flows,
// themselves included, under PCN. If c.Flows is set, there are that many flows in all.
func pcnIncasts(
	g *topo.Graph, seed uint64, v *params.Values, c workload.TrafficConfig,
) ([]workload.Flow, error) {
	load, err := generate.PerMille(v, "load")
	if err != nil {
		return nil, err
	}
	most := v.Int("f.incast")
	// (1+most)/2 flows begin at a time, on average: the first of them bring that many times less.
	hosts := g.Hosts()
	c.LoadPerMille, c.Capacity = load, 2*pcnHostRate*sluice.Rate(len(hosts))/sluice.Rate(1+most)
	c.Seed, c.Class, c.Group = seed, pcnClass, workload.Background
	first, err := workload.Poisson(g, c)
	if err != nil {
		return nil, err
	}
	random := prng.New(prng.Mix(seed + 0x7063_6e00))
	var flows []workload.Flow
	for _, f := range first {
		flows = append(flows, f)
		for range random.Below(uint64(most)) {
			other := f
			other.Bytes = c.Sizes.Sample(&random)
			for other.Src = f.Dst; other.Src == f.Dst; {
				other.Src = hosts[random.Below(uint64(len(hosts)))]
			}
			flows = append(flows, other)
		}
		if c.Flows > 0 && len(flows) >= c.Flows {
			flows = flows[:c.Flows]
			break
		}
	}
	workload.AssignPorts(flows)
	return flows, nil
}
