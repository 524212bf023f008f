package portfc

import (
	"maps"
	"slices"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/run"
	"github.com/sluicefc/sluice/internal/lab/workload"
)

// messages are the abstract's sentences.
var messages = map[string][]run.Message{"portfc": {
	{Statement: "PortFC needs no retransmissions", Place: "abstract", Claims: []string{"lossless"}},
	{Statement: "PortFC eliminates head-of-line blocking", Place: "abstract",
		Claims: []string{"hol", "fig19-star"}},
	{Statement: "PortFC avoids deadlocks, under which PFC delivers nothing", Place: "abstract",
		Claims: []string{"fig5", "deadlock-free", "fig19-pfc", "pfc-deadlocks"}},
	{Statement: "PortFC has 1.7 to 8.0 times the throughput and 11.7 to 87.7 % less latency than " +
		"IRN and PFC's descendants", Place: "abstract",
		Claims: []string{"fig8-irn", "fig8-irn-tail", "fig8-star", "fig8-star-tail", "fig11-star",
			"fig11-irn-gbn", "fig12-irn-gbn", "fig12-star", "fig14-irn-gbn", "fig14-star"}},
	{Statement: "PortFC does well on rail-only networks too, whose domains differ in bandwidth",
		Place: "abstract", Claims: []string{"fig17", "fig17-p99", "fig18"}},
}}

// untested are statements for which nothing here is run.
var untested = map[string][]run.Claim{"portfc": {
	{Statement: "Against Go-Back-N completion times and their tails are 58.4 to 97.9 % shorter",
		Place: "section I", Source: run.Given,
		Note: "The introduction joins means and tails of all figures. What it has of Figure 8 is no " +
			"number of that figure; Figure 12's are claims of portfc/fig12."},
	{Statement: "With a larger share of long flows PortFC gains more over IRN: most with WebSearch",
		Place: "section V-B, second conclusion", Source: run.Given,
		Note: "It is an order of comparisons of three scenarios: their numbers are claims."},
	{Statement: "With WebSearch the 99.9th percentile under Go-Back-N is much above the 99th, more " +
		"than with the other two; PortFC's times are alike for all three", Place: "section V-C",
		Source: run.Given, Note: "No number is given, and it compares three scenarios."},
	{Statement: "PortFC has 2.4 to 21.6 times the throughput of Go-Back-N, and 1.9 to 8.0 " +
		"times improved PFC's", Place: "section I", Source: run.Given,
		Note: "The introduction joins Figures 11, 14 and 19, whose numbers are claims of their own."},
	{Statement: "With WebSearch Poisson flows have more throughput than with Hadoop and Storage",
		Place: "section V-C, Figure 14", Source: run.Given,
		Note: "No number is given, and it compares three scenarios."},
	{Statement: "ATE settles where p B_H is in flight in the high-bandwidth domain, and the rest " +
		"in the other", Place: "section III-F, equation 3", Source: run.Formula,
		Note: "Weights by the closed form stand with Figures 17 and 18, at five instants."},
	{Statement: "bars, distributions and queues over time, as curves", Place: "Figures 8 to 19",
		Source: run.Curve, Note: "Our copy of the paper is text, without bars and curves."},
	{Statement: "The parameter server's larger network, NDC(8,1), shows the same", Place: "section V-D",
		Source: run.Given, Note: "-set n=8 runs it; nothing more is said of it."},
	{Statement: "On Tofino 2 PortFC takes 0.56 % of the crossbar, 0.93 % of hash bits, 15.3 % of " +
		"meter ALUs, 0.1 % of stats ALUs, 9.7 % of map RAM, 2.2 % of SRAM, 0.9 % of VLIW and 0.6 % " +
		"of TCAM, in shares of switch.p4's", Place: "section V-F, Table II", Source: run.Given,
		Note: "What switch.p4 takes is not published. Package tofino/fit says what blocks our tables " +
			"take."},
}}

