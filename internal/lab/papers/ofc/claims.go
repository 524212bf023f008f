package ofc

import (
	"slices"

	"github.com/sluicefc/sluice/internal/lab/run"
	"github.com/sluicefc/sluice/internal/lab/workload"
)

// messages are what the abstract says, and what OFC does that its baselines do not.
var messages = map[string][]run.Message{"ofc": {
	{Statement: "OFC shortens flow completion times by up to 60.28 %", Place: "abstract",
		Claims: []string{"times-up-to", "times"}},
	{Statement: "OFC shortens queues by up to 51.47 %", Place: "abstract",
		Claims: []string{"queues-up-to", "queues"}},
	{Statement: "OFC has up to 48.7 % fewer deadlocks", Place: "abstract",
		Claims: []string{"deadlocks-up-to", "deadlocks"}},
	{Statement: "OFC lets flows pass that cause no congestion, and holds the others",
		Place: "sections II-C2 and IV-C1", Claims: []string{"table1", "apart", "baselines-alike"}},
	{Statement: "With three queues for a class OFC keeps the order of the packets of a flow",
		Place: "section III-B", Claims: []string{"order"}},
}}

// untested are statements for which nothing here is run.
var untested = map[string][]run.Claim{"ofc": {
	{Statement: "On switches the largest completion time is 2.69 ms under PFC, and under OFC 2.36 " +
		"ms of all and of congested flows, 2.28 ms of the uncongested one",
		Place: "section IV-B2, Table I, testbed", Source: run.Given,
		Note: "It takes a Tofino 1, which cannot hold a queue: there packets circulate while they are " +
			"paused. The sizes of its flows are not published. With ofc.speedup=1 packets move at line " +
			"rate in the simulation too, which ofc/fig2 has under Tried."},
	{Statement: "A port's tables of flows, of congested flows and of sent PAUSEs take 432, 152 and " +
		"288 bytes on average on switches, and 425.66, 142.46 and 276.47 bytes in the simulation",
		Place: "section IV-B2, Table II", Source: run.Given,
		Note: "Neither the flows nor the bytes of an entry are published. The network of Figure 1 has " +
			"8 flows, and a register of that switch 8 bytes: of that 425.66 bytes would be 53 entries. " +
			"Our machine keeps the three tables in one; ofc/fig2 says how many flows a port knows."},
	{Statement: "Cuckoo hashing makes the tables smaller by some 70 %", Place: "section IV-B2",
		Source: run.Given, Note: "Our tables are not made that way, in software or in Tofino programs."},
	{Statement: "The larger the incast, the more OFC shortens completion times and queues",
		Place: "section IV-C1", Source: run.Given,
		Note: "It is an order of comparisons; the cells of ofc/fig4 stand ratio by ratio."},
	{Statement: "minima, maxima and quartiles of completion times, and queues, as bars",
		Place: "Figures 2 and 4 to 9", Source: run.Curve,
		Note: "Our copy of the paper is text, without bars."},
	{Statement: "EDU2 has longer completion times and queues than EDU1", Place: "section IV-C2",
		Source: run.Given,
		Note:   "The traces are not published with their loads; ours are two tables at the same load."},
}}

var ofcOnly = []string{"ofc"}

// inOrder is what section III-B ends with: the scheme keeps packets of a flow in their order.
func inOrder() run.Claim {
	return run.Claim{
		Statement: "OFC delivers the packets of each flow in their order", Place: "section III-B",
		Source: run.Given, Name: "order", Measures: []run.Measurement{{
			What: "packets that arrived out of order", Of: ofcOnly, Value: reordered,
			Published: run.Always(run.Exactly(0)),
		}},
	}
}

// claimFigure2 is Table I, the row of the simulation, and Figure 2. Figure 2(c)'s deadlocks need a
// circle: ofc/fig9 has one.
func claimFigure2(*run.Subject) []run.Claim {
	table := run.Claim{
		Statement: "In the simulation the largest completion time is 1.96 ms under PFC whatever the " +
			"flows, and under OFC 1.69 ms of all and of congested flows, 1.45 ms of the uncongested one",
		Place: "section IV-B2, Table I, simulation", Source: run.Given, Name: "table1",
		Note: "Sizes and loads are not published. Those here are fixed by PFC's row and a queue per " +
			"flow, so that OFC's row is a prediction.",
	}
	for _, c := range []struct {
		of       string
		group    workload.Group
		pfc, ofc float64
	}{
		{"all", workload.GroupAuto, 1.96, 1.69},
		{"uncongested", workload.Vulnerable, 1.96, 1.45},
		{"congested", workload.Incast, 1.96, 1.69},
	} {
		table.Measures = append(table.Measures, run.Measurement{
			What: "largest FCT of " + c.of + " flows", Unit: "ms", Value: largest(c.group),
			Published: run.Ranges{"pfc": run.Exactly(c.pfc), "ofc": run.Exactly(c.ofc)},
		})
	}
	all := queuesOf(figure5Queues[:1])[0]
	return []run.Claim{table,
		{Statement: "OFC shortens queues where one of two flows meets bursts",
			Place: "section II-C3, Figure 2(b)", Source: run.Given,
			Measures: []run.Measurement{{What: all.What, Of: ofcOnly, Relation: run.Less,
				Against: baselines[:1], Value: all.Value, Published: run.Always(run.AtLeast(0))}}},
		inOrder(),
		run.Beside(run.Measurement{What: "flows known to a port at once", Of: ofcOnly,
			Value: run.Figure("flows known to a port at once")}),
	}
}

