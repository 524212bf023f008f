// Package ofc follows the figures of the OFC paper.
package ofc

import (
	"strings"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/generate"
	"github.com/sluicefc/sluice/internal/lab/params"
	"github.com/sluicefc/sluice/internal/lab/run"
	"github.com/sluicefc/sluice/internal/lab/topo"
	"github.com/sluicefc/sluice/internal/lab/workload"
	"github.com/sluicefc/sluice/internal/prng"
)

// Library follows the OFC paper.
var Library = &run.Library{Scenarios: ofcScenarios, Parameters: ofcScenarioParameters,
	Notes: notes, Panels: panels,
	Messages: messages, Untested: untested}

// ofcCommon are the settings of OFC's evaluation (section IV-A): a packet of 1,500 bytes,
// thresholds of 75, 68 and 45 KB, PFC's static and alike. It has no sender window and no congestion
// control, and acknowledgements do not wait.
const ofcCommon = "payload=1460B,header=40B,window=1GB,ack.class=7," +
	"pfc.xoff=75KB,pfc.resume=30KB,pfc.headroom=100,ofc.xoff=75KB"

// ofcLink is every link of the evaluation.
var ofcLink = sluice.Link{Rate: 40 * sluice.Gbps, Delay: 20 * sluice.Nanosecond}

var ofcScenarioParameters = []params.Definition{
	{Name: "ofc.ratio", Kind: params.Int, Default: "10", Min: "2", Max: "30",
		Doc: "scenario ofc/fig4: flows of a round into one host, one of them long"},
	{Name: "ofc.rounds", Kind: params.Int, Default: "40", Min: "1", Max: "10000",
		Doc: "scenario ofc/fig4: rounds"},
	{Name: "ofc.long", Kind: params.Bytes, Default: "1MB", Min: "1KB", Max: "2MB",
		Doc: "scenario ofc/fig4: size of the two long flows of a round"},
	{Name: "ofc.burst", Kind: params.Bytes, Default: "150KB", Min: "1KB", Max: "1MB",
		Doc: "scenario ofc/fig4: size of a burst"},
	{Name: "ofc.m", Kind: params.Int, Default: "240", Min: "4", Max: "100000",
		Doc: "scenario ofc/fig9: flows of the four kinds together (M)"},
	{Name: "ofc.copies", Kind: params.Int, Default: "1", Min: "1", Max: "64",
		Doc: "scenario ofc/fig9: networks with flows of their own that are simulated together"},
	{Name: "ofc.classes", Kind: params.Int, Default: "1", Min: "1", Max: "2",
		Doc: "scenario ofc/fig9: classes of flows: 1, all in class 3; 2, half of them in class " +
			"5, for gpfc"},
}

// ofcScenarios follow the figures of the OFC paper.
var ofcScenarios = []run.Scenario{
	{Name: "ofc/fig2", Figure: "OFC paper, Figures 1 and 2, Table I",
		SampleEvery: 10 * sluice.Microsecond,
		Doc: "three switches in a row: F0 and F1 of 4.1 MB from the first to two hosts of the " +
			"third, where six bursts of 285 KB meet F1",
		Set: ofcCommon, Protocols: []string{"pfc", "ofc", "ideal"}, Build: buildOFC2,
		Claims: claimFigure2, Watch: watchQueues},
	{Name: "ofc/fig4", Figure: "OFC paper, Figures 4 and 5", SampleEvery: 10 * sluice.Microsecond,
		Doc: "dumbbell of 2 x 32 hosts, rounds of 1 ms: two flows of 1 MB cross it, one into an " +
			"incast of bursts of 150 KB (ofc.ratio:1), the other beside it",
		Set: ofcCommon, Protocols: compared, Build: buildOFC4, Variants: ratioVariants(),
		Claims: claimFigure4, Watch: watchQueues},
	ofcRealistic("fig6-edu1", "Figures 6 and 7, EDU1", "edu1"),
	ofcRealistic("fig6-edu2", "Figures 6 and 7, EDU2", "edu2"),
	figure8(),
	{Name: "ofc/fig9", Figure: "OFC paper, Figure 9", SampleEvery: 10 * sluice.Microsecond,
		Doc: "two spines, four leaves, two failed links: M flows of 30 KB of four kinds, random " +
			"shares, whose ways form a circle; 20 such networks at once",
		Set: ofcCommon + ",ofc.copies=20", Protocols: figure9Protocols, Build: buildOFC9,
		Routes: routesOFC9, Claims: claimFigure9,
		Variants: []run.Variant{{Name: "M 240", Set: "ofc.m=240"}, {Name: "M 400", Set: "ofc.m=400"},
			{Name: "M 640", Set: "ofc.m=640"}}},
}

// compared are the protocols of Figures 4 to 7, and a queue per flow.
var compared = []string{"pfc", "ofc", "capfc", "ppfc", "gfc-zero", "gpfc", "ideal"}

// figure9Protocols are the protocols that Figure 9 compares, and GFC as its own authors have it.
var figure9Protocols = []string{"pfc", "ofc", "capfc", "ppfc", "gfc", "gfc-zero", "gpfc"}

