package bfc

import (
	"math"
	"slices"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/run"
	"github.com/sluicefc/sluice/internal/lab/sim"
	"github.com/sluicefc/sluice/internal/lab/workload"
)

// Sizes in packets that bound the first and the last class of flows by which the authors' program
// (calculate_fct_slowdown.py) prints slowdowns.
const (
	shortest = 3 * sluice.KB
	longest  = 3072 * sluice.KB
)

const (
	shortTail = "99th percentile of the slowdown of short flows"
	longMean  = "mean FCT of long flows"
)

// claimEndToEnd has the one sentence of the paper with numbers that is to be had, of the abstract.
// Which schemes are deployed, and which flows are short or long, it does not say.
func claimEndToEnd(*run.Subject) []run.Claim {
	deployed := []string{"pfc dcqcn", "pfc dcqcn, window", "pfc hpcc"}
	const unsaid = "the abstract says neither which schemes nor which flows these are"
	fold := func(what string, of run.Measure, published run.Range) []run.Measurement {
		return []run.Measurement{{
			What: what, Of: []string{"bfc"}, Value: of, Relation: run.Fold, Against: deployed,
			Published: run.Always(published),
		}}
	}
	return []run.Claim{
		{Statement: "beside deployed end-to-end schemes short flows have a tail 2.3 to 60 times lower",
			Place: "abstract", Source: run.Given, Name: "short", Note: unsaid,
			Measures: fold(shortTail, tailOfShort, run.Between(2.3, 60))},
		{Statement: "beside deployed end-to-end schemes long flows complete 1.6 to 5 times faster on " +
			"average", Place: "abstract", Source: run.Given, Name: "long", Note: unsaid,
			Measures: fold(longMean, meanOfLong, run.Between(1.6, 5))},
		besideIdeal(),
	}
}

// claimIncast is what the abstract says of high load and incasts.
func claimIncast(*run.Subject) []run.Claim {
	near := func(what string, of run.Measure) run.Measurement {
		return run.Measurement{What: what, Of: []string{"bfc"}, Value: of, Relation: run.Times,
			Against: []string{"ideal"}, Published: run.Always(run.AtMost(1.1))}
	}
	return []run.Claim{
		{Statement: "throughput and tail are near the optimum, even under high load and beside incasts",
			Place: "abstract", Source: run.Derived, Name: "optimal",
			Note:     "the optimum here is a queue for every flow; near is a tenth",
			Measures: []run.Measurement{near(shortTail, tailOfShort), near(longMean, meanOfLong)}},
		besideIdeal(),
	}
}

func besideIdeal() run.Claim {
	return run.Beside(
		run.Measurement{What: shortTail, Value: tailOfShort},
		run.Measurement{What: longMean, Unit: "us", Value: meanOfLong},
	)
}

var messages = map[string][]run.Message{"bfc": {
	{Statement: "beside deployed end-to-end schemes short flows have a tail 2.3 to 60 times lower",
		Place: "abstract", Claims: []string{"short"}},
	{Statement: "beside deployed end-to-end schemes long flows complete 1.6 to 5 times faster on average",
		Place: "abstract", Claims: []string{"long"}},
	{Statement: "throughput and tail are near the optimum, even under high load and beside incasts",
		Place: "abstract", Claims: []string{"optimal"}},
	{Statement: "flow control per hop and per flow is had with bounded state and constant time",
		Place: "abstract"},
	{Statement: "a Tofino 2 can do it", Place: "abstract"},
}}

var untested = map[string][]run.Claim{"bfc": {
	{Statement: "state is bounded, and operations of a switch take constant time",
		Place: "abstract", Source: run.Given,
		Note: "no matter of a run: package bfc says its memory and complexity, and benchmarks count"},
	{Statement: "a Tofino 2 can do it", Place: "abstract", Source: run.Given,
		Note: "no matter of a run: package tofino makes the program, tofino/fit counts what it takes"},
	{Statement: "tables, figures and sentences of the body",
		Place: "sections 1 to 7", Source: run.Curve,
		Note: "the body of the paper was not to be had as text"},
}}

// background are the flows of a run that are of no incast, and have completed.
func background(o *run.Outcome) (flows []*sim.FlowResult) {
	for i := range o.Result.Flows {
		f := &o.Result.Flows[i]
		if o.Groups[i] == workload.Background && f.FCT != sluice.Never {
			flows = append(flows, f)
		}
	}
	return flows
}

func tailOfShort(o *run.Outcome) run.Measured {
	var slowdowns []float64
	for _, f := range background(o) {
		if f.Bytes <= shortest {
			slowdowns = append(slowdowns, f.Slowdown())
		}
	}
	if len(slowdowns) == 0 {
		return run.None()
	}
	slices.Sort(slowdowns)
	return run.Number(slowdowns[int(math.Ceil(0.99*float64(len(slowdowns))))-1])
}

func meanOfLong(o *run.Outcome) run.Measured {
	sum, n := 0.0, 0
	for _, f := range background(o) {
		if f.Bytes > longest {
			sum += f.FCT.Microseconds()
			n++
		}
	}
	if n == 0 {
		return run.None()
	}
	return run.Number(sum / float64(n))
}
