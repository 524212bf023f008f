package pyrrha

import (
	"maps"
	"slices"

	"github.com/sluicefc/sluice/internal/lab/run"
	"github.com/sluicefc/sluice/internal/lab/workload"
)

// Sentences of section VIII-A about each flow control.
const (
	ofPFC    = "section VIII-A, point 1"
	ofBFC    = "section VIII-A, point 2; Figure 14"
	ofIncast = "section VIII-A, last paragraph; Figure 14(a)"
)

// meanLess measures by how much Pyrrha shortens what flows of a group take on average, and tailFold
// by what factor their tail.
func meanLess(g workload.Group, p run.Ranges) run.Measurement {
	return run.Measurement{What: "mean FCT of " + g.String() + " flows", Of: []string{"pyrrha"},
		Relation: run.Less, Value: run.MeanFCT(g), Published: p}
}

func tailFold(g workload.Group, p run.Ranges) run.Measurement {
	return run.Measurement{What: "p99 of " + g.String() + " flows", Of: []string{"pyrrha"},
		Relation: run.Fold, Value: run.P99(g), Published: p}
}

func backlogFold(p run.Ranges) run.Measurement {
	return run.Measurement{What: "largest backlog of a switch", Of: []string{"pyrrha"},
		Relation: run.Fold, Value: run.LargestBacklog, Published: p}
}

// comparisons are the three, of which a figure itself says nothing.
func comparisons() (all []run.Measurement) {
	for _, g := range uncongestedGroups {
		all = append(all, meanLess(g, nil), tailFold(g, nil))
	}
	return append(all, backlogFold(nil))
}

// ofBoth applies a measurement to both groups of uncongested flows.
func ofBoth(
	of func(workload.Group, run.Ranges) run.Measurement, p run.Ranges,
) (both []run.Measurement) {
	for _, g := range uncongestedGroups {
		both = append(both, of(g, maps.Clone(p)))
	}
	return both
}

// claimSummary is what the abstract and section I sum up of the comparisons with PFC and with BFC,
// in the form of Pyrrha's authors. The paper does not say over which figures its ranges go; here
// they are over Figures 14 and 15.
func claimSummary(s *run.Subject) []run.Claim {
	than := func(r run.Range) run.Ranges { return run.Ranges{"pfc": r, "bfc-pyrrha": r} }
	// PFC spreads the congestion to background flows with Web Server alone (section VIII-A, point 1)
	spread := s.Values.String("workload") == "webserver"
	both := func(
		of func(workload.Group, run.Ranges) run.Measurement, r run.Range,
	) []run.Measurement {
		all := ofBoth(of, than(r))
		if !spread {
			delete(all[1].Published, "pfc")
		}
		return all
	}
	return []run.Claim{
		{Statement: "uncongested flows complete 42 to 98 % sooner on average",
			Place: "abstract", Source: run.Given, Name: "mean",
			Note:     "section I has 42.8 to 98.2 %; over which figures the range goes it does not say",
			Measures: both(meanLess, run.Between(42, 98))},
		{Statement: "the 99th percentile of uncongested flows is 1.6 to 215 times lower",
			Place: "abstract", Source: run.Given, Name: "tail",
			Note:     "over which figures the range goes the paper does not say",
			Measures: both(tailFold, run.Between(1.6, 215))},
		{Statement: "the largest use of a buffer is reduced by up to 6.2 times",
			Place: "section I, last paragraph", Source: run.Given, Name: "buffer",
			Note:     "the text has up to 1.8 to 6.2 times, and not of which cases the 1.8 is the most",
			Measures: []run.Measurement{backlogFold(than(run.UpTo(6.2)))}},
		run.Beside(comparisons()...),
	}
}

// claimFigure14 is what section VIII-A says of uncongested flows in Figure 14. Runs are in the
// order in which Pyrrha's lead over them grows.
func claimFigure14(s *run.Subject) []run.Claim {
	both := append(ofBoth(meanLess, nil), ofBoth(tailFold, nil)...)
	ahead := run.Ranges{"bfc-pyrrha": run.AtLeast(0), "bfc-128": run.AtLeast(0)}
	return append([]run.Claim{
		{Statement: "under BFC uncongested flows fare better than under PFC",
			Place: ofBFC, Source: run.Given, Rising: []string{"bfc-pyrrha", "pfc"},
			Measures: ofBoth(meanLess, nil)},
		{Statement: "under BFC uncongested flows never have as low a latency as under Pyrrha",
			Place: ofBFC, Source: run.Given, Name: "below-bfc", Measures: ofBoth(meanLess, ahead)},
		{Statement: "with 128 queues for 32 BFC does better",
			Place: ofBFC, Source: run.Given, Rising: []string{"bfc-128", "bfc"}, Measures: both},
	}, claimSummary(s)...)
}

// claimWebSearch adds what is said of Web Search alone.
func claimWebSearch(s *run.Subject) []run.Claim {
	return append([]run.Claim{{
		Statement: "in Web Search traffic BFC's tail is bad: it pauses sooner than PFC",
		Place:     ofBFC, Source: run.Derived, Rising: []string{"pfc", "bfc-pyrrha"},
		Note:     "the text does not say worse than what; here than PFC's",
		Measures: ofBoth(tailFold, nil),
	}}, claimFigure14(s)...)
}

// claimStart is what section VIII-A says of the beginning of Figure 14's Web Server traffic.
func claimStart(*run.Subject) []run.Claim {
	incast := run.Measurement{What: "mean FCT of incast flows", Value: run.MeanFCT(workload.Incast)}
	besidePFC := incast
	besidePFC.Of, besidePFC.Against = []string{"pyrrha"}, []string{"pfc"}
	besidePFC.Relation = run.Times
	besidePFC.Published = run.Always(run.AtMost(1))
	incast.Unit = "us"
	return []run.Claim{
		{Statement: "under PFC the throughput of background flows breaks down at 1.5 ms",
			Place: ofPFC + "; Figure 14(f)", Source: run.Given, Name: "fig14f",
			Note:     "measured in quarters of a ms",
			Measures: []run.Measurement{collapseFrom(workload.Background, published("pfc", 1.5))}},
		{Statement: "congested flows do not suffer under Pyrrha: the incast takes no longer than under PFC",
			Place: ofIncast + "; abstract", Source: run.Given, Name: "congested",
			Measures: []run.Measurement{besidePFC}},
		{Statement: "BFC shortens flows of the incast on average",
			Place: ofIncast, Source: run.Given, Rising: []string{"bfc-pyrrha", "pfc"},
			Measures: []run.Measurement{incast}},
		claimDozen(),
		run.Beside(slices.Concat(
			collapse(workload.Vulnerable, nil, nil), collapse(workload.Background, nil, nil),
			comparisons())...),
	}
}

// claimDozen is section VIII's number of isolation queues.
func claimDozen() run.Claim {
	return run.Claim{
		Statement: "Pyrrha uses only a dozen isolation queues in most cases",
		Place:     "section VIII, Parameters", Source: run.Given, Name: "dozen",
		Note:     "most cases are not all",
		Measures: []run.Measurement{ofQueues("pyrrha", run.AtMost(12))},
	}
}

// ofQueues measures the isolation queues in use at a port.
func ofQueues(fc string, p run.Range) run.Measurement {
	return run.Measurement{What: "most IQs in use at a port", Of: []string{fc}, Value: mostIQs,
		Published: run.Always(p)}
}