func ofcRealistic(name, figure, traffic string) run.Scenario {
	return run.Scenario{
		Name: "ofc/" + name, Figure: "OFC paper, " + figure, SampleEvery: 5 * sluice.Microsecond,
		Doc: "256 hosts, fat-tree of 8-port switches, 2:1: traffic like " + strings.ToUpper(traffic) +
			" at load 0.1, flows below 10 KB as vulnerable",
		Set:       ofcCommon + ",load=1/10,duration=4ms,workload=" + traffic,
		Protocols: compared,
		Build:     buildOFC6, Claims: claimFigure6, Watch: watchQueues,
	}
}

// figure8 is the traffic of EDU1 with other thresholds.
func figure8() run.Scenario {
	s := ofcRealistic("fig8", "Figure 8", "edu1")
	s.Protocols, s.Variants, s.Claims = []string{"pfc", "ofc"}, figure8Variants, claimFigure8
	return s
}

// buildOFC2 has S_a, S_b, S_c as nodes 10, 11, 12. Long flows F_0 and F_1 share the links from
// S_a over S_b to S_c, and six bursts come beside P_d. Sizes follow from PFC's and a queue per
// flow's maximum FCT, 1.96 and 1.69 ms, alone.
func buildOFC2(uint64, *params.Values) (*topo.Graph, []workload.Flow, error) {
	const hosts, a, b, c = 10, 10, 11, 12
	g := &topo.Graph{Name: "OFC Figure 1", Nodes: make([]topo.Node, hosts+3)}
	for i := range sluice.SwitchID(3) {
		g.Nodes[a+i].Tier, g.Nodes[a+i].Rack = 1, int32(i)
	}
	for host := range sluice.SwitchID(hosts) {
		at := sluice.SwitchID(c)
		if host < 2 {
			at = a
		}
		g.Nodes[host].Rack = int32(at - a)
		g.Connect(host, at, ofcLink)
	}
	g.Connect(a, b, ofcLink)
	g.Connect(b, c, ofcLink)
	flows := []workload.Flow{
		generate.Flow(0, 2, 4100*sluice.KB, 0, workload.Vulnerable),
		generate.Flow(1, 3, 4100*sluice.KB, 0, workload.Incast),
	}
	for burst := sluice.SwitchID(4); burst < hosts; burst++ {
		flows = append(flows, generate.Flow(burst, 3, 285*sluice.KB, 0, workload.Incast))
	}
	return g, flows, nil
}

// buildOFC4 makes rounds that do not overlap.
func buildOFC4(seed uint64, v *params.Values) (*topo.Graph, []workload.Flow, error) {
	const side, spacing = 32, sluice.Millisecond
	g, err := topo.Dumbbell(topo.DumbbellConfig{
		Left: side, Right: side, HostLink: ofcLink, Bottleneck: ofcLink,
	})
	if err != nil {
		return nil, nil, err
	}
	random := prng.New(prng.Mix(seed))
	ratio, long, burst := int(v.Int("ofc.ratio")), v.Bytes("ofc.long"), v.Bytes("ofc.burst")
	var flows []workload.Flow
	for round := range int(v.Int("ofc.rounds")) {
		start := sluice.Time(round) * spacing
		right := shuffled(&random, side, ratio+1)
		left := shuffled(&random, side, 2)
		flow := func(src, dst int, n sluice.Bytes, at sluice.Time, group workload.Group) {
			from, to := sluice.SwitchID(src), sluice.SwitchID(side+dst)
			flows = append(flows, generate.Flow(from, to, n, at, group))
		}
		flow(left[0], right[1], long, start, workload.Vulnerable)
		flow(left[1], right[0], long, start, workload.Incast)
		for _, from := range right[2:] {
			at := start + sluice.Time(random.Below(uint64(30*sluice.Microsecond)))
			flow(side+from, right[0], burst, at, workload.Incast)
		}
	}
	workload.SortByStart(flows)
	return g, flows, nil
}

// shuffled returns k different numbers below n in random order.
func shuffled(random *prng.Source, n, k int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	for i := range k {
		j := i + int(random.Below(uint64(n-i)))
		all[i], all[j] = all[j], all[i]
	}
	return all[:k]
}

// buildOFC6 is a fat-tree of three layers, k = 8, with 80 switches and 256 servers, two to one
// oversubscribed; flows below 10 KB are short.
func buildOFC6(seed uint64, v *params.Values) (*topo.Graph, []workload.Flow, error) {
	g, err := topo.FatTree(topo.FatTreeConfig{K: 8, HostsPerToR: 8, Link: ofcLink})
	if err != nil {
		return nil, nil, err
	}
	sizes, err := workload.DistributionByName(v.String("workload"))
	if err != nil {
		return nil, nil, err
	}
	num, den := v.Rational("load")
	flows, err := workload.Poisson(g, workload.TrafficConfig{
		Seed: seed, Sizes: sizes, LoadPerMille: int(num * 1000 / den),
		Capacity: sluice.Rate(len(g.Hosts())) * ofcLink.Rate, Duration: v.Time("duration"),
	})
	for i := range flows {
		flows[i].Class, flows[i].Group = 3, workload.Background
		if flows[i].Bytes < 10*sluice.KB {
			flows[i].Group = workload.Vulnerable
		}
	}
	return g, flows, err
}
