// Package portfc follows the figures of the PortFC paper.
//
// # Deviations
//
// What the paper does not give is chosen here, and is a parameter:
//
//   - Load, period of incasts and duration: 3/10 of what the ports of a node send together, 500 us,
//     12 ms on NDC(4,1) and 5 ms on NDC(8,1), of which the first 4 and 2 ms are not counted. More
//     than 5/8 on NDC(4,1), and 9/16 on NDC(8,1), is more than nodes can relay: queues at the
//     sources then grow for as long as flows come, and nothing is lost under PortFC. PFC* cannot
//     carry 1/2.
//   - Storage: the sizes of Facebook's cache followers, as Storage is to have more long flows than
//     Hadoop (section V-B), and the storage table that HPCC's authors publish has fewer:
//     workload=storage.
//   - The order in which PFC* serves the queues of a port: packets go first that have passed the
//     fewest queues. pfcstar.service=turn has them in turn (as data queues are served in the ns-3
//     of HPCC and its kin), most in the opposite order.
//   - DCQCN: dcqcn-hpcc, HPCC's ns-3, where the paper names Mellanox's firmware.
//   - Routes: a hash of the flow chooses the digit that is corrected first: parameter digits.
//     Figure 6 has flows of either order.
//   - The sizes of Figure 15 but 8 MB, which Figure 16 has.
//   - The traffic of Figures 17 and 18: the parameters moe. What a node sends back waits for what
//     it received itself, batch by batch, as schedule.MoE says.
//
// Table II is not here: it is in shares of what switch.p4 takes, which is not published. Package
// tofino/fit says what blocks the tables of PortFC take.
package portfc

import (
	"fmt"
	"slices"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/fabric"
	"github.com/sluicefc/sluice/internal/lab/generate"
	"github.com/sluicefc/sluice/internal/lab/params"
	"github.com/sluicefc/sluice/internal/lab/run"
	"github.com/sluicefc/sluice/internal/lab/topo"
	"github.com/sluicefc/sluice/internal/lab/workload"
	"github.com/sluicefc/sluice/portfc"
)

// Library follows the PortFC paper.
var Library = &run.Library{Scenarios: portfcScenarios,
	Parameters: slices.Concat(ringParameters, collectiveParameters), Notes: notes, Panels: panels,
	Messages: messages, Untested: untested}

// portfcScenarios follow figures of the PortFC paper: links of 100 Gb/s and 1 us, switches of 5 MB,
// X_off and X_on of 6 and 4 BDP for PFC as for PortFC (section V-A), 75 and 50 KB.
var portfcScenarios = []run.Scenario{
	portfcTraffic("fig8", 4, "websearch"), portfcTraffic("fig8", 4, "hadoop"),
	portfcTraffic("fig8", 4, "storage"), portfcTraffic("fig12", 8, "websearch"),
	portfcTraffic("fig12", 8, "hadoop"), portfcTraffic("fig12", 8, "storage"),
	{Name: "portfc/deadlock", Figure: "PortFC paper, Figure 5", SampleEvery: 20 * sluice.Microsecond,
		Doc: "a ring of four nodes, a two-hop flow from each to the next, and from 1 ms on flows that " +
			"go two nodes on: from all four, or from two, as the figure has it, and one that congests a " +
			"switch",
		Set:       portfcSettings,
		Protocols: []string{"portfc", "pfcstar", "pfc", "pfc-forward"}, Until: 3 * sluice.Millisecond,
		Build: generate.On(nodeRingFlows), Routes: routesNodeRing, Claims: claimFigure5,
		Variants: []run.Variant{{Name: "four", Set: "circle=four,n=2"},
			{Name: "two", Set: "circle=two,n=3"}}},
	{Name: "portfc/fig19", Figure: "PortFC paper, Figure 19", SampleEvery: 20 * sluice.Microsecond,
		Doc:       "NDC(2,1): what two-hop flows get once others close a circle, 1 ms for the paper's 1 s",
		Set:       portfcSettings + ",n=2",
		Protocols: []string{"portfc", "pfcstar", "pfc"}, Until: 3 * sluice.Millisecond,
		Build: generate.On(nodeRingFlows), Routes: routesNodeRing, Claims: claimFigure19},
	{Name: "portfc/fig15", Figure: "PortFC paper, Figures 15 and 16",
		SampleEvery: 20 * sluice.Microsecond,
		Doc:         "NDC(4,1): all nodes push their parameters to node 0, which then sends to all",
		Set:         portfcSettings + dcqcn,
		Protocols:   []string{"portfc", "pfcstar", "none", "ideal"},
		Build:       generate.Network, Jobs: parameterServer,
		Variants: bySize(), Claims: claimFigure15},
	portfcExperts("fig17", 4, 2048), portfcExperts("fig18", 8, 256),
	{Name: "portfc/hol", Figure: "PortFC paper, section III-F", SampleEvery: 2 * sluice.Microsecond,
		Doc: "NDC(4,1): a victim shares a node's queue with flows to a congested port beyond the same " +
			"node",
		Set: portfcSettings, Protocols: []string{"portfc", "pfcstar", "pfc", "ideal"},
		Build: generate.On(nodeVictim), Routes: routesNodeVictim, Claims: claimVictim},
}

