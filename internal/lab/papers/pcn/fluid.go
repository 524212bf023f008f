package pcn

import (
	"fmt"
	"math"
	"slices"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/params"
	"github.com/sluicefc/sluice/internal/lab/run"
	"github.com/sluicefc/sluice/internal/lab/topo"
	"github.com/sluicefc/sluice/internal/lab/workload"
	"github.com/sluicefc/sluice/pcn"
)

// pcnFluid sets packets beside the fluid model.
var pcnFluid = run.Scenario{
	Name: "pcn/fluid", Figure: "PCN paper, Appendix A", SampleEvery: 50 * sluice.Microsecond,
	Doc: "pcn/fig11's dumbbell with round-trip times of 6 and 500 us, T of 500 us and w_min of " +
		"0.1/N: how the queue drains and how far rates swing, beside the fluid model",
	Set: pcnSettings + ",cc=pcn,pcn.t=500us", Protocols: []string{"pfc"},
	Until: 400 * sluice.Millisecond,
	Build: buildPCNFluid, Watch: watchPCNDumbbell, Claims: claimPCNFluid,
	Variants: append(byCount("RTT 6us, N %d", "f.count=%[1]d,pcn.wmin=1/%[1]d0,link.delay=800ns", 64),
		byCount("RTT 500us, N %d", "f.count=%[1]d,pcn.wmin=1/%[1]d0,link.delay=83us", 64)...),
}

// byCount has variants for 4, 16 and so on flows, up to most.
func byCount(name, set string, most int) (variants []run.Variant) {
	for n := 4; n <= most; n *= 4 {
		variants = append(variants, run.Variant{Name: fmt.Sprintf(name, n), Set: fmt.Sprintf(set, n)})
	}
	return variants
}

func buildPCNFluid(_ uint64, v *params.Values) (*topo.Graph, []workload.Flow, error) {
	link := sluice.Link{Rate: pcnDumbbellC, Delay: v.Time("link.delay")}
	graph, err := topo.Dumbbell(topo.DumbbellConfig{
		Left: 3, Right: 3, HostLink: link, Bottleneck: link,
	})
	return graph, dumbbellFlows(int(v.Int("f.count"))), err
}

// pcnSteady is what the bottleneck of the dumbbell did from when its queue was low first.
type pcnSteady struct {
	drained   sluice.Time // Never if it did not come to that
	mean      sluice.Bytes
	most      sluice.Bytes
	low, high float64 // sums of the rates that the control set, Gb/s
}

// pcnLow is a queue that has drained, as Figure 11 is read.
const pcnLow = 15 * sluice.KB

// steady looks at the first port of the run.
func steady(o *run.Outcome) pcnSteady {
	s := pcnSteady{drained: sluice.Never, low: math.Inf(1)}
	series, sums := o.Result.Seen.Series[0], setRates(o)
	var sum sluice.Bytes
	n := sluice.Bytes(0)
	for i, q := range series.Backlog {
		if s.drained == sluice.Never {
			if series.Time[i] <= sluice.Millisecond || q >= pcnLow {
				continue
			}
			s.drained = series.Time[i]
		}
		sum, n = sum+q, n+1
		s.most = max(s.most, q)
		s.low, s.high = min(s.low, sums[i]), max(s.high, sums[i])
	}
	if n > 0 {
		s.mean = sum / n
	}
	return s
}

// pcnParametersOf returns the run's T and weights.
func pcnParametersOf(v *params.Values) pcn.Parameters {
	ratio := func(name string) sluice.Ratio {
		num, den := v.Rational(name)
		return sluice.Ratio{Num: num, Den: den}
	}
	return pcn.Parameters{Period: v.Time("pcn.t"), WMin: ratio("pcn.wmin"), WMax: ratio("pcn.wmax")}
}

// drainTime is the time of equation 8 for three hosts that begin at line rate.
func drainTime(v *params.Values) sluice.Time {
	p := pcnParametersOf(v)
	return sluice.Time(p.DrainLoops(3*pcnDumbbellC, pcnDumbbellC)) * p.Period
}

