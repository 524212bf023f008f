package pyrrha

import (
	"fmt"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/run"
	"github.com/sluicefc/sluice/internal/lab/workload"
)

// claimThroughput compares the throughputs of Figure 10 while all three flows send. The prototype
// has queues of a single tier.
func claimThroughput(*run.Subject) []run.Claim {
	const place = "section V-B, last paragraph; Figure 10(a)"
	incast := func(p run.Ranges) []run.Measurement {
		return []run.Measurement{{What: "throughput of incast flows", Unit: "Gb/s",
			Value: settledThroughput(workload.Incast), Published: p}}
	}
	vulnerable := func(p run.Ranges) []run.Measurement {
		return []run.Measurement{{What: "throughput of vulnerable flows", Unit: "Gb/s",
			Value: settledThroughput(workload.Vulnerable), Published: p}}
	}
	return []run.Claim{
		{Statement: "Pyrrha gives vulnerable flows 66.7 Gb/s", Place: place, Source: run.Given,
			Name: "fig10", Measures: vulnerable(published("pyrrha-single", 66.7))},
		{Statement: "under PFC vulnerable flows get 40 Gb/s: Pyrrha has 26.7 Gb/s more",
			Place: place, Source: run.Derived, Measures: vulnerable(published("pfc", 40))},
		{Statement: "flows of the incast get 100 Gb/s in all under Pyrrha",
			Place: place, Source: run.Given, Measures: incast(published("pyrrha-single", 100))},
		{Statement: "flows of the incast get as much under PFC: Pyrrha takes nothing from them",
			Place: place, Source: run.Derived, Measures: incast(published("pfc", 100))},
	}
}

// settledThroughput counts payload and headers, as a port does.
func settledThroughput(g workload.Group) run.Measure {
	return run.Value(func(o *run.Outcome) float64 {
		return o.Subject.Framing() * o.Delivered(g, figure10From, figure10To)
	})
}

// claimTestbed is what section V-B says of Figure 9.
func claimTestbed(*run.Subject) []run.Claim {
	return []run.Claim{{
		Statement: "Pyrrha greatly shortens vulnerable flows of the testbed, which wait under PFC",
		Place:     "section V-B, paragraph 3; Figure 9", Source: run.Given, Name: "fig9",
		Rising: []string{"pyrrha-single", "pfc"}, Note: "the text has no number",
		Measures: []run.Measurement{
			{What: "mean FCT of vulnerable flows", Unit: "us", Value: run.MeanFCT(workload.Vulnerable)},
			{What: "p99 of vulnerable flows", Unit: "us", Value: run.P99(workload.Vulnerable)},
		},
	}}
}

// mostIQs are the isolation queues in use at a port; other protocols have none.
var mostIQs = run.Figure("isolation queues in use at a port")

// claimIQs compares with Figure 7.
func claimIQs(*run.Subject) []run.Claim {
	queues := ofQueues("pyrrha", run.Between(6, 20))
	inOrder := queues
	inOrder.Of, inOrder.Published, inOrder.Alike = nil, nil, (*run.Outcome).Variant
	return []run.Claim{
		{Statement: "under stress, whatever the share of senders, 6 to 20 isolation queues are in use",
			Place: "section IV-E, paragraph 2; Figure 7", Source: run.Given, Name: "fig7",
			Note:     "which shares the figure has, and of which port the queues are, is not said",
			Measures: []run.Measurement{queues}},
		{Statement: "hierarchical isolation queues are fewer than queues of a single tier",
			Place: "section VI-C, paragraph 4", Source: run.Given,
			Rising: []string{"pyrrha", "pyrrha-single"}, Measures: []run.Measurement{inOrder}},
	}
}