var (
	portfcOnly = []string{"portfc"}
	// lossy repair losses, rivals are what the text compares PortFC with.
	lossy  = []string{"none irn", "none gbn"}
	rivals = append([]string{"pfcstar"}, lossy...)

	shorter = run.Always(run.AtMost(0))
	more    = run.Always(run.AtLeast(1))
)

// Measures of Figures 8 to 14.
var (
	meanFCT, p99FCT = fct("mean FCT", workload.GroupAuto, 0), fct("p99 FCT", workload.GroupAuto, 0.99)
	p999FCT         = fct("p99.9 FCT", workload.GroupAuto, 0.999)

	allFlows     = throughput("throughput, size over FCT", workload.GroupAuto)
	poissonFlows = throughput("throughput, Poisson flows", workload.Background)
	incastFlows  = throughput("throughput, incast flows", workload.Incast)

	// otherTimes are what the paper gives no numbers of; Figure 10 has the incasts apart.
	otherTimes = []compared{
		fct("p95 FCT", workload.GroupAuto, 0.95),
		fct("mean FCT, Poisson flows", workload.Background, 0),
		fct("p99 FCT, Poisson flows", workload.Background, 0.99),
		fct("mean FCT, incast flows", workload.Incast, 0),
	}
)

// lossless is what the abstract says of retransmissions.
func lossless() run.Claim {
	m := packetsLost
	m.Of, m.Published = portfcOnly, run.Always(run.Exactly(0))
	return run.Claim{Statement: "PortFC loses no packet, and so none is sent again",
		Place: "abstract; section II-D, G1", Source: run.Given, Name: "lossless",
		Measures: []run.Measurement{m}}
}

// claimFigure8 is section V-B: Figures 8 to 11 and 13.
func claimFigure8(s *run.Subject) []run.Claim {
	traffic := s.Values.String("workload")
	irn := map[string]float64{"hadoop": -11.7, "cachefollower": -40.9, "websearch": -69.2}[traffic]
	star := map[string]float64{"hadoop": 2, "cachefollower": 8, "websearch": 2}[traffic]
	megabytes, losses, deadlock := longestQueue, packetsLost, deadlocked
	megabytes.Of, megabytes.Published = lossy, run.Always(run.AtLeast(1000))
	losses.Of, losses.Published = lossy, run.Always(run.AtLeast(1))
	deadlock.Published = run.Ranges{"pfc-forward": run.AtLeast(1)}
	one := func(m compared, other string, r run.Range) []run.Measurement {
		return []run.Measurement{m.with(portfcOnly, []string{other}, run.Always(r))}
	}
	second := meanFCT.with([]string{"none irn"}, []string{"pfcstar", "none gbn"}, shorter)
	const figure8 = "section V-B, paragraph 1; Figure 8"
	const tail = "The percentile is not named: the 99th."
	return append([]run.Claim{
		{Statement: "PortFC has the least mean and tail of completion times", Place: figure8,
			Source: run.Given, Measures: each([]compared{meanFCT, p99FCT}, portfcOnly, rivals, shorter)},
		{Statement: "IRN comes second", Place: figure8, Source: run.Given,
			Measures: []run.Measurement{second}},
		{Statement: "PortFC's mean completion time is 11.7 % below IRN's with Hadoop, 40.9 % with " +
			"Storage, 69.2 % with WebSearch", Place: figure8, Source: run.Given, Name: "fig8-irn",
			Measures: one(meanFCT, "none irn", run.Exactly(irn))},
		{Statement: "PortFC's tail is 16.9 to 41.3 % below IRN's", Place: figure8, Source: run.Given,
			Name: "fig8-irn-tail", Note: tail,
			Measures: one(p99FCT, "none irn", run.Between(-41.3, -16.9))},
		{Statement: "PortFC's mean completion time is 49.9 to 87.3 % below PFC*'s", Place: figure8,
			Source: run.Given, Name: "fig8-star",
			Measures: one(meanFCT, "pfcstar", run.Between(-87.3, -49.9))},
		{Statement: "PortFC's tail is 53.3 to 87.7 % below PFC*'s", Place: figure8, Source: run.Given,
			Name: "fig8-star-tail", Note: tail,
			Measures: one(p99FCT, "pfcstar", run.Between(-87.7, -53.3))},
		{Statement: "IRN's small flows are slower, by its timeouts",
			Place: "section V-B, paragraph 2; Figure 10", Source: run.Given,
			Note: "The text calls them not ideal. Which are small is not said, nor slower than what: here " +
				"flows below 100 KB, and than PortFC's.",
			Measures: []run.Measurement{smallFlows.with(portfcOnly, lossy[:1], shorter)}},
		{Statement: "PortFC has the shortest queues at ports of switches",
			Place: "section V-B, paragraph 3; Figure 9", Source: run.Given,
			Measures: []run.Measurement{longest.with(portfcOnly, rivals, shorter)}},
		{Statement: "Without flow control of ports queues come to megabytes, and packets are lost",
			Place: "section V-B, paragraph 3; Figure 9", Source: run.Given,
			Measures: []run.Measurement{megabytes, losses}},
		{Statement: "PortFC has about 8 times the throughput of PFC* with Storage, about twice with " +
			"the others",
			Place: "section V-B, paragraph 4; Figure 11", Source: run.Given, Name: "fig11-star",
			Measures: one(allFlows, "pfcstar", run.About(star))},
		{Statement: "PortFC has 1.7 to 2.3 times IRN's throughput, 2.4 to 3.9 times " +
			"Go-Back-N's", Place: "section V-B, paragraph 4; Figure 11", Source: run.Given,
			Name: "fig11-irn-gbn", Measures: []run.Measurement{allFlows.with(portfcOnly, lossy, run.Ranges{
				"none irn": run.Between(1.7, 2.3), "none gbn": run.Between(2.4, 3.9),
			})}},
		{Statement: "Traditional PFC deadlocks in BCube", Place: "section V-A, baselines",
			Source: run.Given, Name: "pfc-deadlocks",
			Note: "In the paper nodes only pass on the pauses of switches (section II-C3), which is " +
				"pfc-forward; nodes that are under PFC themselves (pfc) take longer to deadlock, or do not.",
			Measures: []run.Measurement{deadlock}},
		lossless(),
	}, besideTraffic()...)
}

