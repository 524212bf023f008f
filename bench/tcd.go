package main

import (
	"bytes"
	"embed"
	"fmt"
	"slices"
	"strings"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/params"
	"github.com/sluicefc/sluice/internal/lab/probe"
	"github.com/sluicefc/sluice/internal/lab/topo"
	"github.com/sluicefc/sluice/internal/lab/workload"
)

// tcdLibrary follows the TCD paper.
var tcdLibrary = &library{tcdScenarios, creditParameters}

// tcdSettings are those of section 3.1.1 of the TCD paper and of its first author's code: packets
// of 1,030 bytes, DCQCN as in that code, marking from 5 to 200 frames with 1 %, X_off 320 KB and
// X_on two frames less, pauses of 5 us that are sent again; under InfiniBand a buffer of 280 KB,
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
var tcdScenarios = []scenario{
	{
		name: "tcd/fig3", figure: "TCD paper, Figure 3", sampleEvery: 10 * sluice.Microsecond,
		doc: "15 hosts send bursts to R1 from 1 ms on, which F1 goes to at 40 Gb/s; F0 and F2 cross " +
			"its way at 5 Gb/s from 1.3 ms on: P3 alone is congested (DCQCN's alpha begins at 1/2, or P2 " +
			"never fills)",
		set: tcdSettings + ",cc=dcqcn+tcd", protocols: []string{"pfc", "cbfc"}, until: unitUntil,
		build: buildUnit(5 * sluice.Gbps), watch: watchUnit, claims: claimUnit, variants: tcdDetectors,
	},
	{
		name: "tcd/fig4", figure: "TCD paper, Figure 4", sampleEvery: 10 * sluice.Microsecond,
		doc: "the same with F0 and F2 at 25 Gb/s: P2 is congested as well",
		set: tcdSettings + ",cc=dcqcn+tcd", protocols: []string{"pfc", "cbfc"}, until: unitUntil,
		build: buildUnit(25 * sluice.Gbps), watch: watchUnit, claims: claimUnit,
		variants: append(
			slices.Clone(tcdDetectors), variant{"tcd, slack 900", "cc=dcqcn+tcd,tcd.slack=900B", "pfc"},
		),
	},
	{
		name: "tcd/victim", figure: "TCD paper, Figure 3", sampleEvery: 10 * sluice.Microsecond,
		doc: "tcd/fig3 where congestion control governs F0 and F2 too, from network cards of 5 Gb/s",
		set: tcdSettings + ",cc=dcqcn+tcd", protocols: []string{"pfc"}, until: unitUntil,
		build: buildVictim, watch: watchUnit, claims: claimVictim,
		variants: controls("dcqcn", "dcqcn+tcd"),
	},
	{
		name: "tcd/epsilon", figure: "TCD paper, Figure 3", sampleEvery: 10 * sluice.Microsecond,
		doc: "tcd/fig3 by the degree of congestion that TCD is to detect",
		set: tcdSettings + ",cc=dcqcn+tcd", protocols: []string{"pfc"}, until: unitUntil,
		build: buildUnit(5 * sluice.Gbps), watch: watchUnit, claims: claimUnit,
		variants: []variant{
			{"1/100", "tcd.epsilon=1/100", ""}, {"1/50", "tcd.epsilon=1/50", ""},
			{"1/20", "tcd.epsilon=1/20", ""},
			{"1/10", "tcd.epsilon=1/10", ""}, {"1/5", "tcd.epsilon=1/5", ""},
		},
	},
	{
		name: "tcd/isolated", figure: "TCD paper, Figure 5(a)", sampleEvery: 10 * sluice.Microsecond,
		doc: "two congestion trees that share nothing, the second one half as long",
		set: tcdSettings + ",detect=tcd", protocols: []string{"pfc"}, until: unitUntil,
		build: buildTrees("isolated"), watch: watchIsolated, claims: claimStates,
	},
	{
		name: "tcd/overlapped", figure: "TCD paper, Figure 5(b)", sampleEvery: 10 * sluice.Microsecond,
		doc: "two congestion trees with a leaf in common, the second one half as long",
		set: tcdSettings + ",detect=tcd", protocols: []string{"pfc"}, until: unitUntil,
		build: buildTrees("overlapped"), watch: watchOverlapped, claims: claimStates,
	},
	{
		name: "tcd/covered", figure: "TCD paper, Figure 5(c)", sampleEvery: 10 * sluice.Microsecond,
		doc: "a congestion tree with its root at P2 under a deeper one from P3",
		set: tcdSettings + ",cc=dcqcn+tcd", protocols: []string{"pfc"}, until: unitUntil,
		build: buildUnit(25 * sluice.Gbps), watch: watchUnit, claims: claimStates,
	},
	creditScenario,
}