// claimPCNFluid compares with equations 8 and 1, and with spans of the sum of rates once the queue
// has drained. The published numbers are the equations', and depend on the variant.
func claimPCNFluid(s *run.Subject) []run.Claim {
	drains, queues := run.Ranges{}, run.Ranges{}
	s.Built(func(name string, v *params.Values) {
		drains[name] = run.Exactly(drainTime(v).Microseconds() / 1000)
		bounds := pcnParametersOf(v).Bounds(int(v.Int("f.count")), pcnDumbbellC)
		queues[name] = run.AtMost(math.Round(bounds.Queue/100) / 10)
	})
	formula := func(name, statement, place string, m run.Measurement) run.Claim {
		return run.Claim{
			Name: name, Statement: statement, Place: place, Source: run.Formula,
			Measures: []run.Measurement{m},
		}
	}
	return []run.Claim{
		formula("equation-8", "from hosts at line rate on the queue has drained after 1 + "+
			"(sum of rates - C)/(w_min C) loops", "appendix A.2.1, below equation 8", run.Measurement{
			What: "queue drained at", Unit: "ms", Figure: "equation 8", Value: sampled(drained),
			Published: drains,
		}),
		formula("equation-1", "in the steady state the queue is at most (N - 2 + w_min) w_min C T",
			"section 6.1, proposition 3, equation 1", run.Measurement{
				What: "longest queue then", Unit: "KB", Figure: "equation 1", Value: mostThen,
				Published: queues,
			}),
		run.Beside(run.Measurement{What: "least sum of rates then", Unit: "Gb/s", Value: lowThen},
			run.Measurement{What: "largest sum of rates then", Unit: "Gb/s", Value: highThen}),
	}
}

// pcnFew and pcnMost are the numbers of flows of Figure 17 up to which the paper calls end-to-end
// controls effective, and the largest.
var (
	pcnFew  = []int{4, 16, 64, 256}
	pcnMost = 1024
)

// scalabilityVariants are the controls by the number of flows, at a round-trip time of 500 us.
func scalabilityVariants() (variants []run.Variant) {
	for _, c := range run.Controls("qcn", "dcqcn", "timely-pcn") {
		for _, n := range append(slices.Clone(pcnFew), pcnMost) {
			variants = append(variants, run.Variant{
				Name: fmt.Sprintf("%s, %d", c.Name, n), Set: fmt.Sprintf("%s,f.count=%d", c.Set, n),
			})
		}
	}
	return variants
}

