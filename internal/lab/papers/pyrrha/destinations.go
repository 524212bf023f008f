package pyrrha

import (
	"slices"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/fabric"
	"github.com/sluicefc/sluice/internal/lab/generate"
	"github.com/sluicefc/sluice/internal/lab/papers/general"
	"github.com/sluicefc/sluice/internal/lab/params"
	"github.com/sluicefc/sluice/internal/lab/run"
	"github.com/sluicefc/sluice/internal/lab/topo"
	"github.com/sluicefc/sluice/internal/lab/workload"
)

// byDestination are the systems of section II-C, and protocols that they are compared with.
var byDestination = []string{"pfc", "voq", "floodgate", "pyrrha", "ideal"}

// destinationScenarios show what queues and windows of destinations isolate, an incast whose root
// is the last hop, and what not: any other congestion (section II-C).
var destinationScenarios = []run.Scenario{
	{Name: "pyrrha/last-hop-root", Figure: "Pyrrha paper, section II-C",
		SampleEvery: 5 * sluice.Microsecond,
		Doc: "a root at the last hop: 12 hosts of a rack, and 16 of the next, send to one host, and " +
			"others to its neighbours",
		Set:       "racks=3,hosts=16,spines=2,buffer=2MiB", // so that PFC's thresholds are met
		Protocols: byDestination, Build: generate.On(lastHop), Claims: claimDestinations(true)},
	{Name: "pyrrha/core-root", Figure: "Pyrrha paper, section II-C",
		SampleEvery: 5 * sluice.Microsecond,
		Doc: "a root in the core: hosts of a rack send to hosts of another, each to one, by two " +
			"spines; one spine's link to the receivers has an eighth of its rate",
		Set:       "racks=2,hosts=16,spines=2",
		Protocols: byDestination, Build: generate.On(coreRoot), Claims: claimDestinations(false)},
}

// Flows of both scenarios: a host begins a flow of these bytes once a period, at 40 Gb/s in all.
const (
	destinationBytes  = 50 * sluice.KB
	destinationPeriod = 10 * sluice.Microsecond
	destinationSpan   = 500 * sluice.Microsecond
)

// trickle appends the flows of a host to another.
func trickle(flows []workload.Flow, src, dst sluice.SwitchID) []workload.Flow {
	for at := sluice.Time(0); at < destinationSpan; at += destinationPeriod {
		start := at + sluice.Time(src)*100*sluice.Nanosecond
		f := generate.Flow(src, dst, destinationBytes, start, workload.Vulnerable)
		f.SrcPort = uint16(len(flows))
		flows = append(flows, f)
	}
	return flows
}

// lastHop has the root where the incast's receiver is. Vulnerable flows go to its neighbours.
func lastHop(
	graph *topo.Graph, _ uint64, v *params.Values,
) (flows []workload.Flow, err error) {
	hosts, n := graph.Hosts(), int(v.Int("hosts"))
	for i := range 2 * n {
		if i < n/4 {
			flows = trickle(flows, hosts[i], hosts[2*n+1+i])
		} else {
			flows = append(flows,
				generate.Flow(hosts[i], hosts[2*n], 200*sluice.KB, 0, workload.Incast))
		}
	}
	return flows, nil
}

// coreRoot has the root at the first spine. Flows that pass the root are the incast; flows that the
// hash sends to the same receivers by the other spine are vulnerable.
func coreRoot(
	graph *topo.Graph, seed uint64, v *params.Values,
) (flows []workload.Flow, err error) {
	hosts, n := graph.Hosts(), int(v.Int("hosts"))
	for i := range n {
		flows = trickle(flows, hosts[i], hosts[n+i])
	}
	near, far := graph.Nodes[hosts[0]].Ports[0].Peer, graph.Nodes[hosts[n]].Ports[0].Peer
	var spine sluice.SwitchID
	for _, end := range graph.Nodes[near].Ports {
		if !graph.IsHost(end.Peer) {
			spine = end.Peer
			break
		}
	}
	down, _ := graph.PortTo(spine, far)
	there := &graph.Nodes[spine].Ports[down]
	there.Link.Rate /= 8
	graph.Nodes[far].Ports[there.PeerPort].Link.Rate /= 8

	network, err := fabric.Forwarding(graph, seed)
	if err != nil {
		return nil, err
	}
	for i := range flows {
		key := workload.Key(&flows[i], i)
		path, _ := network.Path(flows[i].Src, sluice.Local, &key)
		for hop := range path.Len() {
			if path.At(hop) == (sluice.Hop{Switch: spine, Port: down}) {
				flows[i].Group = workload.Incast
			}
		}
	}
	return flows, nil
}

// claimDestinations says how vulnerable flows fare, and what that takes: what a system of
// destinations isolates, and what not.
func claimDestinations(last bool) func(*run.Subject) []run.Claim {
	mean := run.Measurement{What: "mean FCT of flows that pass no root", Unit: "us",
		Value: run.MeanFCT(workload.Vulnerable)}
	beside := run.Beside(append([]run.Measurement{mean, {
		What: "p99 of flows that pass no root", Unit: "us", Value: run.P99(workload.Vulnerable),
	}}, general.MeasureQueues...)...)
	of := func(fc, what string) (claims []run.Claim) {
		if !last {
			claims = append(claims, run.Claim{
				Statement: what + " cannot handle congestion that is not an incast's last hop",
				Place:     byDestinations, Source: run.Given, Rising: []string{"pyrrha", fc},
				Note: "the text has no number", Measures: []run.Measurement{mean},
			})
		}
		return append(claims, run.Claim{
			Statement: what + " need state of each destination", Place: byDestinations, Source: run.Given,
			Rising: []string{"pyrrha", fc}, Note: "the text has no number",
			Measures: []run.Measurement{general.MeasureQueues[1]},
		})
	}
	return func(*run.Subject) []run.Claim {
		return slices.Concat(of("voq", "queues of destinations"), of("floodgate", "Floodgate's windows"),
			[]run.Claim{beside})
	}
}

const byDestinations = "section II-C, paragraph 3"
