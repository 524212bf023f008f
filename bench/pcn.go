package main

import (
	"fmt"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/params"
	"github.com/sluicefc/sluice/internal/probe"
	"github.com/sluicefc/sluice/internal/topo"
	"github.com/sluicefc/sluice/internal/workload"
)

// pcnSettings are those of the PCN paper: X_off 512 KB (section 7) and X_on two frames less, pauses
// of 5 us at 40 Gb/s that are sent again, DCQCN marking from 5 to 200 frames with 1 % at 40 Gb/s
// and in proportion at other rates, whose receivers look once in 50 us as in the authors' code, and
// TIMELY as in that code. There is no window, and acknowledgements have a class of their own.
const pcnSettings = "payload=1000B,header=30B,window=1GB,ack.class=7," +
	"pfc.xoff=512KB,pfc.resume=2060B,pfc.quanta=391,dcqcn.np=interval," +
	"ecn.kmin=12875B,ecn.kmax=515000B,ecn.pmax=1/100"

// pcnControls are those that the paper compares.
var pcnControls = controls("pcn", "qcn", "dcqcn", "timely-pcn")

// pcnScenarios follow the figures of the PCN paper.
var pcnScenarios = []scenario{
	{
		name: "pcn/fig2", figure: "PCN paper, Figures 2 and 3", sampleEvery: 20 * sluice.Microsecond,
		doc: "F0 and F1 share a link of 40 Gb/s from 0 on; at 20 ms each of 14 hosts sends 16 bursts " +
			"of 64 KB to F1's destination, which take 2.9 ms: the congestion tree, and when the flows " +
			"have recovered",
		set: pcnSettings + ",pcn.t=50us", protocols: []string{"pfc"},
		until: pcnBursts + 65*sluice.Millisecond,
		build: buildPCNBursts, watch: watchPCN, claims: claimPCNFigure2,
		variants: append(controls("none"), pcnControls...),
	},
	{
		name: "pcn/fig5", figure: "PCN paper, Figure 5", sampleEvery: 50 * sluice.Microsecond,
		doc: "three hosts send to R1 at line rate for ever, F0 at 20 Gb/s, and F1 at a constant rate: " +
			"only above 9.5 Gb/s does S1 pause S0",
		set: pcnSettings, protocols: []string{"pfc"}, until: 10 * sluice.Millisecond,
		build: buildPCNFigure5, watch: watchPCN, claims: claimPCNFigure5,
		variants: []variant{
			{"9.3", "f1.rate=9300Mbps", ""}, {"9.5", "f1.rate=9500Mbps", ""},
			{"9.8", "f1.rate=9800Mbps", ""},
			{"10.5", "f1.rate=10500Mbps", ""}, {"20", "f1.rate=20Gbps", ""},
		},
	},
	{
		name: "pcn/fig11", figure: "PCN paper, Figure 11", sampleEvery: 50 * sluice.Microsecond,
		doc: "a dumbbell of 10 Gb/s with three pairs and a round-trip time of 500 us, four flows from " +
			"line rate on: how fast their sum comes to the link's rate, and how calm the queue is then",
		set: pcnSettings, protocols: []string{"pfc"}, until: 150 * sluice.Millisecond,
		build: buildPCNDumbbell, watch: watchPCNDumbbell, claims: claimPCNFigure11,
		variants: append([]variant{
			{"pcn, T 50us", "cc=pcn", ""}, {"pcn, T 500us", "cc=pcn,pcn.t=500us", ""},
			{"pcn, T 500us, 0.1/N", "cc=pcn,pcn.t=500us,pcn.wmin=1/40", ""},
		}, controls("qcn", "dcqcn", "timely-pcn")...),
	},
	pcnFluid,
	{
		name: "pcn/fig12", figure: "PCN paper, Figure 12", sampleEvery: 100 * sluice.Microsecond,
		doc: "Hadoop traffic at load 0.6 of both bottlenecks of Figure 1, from 14 hosts in step",
		set: pcnSettings + ",load=3/5,duration=100ms", protocols: []string{"pfc"},
		build: buildPCNFigure12, watch: watchPCN, claims: pcnFigure12.claim, variants: pcnControls,
	},
	{
		name: "pcn/fig13", figure: "PCN paper, Figure 13", sampleEvery: 100 * sluice.Microsecond,
		doc: "the same by w_min and w_max",
		set: pcnSettings + ",load=3/5,duration=100ms,cc=pcn", protocols: []string{"pfc"},
		build: buildPCNFigure12, watch: watchPCN, claims: claimPCNFigure13,
		variants: []variant{
			{"1/128, 1/2", "pcn.wmin=1/128,pcn.wmax=1/2", ""},
			{"1/128, 1/4", "pcn.wmin=1/128,pcn.wmax=1/4", ""},
			{"1/128, 1/8", "pcn.wmin=1/128,pcn.wmax=1/8", ""},
			{"1/256, 1/2", "pcn.wmin=1/256,pcn.wmax=1/2", ""},
			{"1/32, 1/2", "pcn.wmin=1/32,pcn.wmax=1/2", ""},
		},
	},
	pcnFigure14("w1"),
	pcnFigure14("w2"),
	{
		name: "pcn/fig17", figure: "PCN paper, Figure 17", sampleEvery: 500 * sluice.Microsecond,
		doc: "4 to 1,024 flows in the dumbbell of pcn/fig11, with T of the round-trip time and w_min " +
			"of 0.1/N",
		set: pcnSettings + ",cc=pcn,pcn.t=500us", protocols: []string{"pfc"},
		until: 600 * sluice.Millisecond,
		build: buildPCNFigure17, watch: watchPCNDumbbell, claims: claimPCNFigure17,
		variants: []variant{
			{"4", "f.count=4,pcn.wmin=1/40", ""}, {"16", "f.count=16,pcn.wmin=1/160", ""},
			{"64", "f.count=64,pcn.wmin=1/640", ""}, {"256", "f.count=256,pcn.wmin=1/2560", ""},
			{"1024", "f.count=1024,pcn.wmin=1/10240", ""},
		},
	},
	{
		name: "pcn/fig18", figure: "PCN paper, Figure 18", sampleEvery: 100 * sluice.Microsecond,
		doc: "F0 and F1 of Figure 1 for ever, and bursts of one flow of 64 KB from each of 14 hosts " +
			"at an interval",
		set: pcnSettings + ",f.interval=500us", protocols: []string{"pfc"},
		until: 50 * sluice.Millisecond,
		build: buildPCNFigure18, watch: watchPCN, claims: claimPCNFigure18, variants: pcnControls,
	},
	{
		name: "pcn/fig19", figure: "PCN paper, Figure 19", sampleEvery: 100 * sluice.Microsecond,
		doc: "a parking lot: F0 crosses f.count links, every link has a flow of its own",
		set: pcnSettings + ",f.count=4", protocols: []string{"pfc"}, until: 100 * sluice.Millisecond,
		build: buildPCNParkingLot, watch: watchPCNParkingLot, claims: claimPCNFigure19,
		variants: pcnControls,
	},
	{
		name: "pcn/fig20", figure: "PCN paper, Figure 20 and Table 3",
		sampleEvery: 200 * sluice.Microsecond,
		doc:         "pcn/fig14-w1 with a priority for each class of sizes, short flows first",
		set:         pcnSettings + ",load=3/5,f.count=2000", protocols: []string{"pfc"},
		build: buildPCNFigure20, watch: watchPCNPauses, claims: claimPCNFigure20, variants: pcnControls,
	},
	{
		name: "pcn/fig21", figure: "PCN paper, Figure 21", sampleEvery: 200 * sluice.Microsecond,
		doc: "one pod in which two links failed, so that buffers depend on one another in a circle: " +
			"W2 at load 0.6",
		set: pcnSettings + ",load=3/5,duration=50ms", protocols: []string{"pfc"},
		until: 60 * sluice.Millisecond,
		build: buildPCNDeadlock, claims: claimPCNDeadlock,
		variants: controls("pcn", "dcqcn", "timely-pcn"),
	},
}

