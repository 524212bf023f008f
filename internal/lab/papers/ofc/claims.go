package ofc

import (
	"slices"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/probe"
	"github.com/sluicefc/sluice/internal/lab/run"
	"github.com/sluicefc/sluice/internal/lab/topo"
	"github.com/sluicefc/sluice/internal/lab/workload"
)

// largest measures the largest FCT of a group in ms; GroupAuto means all.
func largest(g workload.Group) run.Measure {
	return run.AboveZero(func(o *run.Outcome) float64 {
		most := sluice.Time(0)
		for i := range o.Result.Flows {
			if f := &o.Result.Flows[i]; f.FCT != sluice.Never && (g == workload.GroupAuto ||
				o.Groups[i] == g) {
				most = max(most, f.FCT)
			}
		}
		return most.Microseconds() / 1000
	})
}

// claimFigure2 is Table I, the row of the simulation, and Figure 2(b): the scheme "can effectively
// lower the Flow Completion time (FCT), occupied buffer and deadlock occurrence". Figure 2(c)'s
// deadlocks need a circle: ofc/fig9 has one.
func claimFigure2(*run.Subject) (claims []run.Measurement) {
	for _, c := range []struct {
		of       string
		group    workload.Group
		pfc, ofc float64
	}{
		{"all", workload.GroupAuto, 1.96, 1.69},
		{"uncongested", workload.Vulnerable, 1.96, 1.45},
		{"congested", workload.Incast, 1.96, 1.69},
	} {
		claims = append(claims, run.Measurement{
			What: "largest FCT of " + c.of + " flows", Unit: "ms", Figure: "Table I",
			Value:     largest(c.group),
			Published: run.Ranges{"pfc": run.Exactly(c.pfc), "ofc": run.Exactly(c.ofc)},
		})
	}
	return append(claims, queueReductions(figure5Queues[:1], "Figure 2(b)", run.AtLeast(0))...)
}

// queueKind is a kind of the ports of switches whose mean queue the paper gives.
type queueKind struct {
	what string
	of   func(*topo.Graph, sluice.Hop) bool
}

// figure5Queues: "average queue lengths of ports through which all flows, uncongested flows, and
// congested flows traverse". All cross the link between the switches, the last port of the first
// switch. An uncongested flow has its host's port to itself, which is empty then: only packets of
// the incast wait at ports to hosts.
var figure5Queues = []queueKind{
	{"all", func(*topo.Graph, sluice.Hop) bool { return true }},
	{"uncongested", func(g *topo.Graph, at sluice.Hop) bool { return !toHost(g, at) }},
	{"congested", toHost},
}

func toHost(g *topo.Graph, at sluice.Hop) bool {
	return g.Nodes[g.Nodes[at.Switch].Ports[at.Port].Peer].Tier == 0
}

// figure7Queues: "all ports, core layer, and aggregation layer".
var figure7Queues = []queueKind{
	figure5Queues[0], {"aggregation", inTier(2)}, {"core", inTier(3)}, {"edge", inTier(1)},
}

func inTier(tier topo.Tier) func(*topo.Graph, sluice.Hop) bool {
	return func(g *topo.Graph, at sluice.Hop) bool { return g.Nodes[at.Switch].Tier == tier }
}

// portsOf returns the ports of switches that are of a kind.
func portsOf(o *run.Outcome, kind queueKind) (ports []probe.PortStatistics) {
	g := o.Subject.Graph
	for _, p := range o.Result.Seen.Ports {
		if g.Nodes[p.At.Switch].Tier > 0 && kind.of(g, p.At) {
			ports = append(ports, p)
		}
	}
	return ports
}

// meanBytes returns what the ports of a kind held together on average over time.
func meanBytes(o *run.Outcome, kind queueKind) float64 {
	sum := sluice.Bytes(0)
	for _, p := range portsOf(o, kind) {
		sum += p.MeanQueue
	}
	return float64(sum)
}

// portMean returns what a port of a kind held on average over time: the mean over ports that held
// anything, or over all ports where the kind is all.
func portMean(o *run.Outcome, kind queueKind) float64 {
	ports := 0
	for _, p := range portsOf(o, kind) {
		if kind.what == "all" || p.MeanQueue > 0 {
			ports++
		}
	}
	return meanBytes(o, kind) / float64(max(1, ports))
}

