package pyrrha

import (
	"fmt"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/run"
	"github.com/sluicefc/sluice/internal/lab/workload"
)

// claimThroughput compares the throughputs of Figure 10 while all three flows send.
func claimThroughput(*run.Subject) []run.Measurement {
	return []run.Measurement{
		{What: "throughput of incast flows", Unit: "Gb/s", Value: settledThroughput(workload.Incast),
			Published: run.Ranges{"pfc": run.Exactly(100), "pyrrha-single": run.Exactly(100)}},
		{What: "throughput of vulnerable flows", Unit: "Gb/s",
			Value:     settledThroughput(workload.Vulnerable),
			Published: run.Ranges{"pfc": run.Exactly(40), "pyrrha-single": run.Exactly(66.7)}},
	}
}

// settledThroughput counts payload and headers, as a port does.
func settledThroughput(g workload.Group) run.Measure {
	return run.Value(func(o *run.Outcome) float64 {
		return o.Subject.Framing() * o.Delivered(g, figure10From, figure10To)
	})
}

// mostIQs are the isolation queues in use at a port; other protocols have none.
var mostIQs = run.Figure("isolation queues in use at a port")

// claimIQs compares with Figure 7.
func claimIQs(*run.Subject) []run.Measurement {
	return []run.Measurement{{What: "most IQs in use at a port", Value: mostIQs,
		Published: run.Ranges{"pyrrha": run.Between(6, 20)}}}
}

// claimHost says what a host that is congested costs the others: "Pyrrha can also handle end-host
// congestion (e.g., PCIe congestion) by backpressuring the traffic it receives" (section IV-D). The
// paper gives no numbers. The host is kept busy, little waits in its card and in switches, and
// flows to its neighbours are as in an empty network.
func claimHost(s *run.Subject) []run.Measurement {
	num, den := s.Values.Rational("drain")
	drain := float64(s.Values.Rate("host.rate")) * float64(num) / float64(den) / 1e9
	return []run.Measurement{
		{What: fmt.Sprintf("throughput of the host that takes %.3g Gb/s", drain), Unit: "Gb/s",
			Value: hostThroughput},
		{What: "slowdown of flows to its neighbours", Value: func(o *run.Outcome) run.Measured {
			if o.Slowdown.Vulnerable == nil {
				return run.None()
			}
			return run.Number(o.Slowdown.Vulnerable.Mean)
		}},
		{What: "most that waited in its card", Unit: "KB",
			Value: run.Value(func(o *run.Outcome) float64 {
				return float64(o.Result.MaxDrainBytes) / 1000
			})},
		{What: "most that waited in a switch", Unit: "KB", Value: run.LargestBacklog},
	}
}

// hostThroughput is what the incast's host received until the last of its flows was complete.
func hostThroughput(o *run.Outcome) run.Measured {
	var bytes sluice.Bytes
	var last sluice.Time
	for i := range o.Result.Flows {
		if f := &o.Result.Flows[i]; o.Groups[i] == workload.Incast && f.FCT != sluice.Never {
			bytes += f.Bytes
			last = max(last, f.Start+f.FCT)
		}
	}
	if last == 0 {
		return run.None()
	}
	return run.Number(o.Subject.Framing() * run.Gbps(bytes, last))
}