// pcnFigure14 is a workload of Figure 14.
func pcnFigure14(sizes string) scenario {
	return scenario{
		name: "pcn/fig14-" + sizes, figure: "PCN paper, Figure 14", sampleEvery: 200 * sluice.Microsecond,
		doc: "8 pods of 2 leafs, 4 ToRs and 64 hosts, 8 spines: " + sizes +
			" at load 0.6 of the links of hosts, " +
			"every flow's destination has 1 to 15 senders at once (f.count flows; the paper has 50,000)",
		set: pcnSettings + ",load=3/5,f.count=2000", protocols: []string{"pfc"},
		build: buildPCNPods(sizes), watch: watchPCNPauses, claims: pcnFigures14[sizes].claim,
		variants: pcnControls,
	}
}

// pcnParameters are those of the scenarios of the PCN paper.
var pcnParameters = []params.Definition{
	{Name: paramF1Rate, Kind: params.Rate, Default: "20Gbps", Min: "1Mbps",
		Doc: "scenario pcn/fig5: constant rate of F1"},
	{Name: paramCount, Kind: params.Int, Default: "4", Min: "1", Max: "1000000",
		Doc: "scenarios pcn/fig14 and on: number of flows, or of links of the parking lot"},
	{Name: paramIncast, Kind: params.Int, Default: "15", Min: "1", Max: "100",
		Doc: "scenarios pcn/fig14 and on: most flows that begin at one instant to one host; there are " +
			"from 1 to so many"},
	{Name: paramInterval, Kind: params.Time, Default: "500us", Min: "1us",
		Doc: "scenario pcn/fig18: time between two bursts"},
	{Name: paramBurst, Kind: params.Int, Default: "1", Min: "1", Max: "1000",
		Doc: "scenario pcn/fig18: flows of 64 KB that each host sends at once in a burst"},
	{Name: paramBursts, Kind: params.Time, Default: "20ms", Min: "1us", Max: "100ms",
		Doc: "scenario pcn/fig2: when the bursts begin"},
}

