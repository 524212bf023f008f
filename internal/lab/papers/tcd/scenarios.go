// Package tcd follows the figures of the TCD paper.
package tcd

import (
	"bytes"
	"embed"
	"fmt"
	"slices"
	"strings"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/generate"
	"github.com/sluicefc/sluice/internal/lab/params"
	"github.com/sluicefc/sluice/internal/lab/probe"
	"github.com/sluicefc/sluice/internal/lab/run"
	"github.com/sluicefc/sluice/internal/lab/topo"
	"github.com/sluicefc/sluice/internal/lab/workload"
)

// Library follows the TCD paper.
var Library = &run.Library{
	Scenarios: tcdScenarios, Notes: notes, Panels: panels,
	Parameters: slices.Concat(creditParameters, alikeParameters),
	Messages:   map[string][]run.Message{"tcd": messages},
	Untested:   map[string][]run.Claim{"tcd": untested},
}

// tcdSettings are from section 3.1.1 of the TCD paper and its first author's code: packets of 1,030
// bytes, DCQCN as in that code, marking from 5 to 200 frames with 1 %, X_off 320 KB and X_on two
// frames less, pauses of 5 us that are sent again; under InfiniBand a buffer of 280 KB,
// and T_c of 4.096 us as the author's model of InfiniBand has it, for the paper's own is not given.
// There is no window, which would hide the congestion trees, and acknowledgements have a class of
// their own, or pauses would hold them. DCQCN's alpha begins at 1/2: with 1, F1 falls so fast that
// P2 never fills.
const tcdSettings = "payload=1000B,header=30B,window=1GB,ack.class=7," +
	"pfc.xoff=329600B,pfc.resume=2060B,pfc.quanta=391," +
	"dcqcn.alpha0=1/2,dcqcn.order=update-first,dcqcn.np=interval,dcqcn.cap-target=off," +
	"dcqcn.ai=40Mbps,dcqcn.hai=200Mbps," +
	"ecn.kmin=12875B,ecn.kmax=515000B,ecn.pmax=1/100," +
	"cbfc.buffer=280KB,cbfc.period=4096ns,fecn.threshold=50KB"

// tcdScenarios follow section 3 of the TCD paper.
var tcdScenarios = []run.Scenario{
	{Name: "tcd/fig3", Figure: "TCD paper, Figure 3", SampleEvery: 10 * sluice.Microsecond,
		Doc: "15 hosts send bursts to R1 from 1 ms on, which F1 goes to at 40 Gb/s; F0 and F2 cross " +
			"its way at 5 Gb/s from 1.3 ms on: P3 alone is congested (DCQCN's alpha begins at 1/2, or P2 " +
			"never fills)",
		Set: tcdSettings + ",cc=dcqcn+tcd", Protocols: []string{"pfc", "cbfc"}, Until: unitUntil,
		Build: buildUnit(5 * sluice.Gbps), Watch: watchUnit, Claims: claimFigure3,
		Variants: tcdDetectors},
	{Name: "tcd/fig4", Figure: "TCD paper, Figure 4", SampleEvery: 10 * sluice.Microsecond,
		Doc: "the same with F0 and F2 at 25 Gb/s: P2 is congested as well",
		Set: tcdSettings + ",cc=dcqcn+tcd", Protocols: []string{"pfc", "cbfc"}, Until: unitUntil,
		Build: buildUnit(25 * sluice.Gbps), Watch: watchUnit, Claims: claimFigure4,
		Variants: append(
			slices.Clone(tcdDetectors), run.Variant{Name: "tcd, slack 900",
				Set: "cc=dcqcn+tcd,tcd.slack=900B", FC: "pfc"},
		)},
	alikeScenario,
	{Name: "tcd/victim", Figure: "TCD paper, Figure 3", SampleEvery: 10 * sluice.Microsecond,
		Doc: "tcd/fig3 where congestion control governs F0 and F2 too, from network cards of 5 Gb/s",
		Set: tcdSettings + ",cc=dcqcn+tcd", Protocols: []string{"pfc"}, Until: unitUntil,
		Build: buildVictim, Watch: watchUnit, Claims: claimVictim,
		Variants: run.Controls("dcqcn", "dcqcn+tcd")},
	{Name: "tcd/epsilon", Figure: "TCD paper, Figure 3", SampleEvery: 10 * sluice.Microsecond,
		Doc: "tcd/fig3 by the degree of congestion that TCD is to detect",
		Set: tcdSettings + ",cc=dcqcn+tcd", Protocols: []string{"pfc"}, Until: unitUntil,
		Build: buildUnit(5 * sluice.Gbps), Watch: watchUnit, Claims: claimEpsilon,
		Variants: []run.Variant{
			{Name: "1/100", Set: "tcd.epsilon=1/100"}, {Name: "1/50", Set: "tcd.epsilon=1/50"},
			{Name: "1/20", Set: "tcd.epsilon=1/20"}, {Name: "1/10", Set: "tcd.epsilon=1/10"},
			{Name: "1/5", Set: "tcd.epsilon=1/5"},
		}},
	{Name: "tcd/isolated", Figure: "TCD paper, Figure 5(a)", SampleEvery: 10 * sluice.Microsecond,
		Doc: "two congestion trees that share nothing, the second one half as long",
		Set: tcdSettings + ",detect=tcd", Protocols: []string{"pfc"}, Until: unitUntil,
		Build: buildTrees("isolated"), Watch: watch(isolatedPorts), Claims: claimTrees},
	{Name: "tcd/overlapped", Figure: "TCD paper, Figure 5(b)", SampleEvery: 10 * sluice.Microsecond,
		Doc: "two congestion trees with a leaf in common, the second one half as long",
		Set: tcdSettings + ",detect=tcd", Protocols: []string{"pfc"}, Until: unitUntil,
		Build: buildTrees("overlapped"), Watch: watch(overlappedPorts), Claims: claimTrees},
	{Name: "tcd/covered", Figure: "TCD paper, Figure 5(c)", SampleEvery: 10 * sluice.Microsecond,
		Doc: "a congestion tree with its root at P2 under a deeper one from P3",
		Set: tcdSettings + ",cc=dcqcn+tcd", Protocols: []string{"pfc"}, Until: unitUntil,
		Build: buildUnit(25 * sluice.Gbps), Watch: watchUnit, Claims: claimTrees},
	creditScenario,
}

