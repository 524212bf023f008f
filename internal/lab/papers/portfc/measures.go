package portfc

import (
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

// with compares runs with others; published is by the other's name.
func (c compared) with(of, others []string, published run.Ranges) run.Measurement {
	return run.Measurement{
		What: c.what, Of: of, Relation: c.relation, Against: others, Value: run.AboveZero(c.of),
		Published: published,
	}
}

// each compares by each of some measures.
func each(measures []compared, of, others []string, published run.Ranges) (all []run.Measurement) {
	for _, m := range measures {
		all = append(all, m.with(of, others, published))
	}
	return all
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

// throughput is the mean of size over completion time, in Gb/s, of flows that are counted.
func throughput(what string, g workload.Group) compared {
	return compared{what, run.Times, func(o *run.Outcome) float64 {
		sum, n := 0.0, 0
		for i := range o.Result.Flows {
			f := &o.Result.Flows[i]
			if f.Start >= o.From && f.FCT != sluice.Never &&
				(g == workload.GroupAuto || o.Groups[i] == g) {
				sum += run.Gbps(f.Bytes, f.FCT)
				n++
			}
		}
		return sum / float64(max(n, 1))
	}}
}

// small is what a flow has at most whose completion time is the network's latency: less than the
// bandwidth of a node's port times the round trip of the longest way.
const small = 100 * sluice.KB

// smallFlows is the mean completion time of Poisson flows that are small.
var smallFlows = compared{"mean FCT, Poisson flows below 100 KB", run.More,
	func(o *run.Outcome) float64 {
		var times []float64
		for i := range o.Result.Flows {
			f := &o.Result.Flows[i]
			if f.Start >= o.From && f.FCT != sluice.Never && f.Bytes < small &&
				o.Groups[i] == workload.Background {
				times = append(times, f.FCT.Microseconds())
			}
		}
		if len(times) == 0 {
			return 0
		}
		return stats.Mean(times)
	}}

// settled is the mean completion time of the flows that start in the second half of the time that
// counts over that in the first half: near 1 if it no longer grows.
func settled(o *run.Outcome) run.Measured {
	var end sluice.Time
	for i := range o.Result.Flows {
		end = max(end, o.Result.Flows[i].Start)
	}
	var sum, n [2]float64
	for i := range o.Result.Flows {
		if f := &o.Result.Flows[i]; f.Start >= o.From && f.FCT != sluice.Never {
			half := 0
			if f.Start >= (o.From+end)/2 {
				half = 1
			}
			sum[half] += f.FCT.Microseconds()
			n[half]++
		}
	}
	if n[0] == 0 || n[1] == 0 {
		return run.None()
	}
	return run.Number(sum[1] / n[1] / (sum[0] / n[0]))
}

// delivered is what was delivered while flows began, over time, in Gb/s.
var delivered = compared{"bytes delivered while flows begin", run.Times,
	func(o *run.Outcome) float64 {
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
	}}

// longest is the longest queue of a switch port, which Figure 9 draws over time.
var longest = compared{"longest queue of a switch port", run.More,
	func(o *run.Outcome) float64 { return float64(o.Result.MaxPortBytes) / 1000 }}

// Numbers of runs by themselves.
var (
	packetsLost = run.Measurement{What: "packets lost",
		Value: run.Value(func(o *run.Outcome) float64 { return float64(o.Result.Dropped) })}
	packetsMarked = run.Measurement{What: "packets that arrived marked",
		Value: run.Value(func(o *run.Outcome) float64 { return float64(o.Result.Marked) })}
	longestQueue = run.Measurement{What: longest.what, Unit: "KB", Value: run.LongestQueue}
	deadlocked   = run.Measurement{What: "deadlock", Value: run.Deadlocked}
)

// half measures how long the flows of a group took together, from the first start to the last
// arrival; 0 if one did not complete.
func half(what string, g workload.Group) compared {
	return compared{what, run.More, func(o *run.Outcome) float64 {
		first, last := sluice.Never, sluice.Time(0)
		for i := range o.Result.Flows {
			f := &o.Result.Flows[i]
			if o.Groups[i] != g {
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

// steered measures a sample of the weights of the high-bandwidth domain.
func steered(i int, of func(*sim.SteeringSample) float64) run.Measure {
	return func(o *run.Outcome) run.Measured {
		n := len(o.Result.Steered)
		if n < 5 {
			return run.None()
		}
		return run.Number(of(&o.Result.Steered[(2*i+1)*n/10]))
	}
}
