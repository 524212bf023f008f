package pyrrha

import (
	"slices"

	"golang.org/x/exp/stats"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/run"
	"github.com/sluicefc/sluice/internal/lab/workload"
)

// uncongestedGroups are the groups of flows that pass no congestion root.
var uncongestedGroups = [...]workload.Group{workload.Vulnerable, workload.Background}

// claimCollapse is what section II says of Figure 2: under PFC, with a queue per flow, under BFC.
func claimCollapse(*run.Subject) []run.Claim {
	const (
		perFlow = "section II-C, paragraph 1; Figure 2(b)"
		bfc     = "section II-C, paragraph 4; Figure 2(c)"
	)
	full := run.Ranges{"ideal": run.About(100)}
	return []run.Claim{
		{Statement: "under PFC vulnerable flows lose much of their throughput",
			Place: "section II-B, paragraph 3; Figure 2(a)", Source: run.Given,
			Rising: []string{"pfc", "ideal"}, Note: "the text has no number",
			Measures: []run.Measurement{leastShare(workload.Vulnerable)}},
		{Statement: "under PFC the throughput of background flows is down from 1 to 4 ms",
			Place: "section II-B, paragraph 3; Figure 2(a)", Source: run.Given, Name: "fig2-pfc",
			Measures: collapse(workload.Background, run.Ranges{"pfc": run.Exactly(1)},
				run.Ranges{"pfc": run.Exactly(4)})},
		{Statement: "with a queue for every flow vulnerable and background flows use their links fully",
			Place: perFlow, Source: run.Derived, Note: "fully: they get what they offer",
			Measures: []run.Measurement{
				meanShare(workload.Vulnerable, full), meanShare(workload.Background, full),
			}},
		{Statement: "with a queue for every flow the incast loses no throughput: its link is full",
			Place: perFlow, Source: run.Derived,
			Measures: []run.Measurement{{What: "rate at which the incast is received", Unit: "Gb/s",
				Value: hostThroughput, Published: run.Ranges{"ideal": run.About(100)}}}},
		{Statement: "under BFC vulnerable and background flows keep a very low throughput from 2 to 12 ms",
			Place: bfc, Source: run.Given, Name: "fig2-bfc",
			Measures: append(
				collapse(workload.Vulnerable, published("bfc-pyrrha", 2), published("bfc-pyrrha", 12)),
				collapse(workload.Background, published("bfc-pyrrha", 2), published("bfc-pyrrha", 12))...)},
		{Statement: "BFC prolongs the tail to 6 times what it is with a queue for every flow",
			Place: bfc, Source: run.Given, Name: "fig2-tail",
			Note: "the text does not say of which flows; here of all that are not of the incast",
			Measures: []run.Measurement{{What: "p99 of uncongested flows", Of: []string{"bfc-pyrrha"},
				Relation: run.Times, Against: []string{"ideal"}, Value: tailUncongested,
				Published: published("ideal", 6)}}},
		run.Beside(append(comparisons(), run.Measurement{What: "p99 of uncongested flows",
			Of: []string{"bfc"}, Relation: run.Times, Against: []string{"ideal"},
			Value: tailUncongested})...),
	}
}

func published(name string, x float64) run.Ranges { return run.Ranges{name: run.Exactly(x)} }

// collapse measures when the goodput of a group is below half of its offered load: start and end.
func collapse(g workload.Group, from, until run.Ranges) []run.Measurement {
	return []run.Measurement{
		collapseFrom(g, from),
		{What: "goodput of " + g.String() + " flows below 50 % of the offered load: end", Unit: "ms",
			Value:     func(o *run.Outcome) run.Measured { return collapseIn(o, g)[1] },
			Published: until},
	}
}

func collapseFrom(g workload.Group, from run.Ranges) run.Measurement {
	return run.Measurement{
		What: "goodput of " + g.String() + " flows below 50 % of the offered load: start", Unit: "ms",
		Value:     func(o *run.Outcome) run.Measured { return collapseIn(o, g)[0] },
		Published: from,
	}
}

// leastShare measures the worst window of a group.
func leastShare(g workload.Group) run.Measurement {
	return run.Measurement{
		What: "least goodput of " + g.String() + " flows in 250 us, of the offered load",
		Unit: "%", Value: func(o *run.Outcome) run.Measured {
			shares := sharesOf(o, g)
			if shares == nil {
				return run.None()
			}
			return run.Number(100 * slices.Min(shares))
		},
	}
}

// meanShare measures the mean over all windows.
func meanShare(g workload.Group, p run.Ranges) run.Measurement {
	return run.Measurement{
		What: "share of what " + g.String() + " flows offer that they get while they start", Unit: "%",
		Value: func(o *run.Outcome) run.Measured {
			shares := sharesOf(o, g)
			if shares == nil {
				return run.None()
			}
			return run.Number(100 * stats.Mean(shares))
		},
		Published: p,
	}
}

// collapseWindow is the span over which delivered and offered bytes are compared.
const collapseWindow = 250 * sluice.Microsecond

// sharesOf returns, by window while flows of a group start, what is delivered to them over the mean
// of what they offer. The first window is left out: the network is empty when it begins, so that
// less is delivered in it than is offered, whatever the flow control. Nil if there is no other.
func sharesOf(o *run.Outcome, g workload.Group) []float64 {
	s := o.Subject
	var offered sluice.Bytes
	first, last := sluice.Never, sluice.Time(0)
	for i := range s.Flows {
		if s.Groups[i] == g {
			offered += s.Flows[i].Bytes
			first, last = min(first, s.Flows[i].Start), max(last, s.Flows[i].Start)
		}
	}
	windows := int((last - first) / collapseWindow)
	if windows < 2 {
		return nil
	}
	delivered := make([]sluice.Bytes, windows)
	for _, sample := range o.Result.Series {
		if i := int((sample.At - 1 - first) / collapseWindow); sample.At > first && i < windows {
			delivered[i] += sample.DeliveredBytes[g]
		}
	}
	mean := float64(offered) / float64(last-first) * float64(collapseWindow)
	shares := make([]float64, windows-1)
	for i := range shares {
		shares[i] = float64(delivered[i+1]) / mean
	}
	return shares
}

// collapseIn returns from when to when a group's flows are delivered less than half of the mean of
// what they offer, in ms; "never" if at no time.
func collapseIn(o *run.Outcome, g workload.Group) [2]run.Measured {
	shares := sharesOf(o, g)
	if shares == nil {
		return [2]run.Measured{run.None(), run.None()}
	}
	from, to := -1, -1
	for i, share := range shares {
		if share < 0.5 {
			to = i + 2 // the first window is not among them
			if from < 0 {
				from = i + 1
			}
		}
	}
	if from < 0 {
		return [2]run.Measured{run.Words("never"), run.Words("never")}
	}
	ms := func(window int) run.Measured {
		return run.Number((sluice.Time(window) * collapseWindow).Microseconds() / 1000)
	}
	return [2]run.Measured{ms(from), ms(to)}
}
