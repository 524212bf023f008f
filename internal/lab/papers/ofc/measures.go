package ofc

import (
	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/probe"
	"github.com/sluicefc/sluice/internal/lab/run"
	"github.com/sluicefc/sluice/internal/lab/topo"
	"github.com/sluicefc/sluice/internal/lab/workload"
)

// baselines are what the paper compares OFC with; its GFC goes down to a rate of nothing (section
// IV-A4).
var baselines = []string{"pfc", "capfc", "ppfc", "gfc-zero", "gpfc"}

// largest measures the largest FCT of a group in ms; GroupAuto means all. The paper's FCT is the
// time that a group of flows takes (section IV-A3).
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

func reordered(o *run.Outcome) run.Measured { return run.Number(float64(o.Result.Reordered)) }

// queueKind is a kind of the ports of switches whose mean queue the paper gives.
type queueKind struct {
	what string
	of   func(*topo.Graph, sluice.Hop) bool
}

// figure5Queues are the ports that all flows, uncongested flows, and congested flows traverse
// (section IV-C1). All cross the link between the switches; an incast ends at the port of its host,
// a port that an uncongested flow has to itself in another round, and that is empty then.
var figure5Queues = []queueKind{
	{"all", everyPort},
	{"uncongested", func(g *topo.Graph, at sluice.Hop) bool { return !toHost(g, at) }},
	{"congested", func(g *topo.Graph, at sluice.Hop) bool {
		return !toHost(g, at) || g.Nodes[at.Switch].Rack == 1
	}},
}

func everyPort(*topo.Graph, sluice.Hop) bool { return true }

func toHost(g *topo.Graph, at sluice.Hop) bool {
	return g.Nodes[g.Nodes[at.Switch].Ports[at.Port].Peer].Tier == 0
}

// figure7Queues are all ports, and the ports of the two upper layers (section IV-C2).
var figure7Queues = []queueKind{
	{"all", everyPort}, {"aggregation", inTier(2)}, {"core", inTier(3)},
}

func inTier(tier topo.Tier) func(*topo.Graph, sluice.Hop) bool {
	return func(g *topo.Graph, at sluice.Hop) bool { return g.Nodes[at.Switch].Tier == tier }
}

// queue measures what the ports of a kind held together on average over time, in bytes.
func (kind queueKind) queue() run.Measure {
	return run.AboveZero(func(o *run.Outcome) float64 {
		held, _ := kind.held(o)
		return held
	})
}

// perPort measures what a port of a kind held on average over time. A round of Figure 5 has two
// ports that an uncongested flow traverses, and two that a congested flow does.
func (kind queueKind) perPort() run.Measure {
	return run.Value(func(o *run.Outcome) float64 {
		held, ports := kind.held(o)
		if kind.what != "all" {
			ports = 2
		}
		return held / float64(max(1, ports))
	})
}

// held returns what the ports of a kind held together, and how many they are.
func (kind queueKind) held(o *run.Outcome) (bytes float64, ports int) {
	g := o.Subject.Graph
	for _, p := range o.Result.Seen.Ports {
		if g.Nodes[p.At.Switch].Tier > 0 && kind.of(g, p.At) {
			bytes += float64(p.MeanQueue)
			ports++
		}
	}
	return bytes, ports
}

// watchQueues has all ports watched, so that their mean queues are known.
func watchQueues(*run.Subject, *probe.Config) {}

// protocol is what a run has in common with another of the same flow control.
func protocol(o *run.Outcome) string { return o.Run }

// reduction compares OFC with the baselines, of the same variant.
func reduction(what string, measure run.Measure, published run.Ranges) run.Measurement {
	return run.Measurement{
		What: what, Of: []string{"ofc"}, Relation: run.Less, Against: baselines,
		Alike: (*run.Outcome).Variant, Value: measure, Published: published,
	}
}

// reductions compares with the same published range.
func reductions(published run.Ranges, measured []run.Measurement) (all []run.Measurement) {
	for _, m := range measured {
		all = append(all, reduction(m.What, m.Value, published))
	}
	return all
}

// ofIdeal is what a queue per flow gains, which bounds what a flow control could.
func ofIdeal(measured []run.Measurement) (all []run.Measurement) {
	for _, m := range measured {
		one := reduction(m.What, m.Value, nil)
		one.Of, one.Against = []string{"ideal"}, []string{"pfc"}
		all = append(all, one)
	}
	return all
}

// queuesOf are the mean queues of kinds of ports.
func queuesOf(kinds []queueKind) (all []run.Measurement) {
	for _, kind := range kinds {
		all = append(all, run.Measurement{
			What: "mean queue of " + kind.what + " ports", Unit: "B", Value: kind.queue(),
		})
	}
	return all
}