// claimPCNFigure17 measures from 100 round trips on, and says how fair the fluid model is then,
// whose flows begin with their shares of their hosts' links.
func claimPCNFigure17(s *run.Subject) []run.Claim {
	queue := run.Measurement{What: "mean queue", Unit: "KB", Value: run.Value(meanQueueThen)}
	pauses := run.Measurement{What: "ports paused", Value: run.Value(pausesThen)}
	used := run.Measurement{What: "utilisation", Value: run.Value(func(o *run.Outcome) float64 {
		return o.Rate(o.Result.Seen.Series[0].At, manyRoundTrips, o.Result.Simulated) / 10
	})}
	fair := run.Measurement{What: "Jain's index of the flows", Value: run.Value(jainThen)}
	upTo256 := func(control string, r run.Range) run.Ranges {
		published := run.Ranges{}
		for _, n := range pcnFew {
			published[fmt.Sprintf("%s, %d", control, n)] = r
		}
		return published
	}
	at := func(control string, n int) string { return fmt.Sprintf("%s, %d", control, n) }
	always := func(m run.Measurement, r run.Range) run.Measurement {
		return with(of(m, "pcn"), run.Always(r))
	}
	const queues, links, fairness = "appendix B.1, paragraph 2; Figure 17(a) and (b)",
		"appendix B.1, paragraph 3; Figure 17(c)", "appendix B.1, paragraph 4; Figure 17(d)"
	claims := []run.Claim{
		given("scalability", "PCN's mean queue is at most 100 KB with 4 to 1,024 flows", queues,
			always(queue, run.AtMost(100))),
		given("", "under PCN no PAUSE is sent", queues, always(pauses, run.Exactly(0))),
		given("", "PCN uses nearly all of the bottleneck with any number of flows", links,
			always(used, run.About(1))),
		noted(derived("fair", "PCN is fair with any number of flows", fairness,
			always(fair, run.About(1))), "the paper has no number: an index within 10 % of 1 is our reading"),
		given("", "QCN keeps the queue at 50 to 100 KB with 4 to 256 flows", queues,
			with(of(queue, "qcn"), upTo256("qcn", run.Between(50, 100)))),
		given("", "TIMELY keeps the queue at 100 to 200 KB with 4 to 256 flows", queues,
			with(of(queue, "timely-pcn"), upTo256("timely-pcn", run.Between(100, 200)))),
		rising(given("", "DCQCN's queue grows with the number of flows from 4 to 256", queues,
			of(queue, "dcqcn")), at("dcqcn", 4), at("dcqcn", 16), at("dcqcn", 64), at("dcqcn", 256)),
	}
	for _, c := range []string{"qcn", "dcqcn", "timely-pcn"} {
		few, most := at(c, 64), at(c, pcnMost)
		claims = append(claims,
			rising(given("", "beyond 256 flows the queues of QCN, DCQCN and TIMELY are very long", queues,
				of(queue, few, most)), few, most),
			rising(given("", "below 256 flows PFC is rarely triggered under QCN, DCQCN and TIMELY, and "+
				"persistently beyond", queues, of(pauses, few, most)), few, most),
			given("", "with more than 256 flows QCN, DCQCN and TIMELY use the bottleneck fully, thanks to "+
				"PFC", links, with(of(used, most), run.Always(run.About(1)))),
			rising(given("", "with many flows QCN, DCQCN and TIMELY are much less fair", fairness,
				of(fair, few, most)), most, few))
	}
	return append(claims, run.Beside(queue, pauses, used, fair, run.Measurement{
		What: "the same by the fluid model", Of: []string{"pcn"},
		Value: func(o *run.Outcome) run.Measured {
			return fluidJain(o.Subject.Values, o.Result.Simulated)
		},
	}))
}

// manyRoundTrips is from when on Figure 17 is measured.
const manyRoundTrips = 100 * pcnDumbbellT

func meanQueueThen(o *run.Outcome) float64 {
	series := o.Result.Seen.Series[0]
	var sum, n int64
	for i, at := range series.Time {
		if at > manyRoundTrips {
			sum += int64(series.Backlog[i])
			n++
		}
	}
	return float64(sum) / float64(max(1, n)) / 1000
}

func pausesThen(o *run.Outcome) (pauses float64) {
	for _, p := range o.Result.Seen.Pauses {
		if p.Paused && p.Time > manyRoundTrips {
			pauses++
		}
	}
	return pauses
}

func jainThen(o *run.Outcome) float64 {
	var rates []float64
	for i := range o.Result.Seen.Flows {
		rates = append(rates, o.Throughput(i, manyRoundTrips, o.Result.Simulated))
	}
	return jain(rates)
}

// jain is Jain's index of fairness.
func jain(rates []float64) float64 {
	var sum, squares float64
	for _, r := range rates {
		sum, squares = sum+r, squares+r*r
	}
	return sum * sum / max(1e-9, squares*float64(len(rates)))
}

// fluidJain returns Jain's index of the mean rates of the fluid model from 100 round trips on.
func fluidJain(v *params.Values, until sluice.Time) run.Measured {
	n := int(v.Int("f.count"))
	shares := map[sluice.SwitchID]int{} // flows by host
	flows := dumbbellFlows(n)
	for _, f := range flows {
		shares[f.Src]++
	}
	p := pcnParametersOf(v)
	c := pcn.FluidConfig{Capacity: pcnDumbbellC, Period: p.Period, WMin: p.WMin, WMax: p.WMax}
	for _, f := range flows {
		c.Rates = append(c.Rates, pcnDumbbellC/sluice.Rate(shares[f.Src]))
	}
	fluid, err := pcn.NewFluid(c)
	if err != nil {
		return run.Words(err.Error())
	}
	sums := make([]float64, n)
	for sluice.Time(fluid.Loop())*p.Period < until {
		fluid.Step()
		for i := range sums {
			if fluid.Loop() > 100 {
				sums[i] += fluid.Rate(i)
			}
		}
	}
	return run.Number(jain(sums))
}