// tcdDetectors are what Ethernet and InfiniBand have, and TCD. InfiniBand has two controls here:
// its own, as in the paper, and DCQCN, whose receivers answer marks at once as InfiniBand's do.
var tcdDetectors = []run.Variant{
	{Name: "ecn", Set: "cc=dcqcn,detect=ecn", FC: "pfc"},
	{Name: "tcd", Set: "cc=dcqcn+tcd,detect=tcd", FC: "pfc"},
	{Name: "fecn", Set: "cc=dcqcn,detect=fecn,dcqcn.np=at-once", FC: "cbfc"},
	{Name: "tcd", Set: "cc=dcqcn+tcd,detect=tcd,dcqcn.np=at-once", FC: "cbfc"},
	{Name: "fecn, ibcc", Set: "cc=ibcc,detect=fecn", FC: "cbfc"},
	{Name: "tcd, ibcc", Set: "cc=ibcc+tcd,detect=tcd", FC: "cbfc"},
}

// Nodes and ports of Figure 2's network, by their names in the text. The links are read off the
// first author's code: the figure is not in our copy of the paper.
const (
	unitS0, unitS1, unitS2 sluice.SwitchID = 0, 1, 2
	unitA0, unitR0, unitR1 sluice.SwitchID = 3, 18, 19
	unitBursters                           = 15
	unitClass                              = 3
)

var (
	unitP0 = sluice.Hop{Switch: 20, Port: 2}
	unitP1 = sluice.Hop{Switch: 21, Port: 1}
	unitP2 = sluice.Hop{Switch: 22, Port: 2}
	unitP3 = sluice.Hop{Switch: 23, Port: 16}
)

// Instants of Figures 3 and 4: F1 begins at 0 and has 40 Gb/s at first; bursts, the paper's time 0;
// and F0 and F2, when F1 has come below 15 Gb/s.
const (
	unitBursts  = sluice.Millisecond
	unitVictims = unitBursts + 300*sluice.Microsecond
	unitUntil   = 9 * sluice.Millisecond
)

//go:embed testdata/tcd
var tcdFiles embed.FS

// tcdNetwork reads a network of testdata, with links of 40 Gb/s and 4 us unless the text is edited.
func tcdNetwork(name string, edits ...string) (*topo.Graph, error) {
	text, err := tcdFiles.ReadFile("testdata/tcd/" + name + ".txt")
	if err != nil {
		return nil, err
	}
	edited := strings.NewReplacer(edits...).Replace(string(text))
	return topo.Read(bytes.NewReader([]byte(edited)), "TCD's "+name)
}

// buildUnit has F0 and F2 send at a constant rate.
func buildUnit(rate sluice.Rate) generate.Builder {
	return func(uint64, *params.Values) (*topo.Graph, []workload.Flow, error) {
		graph, err := tcdNetwork("unit")
		return graph, unitFlows(rate), err
	}
}

// buildVictim has congestion control govern F0 and F2, from cards that are no faster than they were
// in Figure 3.
func buildVictim(uint64, *params.Values) (*topo.Graph, []workload.Flow, error) {
	graph, err := tcdNetwork("unit", "\n0 20 40 ", "\n0 20 5 ", "\n2 21 40 ", "\n2 21 5 ")
	return graph, unitFlows(0), err
}

// unitFlows are F0, F1 and F2 in this order, then the bursts: 16 of 64 KB a sender at once, which
// take 3.1 ms of P3.
func unitFlows(rate sluice.Rate) []workload.Flow {
	flows := []workload.Flow{
		generate.Endless(unitS0, unitR0, unitVictims, rate), generate.Endless(unitS1, unitR1, 0, 0),
		generate.Endless(unitS2, unitR0, unitVictims, rate),
	}
	flows = append(flows, generate.Bursts(unitA0, unitBursters, unitR1, 16, unitBursts)...)
	workload.AssignPorts(flows)
	return flows
}

