package pcn

import (
	"fmt"
	"math"

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
	Build: buildPCNFluid, Watch: watchPCNDumbbell, Claims: run.Unread(claimPCNFluid),
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
func claimPCNFluid(s *run.Subject) []run.Measurement {
	drains, queues := run.Ranges{}, run.Ranges{}
	s.Built(func(name string, v *params.Values) {
		drains[name] = run.Exactly(drainTime(v).Microseconds() / 1000)
		bounds := pcnParametersOf(v).Bounds(int(v.Int("f.count")), pcnDumbbellC)
		queues[name] = run.AtMost(math.Round(bounds.Queue/100) / 10)
	})
	return []run.Measurement{
		{What: "queue drained at", Unit: "ms", Figure: "equation 8", Value: sampled(drained),
			Published: drains},
		{What: "longest queue then", Unit: "KB", Figure: "equation 1", Published: queues,
			Value: mostThen},
		{What: "least sum of rates then", Unit: "Gb/s", Value: lowThen},
		{What: "largest sum of rates then", Unit: "Gb/s", Value: highThen},
	}
}

// scalability is what appendix B.1 says of a control: its mean queue, pauses, utilisation and
// fairness, with up to 256 flows and with more; "" for nothing. "QCN, DCQCN and TIMELY maintain a
// very high queue occupancy beyond 256 flows"; "PFC is rarely triggered when the number of flows is
// less than 256, but persistent PAUSE frames are generated".
func scalability(control string, flows int64) [4]run.Range {
	words, one := run.InWords, run.Exactly(1)
	few := [4]run.Range{words(""), words("few"), words("a little under 1"), words("")}
	switch {
	case control == "pcn":
		return [4]run.Range{run.AtMost(100), run.Exactly(0), one, one}
	case flows > 256:
		return [4]run.Range{words("very high"), words("many"), one, words("lower")}
	case control == "qcn":
		few[0] = run.Between(50, 100)
	case control == "timely-pcn":
		few[0] = run.Between(100, 200)
	case control == "dcqcn":
		few[0] = words("more with more flows")
	}
	return few
}

// claimPCNFigure17 measures from 100 round trips on, and says how fair the fluid model is then,
// whose flows begin with their shares of their hosts' links.
//
// Neither reading of Figure 11's round-trip time is fair with all numbers of flows: Jain's index is
// below 0.9 with 64 and 256 flows at 500 us, and with 16, 64 and 1,024 at 40 us, T of 50 us and
// w_min of 1/128 (the variants of RTT 40us). With w_min of 0.1/N at 40 us it is above .99 with 4,
// 256 and 1,024 flows, and below .8 with 16 and 64 (-set
// f.rtt=40us,pcn.t=50us,cc.pace=wire,f.count=64, pcn.wmin=1/640).
func claimPCNFigure17(s *run.Subject) []run.Measurement {
	var published [4]run.Ranges
	for i := range published {
		published[i] = run.Ranges{}
	}
	s.Built(func(name string, v *params.Values) {
		for i, r := range scalability(v.String("cc"), v.Int("f.count")) {
			if r.String() != "" {
				published[i][name] = r
			}
		}
	})
	return []run.Measurement{
		{What: "mean queue", Unit: "KB", Value: run.Value(meanQueueThen), Published: published[0]},
		{What: "ports paused", Value: run.Value(pausesThen), Published: published[1]},
		{What: "utilisation", Published: published[2],
			Value: run.Value(func(o *run.Outcome) float64 {
				return o.Rate(o.Result.Seen.Series[0].At, manyRoundTrips, o.Result.Simulated) / 10
			})},
		{What: "Jain's index of the flows", Value: run.Value(jainThen), Published: published[3]},
		{What: "the same by the fluid model", Of: []string{"pcn"},
			Value: func(o *run.Outcome) run.Measured {
				return fluidJain(o.Subject.Values, o.Result.Simulated)
			}},
	}
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
