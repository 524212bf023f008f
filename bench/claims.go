package main

import (
	"fmt"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/topo/byname"
	"github.com/sluicefc/sluice/internal/lab/workload"
)

// claim is a number of a paper beside ours.
type claim struct {
	what, fc  string
	published string // as the paper gives it; "" where it gives none
	ours      string
}

// claimThroughput compares the throughputs of Figure 10 while all three flows send. Ours count
// payload and headers, as a port does.
func claimThroughput(s *subject, outcomes []*outcome) []claim {
	published := map[string][2]string{"pfc": {"100", "40"}, "pyrrha-single": {"100", "66.7"}}
	var claims []claim
	for _, o := range outcomes {
		var bytes [4]sluice.Bytes
		var span sluice.Time
		for _, sample := range o.result.Series {
			if sample.At > figure10From && sample.At <= figure10To {
				span += s.sampleEvery
				for g, n := range sample.DeliveredBytes {
					bytes[g] += n
				}
			}
		}
		for i, g := range []workload.Group{workload.Incast, workload.Vulnerable} {
			claims = append(claims, claim{
				what: "throughput of " + g.String() + " flows, Gb/s", fc: o.fc, published: published[o.fc][i],
				ours: fmt.Sprintf("%.1f", s.framing()*gbps(bytes[g], span)),
			})
		}
	}
	return claims
}

// claimIQs compares the isolation queues in use at a port with Figure 7's; other protocols have
// none.
func claimIQs(_ *subject, outcomes []*outcome) []claim {
	var claims []claim
	for _, o := range outcomes {
		used, ok := o.result.Figures["isolation queues in use at a port"]
		if !ok {
			continue
		}
		published := ""
		if o.fc == "pyrrha" {
			published = "6 to 20"
		}
		claims = append(claims, claim{
			what: "most IQs in use at a port", fc: o.fc, published: published,
			ours: fmt.Sprint(used),
		})
	}
	return claims
}

// claimHost says what a host that is congested costs the others: "Pyrrha can also handle end-host
// congestion (e.g., PCIe congestion) by backpressuring the traffic it receives" (section IV-D). The
// paper gives no numbers. The host is kept busy, little waits in its card and in switches, and
// flows to its neighbours are as in an empty network.
func claimHost(s *subject, outcomes []*outcome) []claim {
	num, den := s.values.Rational("drain")
	drain := float64(s.values.Rate(byname.HostRate)) * float64(num) / float64(den) / 1e9
	var claims []claim
	for _, o := range outcomes {
		add := func(what, format string, ours float64) {
			claims = append(claims, claim{what: what, fc: o.fc, ours: fmt.Sprintf(format, ours)})
		}
		var bytes sluice.Bytes
		var last sluice.Time
		for i := range o.result.Flows {
			if f := &o.result.Flows[i]; s.groups[i] == workload.Incast && f.FCT != sluice.Never {
				bytes += f.Bytes
				last = max(last, f.Start+f.FCT)
			}
		}
		if last > 0 {
			add(fmt.Sprintf("throughput of the host that takes %.3g Gb/s", drain), "%.2f",
				s.framing()*gbps(bytes, last))
		}
		if slowdown := o.slowdown.Vulnerable; slowdown != nil {
			add("slowdown of flows to its neighbours", "%.2f", slowdown.Mean)
		}
		add("most that waited in its card, KB", "%.0f", float64(o.result.MaxDrainBytes)/1000)
		add("most that waited in a switch, KB", "%.0f", float64(o.result.MaxSwitchBytes)/1000)
	}
	return claims
}