const portfcSettings = "topology=ndc,link.delay=1us,payload=1000B,header=48B,buffer=5MB," +
	"window=1GB,ack.class=7,pfc.xoff-bdp=6,pfc.xon-bdp=4"

// againstLossy are PortFC and PFC* without losses, and transports that repair losses, as the paper
// has them.
var againstLossy = []run.Variant{
	{FC: "portfc"}, {FC: "pfcstar"},
	{Name: "irn", Set: "transport=irn", FC: "none"},
	{Name: "gbn", Set: "transport=gbn,rto=10ms", FC: "none"},
}

// dcqcn is the congestion control of all experiments, with K_min 100 KB, K_max 400 KB and P_max 0.2
// (section V-A), in the form of HPCC, one of the two papers from which these values are.
const dcqcn = ",cc=dcqcn-hpcc,ecn.kmin=100KB,ecn.kmax=400KB"

// bound is a queue per flow whose packets are not marked: no flow waits for the congestion of
// another, and no sender slows down. Its gain over a baseline stands beside PortFC's. It does not
// have the least mean: where equal flows compete, fair shares let all of them end last, and
// PortFC's mean is below its mean, in Figures 15 and 17.
var bound = run.Variant{Set: "detect=none", FC: "ideal"}

// portfcTraffic is Poisson traffic at 3/10 of what nodes send, and an incast of 1 MB per flow from
// half of the nodes every 500 us. The paper gives neither load, period nor duration. At 3/10 the
// mean completion time settles under every protocol but Go-Back-N, within the warm-up: see
// TestFigure8HasSettled. At 1/2 it does not: PFC* falls behind for as long as flows come.
//
// Storage and WebSearch have more long flows than Hadoop (section V-B), and WebSearch has the most
// flows of megabytes (section V-C). The storage cluster's table of HPCC's authors has fewer than
// Hadoop's, and a third of its mean; Facebook's cache followers, of the paper's source [45],
// satisfy both statements, and stand for Storage.
//
// A picture of it has the distributions of completion times, the incasts' apart, as Figure 10 has,
// and the longest queue over time, as Figure 9.
func portfcTraffic(figure string, n int, traffic string) run.Scenario {
	sizes := traffic
	if traffic == "storage" {
		sizes = workload.CacheFollower.Name()
	}
	s := run.Scenario{
		Name: "portfc/" + figure + "-" + traffic, SampleEvery: 20 * sluice.Microsecond,
		Doc: fmt.Sprintf("NDC(%d,1): incasts of 1 MB from %d nodes every 500 us amid %s traffic at 3/10 "+
			"of what nodes send", n, n*n/2, traffic),
		Protocols: []string{"portfc", "pfcstar", "pfc", "none", "ideal"},
		Build:     generate.On(nodeTraffic), Routes: routesByDigits,
		Variants: append([]run.Variant{{FC: "pfc"}, bound}, againstLossy...),
	}
	duration := "5ms"
	s.Figure, s.Claims = "PortFC paper, Figures 12 to 14", claimFigure12
	s.WarmUp = 2 * sluice.Millisecond
	if n == 4 {
		duration = "12ms"
		s.Figure, s.Claims = "PortFC paper, Figures 8 to 11 and 13", claimFigure8
		s.WarmUp = 4 * sluice.Millisecond
		s.Protocols = append(s.Protocols, "pfc-forward")
		s.Variants = append(s.Variants, run.Variant{FC: "pfc-forward"})
	}
	s.Set = portfcSettings + dcqcn +
		fmt.Sprintf(",n=%d,workload=%s,load=3/10,duration=%s", n, sizes, duration)
	return s
}