// tcdDetectors are what Ethernet and InfiniBand have, and TCD. InfiniBand has two controls here:
// its own, as in the paper, and DCQCN, whose receivers answer marks at once as InfiniBand's do.
var tcdDetectors = []variant{
	{"ecn", "cc=dcqcn,detect=ecn", "pfc"}, {"tcd", "cc=dcqcn+tcd,detect=tcd", "pfc"},
	{"fecn", "cc=dcqcn,detect=fecn,dcqcn.np=at-once", "cbfc"},
	{"tcd", "cc=dcqcn+tcd,detect=tcd,dcqcn.np=at-once", "cbfc"},
	{"fecn, ibcc", "cc=ibcc,detect=fecn", "cbfc"}, {"tcd, ibcc", "cc=ibcc+tcd,detect=tcd", "cbfc"},
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

// Instants of Figures 3 and 4: F1 begins at 0, "F1 achieves 40Gbps at the beginning"; bursts, the
// paper's time 0; and F0 and F2, when "the rate of F1 has decreased below 15Gbps".
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
func buildUnit(
	rate sluice.Rate,
) func(uint64, *params.Values) (*topo.Graph, []workload.Flow, error) {
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
		endless(unitS0, unitR0, unitVictims, rate), endless(unitS1, unitR1, 0, 0),
		endless(unitS2, unitR0, unitVictims, rate),
	}
	flows = append(flows, bursts(unitA0, unitBursters, unitR1, 16, unitBursts)...)
	workload.AssignPorts(flows)
	return flows
}

// endless is a flow that outlives every run.
func endless(src, dst sluice.SwitchID, start sluice.Time, rate sluice.Rate) workload.Flow {
	return workload.Flow{
		Src: src, Dst: dst, Class: unitClass, DstPort: 100, Bytes: neverSent, Start: start,
		Rate: rate, Group: workload.Vulnerable,
	}
}

// bursts are some flows of 64 KB from each of n hosts, all at once.
func bursts(
	first sluice.SwitchID, n int, dst sluice.SwitchID, each int, at sluice.Time,
) (flows []workload.Flow) {
	for range each {
		for i := range sluice.SwitchID(n) {
			flows = append(flows, workload.Flow{
				Src: first + i, Dst: dst, Class: unitClass, DstPort: 100, Bytes: 64 * sluice.KB, Start: at,
				Group: workload.Incast,
			})
		}
	}
	return flows
}

// buildTrees has two hosts send at 10 Gb/s, one to either end, where bursts meet them: for 3.1 ms
// at the first, for half of that at the second.
func buildTrees(
	name string,
) func(uint64, *params.Values) (*topo.Graph, []workload.Flow, error) {
	return func(uint64, *params.Values) (*topo.Graph, []workload.Flow, error) {
		graph, err := tcdNetwork(name)
		flows := []workload.Flow{
			endless(0, 17, 0, 10*sluice.Gbps), endless(1, 33, 0, 10*sluice.Gbps),
		}
		flows = append(flows, bursts(2, 15, 17, 16, unitBursts)...)
		flows = append(flows, bursts(18, 15, 33, 8, unitBursts)...)
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
		{"P0", unitP0, "/, 0"}, {"P1", unitP1, "/, 0"}, {"P2", unitP2, "/, 1"}, {"P3", unitP3, "1, 0"},
	}
	isolatedPorts = []watched{
		{"first tree's far leaf", sluice.Hop{Switch: 34, Port: 1}, "/, 0"},
		{"first tree's near leaf", sluice.Hop{Switch: 35, Port: 1}, "/, 0"},
		{"first tree's root", sluice.Hop{Switch: 36, Port: 15}, "1, 0"},
		{"second tree's far leaf", sluice.Hop{Switch: 38, Port: 1}, "/, 0"},
		{"second tree's near leaf", sluice.Hop{Switch: 39, Port: 1}, "/, 0"},
		{"second tree's root", sluice.Hop{Switch: 37, Port: 15}, "1, 0"},
	}
	overlappedPorts = []watched{
		{"common leaf", sluice.Hop{Switch: 34, Port: 2}, "/, 0 after both"},
		{"first tree's leaf", sluice.Hop{Switch: 35, Port: 1}, "/, 0"},
		{"first tree's root", sluice.Hop{Switch: 36, Port: 15}, "1, 0"},
		{"second tree's leaf", sluice.Hop{Switch: 35, Port: 2}, "/, 0"},
		{"second tree's root", sluice.Hop{Switch: 37, Port: 15}, "1, 0"},
	}
)

func watchUnit(_ *subject, c *probe.Config)       { watchPorts(c, unitPorts, 0, 1, 2) }
func watchIsolated(_ *subject, c *probe.Config)   { watchPorts(c, isolatedPorts) }
func watchOverlapped(_ *subject, c *probe.Config) { watchPorts(c, overlappedPorts) }

// watchPorts watches ports and flows, and all pauses.
func watchPorts(c *probe.Config, ports []watched, flows ...int32) {
	c.Pauses, c.States, c.Marks = true, true, true
	c.Flows = append(c.Flows, flows...)
	for _, p := range ports {
		c.Ports = append(c.Ports, p.at)
	}
}

// sinceBursts is an instant on the paper's clock, in milliseconds.
func sinceBursts(at sluice.Time) string {
	return fmt.Sprintf("%.3f", (at-unitBursts).Microseconds()/1000)
}
