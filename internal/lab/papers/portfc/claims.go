package portfc

import (
	"fmt"
	"slices"
	"strings"

	"golang.org/x/exp/stats"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/generate"
	"github.com/sluicefc/sluice/internal/lab/run"
	"github.com/sluicefc/sluice/internal/lab/workload"
)

// comparedBy is a number of an outcome that two protocols are compared by.
type comparedBy struct {
	what string
	Of   func(*run.Outcome) float64
	// times: the first is so many times the second; else it is so many per cent more.
	times bool
}

// fct returns a measure of the completion times of a group.
func fct(what string, g workload.Group, quantile float64) comparedBy {
	return comparedBy{what: what, Of: func(o *run.Outcome) float64 {
		times := run.CompletionTimes(o, g)
		if g == workload.GroupAuto {
			times = slices.Concat(
				run.CompletionTimes(o, workload.Incast), run.CompletionTimes(o, workload.Background),
			)
		}
		if len(times) == 0 {
			return 0
		}
		slices.Sort(times)
		if quantile == 0 {
			return stats.Mean(times)
		}
		return stats.Quantiles(times, quantile)[0]
	}}
}

// delivered is what was delivered while flows began, over time, in Gb/s.
func delivered(o *run.Outcome) float64 {
	var bytes sluice.Bytes
	end := sluice.Time(0)
	for i := range o.Result.Flows {
		end = max(end, o.Result.Flows[i].Start)
	}
	var last sluice.Time
	for _, sample := range o.Result.Series {
		if sample.At <= end {
			last = sample.At
			for _, n := range sample.DeliveredBytes {
				bytes += n
			}
		}
	}
	if last == 0 {
		return 0
	}
	return run.Gbps(bytes, last)
}

// NodeTrafficMeasures are those of Figures 8 to 14.
var NodeTrafficMeasures = []comparedBy{
	fct("mean FCT", workload.GroupAuto, 0),
	fct("p95 FCT", workload.GroupAuto, 0.95),
	fct("p99 FCT", workload.GroupAuto, 0.99),
	fct("p99.9 FCT", workload.GroupAuto, 0.999),
	{what: "throughput, size over FCT", Of: run.FlowThroughput(workload.GroupAuto), times: true},
	{what: "the same, Poisson flows", Of: run.FlowThroughput(workload.Background), times: true},
	{what: "the same, incast flows", Of: run.FlowThroughput(workload.Incast), times: true},
	{what: "bytes delivered while flows begin", Of: delivered, times: true},
}

// against compares the first outcome with another by measures; published has what the paper gives,
// by measure.
func against(
	ours, other *run.Outcome, measures []comparedBy, published map[string]string,
) (claims []run.Claim) {
	for _, m := range measures {
		a, b := m.Of(ours), m.Of(other)
		if a == 0 || b == 0 {
			continue
		}
		c := run.Claim{FC: ours.FC, Published: published[m.what]}
		if m.times {
			c.What, c.Ours = m.what+", times "+other.FC+"'s", fmt.Sprintf("%.2f", a/b)
		} else {
			c.What, c.Ours = m.what+" against "+other.FC+", %", fmt.Sprintf("%+.1f", 100*(a/b-1))
		}
		claims = append(claims, c)
	}
	return claims
}

// publishedTraffic is what section V-B and C say of PortFC against others, by the network's nodes
// and the other's name.
var publishedTraffic = map[int]map[string]map[string]string{
	16: {
		"none irn": {"p99 FCT": "-16.9 to -41.3", "throughput, size over FCT": "1.7 to 2.3"},
		"pfcstar": {
			"mean FCT": "-49.9 to -87.3", "p99 FCT": "-53.3 to -87.7",
			"throughput, size over FCT": "8 Storage, about 2 others",
		},
		"none gbn": {"mean FCT": "-58.4 to -97.9", "throughput, size over FCT": "2.4 to 3.9"},
	},
	64: {
		"none irn": {
			"mean FCT": "at most -41.7", "p99.9 FCT": "-16.6", "the same, Poisson flows": "2.3 WebSearch",
			"the same, incast flows": "1.9 WebSearch",
		},
		"pfcstar": {
			"mean FCT": "-19.8", "p99.9 FCT": "-85.5", "the same, Poisson flows": "2.0",
			"the same, incast flows": "2.2",
		},
		"none gbn": {
			"mean FCT": "-96.5", "p99.9 FCT": "-97.9", "the same, Poisson flows": "4.7",
			"the same, incast flows": "21.6",
		},
	},
}

// publishedMeans is the mean FCT against IRN of Figure 8, by workload.
var publishedMeans = map[string]string{"hadoop": "-11.7", "cachefollower": "-40.9", "websearch": "-69.2"}

