// Package pcn follows the figures of the PCN paper.
package pcn

import (
	"slices"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/params"
	"github.com/sluicefc/sluice/internal/lab/run"
)

// Library follows the PCN paper.
var Library = &run.Library{
	Scenarios: pcnScenarios, Parameters: pcnParameters, Notes: notes, Panels: panels,
	Messages: map[string][]run.Message{"pcn": messages},
	Untested: map[string][]run.Claim{"pcn": untested},
}

// pcnSettings are the PCN paper's: X_off 512 KB (section 7) and X_on two frames less, pauses
// of 5 us at 40 Gb/s that are sent again, DCQCN marking from 5 to 200 frames with 1 % at 40 Gb/s
// and in proportion at other rates, whose receivers look once in 50 us as in the authors' code, and
// TIMELY as in that code. There is no window, and acknowledgements have a class of their own.
const pcnSettings = pcnUnmarked + ",ecn.kmin=12875B,ecn.kmax=515000B"

// pcnUnmarked are these settings without the thresholds of marking.
const pcnUnmarked = "payload=1000B,header=30B,window=1GB,ack.class=7," +
	"pfc.xoff=512KB,pfc.resume=2060B,pfc.quanta=391,dcqcn.np=interval,ecn.pmax=1/100"

// pcnClosSettings are for Clos networks with hosts of 10 Gb/s: parameters are the
// defaults that the controls' authors recommend. DCQCN's increases are 40 and 200 Mb/s
// and TIMELY's 40 Mb/s at any rate, DCQCN marks from 5 to 200 frames at the links of hosts, where
// "congestion tends to occur" (links above have four times as many, in proportion), and its alpha
// begins at one half, as in the authors' code, which also paces from the wire.
const pcnClosSettings = pcnUnmarked + ",load=3/5,cc.pace=wire,timely-pcn.delta=40Mbps," +
	"dcqcn.alpha0=1/2,dcqcn.ai=40Mbps,dcqcn.hai=200Mbps,ecn.kmin=51500B,ecn.kmax=2060KB"

// pcnTraffic is how much traffic there is in the Clos network: more than 50,000 flows, with an
// in-cast ratio from 1 to 15 that is drawn (section 7.4).
const pcnTraffic = ",f.count=50000,f.incast=15"

// pcnControls are the controls that the paper compares, QCN with the constants of the authors'
// code: with the standard's, whose rates rise by 5 Mb/s at a time, flows of 40 Gb/s do not recover
// within the run. pcnBounded has a queue per flow beside
// them, with packets that are not marked and senders that do not slow down: no flow waits for
// the congestion of another. Its gain over a control stands beside PCN's.
var (
	pcnControls = append(
		append(run.Controls("pcn"), run.Variant{Name: "qcn", Set: "cc=qcn," + authorsQCN}),
		run.Controls("dcqcn", "timely-pcn")...)
	pcnBounded = append(under("pfc", pcnControls), run.Variant{Set: "detect=none", FC: "ideal"})
)

// authorsQCN are QCN's constants in the code of PCN's authors, standardQCN the standard's.
const (
	authorsQCN = "qcn.setpoint=40800B,qcn.timer=60us,qcn.byte-counter=300MB,qcn.ai=40Mbps," +
		"qcn.hai=200Mbps,qcn.min-rate=100Mbps"
	standardQCN = "qcn.setpoint=26000B,qcn.timer=15ms,qcn.byte-counter=150KB,qcn.ai=5Mbps," +
		"qcn.hai=50Mbps,qcn.min-rate=10Mbps"
)

// under has variants under one flow control.
func under(fc string, variants []run.Variant) []run.Variant {
	variants = slices.Clone(variants)
	for i := range variants {
		variants[i].FC = fc
	}
	return variants
}

