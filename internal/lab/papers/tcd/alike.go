package tcd

import (
	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/params"
	"github.com/sluicefc/sluice/internal/lab/run"
	"github.com/sluicefc/sluice/internal/lab/topo"
	"github.com/sluicefc/sluice/internal/lab/workload"
)

var alikeParameters = []params.Definition{
	{Name: "unit.rate", Kind: params.Rate, Default: "5Gbps", Min: "1Mbps", Max: "40Gbps",
		Doc: "scenario tcd/alike: what F0 and F2 send"},
}

// alikeScenario has Figure 3, whose P2 is not congested, beside Figure 4, whose P2 is.
var alikeScenario = run.Scenario{
	Name: "tcd/alike", Figure: "TCD paper, Figures 3 and 4", SampleEvery: 10 * sluice.Microsecond,
	Doc: "tcd/fig3 and tcd/fig4 side by side: the queue of P2 while pauses and credits reach it",
	Set: tcdSettings, Protocols: []string{"pfc", "cbfc"}, Until: unitUntil,
	Build: func(_ uint64, v *params.Values) (*topo.Graph, []workload.Flow, error) {
		graph, err := tcdNetwork("unit")
		return graph, unitFlows(v.Rate("unit.rate")), err
	},
	Watch: watchUnit, Claims: claimAlike,
	Variants: []run.Variant{
		{Name: "5", Set: "unit.rate=5Gbps,cc=dcqcn,detect=ecn", FC: "pfc"},
		{Name: "25", Set: "unit.rate=25Gbps,cc=dcqcn,detect=ecn", FC: "pfc"},
		{Name: "5", Set: "unit.rate=5Gbps,cc=ibcc,detect=fecn", FC: "cbfc"},
		{Name: "25", Set: "unit.rate=25Gbps,cc=ibcc,detect=fecn", FC: "cbfc"},
	},
}

// claimAlike is what section 3.1.3 reads off Figures 3 and 4: for a while the queue of P2 does not
// tell whether P2 is congested.
func claimAlike(*run.Subject) []run.Claim {
	const place, us = "section 3.1.3, paragraph 2; Figures ", sluice.Microsecond
	alike := func(fc, what string, from, to sluice.Time) (beside, alone run.Measurement) {
		alone = run.Measurement{
			What: "mean queue at P2 " + what, Unit: "KB", Value: queueAtP2(unitBursts+from, unitBursts+to),
		}
		beside = alone
		beside.Unit, beside.Relation = "", run.Times
		beside.Of, beside.Against, beside.Alike = []string{"25"}, []string{"5"}, protocol
		beside.Published = run.Ranges{fc + " 5": run.Exactly(1)}
		return beside, alone
	}
	ethernet, early := alike("pfc", "from 1.0 to 1.5 ms", 1000*us, 1500*us)
	infiniBand, late := alike("cbfc", "from 2.6 to 4 ms", 2600*us, 4000*us)
	claims := []run.Claim{
		given("alike", "in CEE the queue of P2 is alike from 1.0 to 1.5 ms, whether P2 is congested or not",
			place+"3(a) and 4(a)", ethernet),
		given("alike-ib", "in InfiniBand the queue of P2 is alike from 2.6 to 4 ms, whether P2 is "+
			"congested or not", place+"3(b) and 4(b)", infiniBand),
	}
	for i := range claims {
		claims[i].Note = "the paper reads it off its figures: means within 5 % is our reading"
	}
	return append(claims, run.Beside(early, late))
}

func protocol(o *run.Outcome) string { return o.Run }

// queueAtP2 measures the mean of the samples of P2's queue in a span, in KB.
func queueAtP2(from, to sluice.Time) run.Measure {
	return func(o *run.Outcome) run.Measured {
		series := o.Result.Seen.Series[unitPlaceOfP2]
		var sum, n float64
		for i, at := range series.Time {
			if from < at && at <= to && i < len(series.Backlog) {
				sum, n = sum+float64(series.Backlog[i]), n+1
			}
		}
		if n == 0 {
			return run.None()
		}
		return run.Number(sum / n / 1000)
	}
}