// claimHost says what a host that is congested costs the others. The host is kept busy, little
// waits in its card and in switches, and flows to its neighbours are as in an empty network.
func claimHost(s *run.Subject) []run.Claim {
	num, den := s.Values.Rational("drain")
	drain := float64(s.Values.Rate("host.rate")) * float64(num) / float64(den) / 1e9
	return []run.Claim{
		{Statement: "Pyrrha handles congestion in a host, too: what is sent there waits upstream",
			Place: "section IV-D, Cooperation on end-hosts", Source: run.Given,
			Rising: []string{"pyrrha", "pfc"}, Note: "the text has no number",
			Measures: []run.Measurement{{What: "most that waited in its card", Unit: "KB",
				Value: run.Value(func(o *run.Outcome) float64 {
					return float64(o.Result.MaxDrainBytes) / 1000
				})}}},
		run.Beside(
			run.Measurement{
				What: fmt.Sprintf("throughput of the host that takes %.3g Gb/s", drain), Unit: "Gb/s",
				Value: hostThroughput},
			run.Measurement{What: "slowdown of flows to its neighbours",
				Value: func(o *run.Outcome) run.Measured {
					if o.Slowdown.Vulnerable == nil {
						return run.None()
					}
					return run.Number(o.Slowdown.Vulnerable.Mean)
				}},
			run.Measurement{What: "most that waited in a switch", Unit: "KB", Value: run.LargestBacklog}),
	}
}

// hostThroughput is what the incast's host received until the last of its flows was complete.
func hostThroughput(o *run.Outcome) run.Measured {
	var bytes sluice.Bytes
	var last sluice.Time
	for i := range o.Result.Flows {
		if f := &o.Result.Flows[i]; o.Groups[i] == workload.Incast && f.FCT != sluice.Never {
			bytes += f.Bytes
			last = max(last, f.Start+f.FCT)
		}
	}
	if last == 0 {
		return run.None()
	}
	return run.Number(o.Subject.Framing() * run.Gbps(bytes, last))
}

// claimDeadlock says who is stuck in a circle, and who is not.
func claimDeadlock(statement, place string, stuck ...string) func(*run.Subject) []run.Claim {
	p := run.Ranges{"pyrrha": run.Exactly(0)}
	for _, fc := range stuck {
		p[fc] = run.Exactly(1)
	}
	return func(*run.Subject) []run.Claim {
		return []run.Claim{{
			Statement: statement, Place: place, Source: run.Given, Name: "deadlock " + place,
			Measures: []run.Measurement{{What: "deadlocks", Value: run.Deadlocked, Published: p}},
		}}
	}
}

// claimLegacy is what section IV-E says of switches that speak PFC only.
func claimLegacy(*run.Subject) []run.Claim {
	return []run.Claim{{
		Statement: "beside switches of PFC traffic through Pyrrha's switches still gains much",
		Place:     "section IV-E, Incremental Deployment", Source: run.Given,
		Rising: []string{"pyrrha+pfc", "pfc"}, Note: "the text has no number",
		Measures: []run.Measurement{meanUncongested},
	}}
}

// claimHops is section VIII's backlog of each hop: the text says which way it goes, no number.
func claimHops(*run.Subject) []run.Claim {
	longest := func(what string, at func(s *run.Subject, hop sluice.Hop) bool) run.Measurement {
		return run.Measurement{What: "longest queue " + what, Unit: "KB",
			Value: func(o *run.Outcome) run.Measured {
				var longest sluice.Bytes
				for i := range o.Result.Seen.Ports {
					if p := &o.Result.Seen.Ports[i]; at(o.Subject, p.At) {
						longest = max(longest, p.LongestQueue)
					}
				}
				return run.Number(float64(longest) / 1000)
			}}
	}
	return []run.Claim{
		{Statement: "Pyrrha takes buffer off congestion roots: what waits for one waits hops before it",
			Place: "section III-A, paragraph 3; section VIII-B, paragraph 2", Source: run.Given,
			Name: "hops", Rising: []string{"pyrrha", "pfc"}, Note: "the text has no number",
			Measures: []run.Measurement{longest("of the root", isRoot)}},
		run.Beside(
			longest("of a core towards its rack", func(s *run.Subject, at sluice.Hop) bool {
				return s.Graph.Nodes[at.Switch].Tier == 2
			}),
			longest("of another rack towards the core", func(s *run.Subject, at sluice.Hop) bool {
				return s.Graph.Nodes[at.Switch].Tier == 1 && !isRoot(s, at)
			})),
		claimDozen(),
	}
}