// ratios are the incasts of Figures 4 and 5.
var ratios = []string{"4:1", "6:1", "8:1", "10:1"}

func ratioVariants() (all []run.Variant) {
	for _, ratio := range ratios {
		all = append(all, run.Variant{Name: ratio, Set: "ofc.ratio=" + ratio[:len(ratio)-2]})
	}
	return all
}

func byRatio(bounds ...run.Range) run.Ranges {
	published := run.Ranges{}
	for i, r := range bounds {
		published[ratios[i]] = r
	}
	return published
}

// claimFigure4 is section IV-C1.
func claimFigure4(*run.Subject) []run.Claim {
	uncongested, congested := largest(workload.Vulnerable), largest(workload.Incast)
	times := []run.Measurement{
		{What: "largest FCT of uncongested flows", Unit: "ms", Value: uncongested},
		{What: "largest FCT of congested flows", Unit: "ms", Value: congested},
		{What: "largest FCT of all flows", Unit: "ms", Value: largest(workload.GroupAuto)},
	}
	apart := []run.Measurement{times[0], times[1]}
	apart[0].Of, apart[1].Of = ofcOnly, ofcOnly
	queues := queuesOf(figure5Queues)
	means := []run.Measurement{
		{What: "mean FCT of uncongested flows", Value: run.MeanFCT(workload.Vulnerable)},
		{What: "mean FCT of all flows", Value: run.MeanFCT(workload.GroupAuto)},
	}
	return []run.Claim{
		{Statement: "Under PFC and its variants completion times are alike, congested or not",
			Place: "section IV-C1, Figure 4", Source: run.Given, Name: "baselines-alike",
			Measures: []run.Measurement{{What: "largest FCT, uncongested over congested flows",
				Of: baselines, Value: func(o *run.Outcome) run.Measured {
					u, c := uncongested(o), congested(o)
					return run.Number(u.Value / c.Value)
				}, Published: run.Always(run.Exactly(1))}}},
		{Statement: "Under OFC uncongested flows complete notably earlier than congested ones",
			Place: "section IV-C1, Figure 4", Source: run.Given, Name: "apart", Across: true,
			Measures: apart},
		{Statement: "From 4:1 to 10:1 OFC shortens the completion times of all, of uncongested and of " +
			"congested flows by up to 19.28 to 22.6, 23.08 to 43.06, 20.59 to 54.55 and 15.59 to 60.28 %",
			Place: "section IV-C1, Figure 4", Source: run.Given, Name: "times",
			Note: "The completion time of a group of flows, as section IV-A3 has it. The text does not " +
				"say what the two ends of a range are of, nor whether all four are of all groups; here all " +
				"baselines and groups are to be within the range of a ratio.",
			Measures: reductions(byRatio(run.Between(19.28, 22.6), run.Between(23.08, 43.06),
				run.Between(20.59, 54.55), run.Between(15.59, 60.28)), times)},
		{Statement: "OFC shortens completion times by up to 60.28 %", Place: "abstract",
			Source: run.Given, Name: "times-up-to",
			Measures: reductions(run.Always(run.UpTo(60.28)), times)},
		{Statement: "From 4:1 to 10:1 OFC shortens the mean queues of all, of uncongested and of " +
			"congested ports by up to 21.74 to 49.33, 21.81 to 50, 22.22 to 51.47 and 20.64 to 49.74 %",
			Place: "section IV-C1, Figure 5", Source: run.Given, Name: "queues",
			Note: "A congested port is one that congested flows traverse, the link between the switches " +
				"among them. What waits at the incast's own port is as much under either, which keeps these " +
				"two reductions below the link's.",
			Measures: reductions(byRatio(run.Between(21.74, 49.33), run.Between(21.81, 50),
				run.Between(22.22, 51.47), run.Between(20.64, 49.74)), queues)},
		{Statement: "OFC shortens queues by up to 51.47 %", Place: "abstract", Source: run.Given,
			Name: "queues-up-to", Measures: reductions(run.Always(run.UpTo(51.47)), queues)},
		{Statement: "A port holds more where congested flows pass than where uncongested ones do, and " +
			"least on average over all ports",
			Place: "section IV-C1, Figure 5", Source: run.Given, Across: true,
			Measures: perPort(nil)},
		{Statement: "Each kind of port holds more, the larger the incast",
			Place: "section IV-C1, Figure 5", Source: run.Given, Rising: ratios,
			Measures: perPort(protocol)},
		inOrder(),
		run.Beside(slices.Concat(ofIdeal(times), ofIdeal(queues), reductions(nil, means))...),
	}
}