const (
	paramF1Rate   = "f1.rate"
	paramCount    = "f.count"
	paramIncast   = "f.incast"
	paramInterval = "f.interval"
	paramBurst    = "f.burst"
	paramBursts   = "f.bursts"
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

// pcnNetwork is Figure 1: "All links are 40Gbps, with a propagation delay of 5us".
func pcnNetwork() (*topo.Graph, error) {
	link := sluice.Link{Rate: pcnUplink, Delay: 5 * sluice.Microsecond}
	return topo.Dumbbell(topo.DumbbellConfig{Left: 2, Right: 16, HostLink: link, Bottleneck: link})
}

// longFlows are F0 and F1.
func longFlows(rate0, rate1 sluice.Rate) []workload.Flow {
	return []workload.Flow{endless(0, pcnR0, 0, rate0), endless(1, pcnR1, 0, rate1)}
}

func buildPCNBursts(_ uint64, v *params.Values) (*topo.Graph, []workload.Flow, error) {
	graph, err := pcnNetwork()
	flows := append(longFlows(0, 0), bursts(pcnH2, pcnBursters, pcnR1, 16, v.Time(paramBursts))...)
	workload.AssignPorts(flows)
	return graph, flows, err
}

func buildPCNFigure5(_ uint64, v *params.Values) (*topo.Graph, []workload.Flow, error) {
	graph, err := pcnNetwork()
	flows := longFlows(20*sluice.Gbps, v.Rate(paramF1Rate))
	for host := range sluice.SwitchID(3) {
		f := endless(pcnH2+host, pcnR1, 0, 0)
		f.Group = workload.Incast
		flows = append(flows, f)
	}
	return graph, flows, err
}

// pcnDumbbell has three pairs at 10 Gb/s, with a round-trip time of 500 us without queues: "the RTT
// is measured to be about 500us".
func pcnDumbbell() (*topo.Graph, error) {
	link := sluice.Link{Rate: pcnDumbbellC, Delay: 83 * sluice.Microsecond}
	return topo.Dumbbell(topo.DumbbellConfig{Left: 3, Right: 3, HostLink: link, Bottleneck: link})
}

func buildPCNDumbbell(uint64, *params.Values) (*topo.Graph, []workload.Flow, error) {
	graph, err := pcnDumbbell()
	return graph, dumbbellFlows(4), err
}

func buildPCNFigure17(_ uint64, v *params.Values) (*topo.Graph, []workload.Flow, error) {
	graph, err := pcnDumbbell()
	return graph, dumbbellFlows(int(v.Int(paramCount))), err
}

// dumbbellFlows spreads flows over the pairs: "the number of flows on one of three pairs is twice
// of that on other two".
func dumbbellFlows(n int) (flows []workload.Flow) {
	for i := range n {
		pair := sluice.SwitchID([]int{0, 1, 2, 0}[i%4])
		f := endless(pair, 3+pair, 0, 0)
		f.Group = workload.Background
		flows = append(flows, f)
	}
	workload.AssignPorts(flows)
	return flows
}

// buildPCNFigure12 has H0 and H1 send Hadoop flows to R0 and R1, and H2 to H15 to R1 all in step:
// "the workload generators at hosts H2 to H15 are set to be synchronous". The load is that of S0's
// link to S1, which H0 and H1 share, and of R1's, to which H1 gives half of the load and the 14 the
// other half.
func buildPCNFigure12(
	seed uint64, v *params.Values,
) (*topo.Graph, []workload.Flow, error) {
	graph, err := pcnNetwork()
	if err != nil {
		return nil, nil, err
	}
	load, err := perMille(v, paramLoad)
	if err != nil {
		return nil, nil, err
	}
	config := workload.TrafficConfig{
		Seed: seed, Sizes: workload.Hadoop, LoadPerMille: load, Capacity: pcnUplink / 2,
		Duration: v.Time(paramDuration), Class: pcnClass,
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
	// One generator for the 14, each of which sends what it says.
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
	for at := settled; at < 50*sluice.Millisecond; at += v.Time(paramInterval) {
		flows = append(flows, bursts(pcnH2, pcnBursters, pcnR1, int(v.Int(paramBurst)), at)...)
	}
	workload.AssignPorts(flows)
	return graph, flows, err
}

// buildPCNParkingLot has F0 cross all links of a row of switches, and a flow of its own on each.
func buildPCNParkingLot(_ uint64, v *params.Values) (*topo.Graph, []workload.Flow, error) {
	links := int(v.Int(paramCount))
	if links > 100 {
		return nil, nil, fmt.Errorf("%s=%d: a parking lot has at most 100 links", paramCount, links)
	}
	link := sluice.Link{Rate: pcnUplink, Delay: 5 * sluice.Microsecond}
	graph, err := topo.Chain(topo.ChainConfig{
		Switches: links + 1, HostsPerSwitch: 2, HostLink: link, Link: link,
	})
	// Of the two hosts at a switch, the first receives what ends there, the second sends; at the ends
	// F0 has one for itself.
	last := sluice.SwitchID(2 * links)
	flows := []workload.Flow{endless(0, last+1, 0, 0)}
	for i := range sluice.SwitchID(links) {
		flows = append(flows, endless(2*i+1, 2*i+2, 0, 0))
	}
	return graph, flows, err
}

// watchPCN watches the ports of Figure 1 and F0 and F1.
func watchPCN(_ *subject, c *probe.Config) {
	watchPorts(c, []watched{{at: pcnP0}, {at: pcnP2}}, 0, 1)
}

// watchPCNDumbbell watches the bottleneck and all flows.
func watchPCNDumbbell(s *subject, c *probe.Config) {
	watchPorts(c, []watched{{at: sluice.Hop{Switch: 6, Port: 3}}}, s.allFlows()...)
}

// watchPCNParkingLot watches the first link, F0, and the flow of the first link.
func watchPCNParkingLot(s *subject, c *probe.Config) {
	first := sluice.Hop{Switch: sluice.SwitchID(len(s.graph.Hosts())), Port: 2}
	watchPorts(c, []watched{{at: first}}, 0, 1)
}