// pcnScenarios follow the figures of the PCN paper.
var pcnScenarios = []run.Scenario{
	{Name: "pcn/fig2", Figure: "PCN paper, Figures 2 and 3", SampleEvery: 20 * sluice.Microsecond,
		Doc: "F0 and F1 share a link of 40 Gb/s from 0 on; at 20 ms each of 14 hosts sends 16 bursts " +
			"of 64 KB to F1's destination, which take 2.9 ms: the congestion tree, and when the flows " +
			"have recovered",
		Set: pcnSettings + ",pcn.t=50us", Protocols: []string{"pfc"},
		Until: pcnBursts + 65*sluice.Millisecond,
		Build: buildPCNBursts, Watch: watchPCN, Claims: claimPCNFigure2,
		Variants: append(run.Controls("none"), pcnControls...)},
	{Name: "pcn/fig5", Figure: "PCN paper, Figure 5", SampleEvery: 50 * sluice.Microsecond,
		Doc: "three hosts send to R1 at line rate for ever, F0 at 20 Gb/s, and F1 at a constant rate: " +
			"only above 9.5 Gb/s does S1 pause S0",
		Set: pcnSettings, Protocols: []string{"pfc"}, Until: 10 * sluice.Millisecond,
		Build: buildPCNFigure5, Watch: watchPCN, Claims: claimPCNFigure5,
		Variants: []run.Variant{
			{Name: "9.3", Set: "f1.rate=9300Mbps"}, {Name: "9.5", Set: "f1.rate=9500Mbps"},
			{Name: "9.8", Set: "f1.rate=9800Mbps"},
			{Name: "10.5", Set: "f1.rate=10500Mbps"}, {Name: "20", Set: "f1.rate=20Gbps"},
		}},
	{Name: "pcn/fig11", Figure: "PCN paper, Figure 11", SampleEvery: 50 * sluice.Microsecond,
		Doc: "a dumbbell of 10 Gb/s with three pairs and a round-trip time of 500 us, measured (then " +
			"it is 40 us without queues) or of propagation, four flows from line rate on: how fast their " +
			"sum comes to the link's rate, and how calm the queue is then",
		Set: pcnSettings, Protocols: []string{"pfc"}, Until: 150 * sluice.Millisecond,
		Build: buildPCNDumbbell, Watch: watchPCNDumbbell, Claims: claimPCNFigure11,
		Variants: append([]run.Variant{
			{Name: "pcn, T 50us", Set: "cc=pcn"},
			{Name: "pcn, T 500us", Set: "cc=pcn,pcn.t=500us"},
			{Name: "pcn, T 500us, 0.1/N", Set: "cc=pcn,pcn.t=500us,pcn.wmin=1/40"},
			{Name: "pcn, RTT 40us", Set: "cc=pcn," + pcnShort},
			{Name: "qcn, RTT 40us", Set: "cc=qcn," + authorsQCN + "," + pcnShort},
			{Name: "dcqcn, RTT 40us", Set: "cc=dcqcn," + pcnShort},
			{Name: "timely-pcn, RTT 40us", Set: "cc=timely-pcn," + pcnShort},
		}, pcnControls[1:]...)},
	pcnFluid,
	{Name: "pcn/fig12", Figure: "PCN paper, Figure 12", SampleEvery: 100 * sluice.Microsecond,
		Doc: "Hadoop traffic at load 0.6 of both bottlenecks of Figure 1, from 14 hosts in step",
		Set: pcnSettings + ",load=3/5,duration=100ms", Protocols: []string{"pfc", "ideal"},
		Build: buildPCNFigure12, Watch: watchPCNTraffic, Claims: claimPCNFigure12, Variants: pcnBounded},
	{Name: "pcn/fig13", Figure: "PCN paper, Figure 13", SampleEvery: 100 * sluice.Microsecond,
		Doc: "the same by w_min and w_max",
		Set: pcnSettings + ",load=3/5,duration=100ms,cc=pcn", Protocols: []string{"pfc"},
		Build: buildPCNFigure12, Watch: watchPCNTraffic, Claims: claimPCNFigure13,
		Variants: []run.Variant{
			{Name: "1/128, 1/2", Set: "pcn.wmin=1/128,pcn.wmax=1/2"},
			{Name: "1/128, 1/4", Set: "pcn.wmin=1/128,pcn.wmax=1/4"},
			{Name: "1/128, 1/8", Set: "pcn.wmin=1/128,pcn.wmax=1/8"},
			{Name: "1/256, 1/2", Set: "pcn.wmin=1/256,pcn.wmax=1/2"},
			{Name: "1/32, 1/2", Set: "pcn.wmin=1/32,pcn.wmax=1/2"},
		}},
	pcnFigure14("w1"),
	pcnFigure14("w2"),
	{Name: "pcn/fig17", Figure: "PCN paper, Figure 17", SampleEvery: 500 * sluice.Microsecond,
		Doc: "4 to 1,024 flows in the dumbbell of pcn/fig11, with T of the round-trip time and w_min " +
			"of 0.1/N, or with 40 us, 50 us and 1/128; and under the other controls",
		Set: pcnSettings + ",cc=pcn,pcn.t=500us", Protocols: []string{"pfc"},
		Until: 600 * sluice.Millisecond,
		Build: buildPCNFigure17, Watch: watchPCNDumbbell, Claims: claimPCNFigure17,
		Variants: slices.Concat(byCount("%d", "f.count=%[1]d,pcn.wmin=1/%[1]d0", pcnMost),
			byCount("%d, RTT 40us", "f.count=%d,"+pcnShort, pcnMost), scalabilityVariants())},
	{Name: "pcn/fig18", Figure: "PCN paper, Figure 18", SampleEvery: 100 * sluice.Microsecond,
		Doc: "F0 and F1 of Figure 1 for ever, and bursts of one flow of 64 KB from each of 14 hosts " +
			"at intervals of 50 us to 5 ms",
		Set: pcnSettings, Protocols: []string{"pfc"}, Until: 50 * sluice.Millisecond,
		Build: buildPCNFigure18, Watch: watchPCN, Claims: claimPCNFigure18,
		Variants: perControl("f.interval", pcnIntervals)},
	{Name: "pcn/fig19", Figure: "PCN paper, Figure 19", SampleEvery: 100 * sluice.Microsecond,
		Doc: "a parking lot: F0 crosses 2 to 10 links, every link has a flow of its own",
		Set: pcnSettings, Protocols: []string{"pfc"}, Until: 100 * sluice.Millisecond,
		Build: buildPCNParkingLot, Watch: watchPCNParkingLot, Claims: claimPCNFigure19,
		Variants: perControl("f.count", pcnLinks)},
	{Name: "pcn/fig20", Figure: "PCN paper, Figure 20 and Table 3",
		SampleEvery: 200 * sluice.Microsecond,
		Doc:         "pcn/fig14-w1 with a priority for each class of sizes, short flows first",
		Set:         pcnClosSettings + pcnTraffic, Protocols: []string{"pfc", "ideal"},
		Build: buildPCNFigure20, Watch: watchPCNPauses, Claims: claimPCNFigure20, Variants: pcnBounded},
	{Name: "pcn/fig21", Figure: "PCN paper, Figure 21", SampleEvery: 200 * sluice.Microsecond,
		Doc: "one pod in which two links failed, so that buffers depend on one another in a circle: " +
			"W2 at load 0.6",
		Set: pcnClosSettings + ",duration=50ms,f.incast=15", Protocols: []string{"pfc"},
		Until: 60 * sluice.Millisecond, Build: buildPCNDeadlock, Claims: claimPCNDeadlock,
		Variants: run.Controls("pcn", "dcqcn", "timely-pcn")},
}