// watchQueues has all ports watched, so that their mean queues are known.
func watchQueues(*run.Subject, *probe.Config) {}

// reduction compares OFC with every other protocol but ideal, which is no baseline.
func reduction(what, source string, published run.Range, measure run.Measure) run.Measurement {
	c := run.Measurement{
		What: what, Figure: source, Of: []string{"ofc"}, Relation: run.Less,
		Against: []string{"pfc", "capfc", "ppfc", "gfc", "gfc-zero", "gpfc"}, Value: measure,
	}
	if published != (run.Range{}) {
		c.Published = run.Always(published)
	}
	return c
}

// fctReduction adds what a queue per flow gains, which bounds what any flow control could.
func fctReduction(what, source string, published run.Range, measure run.Measure) []run.Measurement {
	bound := reduction(what, source, run.Range{}, measure)
	bound.Of = []string{"ideal"}
	return []run.Measurement{reduction(what, source, published, measure), bound}
}

// queueReductions compares the mean queues of kinds of ports.
func queueReductions(kinds []queueKind, source string, published run.Range) (claims []run.Measurement) {
	for _, kind := range kinds {
		queue := run.AboveZero(func(o *run.Outcome) float64 { return meanBytes(o, kind) })
		claims = append(claims, reduction("mean queue of "+kind.what+" ports", source, published, queue))
	}
	return claims
}

// claimFigure4 sets the reductions beside the ranges of section IV-C1, and the order of mean
// queues: all ports, ports of uncongested flows, ports of congested flows.
func claimFigure4(s *run.Subject) (claims []run.Measurement) {
	const source = "section IV-C1"
	ratio := s.Values.Int("ofc.ratio")
	fct := map[int64]run.Range{
		4: run.Between(19.28, 22.6), 6: run.Between(23.08, 43.06), 8: run.Between(20.59, 54.55),
		10: run.Between(15.59, 60.28),
	}[ratio]
	queue := map[int64]run.Range{
		4: run.Between(21.74, 49.33), 6: run.Between(21.81, 50), 8: run.Between(22.22, 51.47),
		10: run.Between(20.64, 49.74),
	}[ratio]
	claims = slices.Concat(
		fctReduction("mean FCT of uncongested flows", source, fct, run.MeanFCT(workload.Vulnerable)),
		fctReduction("largest FCT of congested flows", source, fct, largest(workload.Incast)),
		fctReduction("mean FCT of all flows", source, fct, run.MeanFCT(workload.GroupAuto)),
		queueReductions(figure5Queues, source, queue))
	// published is "all < uncongested < congested" of the mean queues of a port
	for _, kind := range figure5Queues {
		claims = append(claims, run.Measurement{
			What: "mean queue of a port, " + kind.what, Unit: "B", Figure: "Figure 5",
			Value: run.Value(func(o *run.Outcome) float64 { return portMean(o, kind) }),
		})
	}
	return claims
}

// claimFigure6 sets the reductions beside the ranges of section IV-C2.
func claimFigure6(s *run.Subject) []run.Measurement {
	const source = "section IV-C2"
	queue := run.Ranges{
		"edu1": run.Between(4.31, 11.83), "edu2": run.Between(5.8, 11.24),
	}[s.Values.String("workload")]
	all, large := run.MeanFCT(workload.GroupAuto), run.MeanFCT(workload.Background)
	return slices.Concat(
		fctReduction("mean FCT of all flows", source, run.Exactly(5), all),
		fctReduction("mean FCT of large flows", source, run.Range{}, large),
		queueReductions(figure7Queues, source, queue))
}

// claimFigure9 says which run ended in a deadlock. The paper gives how many fewer runs of OFC did,
// in per cent of 1,000 runs: sweeps over seeds have the shares.
func claimFigure9(*run.Subject) []run.Measurement {
	return []run.Measurement{{
		What: "deadlock", Figure: "Figure 9", Value: run.Deadlocked,
		Published: run.Ranges{
			"pfc":      run.InWords("OFC has 7.15 to 45.24 % fewer"),
			"capfc":    run.InWords("OFC has 4.14 to 40.43 % fewer"),
			"ppfc":     run.InWords("OFC has 4.99 to 41.53 % fewer"),
			"gfc-zero": run.InWords("OFC has 8.64 to 48.70 % fewer"),
			"gpfc":     run.InWords("OFC has 7.95 to 47.33 % fewer"),
		},
	}}
}