// routesByDigits has every node that has a choice correct its first or last differing digit first.
func routesByDigits(graph *topo.Graph, v *params.Values) (routes []fabric.Route) {
	if v.String("topology") != "ndc" || v.String("digits") == "hash" {
		return nil
	}
	last := v.String("digits") == "highest"
	network := portfc.NDC{N: int(v.Int("n")), K: len(graph.Nodes[0].Ports) - 1}
	for _, at := range graph.Hosts() {
		for _, host := range graph.Hosts() {
			var differing []sluice.PortID
			for layer := range network.Layers() {
				if network.Digit(at, layer) != network.Digit(host, layer) {
					differing = append(differing, sluice.PortID(layer))
				}
			}
			if n := len(differing); n > 1 {
				first := 0
				if last {
					first = n - 1
				}
				routes = append(routes, fabric.Route{At: at, Host: host, Ports: differing[first:][:1]})
			}
		}
	}
	return routes
}

func nodeTraffic(graph *topo.Graph, seed uint64, v *params.Values) ([]workload.Flow, error) {
	nodes := graph.Hosts()
	sizes, err := workload.DistributionByName(v.String("workload"))
	if err != nil {
		return nil, err
	}
	load, err := generate.PerMille(v, "load")
	if err != nil {
		return nil, err
	}
	var poisson []workload.Flow
	if load > 0 {
		poisson, err = workload.Poisson(graph, workload.TrafficConfig{
			Seed: seed, Sizes: sizes, LoadPerMille: load, Duration: v.Time("duration"),
			Group: workload.Background, Capacity: capacity(graph),
		})
		if err != nil {
			return nil, err
		}
	}
	senders, receivers := nodes, nodes
	if v.String("incast.to") == "one" {
		senders, receivers = nodes[len(nodes)/2:], nodes[:1]
	}
	degree, packets := len(nodes)/2, max(1, int(v.Bytes("incast.bytes")/v.Bytes("payload")))
	bits := float64(degree*packets) * float64(v.Bytes("payload")) * 8
	incasts, err := workload.PeriodicIncast(graph, workload.PeriodicIncastConfig{
		Incast: workload.IncastConfig{
			Seed: seed, Degree: degree, Senders: senders, Even: true,
			PacketBytes: v.Bytes("payload"), MinPackets: packets, MaxPackets: packets,
		},
		Destinations: receivers, LoadPerMille: 1000, Duration: v.Time("duration"),
		Capacity: sluice.Rate(bits / v.Time("incast.every").Microseconds() * 1e6),
	})
	return workload.Merge(incasts, poisson), err
}

// capacity returns what all ports of all nodes send together: a load of one.
func capacity(g *topo.Graph) (sum sluice.Rate) {
	for _, node := range g.Hosts() {
		for _, end := range g.Nodes[node].Ports {
			sum += end.Link.Rate
		}
	}
	return sum
}

// The victim of portfc/hol goes from node 13 through node 12 to node 8, as its own flow to node 0
// does, where the incast is.
func nodeVictim(graph *topo.Graph, _ uint64, _ *params.Values) ([]workload.Flow, error) {
	if len(graph.Hosts()) != 16 || !graph.HostsForward {
		return nil, fmt.Errorf("parameter n: portfc/hol is about topology=ndc,n=4")
	}
	flows := []workload.Flow{
		{Src: 13, Dst: 8, Class: 3, Bytes: 5 * sluice.MB, Group: workload.Vulnerable},
	}
	for _, src := range []sluice.SwitchID{13, 14, 15, 4, 8} {
		flows = append(flows, workload.Flow{
			Src: src, Dst: 0, Class: 3, Bytes: 5 * sluice.MB, Group: workload.Incast,
		})
	}
	workload.AssignPorts(flows)
	return workload.Merge(flows), nil
}

// routesNodeVictim sends all four-hop flows by node 12.
func routesNodeVictim(*topo.Graph, *params.Values) []fabric.Route {
	layer0 := []sluice.PortID{0}
	return []fabric.Route{
		{At: 13, Host: 8, Ports: layer0}, {At: 13, Host: 0, Ports: layer0},
		{At: 14, Host: 0, Ports: layer0}, {At: 15, Host: 0, Ports: layer0},
	}
}