// pcnShort is the other reading of the round-trip time of about 500 us: most of it was queues and
// hosts, T is above what is left, as recommended, and w_min is as in the other figures.
const pcnShort = "f.rtt=40us,pcn.t=50us,pcn.wmin=1/128,cc.pace=wire"

// pcnFigure14 is a workload of Figure 14.
func pcnFigure14(sizes string) run.Scenario {
	return run.Scenario{
		Name: "pcn/fig14-" + sizes, Figure: "PCN paper, Figure 14", SampleEvery: 200 * sluice.Microsecond,
		Doc: "8 pods of 2 leafs, 4 ToRs and 64 hosts, 8 spines: " + sizes +
			" at load 0.6 of the links of hosts, 50,000 flows of which 1 to 15 begin together",
		Set: pcnClosSettings + pcnTraffic, Protocols: []string{"pfc", "ideal"},
		Build: buildPCNPods(sizes), Watch: watchPCNPauses, Claims: claimPCNFigure14(sizes),
		Variants: pcnBounded,
	}
}

// pcnParameters are the parameters of the scenarios of the PCN paper.
var pcnParameters = []params.Definition{
	{Name: "f1.rate", Kind: params.Rate, Default: "20Gbps", Min: "1Mbps",
		Doc: "scenario pcn/fig5: constant rate of F1"},
	{Name: "f.count", Kind: params.Int, Default: "4", Min: "1", Max: "1000000",
		Doc: "scenarios pcn/fig14 and on: number of flows, or of links of the parking lot"},
	{Name: "f.incast", Kind: params.Int, Default: "1", Min: "1", Max: "100",
		Doc: "scenarios pcn/fig14 and on: most flows that begin at one instant to one host; their " +
			"number is drawn from 1 on"},
	{Name: "f.rtt", Kind: params.Time, Default: "500us", Min: "6us", Max: "1s",
		Doc: "scenarios pcn/fig11 and fig17: round-trip time of propagation; the paper measured 500us, " +
			"which may have queues and hosts in it"},
	{Name: "f.interval", Kind: params.Time, Default: "500us", Min: "1us",
		Doc: "scenario pcn/fig18: time between two bursts"},
	{Name: "f.burst", Kind: params.Int, Default: "1", Min: "1", Max: "1000",
		Doc: "scenario pcn/fig18: flows of 64 KB that each host sends at once in a burst"},
	{Name: "f.bursts", Kind: params.Time, Default: "20ms", Min: "1us", Max: "100ms",
		Doc: "scenario pcn/fig2: when the bursts begin"},
}