// buildTrees has two hosts send at 10 Gb/s, one to either end, where bursts meet them: for 3.1 ms
// at the first, for half of that at the second.
func buildTrees(name string) generate.Builder {
	return func(uint64, *params.Values) (*topo.Graph, []workload.Flow, error) {
		graph, err := tcdNetwork(name)
		flows := []workload.Flow{
			generate.Endless(0, 17, 0, 10*sluice.Gbps), generate.Endless(1, 33, 0, 10*sluice.Gbps),
		}
		flows = append(flows, generate.Bursts(2, 15, 17, 16, unitBursts)...)
		flows = append(flows, generate.Bursts(18, 15, 33, 8, unitBursts)...)
		workload.AssignPorts(flows)
		return graph, flows, err
	}
}

// watched is a port by the name that reports use, and the states that the paper gives it.
type watched struct {
	name      string
	at        sluice.Hop
	published string
}

var (
	unitPorts = []watched{
		{"P0", unitP0, "/"}, {"P1", unitP1, "/"}, {"P2", unitP2, "/, 1"}, {"P3", unitP3, "1, 0"},
	}
	isolatedPorts = []watched{
		{"the first tree's far leaf", sluice.Hop{Switch: 34, Port: 1}, "/, 0"},
		{"the first tree's near leaf", sluice.Hop{Switch: 35, Port: 1}, "/, 0"},
		{"the first tree's root", sluice.Hop{Switch: 36, Port: 15}, "1, 0"},
		{"the second tree's far leaf", sluice.Hop{Switch: 38, Port: 1}, "/, 0"},
		{"the second tree's near leaf", sluice.Hop{Switch: 39, Port: 1}, "/, 0"},
		{"the second tree's root", sluice.Hop{Switch: 37, Port: 15}, "1, 0"},
	}
	overlappedPorts = []watched{
		{"the common leaf", sluice.Hop{Switch: 34, Port: 2}, "/, 0"},
		{"the first tree's leaf", sluice.Hop{Switch: 35, Port: 1}, "/, 0"},
		{"the first tree's root", sluice.Hop{Switch: 36, Port: 15}, "1, 0"},
		{"the second tree's leaf", sluice.Hop{Switch: 35, Port: 2}, "/, 0"},
		{"the second tree's root", sluice.Hop{Switch: 37, Port: 15}, "1, 0"},
	}
)

// unitPlaceOfP2 is P2's place among unitPorts.
const unitPlaceOfP2 = 2

// role is what a port is in a congestion tree.
type role string

const (
	isRoot role = "root"
	isLeaf role = "leaf"
	hidden role = "covered root"
)

func (w *watched) role() role {
	switch {
	case w.published == "/, 1":
		return hidden
	case strings.HasPrefix(w.published, "1"):
		return isRoot
	}
	return isLeaf
}

// stated is what the paper says of ports of one role.
type stated struct{ name, statement, place string }

// figure5 is what section 3.2.2 says of the ports of congestion trees, by scenario.
var figure5 = map[string]map[role]stated{
	"tcd/isolated": {
		isLeaf: {"isolated", "leaves of trees that share nothing are undetermined, and not congested " +
			"once their tree is gone", "section 3.2.2, item 1; Figure 5(a)"},
		isRoot: {"", "roots of trees that share nothing are congested, and not any more once their " +
			"tree is gone", "section 3.2.2, item 1; Figure 5(a)"},
	},
	"tcd/overlapped": {
		isLeaf: {"", "leaves of trees that overlap are undetermined, and not congested in the end",
			"section 3.2.2, item 2; Figure 5(b)"},
		isRoot: {"", "roots of trees that overlap are congested", "section 3.2.2, item 2; Figure 5(b)"},
	},
	"tcd/covered": {
		isLeaf: {"", "P0 and P1 are undetermined: P2, which is congested in the end, pauses them",
			"section 3.2.1, third state"},
		isRoot: {"", "the root of the deeper tree is congested", "section 3.2.2, item 3; Figure 5(c)"},
		hidden: {"covered", "a covered root is undetermined, and congested once the deeper tree is gone",
			"section 3.2.2, item 3; Figure 5(c)"},
	},
}

// watchedPorts are the ports of Figure 5, by scenario.
var watchedPorts = map[string][]watched{
	"tcd/isolated": isolatedPorts, "tcd/overlapped": overlappedPorts, "tcd/covered": unitPorts,
}

// watch watches ports and flows.
func watch(ports []watched, flows ...int32) func(*run.Subject, *probe.Config) {
	return func(_ *run.Subject, c *probe.Config) {
		var at []sluice.Hop
		for _, p := range ports {
			at = append(at, p.at)
		}
		run.WatchPorts(c, at, flows...)
	}
}

var watchUnit = watch(unitPorts, 0, 1, 2)

// sinceBursts is an instant on the paper's clock, in milliseconds.
func sinceBursts(at sluice.Time) string {
	return fmt.Sprintf("%.3f", (at-unitBursts).Microseconds()/1000)
}
