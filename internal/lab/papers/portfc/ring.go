package portfc

import (
	"fmt"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/fabric"
	"github.com/sluicefc/sluice/internal/lab/params"
	"github.com/sluicefc/sluice/internal/lab/run"
	"github.com/sluicefc/sluice/internal/lab/topo"
	"github.com/sluicefc/sluice/internal/lab/workload"
)

var ringParameters = []params.Definition{
	{Name: "circle", Kind: params.Choice, Default: "four", Choices: []string{"four", "two"},
		Doc: "scenarios portfc/deadlock, portfc/fig19: how many nodes of the ring send two nodes on"},
	{Name: "loop.flows", Kind: params.Int, Default: "64", Min: "1", Max: "10000",
		Doc: "scenarios portfc/deadlock, portfc/fig19: flows of each such node; a flow has a packet in " +
			"its node's queue, and the flows are to fill it"},
}

// nodeRing is four nodes of NDC(n,1) in a ring: each node and the next differ in one digit, in turn
// the digit of layer 0 and of layer 1.
func nodeRing(n int) [4]sluice.SwitchID {
	return [4]sluice.SwitchID{0, 1, sluice.SwitchID(n + 1), sluice.SwitchID(n)}
}

// loopsStart is when the flows that close the circle start, for the paper's 1 s.
const loopsStart = sluice.Millisecond

func nodeRingFlows(graph *topo.Graph, _ uint64, v *params.Values) ([]workload.Flow, error) {
	n, all := int(v.Int("n")), v.String("circle") == "four"
	if len(graph.Hosts()) != n*n || !graph.HostsForward {
		return nil, fmt.Errorf("parameter topology: the ring is four nodes of topology=ndc,k=1")
	}
	if !all && n < 3 {
		return nil, fmt.Errorf(
			"parameter n: circle=two needs a switch that can be congested, n=3 or more",
		)
	}
	var flows []workload.Flow
	ring := nodeRing(n)
	for i, src := range ring {
		next, after := ring[(i+1)%4], ring[(i+2)%4]
		flows = append(flows, workload.Flow{
			Src: src, Dst: next, Class: 3, Bytes: sluice.GB, Group: workload.Background,
		})
		for range v.Int("loop.flows") {
			if all || i%2 == 0 {
				flows = append(flows, workload.Flow{
					Src: src, Dst: after, Class: 3, Bytes: sluice.GB, Start: loopsStart, Group: workload.Incast,
				})
			}
		}
	}
	if !all { // the switch of layer 1 before ring[2]
		flows = append(flows, workload.Flow{
			Src: sluice.SwitchID(2*n + 1), Dst: ring[2], Class: 3, Bytes: sluice.GB, Start: loopsStart,
			Group: workload.Incast,
		})
	}
	workload.AssignPorts(flows)
	return workload.Merge(flows), nil
}

// routesNodeRing sends the flows that go two nodes on by the next node of the ring.
func routesNodeRing(g *topo.Graph, _ *params.Values) (routes []fabric.Route) {
	ring := nodeRing(len(g.Nodes[g.Nodes[0].Ports[0].Peer].Ports))
	for i, src := range ring {
		first := sluice.PortID(i % 2) // the layer in which a node and the next differ
		routes = append(routes, fabric.Route{At: src, Host: ring[(i+2)%4], Ports: []sluice.PortID{first}})
	}
	return routes
}

// claimFigure5 is section II-C3: nodes that merely pass on what switches say of pauses, two flows
// that close a circle, and a congested switch.
func claimFigure5(*run.Subject) []run.Claim {
	still, none := inTheEnd, deadlocked
	still.Of, still.Published = []string{"pfc-forward two"}, run.Always(run.Exactly(0))
	none.Of, none.Published = portfcOnly, run.Always(run.Exactly(0))
	return []run.Claim{
		{Statement: "Two flows that close a circle, and a congested switch, stop all that is in it",
			Place: "section II-C3, Figure 5", Source: run.Given, Name: "fig5",
			Note: "A switch of two ports never is congested, and so the network is NDC(3,1). Where nodes " +
				"are under PFC themselves, it takes flows from all four.",
			Measures: []run.Measurement{still}},
		{Statement: "PortFC never deadlocks", Place: "abstract; section III-D", Source: run.Given,
			Name: "deadlock-free", Measures: []run.Measurement{none}},
		run.Beside(before, inTheEnd),
	}
}

// before and inTheEnd are what two-hop flows get before the others start, and in the last
// millisecond.
var (
	before = run.Measurement{What: "throughput of background flows before the loop flows",
		Unit: "Gb/s", Value: background(0, loopsStart)}
	inTheEnd = run.Measurement{What: "throughput of background flows in the last ms",
		Unit: "Gb/s", Value: background(2*loopsStart, 3*loopsStart)}
)

// background measures what background flows got in all from one instant to another, in Gb/s.
func background(from, to sluice.Time) run.Measure {
	return run.Value(func(o *run.Outcome) float64 {
		return o.Delivered(workload.Background, from, to)
	})
}

// claimFigure19 is section V-F, which a testbed of two switches has.
func claimFigure19(*run.Subject) []run.Claim {
	zero, times, free := inTheEnd, inTheEnd, deadlocked
	zero.Of, zero.Published = []string{"pfc"}, run.Always(run.Exactly(0))
	times.Of, times.Relation, times.Against = portfcOnly, run.Times, []string{"pfcstar"}
	times.Unit, times.Published = "", run.Always(run.About(1.9))
	free.Of, free.Published = portfcOnly, run.Always(run.Exactly(0))
	const place = "section V-F, Figure 19"
	return []run.Claim{
		{Statement: "PFC's throughput drops to zero", Place: place, Source: run.Given,
			Name: "fig19-pfc", Measures: []run.Measurement{zero}},
		{Statement: "PFC* goes on with less than PortFC, PFC with less than PFC*", Place: place,
			Source: run.Given, Rising: []string{"pfc", "pfcstar", "portfc"},
			Measures: []run.Measurement{inTheEnd}},
		{Statement: "PortFC has about 1.9 times the throughput of the second best, PFC*", Place: place,
			Source: run.Given, Name: "fig19-star",
			Note: "What PFC* leaves the background flows is their share of a node's queue: with m loop " +
				"flows of each node the factor is (2m+1)/3, and m is not published.",
			Measures: []run.Measurement{times}},
		{Statement: "PortFC never deadlocks", Place: "abstract; section III-D", Source: run.Given,
			Name: "deadlock-free", Measures: []run.Measurement{free}},
		run.Beside(before),
	}
}