// claimFigure12 is section V-C: Figures 12 and 14. Its numbers "by at most" are the largest of
// three workloads.
func claimFigure12(s *run.Subject) []run.Claim {
	against := func(m compared, published run.Ranges) run.Measurement {
		return m.with(portfcOnly, slices.Sorted(maps.Keys(published)), published)
	}
	claims := []run.Claim{
		{Statement: "PortFC's mean completion time is less than PFC*'s, IRN's and Go-Back-N's",
			Place: "section V-C, Figure 12", Source: run.Given,
			Measures: []run.Measurement{meanFCT.with(portfcOnly, rivals, shorter)}},
		{Statement: "Beside Go-Back-N and IRN PortFC shortens the mean completion time by up to 96.5 " +
			"and 41.7 %, the 99.9th percentile by up to 97.9 and 16.6 %",
			Place: "section V-C, Figure 12", Source: run.Given, Name: "fig12-irn-gbn",
			Measures: []run.Measurement{
				against(meanFCT, run.Ranges{"none gbn": run.UpTo(-96.5), "none irn": run.UpTo(-41.7)}),
				against(p999FCT, run.Ranges{"none gbn": run.UpTo(-97.9), "none irn": run.UpTo(-16.6)}),
			}},
		{Statement: "Beside PFC* PortFC shortens the mean completion time by up to 19.8 %, the 99.9th " +
			"percentile by up to 85.5 %", Place: "section V-C, Figure 12", Source: run.Given,
			Name: "fig12-star", Measures: []run.Measurement{
				against(meanFCT, run.Ranges{"pfcstar": run.UpTo(-19.8)}),
				against(p999FCT, run.Ranges{"pfcstar": run.UpTo(-85.5)}),
			}},
		{Statement: "PortFC has more throughput than PFC*, IRN and Go-Back-N with each traffic",
			Place: "section V-C, Figure 14", Source: run.Given,
			Measures: each([]compared{poissonFlows, incastFlows}, portfcOnly, rivals, more)},
	}
	if s.Values.String("workload") == "websearch" {
		claims = append(claims,
			run.Claim{Statement: "With WebSearch PortFC has 4.7 and 2.3 times the throughput of Go-Back-N " +
				"and IRN in Poisson flows, 21.6 and 1.9 times in incasts",
				Place: "section V-C, Figure 14(c)", Source: run.Given, Name: "fig14-irn-gbn",
				Measures: []run.Measurement{
					against(poissonFlows, run.Ranges{"none gbn": run.Exactly(4.7), "none irn": run.Exactly(2.3)}),
					against(incastFlows, run.Ranges{"none gbn": run.Exactly(21.6), "none irn": run.Exactly(1.9)}),
				}},
			run.Claim{Statement: "With WebSearch PortFC has 2.0 times the throughput of PFC* in Poisson " +
				"flows, 2.2 times in incasts", Place: "section V-C, Figure 14(c)", Source: run.Given,
				Name: "fig14-star", Measures: []run.Measurement{
					against(poissonFlows, run.Ranges{"pfcstar": run.Exactly(2.0)}),
					against(incastFlows, run.Ranges{"pfcstar": run.Exactly(2.2)}),
				}})
	}
	return append(append(claims, lossless()), besideTraffic()...)
}

