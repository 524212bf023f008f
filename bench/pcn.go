package main

import (
	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/params"
)

// pcnLibrary follows the PCN paper.
var pcnLibrary = &library{pcnScenarios, pcnParameters}

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