// perPort are the mean queues of a port of each kind, in the order in which they are to grow.
func perPort(alike func(*run.Outcome) string) (all []run.Measurement) {
	for _, kind := range figure5Queues {
		all = append(all, run.Measurement{
			What: "mean queue of a port, " + kind.what, Unit: "B", Alike: alike, Value: kind.perPort(),
			Of: append([]string{"ofc"}, baselines...),
		})
	}
	return all
}

// claimFigure6 is section IV-C2 without its thresholds.
func claimFigure6(s *run.Subject) []run.Claim {
	traffic := s.Values.String("workload")
	queue := run.Ranges{
		"edu1": run.Between(4.31, 11.83), "edu2": run.Between(5.8, 11.24),
	}[traffic]
	all := []run.Measurement{
		{What: "mean FCT of all flows", Unit: "us", Value: run.MeanFCT(workload.GroupAuto)},
	}
	bySize := []run.Measurement{
		{What: "mean FCT of short flows", Unit: "us", Value: run.MeanFCT(workload.Vulnerable)},
		{What: "mean FCT of large flows", Unit: "us", Value: run.MeanFCT(workload.Background)},
	}
	edge := queuesOf([]queueKind{{"edge", inTier(1)}})
	return []run.Claim{
		{Statement: "OFC shortens the completion times of all flows by around 5 %",
			Place: "section IV-C2, Figure 6", Source: run.Given,
			Measures: reductions(run.Always(run.About(5)), all)},
		{Statement: "OFC shortens the completion times of large flows, and so of all",
			Place: "section IV-C2, Figure 6", Source: run.Given,
			Measures: reductions(run.Always(run.AtLeast(0)), bySize[1:])},
		{Statement: "Short flows complete earlier than large flows", Place: "section IV-C2, Figure 6",
			Source: run.Given, Across: true, Measures: bySize},
		{Statement: "OFC shortens the mean queues of all ports, of the core and of the aggregation, by " +
			"up to 4.31 to 11.83 % under EDU1, and up to 5.8 to 11.24 % under EDU2",
			Place: "section IV-C2, Figure 7", Source: run.Given,
			Note:     "What the two ends of a range are of is not said: all baselines and layers are to be within.",
			Measures: reductions(run.Always(queue), queuesOf(figure7Queues))},
		inOrder(),
		run.Beside(slices.Concat(ofIdeal(all), ofIdeal(bySize), reductions(nil, edge))...),
	}
}

// claimFigure9 is section IV-C3: how many fewer of the networks end in a deadlock.
func claimFigure9(*run.Subject) []run.Claim {
	fewer := func(published run.Ranges) []run.Measurement {
		return reductions(published, []run.Measurement{
			{What: "networks that end in a deadlock", Value: deadlocks},
		})
	}
	return []run.Claim{
		{Statement: "Over three numbers of flows OFC has 7.15 to 45.24 % fewer deadlocks than PFC, " +
			"4.14 to 40.43 than caPFC, 4.99 to 41.53 than P-PFC, 8.64 to 48.70 than GFC, 7.95 to 47.33 " +
			"than G-PFC",
			Place: "section IV-C3, Figure 9", Source: run.Given, Name: "deadlocks",
			Measures: fewer(run.Ranges{
				"pfc": run.Between(7.15, 45.24), "capfc": run.Between(4.14, 40.43),
				"ppfc": run.Between(4.99, 41.53), "gfc-zero": run.Between(8.64, 48.70),
				"gpfc": run.Between(7.95, 47.33),
			})},
		{Statement: "OFC has up to 48.7 % fewer deadlocks", Place: "abstract", Source: run.Given,
			Name: "deadlocks-up-to", Measures: fewer(run.Always(run.UpTo(48.7)))},
		inOrder(),
		run.Beside(run.Measurement{
			What: "networks that end in a deadlock", Unit: "%", Value: deadlocks}),
	}
}
