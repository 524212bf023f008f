package main

import (
	"fmt"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/params"
	"github.com/sluicefc/sluice/internal/lab/probe"
	"github.com/sluicefc/sluice/internal/lab/topo"
	"github.com/sluicefc/sluice/internal/lab/topo/byname"
	"github.com/sluicefc/sluice/internal/lab/workload"
)

const convergenceScenario = "hosts/convergence"

// Bounds that a control is expected to keep on the scenario hosts/convergence.
const (
	fairEnough = 0.95
	busyEnough = 0.9
)

// hostScenarios are about congestion controls.
var hostScenarios = []scenario{{
	name: convergenceScenario, sampleEvery: 50 * sluice.Microsecond,
	doc: "long flows around one switch, started one after another, share the link of the last host",
	set: "link.delay=1us,window=1GiB,buffer=32MiB", protocols: []string{"pfc"},
	until: 20 * sluice.Millisecond, warmUp: 10 * sluice.Millisecond,
	build: buildConvergence, watch: watchConvergence, claims: claimConvergence,
}}

// neverSent is more than a flow can send in any run.
const neverSent = 10 * sluice.GB

func buildConvergence(_ uint64, v *params.Values) (*topo.Graph, []workload.Flow, error) {
	link := sluice.Link{Rate: v.Rate(byname.HostRate), Delay: v.Time(byname.Delay)}
	n := sluice.SwitchID(v.Int(paramSenders))
	graph := &topo.Graph{Name: fmt.Sprintf("%d senders, one switch", n), Nodes: make([]topo.Node, n+2)}
	graph.Nodes[n].Rack, graph.Nodes[n+1] = 0, topo.Node{Tier: 1}
	var flows []workload.Flow
	for host := range n + 1 {
		graph.Connect(host, n+1, link)
		if host < n {
			flows = append(flows, workload.Flow{
				Src: host, Dst: n, Class: 3, DstPort: 100, Bytes: neverSent, Group: workload.Incast,
				Start: sluice.Time(host) * v.Time(paramStagger),
			})
		}
	}
	return graph, flows, nil
}

// watchConvergence watches the link that all share, and every flow.
func watchConvergence(s *subject, c *probe.Config) {
	n := sluice.SwitchID(len(s.flows))
	c.Ports = append(c.Ports, sluice.Hop{Switch: n + 1, Port: sluice.PortID(n)})
	c.Flows = append(c.Flows, s.allFlows()...)
}

// allFlows returns the numbers of all flows.
func (s *subject) allFlows() []int32 {
	flows := make([]int32, len(s.flows))
	for i := range flows {
		flows[i] = int32(i)
	}
	return flows
}

// convergence is how flows shared a link from the end of the warm-up on.
type convergence struct {
	jain          float64      // Jain's index of fairness of what came of each flow
	used          float64      // share of the link's rate
	mean, longest sluice.Bytes // of the queue
}

// converged returns how the flows of hosts/convergence shared their link.
func converged(s *subject, o *outcome) convergence {
	seen := o.result.Seen
	sum, squares := 0.0, 0.0
	for _, f := range seen.Flows {
		_, got := meanRates(f, seen)
		sum += got
		squares += float64(got * got)
	}
	c := convergence{}
	if squares > 0 {
		c.jain = float64(sum*sum) / float64(float64(len(seen.Flows))*squares)
	}
	shared := s.probes.Ports[0]
	for i := range seen.Ports {
		if p := &seen.Ports[i]; p.At == shared {
			c.used = utilization(p, s.rateOfPort(p.At), seen)
			c.mean, c.longest = p.MeanQueue, p.LongestQueue
		}
	}
	return c
}

// claimConvergence sets what is expected of a control beside what it does.
func claimConvergence(s *subject, outcomes []*outcome) []claim {
	var claims []claim
	for _, o := range outcomes {
		c := converged(s, o)
		claims = append(claims,
			claim{
				what: "Jain's index of the flows' rates", fc: o.fc, published: fmt.Sprint("over ", fairEnough),
				ours: fmt.Sprintf("%.3f", c.jain),
			},
			claim{
				what: "share of the link that is used", fc: o.fc, published: fmt.Sprint("over ", busyEnough),
				ours: fmt.Sprintf("%.3f", c.used),
			},
			claim{what: "mean queue, kB", fc: o.fc, ours: significant(float64(c.mean) / 1e3)})
	}
	return claims
}
