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

// claimEndToEnd has the one sentence of the paper with numbers that is to be had, in the abstract:
// "Compared to deployed end-to-end schemes, BFC achieves 2.3 - 60x lower tail latency for short
// flows and 1.6 - 5x better average completion time for long flows."
func claimEndToEnd(*run.Subject) []run.Measurement {
	deployed := []string{"pfc dcqcn", "pfc dcqcn, window", "pfc hpcc"}
	own := []string{"bfc-ideal", "ideal"}
	const short, long = "99th percentile of the slowdown of short flows", "mean FCT of long flows"
	fold := func(what string, of run.Measure, against []string, published run.Ranges) run.Measurement {
		return run.Measurement{
			What: what, Of: []string{"bfc"}, Value: of, Relation: run.Fold, Against: against,
			Published: published,
		}
	}
	return []run.Measurement{
		fold(short, tailOfShort, deployed, run.Always(run.Between(2.3, 60))),
		fold(long, meanOfLong, deployed, run.Always(run.Between(1.6, 5))),
		fold(short, tailOfShort, own, nil),
		fold(long, meanOfLong, own, nil),
		{What: short, Value: tailOfShort},
		{What: long, Unit: "us", Value: meanOfLong},
	}
}

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
