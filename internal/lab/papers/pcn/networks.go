package pcn

import (
	"fmt"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/generate"
	"github.com/sluicefc/sluice/internal/lab/params"
	"github.com/sluicefc/sluice/internal/lab/probe"
	"github.com/sluicefc/sluice/internal/lab/run"
	"github.com/sluicefc/sluice/internal/lab/topo"
	"github.com/sluicefc/sluice/internal/lab/workload"
)

// Nodes and ports of Figure 1: H0 and H1 on S0; H2 to H15, R0 and R1 on S1.
const (
	pcnH2        sluice.SwitchID = 2
	pcnR0, pcnR1 sluice.SwitchID = 16, 17
	pcnS0, pcnS1 sluice.SwitchID = 18, 19
	pcnBursters                  = 14
	pcnClass                     = 3
	pcnBursts                    = 20 * sluice.Millisecond
	pcnUplink                    = 40 * sluice.Gbps
	pcnDumbbellC                 = 10 * sluice.Gbps
	pcnDumbbellT                 = 500 * sluice.Microsecond
	pcnRecovered                 = 36.0 // Gb/s of F0 and F1 together, or of F0
)

var (
	pcnP0 = sluice.Hop{Switch: pcnS0, Port: 2}  // to S1
	pcnP2 = sluice.Hop{Switch: pcnS1, Port: 15} // to R1
)

// pcnNetwork is Figure 1: links of 40 Gb/s and 5 us.
func pcnNetwork() (*topo.Graph, error) {
	link := sluice.Link{Rate: pcnUplink, Delay: 5 * sluice.Microsecond}
	return topo.Dumbbell(topo.DumbbellConfig{Left: 2, Right: 16, HostLink: link, Bottleneck: link})
}

// longFlows are F0 and F1.
func longFlows(rate0, rate1 sluice.Rate) []workload.Flow {
	return []workload.Flow{generate.Endless(0, pcnR0, 0, rate0), generate.Endless(1, pcnR1, 0, rate1)}
}

func buildPCNBursts(_ uint64, v *params.Values) (*topo.Graph, []workload.Flow, error) {
	graph, err := pcnNetwork()
	flows := append(longFlows(0, 0), generate.Bursts(pcnH2, pcnBursters, pcnR1, 16,
		v.Time("f.bursts"))...)
	workload.AssignPorts(flows)
	return graph, flows, err
}

func buildPCNFigure5(_ uint64, v *params.Values) (*topo.Graph, []workload.Flow, error) {
	graph, err := pcnNetwork()
	flows := longFlows(20*sluice.Gbps, v.Rate("f1.rate"))
	for host := range sluice.SwitchID(3) {
		f := generate.Endless(pcnH2+host, pcnR1, 0, 0)
		f.Group = workload.Incast
		flows = append(flows, f)
	}
	return graph, flows, err
}

// pcnDumbbell has three pairs at 10 Gb/s, and a round-trip time without queues of f.rtt: each of
// its three links has a third of it.
func pcnDumbbell(v *params.Values) (*topo.Graph, error) {
	link := sluice.Link{Rate: pcnDumbbellC, Delay: v.Time("f.rtt") / 6}
	return topo.Dumbbell(topo.DumbbellConfig{Left: 3, Right: 3, HostLink: link, Bottleneck: link})
}

func buildPCNDumbbell(_ uint64, v *params.Values) (*topo.Graph, []workload.Flow, error) {
	graph, err := pcnDumbbell(v)
	return graph, dumbbellFlows(4), err
}

func buildPCNFigure17(_ uint64, v *params.Values) (*topo.Graph, []workload.Flow, error) {
	graph, err := pcnDumbbell(v)
	return graph, dumbbellFlows(int(v.Int("f.count"))), err
}

// dumbbellFlows spreads flows over the three pairs: one pair has twice as many as each other pair.
func dumbbellFlows(n int) (flows []workload.Flow) {
	for i := range n {
		pair := sluice.SwitchID([]int{0, 1, 2, 0}[i%4])
		f := generate.Endless(pair, 3+pair, 0, 0)
		f.Group = workload.Background
		flows = append(flows, f)
	}
	workload.AssignPorts(flows)
	return flows
}

