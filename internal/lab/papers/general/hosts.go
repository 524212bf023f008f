package general

import (
	"fmt"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/generate"
	"github.com/sluicefc/sluice/internal/lab/params"
	"github.com/sluicefc/sluice/internal/lab/probe"
	"github.com/sluicefc/sluice/internal/lab/run"
	"github.com/sluicefc/sluice/internal/lab/topo"
	"github.com/sluicefc/sluice/internal/lab/workload"
)

const Convergence = "hosts/convergence"

// Bounds that a control is expected to keep on the scenario hosts/convergence.
const (
	FairEnough = 0.95
	BusyEnough = 0.9
)

var hostScenarios = []run.Scenario{{
	Name: Convergence, SampleEvery: 50 * sluice.Microsecond,
	Doc: "long flows around one switch, started one after another, share the link of the last host",
	Set: "link.delay=1us,window=1GiB,buffer=32MiB", Protocols: []string{"pfc"},
	Until: 20 * sluice.Millisecond, WarmUp: 10 * sluice.Millisecond,
	Build: buildConvergence, Watch: watchConvergence, Claims: claimConvergence,
}}

func buildConvergence(_ uint64, v *params.Values) (*topo.Graph, []workload.Flow, error) {
	link := sluice.Link{Rate: v.Rate("host.rate"), Delay: v.Time("link.delay")}
	n := sluice.SwitchID(v.Int("senders"))
	graph := &topo.Graph{Name: fmt.Sprintf("%d senders, one switch", n), Nodes: make([]topo.Node, n+2)}
	graph.Nodes[n].Rack, graph.Nodes[n+1] = 0, topo.Node{Tier: 1}
	var flows []workload.Flow
	for host := range n + 1 {
		graph.Connect(host, n+1, link)
		if host < n {
			start := sluice.Time(host) * v.Time("stagger")
			flows = append(flows, generate.Flow(host, n, generate.NeverSent, start, workload.Incast))
		}
	}
	return graph, flows, nil
}

// watchConvergence watches the link that all share, and every flow.
func watchConvergence(s *run.Subject, c *probe.Config) {
	n := sluice.SwitchID(len(s.Flows))
	c.Ports = append(c.Ports, sluice.Hop{Switch: n + 1, Port: sluice.PortID(n)})
	c.Flows = append(c.Flows, s.AllFlows()...)
}

// Shared is how flows shared a link from the end of the warm-up on.
type Shared struct {
	Jain          float64      // Jain's index of fairness of what came of each flow
	Used          float64      // share of the link's rate
	Mean, Longest sluice.Bytes // of the queue
}

// Converged returns how the flows of hosts/convergence shared their link.
func Converged(s *run.Subject, o *run.Outcome) Shared {
	seen := o.Result.Seen
	sum, squares := 0.0, 0.0
	for _, f := range seen.Flows {
		_, got := run.MeanRates(f, seen)
		sum += got
		squares += float64(got * got)
	}
	c := Shared{}
	if squares > 0 {
		c.Jain = float64(sum*sum) / float64(float64(len(seen.Flows))*squares)
	}
	shared := s.Probes.Ports[0]
	for i := range seen.Ports {
		if p := &seen.Ports[i]; p.At == shared {
			c.Used = run.Utilization(p, s.RateOfPort(p.At), seen)
			c.Mean, c.Longest = p.MeanQueue, p.LongestQueue
		}
	}
	return c
}

// claimConvergence sets what is expected of a control beside what it does.
func claimConvergence(*run.Subject) []run.Claim {
	const ours = "no paper: bounds of ours for a control that has converged"
	of := func(measure func(Shared) float64) run.Measure {
		return run.Value(func(o *run.Outcome) float64 { return measure(Converged(o.Subject, o)) })
	}
	return []run.Claim{
		{Statement: "long flows share a link fairly", Place: ours, Source: run.Derived,
			Measures: []run.Measurement{{What: "Jain's index of the flows' rates",
				Value:     of(func(c Shared) float64 { return c.Jain }),
				Published: run.Always(run.AtLeast(FairEnough))}}},
		{Statement: "long flows use a link", Place: ours, Source: run.Derived,
			Measures: []run.Measurement{{What: "share of the link that is used",
				Value:     of(func(c Shared) float64 { return c.Used }),
				Published: run.Always(run.AtLeast(BusyEnough))}}},
		run.Beside(run.Measurement{What: "mean queue", Unit: "kB",
			Value: of(func(c Shared) float64 { return float64(c.Mean) / 1e3 })}),
	}
}
