package pyrrha

import (
	"fmt"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/run"
	"github.com/sluicefc/sluice/internal/lab/topo/byname"
	"github.com/sluicefc/sluice/internal/lab/workload"
)

// claimThroughput compares the throughputs of Figure 10 while all three flows send. Ours count
// payload and headers, as a port does.
func claimThroughput(s *run.Subject, outcomes []*run.Outcome) []run.Claim {
	published := map[string][2]string{"pfc": {"100", "40"}, "pyrrha-single": {"100", "66.7"}}
	var claims []run.Claim
	for _, o := range outcomes {
		var bytes [4]sluice.Bytes
		var span sluice.Time
		for _, sample := range o.Result.Series {
			if sample.At > figure10From && sample.At <= figure10To {
				span += s.SampleEvery
				for g, n := range sample.DeliveredBytes {
					bytes[g] += n
				}
			}
		}
		for i, g := range []workload.Group{workload.Incast, workload.Vulnerable} {
			claims = append(claims, run.Claim{
				What: "throughput of " + g.String() + " flows, Gb/s", FC: o.FC, Published: published[o.FC][i],
				Ours: fmt.Sprintf("%.1f", s.Framing()*run.Gbps(bytes[g], span)),
			})
		}
	}
	return claims
}

// claimIQs compares the isolation queues in use at a port with Figure 7's; other protocols have
// none.
func claimIQs(_ *run.Subject, outcomes []*run.Outcome) []run.Claim {
	var claims []run.Claim
	for _, o := range outcomes {
		used, ok := o.Result.Figures["isolation queues in use at a port"]
		if !ok {
			continue
		}
		published := ""
		if o.FC == "pyrrha" {
			published = "6 to 20"
		}
		claims = append(claims, run.Claim{
			What: "most IQs in use at a port", FC: o.FC, Published: published,
			Ours: fmt.Sprint(used),
		})
	}
	return claims
}

// claimHost says what a host that is congested costs the others: "Pyrrha can also handle end-host
// congestion (e.g., PCIe congestion) by backpressuring the traffic it receives" (section IV-D). The
// paper gives no numbers. The host is kept busy, little waits in its card and in switches, and
// flows to its neighbours are as in an empty network.
func claimHost(s *run.Subject, outcomes []*run.Outcome) []run.Claim {
	num, den := s.Values.Rational("drain")
	drain := float64(s.Values.Rate(byname.HostRate)) * float64(num) / float64(den) / 1e9
	var claims []run.Claim
	for _, o := range outcomes {
		add := func(what, format string, ours float64) {
			claims = append(claims, run.Claim{What: what, FC: o.FC, Ours: fmt.Sprintf(format, ours)})
		}
		var bytes sluice.Bytes
		var last sluice.Time
		for i := range o.Result.Flows {
			if f := &o.Result.Flows[i]; s.Groups[i] == workload.Incast && f.FCT != sluice.Never {
				bytes += f.Bytes
				last = max(last, f.Start+f.FCT)
			}
		}
		if last > 0 {
			add(fmt.Sprintf("throughput of the host that takes %.3g Gb/s", drain), "%.2f",
				s.Framing()*run.Gbps(bytes, last))
		}
		if slowdown := o.Slowdown.Vulnerable; slowdown != nil {
			add("slowdown of flows to its neighbours", "%.2f", slowdown.Mean)
		}
		add("most that waited in its card, KB", "%.0f", float64(o.Result.MaxDrainBytes)/1000)
		add("most that waited in a switch, KB", "%.0f", float64(o.Result.MaxSwitchBytes)/1000)
	}
	return claims
}
