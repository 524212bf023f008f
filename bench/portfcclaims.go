package main

import (
	"fmt"
	"slices"
	"strings"

	"golang.org/x/exp/stats"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/workload"
)

// comparedBy is a number of an outcome that two protocols are compared by.
type comparedBy struct {
	what string
	of   func(*outcome) float64
	// times: the first is so many times the second; else it is so many per cent more.
	times bool
}

// fct returns a measure of the completion times of a group.
func fct(what string, g workload.Group, quantile float64) comparedBy {
	return comparedBy{what: what, of: func(o *outcome) float64 {
		times := completionTimes(o, g)
		if g == workload.GroupAuto {
			times = slices.Concat(
				completionTimes(o, workload.Incast), completionTimes(o, workload.Background),
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

// flowThroughput is the mean of size over completion time, in Gb/s: "throughput" of flows.
func flowThroughput(g workload.Group) func(*outcome) float64 {
	return func(o *outcome) float64 {
		sum, n := 0.0, 0
		for i := range o.result.Flows {
			f := &o.result.Flows[i]
			if f.FCT != sluice.Never && (g == workload.GroupAuto || o.groups[i] == g) {
				sum += gbps(f.Bytes, f.FCT)
				n++
			}
		}
		return sum / float64(max(n, 1))
	}
}

// delivered is what was delivered while flows began, over time, in Gb/s.
func delivered(o *outcome) float64 {
	var bytes sluice.Bytes
	end := sluice.Time(0)
	for i := range o.result.Flows {
		end = max(end, o.result.Flows[i].Start)
	}
	var last sluice.Time
	for _, sample := range o.result.Series {
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
	return gbps(bytes, last)
}

// nodeTrafficMeasures are those of Figures 8 to 14.
var nodeTrafficMeasures = []comparedBy{
	fct("mean FCT", workload.GroupAuto, 0),
	fct("p95 FCT", workload.GroupAuto, 0.95),
	fct("p99 FCT", workload.GroupAuto, 0.99),
	fct("p99.9 FCT", workload.GroupAuto, 0.999),
	{what: "throughput, size over FCT", of: flowThroughput(workload.GroupAuto), times: true},
	{what: "the same, Poisson flows", of: flowThroughput(workload.Background), times: true},
	{what: "the same, incast flows", of: flowThroughput(workload.Incast), times: true},
	{what: "bytes delivered while flows begin", of: delivered, times: true},
}

// against compares the first outcome with another by measures; published has what the paper gives,
// by measure.
func against(
	ours, other *outcome, measures []comparedBy, published map[string]string,
) (claims []claim) {
	for _, m := range measures {
		a, b := m.of(ours), m.of(other)
		if a == 0 || b == 0 {
			continue
		}
		c := claim{fc: ours.fc, published: published[m.what]}
		if m.times {
			c.what, c.ours = m.what+", times "+other.fc+"'s", fmt.Sprintf("%.2f", a/b)
		} else {
			c.what, c.ours = m.what+" against "+other.fc+", %", fmt.Sprintf("%+.1f", 100*(a/b-1))
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
var publishedMeans = map[string]string{"hadoop": "-11.7", "storage": "-40.9", "websearch": "-69.2"}

// claimNodeTraffic compares PortFC with the others, and counts what a congestion control would
// learn.
func claimNodeTraffic(s *subject, outcomes []*outcome) (claims []claim) {
	ours := named(outcomes, "portfc")
	if ours == nil {
		return nil
	}
	nodes := len(s.graph.Hosts())
	for _, o := range outcomes {
		if o == ours {
			continue
		}
		published := publishedTraffic[nodes][o.fc]
		more := against(ours, o, nodeTrafficMeasures, published)
		if len(more) > 0 && nodes == 16 && o.fc == "none irn" {
			more[0].published = publishedMeans[s.values.String(paramWorkload)]
		}
		claims = append(claims, more...)
	}
	for _, o := range outcomes {
		claims = append(claims,
			claim{what: "packets lost", fc: o.fc, ours: fmt.Sprint(o.result.Dropped)},
			claim{what: "packets that arrived marked", fc: o.fc, ours: fmt.Sprint(o.result.Marked)},
			claim{
				what: "longest queue of a switch port, KB", fc: o.fc,
				ours: fmt.Sprintf("%.0f", float64(o.result.MaxPortBytes)/1000),
			},
		)
	}
	return claims
}

func named(outcomes []*outcome, fc string) *outcome {
	for _, o := range outcomes {
		if o.fc == fc {
			return o
		}
	}
	return nil
}

// stageTime returns how long the flows of a stage took together; 0 if one did not complete.
func (o *outcome) stageTime(stage int32) float64 {
	first, last := sluice.Never, sluice.Time(0)
	for i := range o.result.Flows {
		f := &o.result.Flows[i]
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
func claimFigure15(_ *subject, outcomes []*outcome) (claims []claim) {
	stage := func(n int32) func(*outcome) float64 {
		return func(o *outcome) float64 { return o.stageTime(n) }
	}
	measures := []comparedBy{
		{what: "first stage", of: stage(0)}, {what: "second stage", of: stage(1)},
		fct("mean FCT of the first stage", workload.Incast, 0),
		fct("p99 FCT of the first stage", workload.Incast, 0.99),
	}
	published := map[string]map[string]string{
		"none irn": {"first stage": "at most -12.6", "second stage": "0"},
		"pfcstar":  {"first stage": "at most -79.2", "second stage": "0"},
	}
	for _, o := range outcomes {
		for n := range int32(2) {
			claims = append(claims, claim{
				what: [...]string{"first stage, us", "second stage, us"}[n], fc: o.fc,
				ours: fmt.Sprintf("%.1f", o.stageTime(n)),
			})
		}
	}
	if ours := named(outcomes, "portfc"); ours != nil {
		for _, o := range outcomes {
			if o != ours {
				claims = append(claims, against(ours, o, measures, published[o.fc])...)
			}
		}
	}
	return claims
}

// claimExperts compares completion times under PortFC with and without traffic engineering with the
// others': "up to 79% reduction in the P99 flow completion time"; and gives the weights of the
// high-bandwidth domain over time beside the closed form.
func claimExperts(_ *subject, outcomes []*outcome) (claims []claim) {
	stage := func(n int32) func(*outcome) float64 {
		return func(o *outcome) float64 { return o.stageTime(n) }
	}
	measures := []comparedBy{
		fct("mean FCT", workload.GroupAuto, 0), fct("p99 FCT", workload.GroupAuto, 0.99),
		{what: "dispatch", of: stage(0)}, {what: "combine", of: stage(1)},
	}
	for _, ours := range outcomes {
		if ours.run != "portfc" {
			continue
		}
		for _, o := range outcomes {
			if o.run != "portfc" || o.fc == "portfc hash" && ours != o {
				published := map[string]string{}
				if strings.HasPrefix(o.fc, "none irn") {
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
func claimWeights(o *outcome) (claims []claim) {
	n := len(o.result.Steered)
	for i := range 5 {
		if n < 5 {
			break
		}
		sample := o.result.Steered[(2*i+1)*n/10]
		claims = append(claims, claim{
			what: fmt.Sprintf("mean w at %v, closed form %.3f", sample.At, sample.ClosedForm),
			fc:   o.fc, ours: fmt.Sprintf("%.3f", sample.Weight),
		})
	}
	return claims
}