// buildPCNFigure12 has H0 and H1 send Hadoop flows to R0 and R1, and H2 to H15 to R1, with
// generators that are synchronous. S0's link to S1, which H0
// and H1 share, has the load, and so has R1's link, to which H1 gives half of it and the 14 hosts
// the other half.
func buildPCNFigure12(seed uint64, v *params.Values) (*topo.Graph, []workload.Flow, error) {
	graph, err := pcnNetwork()
	if err != nil {
		return nil, nil, err
	}
	load, err := generate.PerMille(v, "load")
	if err != nil {
		return nil, nil, err
	}
	config := workload.TrafficConfig{
		Seed: seed, Sizes: workload.Hadoop, LoadPerMille: load, Capacity: pcnUplink / 2,
		Duration: v.Time("duration"), Class: pcnClass,
	}
	var lists [][]workload.Flow
	for i, ends := range [][2]sluice.SwitchID{{0, pcnR0}, {1, pcnR1}} {
		c := config
		c.Seed += uint64(i+1) << 32
		c.Sources, c.Destinations = ends[:1], ends[1:]
		c.Group = []workload.Group{workload.Vulnerable, workload.Background}[i]
		list, err := workload.Poisson(graph, c)
		if err != nil {
			return nil, nil, err
		}
		lists = append(lists, list)
	}
	// One generator for the 14 hosts: each sends what it says.
	config.Sources, config.Destinations = []sluice.SwitchID{pcnH2}, []sluice.SwitchID{pcnR1}
	config.Capacity = pcnUplink / 2 / pcnBursters
	config.Group = workload.Incast
	one, err := workload.Poisson(graph, config)
	if err != nil {
		return nil, nil, err
	}
	var step []workload.Flow
	for i := range one {
		for host := range sluice.SwitchID(pcnBursters) {
			f := one[i]
			f.Src += host
			step = append(step, f)
		}
	}
	return graph, workload.Merge(append(lists, step)...), nil
}

// buildPCNFigure18 has bursts come and go.
func buildPCNFigure18(_ uint64, v *params.Values) (*topo.Graph, []workload.Flow, error) {
	graph, err := pcnNetwork()
	flows := longFlows(0, 0)
	const settled = 10 * sluice.Millisecond
	for at := settled; at < 50*sluice.Millisecond; at += v.Time("f.interval") {
		flows = append(flows, generate.Bursts(pcnH2, pcnBursters, pcnR1, int(v.Int("f.burst")), at)...)
	}
	workload.AssignPorts(flows)
	return graph, flows, err
}

// buildPCNParkingLot has F0 cross all links of a row of switches, and a flow of its own on each.
func buildPCNParkingLot(_ uint64, v *params.Values) (*topo.Graph, []workload.Flow, error) {
	links := int(v.Int("f.count"))
	if links > 100 {
		return nil, nil, fmt.Errorf("f.count=%d: a parking lot has at most 100 links", links)
	}
	link := sluice.Link{Rate: pcnUplink, Delay: 5 * sluice.Microsecond}
	graph, err := topo.Chain(topo.ChainConfig{
		Switches: links + 1, HostsPerSwitch: 2, HostLink: link, Link: link,
	})
	// Of the two hosts at a switch, the first receives what ends there, the second sends; at the ends
	// F0 has one for itself.
	last := sluice.SwitchID(2 * links)
	flows := []workload.Flow{generate.Endless(0, last+1, 0, 0)}
	for i := range sluice.SwitchID(links) {
		flows = append(flows, generate.Endless(2*i+1, 2*i+2, 0, 0))
	}
	return graph, flows, err
}

// watchPCN watches the ports of Figure 1 and F0 and F1.
func watchPCN(_ *run.Subject, c *probe.Config) {
	run.WatchPorts(c, []sluice.Hop{pcnP0, pcnP2}, 0, 1)
}

// watchPCNDumbbell watches the bottleneck and all flows.
func watchPCNDumbbell(s *run.Subject, c *probe.Config) {
	run.WatchPorts(c, []sluice.Hop{{Switch: 6, Port: 3}}, s.AllFlows()...)
}

// watchPCNParkingLot watches the first link, F0, and the flow of the first link.
func watchPCNParkingLot(s *run.Subject, c *probe.Config) {
	first := sluice.Hop{Switch: sluice.SwitchID(len(s.Graph.Hosts())), Port: 2}
	run.WatchPorts(c, []sluice.Hop{first}, 0, 1)
}
