package portfc

import (
	"fmt"
	"slices"

	"golang.org/x/exp/stats"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/run"
	"github.com/sluicefc/sluice/internal/lab/sim"
	"github.com/sluicefc/sluice/internal/lab/workload"
)

// compared is a number of runs by which PortFC and other protocols are compared.
type compared struct {
	what     string
	relation run.Relation
	of       func(*run.Outcome) float64 // 0: nothing
}

// fct compares the completion times of a group; GroupAuto stands for the incast and the background
// together, the quantile 0 for the mean.
func fct(what string, g workload.Group, quantile float64) compared {
	return compared{what, run.More, func(o *run.Outcome) float64 {
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
	var end, last sluice.Time
	for i := range o.Result.Flows {
		end = max(end, o.Result.Flows[i].Start)
	}
	for _, sample := range o.Result.Series {
		if sample.At <= end {
			last = sample.At
			for _, n := range sample.DeliveredBytes {
				bytes += n
			}
		}
	}
	return run.Gbps(bytes, last)
}

// nodeTrafficMeasures are the measures of Figures 8 to 14.
var nodeTrafficMeasures = []compared{
	fct("mean FCT", workload.GroupAuto, 0),
	fct("p95 FCT", workload.GroupAuto, 0.95),
	fct("p99 FCT", workload.GroupAuto, 0.99),
	fct("p99.9 FCT", workload.GroupAuto, 0.999),
	fct("mean FCT, Poisson flows", workload.Background, 0), // Figure 10 has the incasts apart
	fct("p99 FCT, Poisson flows", workload.Background, 0.99),
	fct("mean FCT, incast flows", workload.Incast, 0),
	{"throughput, size over FCT", run.Times, run.FlowThroughput(workload.GroupAuto)},
	{"the same, Poisson flows", run.Times, run.FlowThroughput(workload.Background)},
	{"the same, incast flows", run.Times, run.FlowThroughput(workload.Incast)},
	{"bytes delivered while flows begin", run.Times, delivered},
}

// against compares some runs with others; published has what the paper gives, by measure and
// baseline.
func against(
	of, baselines []string, measures []compared, source, note string,
	published map[string]run.Ranges,
) (claims []run.Measurement) {
	for _, m := range measures {
		c := run.Measurement{
			What: m.what, Figure: source, Of: of, Relation: m.relation, Against: baselines,
			Value: run.AboveZero(m.of), Published: published[m.what],
		}
		if c.Published != nil {
			c.Note = note
		}
		claims = append(claims, c)
	}
	return claims
}

// publishedTraffic is what section V-B and C say of PortFC against others, by the network's nodes,
// workload, measure and the other's name.
func publishedTraffic(nodes int, traffic string) map[string]run.Ranges {
	const irn, star, gbn = "none irn", "pfcstar", "none gbn"
	if nodes != 16 {
		number := run.Exactly
		all := map[string]run.Ranges{
			"mean FCT":                {irn: run.AtLeast(-41.7), star: number(-19.8), gbn: number(-96.5)},
			"p99.9 FCT":               {irn: number(-16.6), star: number(-85.5), gbn: number(-97.9)},
			"the same, Poisson flows": {star: number(2.0), gbn: number(4.7)},
			"the same, incast flows":  {star: number(2.2), gbn: number(21.6)},
		}
		if traffic == "websearch" {
			all["the same, Poisson flows"][irn] = number(2.3)
			all["the same, incast flows"][irn] = number(1.9)
		}
		return all
	}
	means := map[string]float64{"hadoop": -11.7, "cachefollower": -40.9, "websearch": -69.2}
	times := map[string]float64{"hadoop": 2, "cachefollower": 8, "websearch": 2}
	return map[string]run.Ranges{
		"mean FCT": {irn: run.Exactly(means[traffic]), star: run.Between(-87.3, -49.9),
			gbn: run.Between(-97.9, -58.4)},
		"p99 FCT": {irn: run.Between(-41.3, -16.9), star: run.Between(-87.7, -53.3)},
		"throughput, size over FCT": {irn: run.Between(1.7, 2.3), star: run.Exactly(times[traffic]),
			gbn: run.Between(2.4, 3.9)},
	}
}

// Notes name the runs that show what they say: a sweep with five seeds of the scenario at hand.
const (
	noteTraffic = "What a queue per flow gains over the same baselines stands below (ideal): no " +
		"flow control that shares a port fairly could gain much more, so where that is less than the " +
		"paper has, its baseline was another. Over PFC* that holds for all three workloads with " +
		"pfcstar.service=turn or most, and for two with fewest. Over IRN it hangs on DCQCN, whose " +
		"marks cut IRN's flows and not PortFC's: -cc none. Over Go-Back-N it takes losses: none.alpha=1/8"
	noteServer = "By seed and sync.bytes; without a control the first stage is as long under all, " +
		"for the server's ports are full from beginning to end: -cc none"
	noteExperts = "What a queue per flow does stands beside (ideal)"
)

// claimNodeTraffic compares PortFC with the others, and counts what a congestion control would
// learn.
func claimNodeTraffic(s *run.Subject) []run.Measurement {
	published := publishedTraffic(len(s.Graph.Hosts()), s.Values.String("workload"))
	claims := against([]string{"portfc"}, nil, nodeTrafficMeasures, "sections V-B and V-C",
		noteTraffic, published)
	claims = append(claims, against([]string{"ideal"}, []string{"pfcstar", "none irn", "none gbn"},
		nodeTrafficMeasures[:3], "", "", nil)...)
	return append(claims,
		run.Measurement{What: "Poisson flows of 1 MB and more", Unit: "%", Figure: "Figure 13",
			Of: []string{"portfc"}, Value: run.Value(longFlows),
			Note: "\"WebSearch traffic contains more MB-sized long flows than the other two\" " +
				"(section V-C), \"Storage and WebSearch\" more than Hadoop (V-B)"},
		run.Measurement{What: "packets lost",
			Value: run.Value(func(o *run.Outcome) float64 { return float64(o.Result.Dropped) })},
		run.Measurement{What: "packets that arrived marked",
			Value: run.Value(func(o *run.Outcome) float64 { return float64(o.Result.Marked) })},
		run.Measurement{What: "longest queue of a switch port", Unit: "KB", Value: run.LongestQueue})
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

// stage measures how long the flows of a stage took together; 0 if one did not complete.
func stage(what string, n int32) compared {
	return compared{what, run.More, func(o *run.Outcome) float64 {
		first, last := sluice.Never, sluice.Time(0)
		for i := range o.Result.Flows {
			f := &o.Result.Flows[i]
			if f.Stage != n {
				continue
			}
			if f.FCT == sluice.Never {
				return 0
			}
			first, last = min(first, f.Start), max(last, f.Start+f.FCT)
		}
		return (last - first).Microseconds()
	}}
}

// claimFigure15 compares the times of the two stages, and completion times: "PortFC reduces the
// time consumption of the first stage by at most 12.6% and 79.2% compared to IRN ... and PFC*";
// "there is no performance difference among the three algorithms in the broadcast".
func claimFigure15(*run.Subject) []run.Measurement {
	measures := []compared{
		stage("first stage", 0), stage("second stage", 1),
		fct("mean FCT of the first stage", workload.Incast, 0),
		fct("p99 FCT of the first stage", workload.Incast, 0.99),
	}
	same := run.Exactly(0)
	published := map[string]run.Ranges{
		"first stage":  {"none irn": run.Between(-12.6, 0), "pfcstar": run.Between(-79.2, 0)},
		"second stage": {"none irn": same, "pfcstar": same},
	}
	var claims []run.Measurement
	for _, m := range measures[:2] {
		claims = append(claims, run.Measurement{What: m.what, Unit: "us", Value: run.AboveZero(m.of)})
	}
	return append(claims,
		against([]string{"portfc"}, nil, measures, "section V-D", noteServer, published)...)
}

// claimExperts compares completion times under PortFC, with and without traffic engineering, with
// other protocols': "up to 79% reduction in the P99 flow completion time"; and gives the weights of
// the high-bandwidth domain over time beside the closed form.
func claimExperts(*run.Subject) []run.Measurement {
	measures := []compared{
		fct("mean FCT", workload.GroupAuto, 0), fct("p99 FCT", workload.GroupAuto, 0.99),
		stage("dispatch", 0), stage("combine", 1),
	}
	irn := run.Between(-79, 0)
	published := map[string]run.Ranges{"p99 FCT": {"none irn": irn, "none irn ate": irn}}
	claims := against([]string{"portfc"}, nil, measures, "section V-E", noteExperts, published)
	claims = append(claims,
		against([]string{"portfc ate"}, []string{"portfc hash"}, measures, "section V-E", "", nil)...)
	return append(claims, claimWeights()...)
}

// claimWeights gives w^H at five instants, and the closed form.
func claimWeights() (claims []run.Measurement) {
	for i := range 5 {
		sample := func(of func(*sim.SteeringSample) float64) run.Measure {
			return func(o *run.Outcome) run.Measured {
				n := len(o.Result.Steered)
				if n < 5 {
					return run.None()
				}
				return run.Number(of(&o.Result.Steered[(2*i+1)*n/10]))
			}
		}
		at := fmt.Sprintf("at %d tenths of the run", 2*i+1)
		claims = append(claims,
			run.Measurement{What: "mean w " + at,
				Value: sample(func(s *sim.SteeringSample) float64 { return s.Weight })},
			run.Measurement{What: "mean w by the closed form " + at,
				Value: sample(func(s *sim.SteeringSample) float64 { return s.ClosedForm })})
	}
	return claims
}
