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

// claimFigure5 is about a deadlock of two flows with "the nodes merely forwarding flow control
// information received from downstream switches" (section II-C), and of four flows under PFC.
func claimFigure5(*run.Subject) []run.Measurement {
	stands := run.Exactly(0)
	return claimBackground(run.Ranges{"pfc-forward two": stands, "pfc four": stands})
}

// claimBackground gives the throughput of the two-hop flows before the others start, and in the
// last millisecond.
func claimBackground(published run.Ranges) []run.Measurement {
	return []run.Measurement{
		{What: "throughput of background flows before the loop flows", Unit: "Gb/s",
			Value: background(0, loopsStart)},
		{What: "throughput of background flows in the last ms", Unit: "Gb/s", Value: inTheEnd,
			Figure: "section V-F", Published: published},
	}
}

// background measures what background flows got in all from one instant to another, in Gb/s.
func background(from, to sluice.Time) run.Measure {
	return run.Value(func(o *run.Outcome) float64 {
		return o.Delivered(workload.Background, from, to)
	})
}

var inTheEnd = background(2*loopsStart, 3*loopsStart)

// claimFigure19: "PFC drops to zero", and how much more PortFC gives than PFC*: "increasing
// the average throughput by about 1.9 times compared with the second-best method".
func claimFigure19(*run.Subject) []run.Measurement {
	return append(claimBackground(run.Ranges{"pfc": run.Exactly(0)}), run.Measurement{
		What: "throughput of background flows in the last ms", Figure: "section V-F",
		Of: []string{"portfc"}, Relation: run.Times, Against: []string{"pfcstar"},
		Value: inTheEnd, Published: run.Always(run.Exactly(1.9)),
	})
}