// besideTraffic has what the paper gives nothing of: other percentiles, what a queue per flow gains
// over the same baselines, and what a congestion control would learn.
func besideTraffic() []run.Claim {
	times := append([]compared{meanFCT, p99FCT, p999FCT}, otherTimes...)
	gbps := []compared{allFlows, poissonFlows, incastFlows, delivered}
	others := []string{"pfc", "ideal"}
	return []run.Claim{run.Beside(slices.Concat(
		each(otherTimes, portfcOnly, rivals, nil),
		each([]compared{p99FCT, p999FCT, allFlows, delivered}, portfcOnly, rivals, nil),
		each(times, portfcOnly, others, nil), each(gbps, portfcOnly, others, nil),
		each([]compared{meanFCT, p99FCT}, []string{"ideal"}, rivals, nil),
		[]run.Measurement{packetsLost, packetsMarked, longestQueue,
			{What: "mean FCT, flows that start later over those that start earlier",
				Value: settled},
			{What: "Poisson flows of 1 MB and more", Unit: "%", Figure: "Figure 13", Of: portfcOnly,
				Value: run.Value(longFlows)}},
	)...)}
}

// longFlows is the share of the Poisson flows that have a megabyte or more.
func longFlows(o *run.Outcome) float64 {
	long, all := 0, 0
	for i := range o.Result.Flows {
		if o.Groups[i] == workload.Background {
			all++
			if o.Result.Flows[i].Bytes >= sluice.MB {
				long++
			}
		}
	}
	return 100 * float64(long) / float64(all)
}

// claimVictim is what section III-F says to prove: no flow is delayed by another that goes another
// way. Our machines find such flows: of those that share a node's queue towards an egress of the
// next switch, and part only beyond the node behind it.
func claimVictim(*run.Subject) []run.Claim {
	victim := fct("FCT of the victim", workload.Vulnerable, 0)
	victim.relation = run.Times
	return []run.Claim{
		{Statement: "No flow is delayed by a congested flow that is bound for another way",
			Place: "section III-F", Source: run.Given, Name: "hol",
			Note: "Published is no delay: the time of the victim over its time with a queue per flow is " +
				"to be 1. A node's queue for an egress of the next switch has flows to all switches behind " +
				"that egress; if one of them is congested the queue is paused for all.",
			Measures: []run.Measurement{
				victim.with(portfcOnly, []string{"ideal"}, run.Always(run.Exactly(1)))}},
		lossless(),
		run.Beside(victim.with([]string{"pfcstar", "pfc"}, []string{"ideal"}, nil)),
	}
}