// claimNodeTraffic compares PortFC with the others, and counts what a congestion control would
// learn.
func claimNodeTraffic(s *run.Subject, outcomes []*run.Outcome) (claims []run.Claim) {
	ours := named(outcomes, "portfc")
	if ours == nil {
		return nil
	}
	nodes := len(s.Graph.Hosts())
	for _, o := range outcomes {
		if o == ours {
			continue
		}
		published := publishedTraffic[nodes][o.FC]
		more := against(ours, o, NodeTrafficMeasures, published)
		if len(more) > 0 && nodes == 16 && o.FC == "none irn" {
			more[0].Published = publishedMeans[s.Values.String(generate.ParamWorkload)]
		}
		claims = append(claims, more...)
	}
	for _, o := range outcomes {
		claims = append(claims,
			run.Claim{What: "packets lost", FC: o.FC, Ours: fmt.Sprint(o.Result.Dropped)},
			run.Claim{What: "packets that arrived marked", FC: o.FC, Ours: fmt.Sprint(o.Result.Marked)},
			run.Claim{
				What: "longest queue of a switch port, KB", FC: o.FC,
				Ours: fmt.Sprintf("%.0f", float64(o.Result.MaxPortBytes)/1000),
			},
		)
	}
	return claims
}

func named(outcomes []*run.Outcome, fc string) *run.Outcome {
	for _, o := range outcomes {
		if o.FC == fc {
			return o
		}
	}
	return nil
}

// stageTime returns how long the flows of a stage took together; 0 if one did not complete.
func stageTime(o *run.Outcome, stage int32) float64 {
	first, last := sluice.Never, sluice.Time(0)
	for i := range o.Result.Flows {
		f := &o.Result.Flows[i]
		if f.Stage != stage {
			continue
		}
		if f.FCT == sluice.Never {
			return 0
		}
		first, last = min(first, f.Start), max(last, f.Start+f.FCT)
	}
	return (last - first).Microseconds()
}

// claimFigure15 compares the times of the two stages, and completion times: "PortFC reduces the
// time consumption of the first stage by at most 12.6% and 79.2% compared to IRN ... and PFC*";
// "there is no performance difference among the three algorithms in the broadcast".
func claimFigure15(_ *run.Subject, outcomes []*run.Outcome) (claims []run.Claim) {
	stage := func(n int32) func(*run.Outcome) float64 {
		return func(o *run.Outcome) float64 { return stageTime(o, n) }
	}
	measures := []comparedBy{
		{what: "first stage", Of: stage(0)}, {what: "second stage", Of: stage(1)},
		fct("mean FCT of the first stage", workload.Incast, 0),
		fct("p99 FCT of the first stage", workload.Incast, 0.99),
	}
	published := map[string]map[string]string{
		"none irn": {"first stage": "at most -12.6", "second stage": "0"},
		"pfcstar":  {"first stage": "at most -79.2", "second stage": "0"},
	}
	for _, o := range outcomes {
		for n := range int32(2) {
			claims = append(claims, run.Claim{
				What: [...]string{"first stage, us", "second stage, us"}[n], FC: o.FC,
				Ours: fmt.Sprintf("%.1f", stageTime(o, n)),
			})
		}
	}
	if ours := named(outcomes, "portfc"); ours != nil {
		for _, o := range outcomes {
			if o != ours {
				claims = append(claims, against(ours, o, measures, published[o.FC])...)
			}
		}
	}
	return claims
}

// claimExperts compares completion times under PortFC with and without traffic engineering with the
// others': "up to 79% reduction in the P99 flow completion time"; and gives the weights of the
// high-bandwidth domain over time beside the closed form.
func claimExperts(_ *run.Subject, outcomes []*run.Outcome) (claims []run.Claim) {
	stage := func(n int32) func(*run.Outcome) float64 {
		return func(o *run.Outcome) float64 { return stageTime(o, n) }
	}
	measures := []comparedBy{
		fct("mean FCT", workload.GroupAuto, 0), fct("p99 FCT", workload.GroupAuto, 0.99),
		{what: "dispatch", Of: stage(0)}, {what: "combine", Of: stage(1)},
	}
	for _, ours := range outcomes {
		if ours.Run != "portfc" {
			continue
		}
		for _, o := range outcomes {
			if o.Run != "portfc" || o.FC == "portfc hash" && ours != o {
				published := map[string]string{}
				if strings.HasPrefix(o.FC, "none irn") {
					published["p99 FCT"] = "up to -79"
				}
				claims = append(claims, against(ours, o, measures, published)...)
			}
		}
	}
	for _, o := range outcomes {
		claims = append(claims, claimWeights(o)...)
	}
	return claims
}

// claimWeights gives w^H at five instants, the closed form beside it.
func claimWeights(o *run.Outcome) (claims []run.Claim) {
	n := len(o.Result.Steered)
	for i := range 5 {
		if n < 5 {
			break
		}
		sample := o.Result.Steered[(2*i+1)*n/10]
		claims = append(claims, run.Claim{
			What: fmt.Sprintf("mean w at %v, closed form %.3f", sample.At, sample.ClosedForm),
			FC:   o.FC, Ours: fmt.Sprintf("%.3f", sample.Weight),
		})
	}
	return claims
}
