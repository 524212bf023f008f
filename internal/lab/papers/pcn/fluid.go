package pcn

import (
	"fmt"
	"math"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/params"
	"github.com/sluicefc/sluice/internal/lab/run"
	"github.com/sluicefc/sluice/internal/lab/topo"
	"github.com/sluicefc/sluice/internal/lab/topo/byname"
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
	Variants: []run.Variant{
		{Name: "RTT 6us, N 4", Set: "f.count=4,pcn.wmin=1/40,link.delay=800ns", FC: ""},
		{Name: "RTT 6us, N 16", Set: "f.count=16,pcn.wmin=1/160,link.delay=800ns", FC: ""},
		{Name: "RTT 6us, N 64", Set: "f.count=64,pcn.wmin=1/640,link.delay=800ns", FC: ""},
		{Name: "RTT 500us, N 4", Set: "f.count=4,pcn.wmin=1/40,link.delay=83us", FC: ""},
		{Name: "RTT 500us, N 16", Set: "f.count=16,pcn.wmin=1/160,link.delay=83us", FC: ""},
		{Name: "RTT 500us, N 64", Set: "f.count=64,pcn.wmin=1/640,link.delay=83us", FC: ""},
	},
}

func buildPCNFluid(_ uint64, v *params.Values) (*topo.Graph, []workload.Flow, error) {
	link := sluice.Link{Rate: pcnDumbbellC, Delay: v.Time(byname.Delay)}
	graph, err := topo.Dumbbell(topo.DumbbellConfig{
		Left: 3, Right: 3, HostLink: link, Bottleneck: link,
	})
	return graph, dumbbellFlows(int(v.Int(paramCount))), err
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

// drainTime is equation 8's for three hosts that begin at line rate.
func drainTime(v *params.Values) sluice.Time {
	p := pcnParametersOf(v)
	return sluice.Time(p.DrainLoops(3*pcnDumbbellC, pcnDumbbellC)) * p.Period
}

// claimPCNFluid compares with equations 8 and 1, and with spans of the sum of rates once the queue
// has drained.
func claimPCNFluid(s *run.Subject, outcomes []*run.Outcome) (claims []run.Claim) {
	for _, o := range outcomes {
		v := o.Subject.Values
		if len(o.Result.Seen.Series) == 0 || len(o.Result.Seen.Series[0].Time) == 0 {
			continue // the run took no samples
		}
		steady, bounds := steady(o), pcnParametersOf(v).Bounds(int(v.Int(paramCount)), pcnDumbbellC)
		drained, queue, sum := "not by the end", "", ""
		if steady.drained != sluice.Never {
			drained = milliseconds(steady.drained)
			queue = fmt.Sprintf("%.1f", float64(steady.most)/1000)
			sum = fmt.Sprintf("%.1f to %.1f", steady.low, steady.high)
		}
		claims = append(claims,
			run.Claim{What: "queue drained at (equation 8), ms", FC: o.FC, Published: milliseconds(drainTime(v)), Ours: drained},
			run.Claim{
				What: "longest queue then (equation 1), KB", FC: o.FC, Published: fmt.Sprintf("%.1f", bounds.Queue/1000), Ours: queue,
			},
			run.Claim{What: "sum of rates then, Gb/s", FC: o.FC, Published: "", Ours: sum})
	}
	return claims
}

// scalability is what appendix B.1 says of a control: its mean queue, pauses, utilisation and
// fairness, with up to 256 flows and with more. "QCN, DCQCN and TIMELY maintain a very high queue
// occupancy beyond 256 flows"; "PFC is rarely triggered when the number of flows is less than 256,
// but persistent PAUSE frames are generated".
var scalability = map[string][2][4]string{
	"pcn": {{"at most 100", "0", "about 1", "about 1"}, {"at most 100", "0", "about 1", "about 1"}},
	"qcn": {{"50 to 100", "few", "a little under 1", ""}, {"very high", "many", "about 1", "lower"}},
	"dcqcn": {
		{"more with more flows", "few", "a little under 1", ""},
		{"very high", "many", "about 1", "lower"},
	},
	"timely-pcn": {
		{"100 to 200", "few", "a little under 1", ""}, {"very high", "many", "about 1", "lower"},
	},
}

// claimPCNFigure17 measures from 100 round trips on, and says how fair the fluid model is
// then, whose flows begin with their shares of their hosts' links.
//
// Neither reading of Figure 11's round-trip time is fair with all numbers of flows: Jain's index is
// below 0.9 with 64 and 256 flows at 500 us, and with 16, 64 and 1,024 at 40 us, T of 50 us and w_min
// of 1/128 (the variants of RTT 40us). With w_min of 0.1/N at 40 us it is above .99 with 4, 256 and
// 1,024 flows, and below .8 with 16 and 64 (-set f.rtt=40us,pcn.t=50us,cc.pace=wire,f.count=64,
// pcn.wmin=1/640).
func claimPCNFigure17(_ *run.Subject, outcomes []*run.Outcome) (claims []run.Claim) {
	for _, o := range outcomes {
		control, many := o.Subject.Values.String("cc"), 0
		if len(o.Result.Seen.Flows) > 256 {
			many = 1
		}
		published := scalability[control][many]
		const settled = 100 * pcnDumbbellT
		series := o.Result.Seen.Series[0]
		var sum, n, pauses int64
		for i, at := range series.Time {
			if at > settled {
				sum += int64(series.Backlog[i])
				n++
			}
		}
		for _, p := range o.Result.Seen.Pauses {
			if p.Paused && p.Time > settled {
				pauses++
			}
		}
		var rates, squares float64
		for i := range o.Result.Seen.Flows {
			r := o.Throughput(i, settled, o.Result.Simulated)
			rates, squares = rates+r, squares+r*r
		}
		bottleneck := series.At
		claims = append(claims,
			run.Claim{What: "mean queue, KB", FC: o.FC, Published: published[0], Ours: fmt.Sprint(sum / max(1, n) / 1000)},
			run.Claim{What: "ports paused", FC: o.FC, Published: published[1], Ours: fmt.Sprint(pauses)},
			run.Claim{What: "utilisation", FC: o.FC, Published: published[2],
				Ours: fmt.Sprintf("%.3f", o.Rate(bottleneck, settled, o.Result.Simulated)/10)},
			run.Claim{What: "Jain's index of the flows", FC: o.FC, Published: published[3],
				Ours: fmt.Sprintf("%.3f", rates*rates/max(1e-9, squares*float64(len(o.Result.Seen.Flows))))})
		if control == "pcn" {
			claims = append(claims, run.Claim{
				What: "the same by the fluid model", FC: o.FC, Published: "", Ours: fluidJain(o.Subject.Values, o.Result.Simulated),
			})
		}
	}
	return claims
}

// fluidJain returns Jain's index of the mean rates of the fluid model from 100 round trips on.
func fluidJain(v *params.Values, until sluice.Time) string {
	n := int(v.Int(paramCount))
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
		return err.Error()
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
	var total, squares float64
	for _, sum := range sums {
		total, squares = total+sum, squares+sum*sum
	}
	return fmt.Sprintf("%.3f", total*total/max(1e-9, squares*float64(n)))
}
