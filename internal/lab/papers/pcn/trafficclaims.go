package pcn

import (
	"fmt"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/probe"
	"github.com/sluicefc/sluice/internal/lab/run"
	"github.com/sluicefc/sluice/internal/lab/show"
	"github.com/sluicefc/sluice/internal/lab/workload"
)

// pcnComparison is what the paper says of a workload under other controls beside PCN, by control:
// times and completed flows as a factor by which PCN is better, pauses as PCN's share of theirs.
type pcnComparison struct {
	mean, p99     map[workload.Group]map[string]string
	rate, paused  map[string]string
	groupsByHosts map[workload.Group]string // names of groups; all flows only if there are none
}

// pcnFigure12 is section 7.2: "2.25x~3.03x shorter FCT than QCN", for H0 "2.4x and 2.0x faster
// average FCT compared to DCQCN and TIMELY", for H1 "at least 2.2x of DCQCN and 1.7x of TIMELY",
// for H2 to H15 "3.5x and 3.4x in the 99th percentile FCT"; "QCN triggers the smallest PAUSEs, and
// PCN can prevent at least 53% and 92% of PFC PAUSEs compared to DCQCN and TIMELY".
//
// PCN's pauses over DCQCN's are 5.1, .80, 2.1, 2.6, .80 with the seeds 1 to 5 of 100 ms, published is
// .47. Tried: pacing from the wire (cc.pace=wire) 1.1, .79, 1.8, 2.5, .82; DCQCN's alpha from 1/2
// (dcqcn.alpha0=1/2) 1.2, .36, .98, 1.4, .50; both 1.0, .30, .92, 1.3, .50. So the first cut is half
// of the difference, and two of five seeds are near the published share; the rest is unexplained.
var pcnFigure12 = pcnComparison{
	mean: map[workload.Group]map[string]string{
		workload.GroupAuto:  {"qcn": "2.25 to 3.03"},
		workload.Vulnerable: {"qcn": "2.25 to 3.03", "dcqcn": "2.4", "timely-pcn": "2.0"},
		workload.Background: {
			"qcn": "2.25 to 3.03", "dcqcn": "at least 2.2", "timely-pcn": "at least 1.7",
		},
		workload.Incast: {"qcn": "2.25 to 3.03"},
	},
	p99: map[workload.Group]map[string]string{
		workload.Incast: {"dcqcn": "3.5", "timely-pcn": "3.4"},
	},
	paused: map[string]string{
		"qcn": "over 1", "dcqcn": "at most 0.47", "timely-pcn": "at most 0.08",
	},
	groupsByHosts: map[workload.Group]string{
		workload.Vulnerable: "H0's", workload.Background: "H1's", workload.Incast: "H2 to H15's",
	},
}

// pcnFigures14 are those of section 7.4, by workload. With 50,000 flows of W1 (f.count=50000), the
// seeds 1 to 5, PCN's pauses per second over DCQCN's are .60 with a standard deviation of .31: .40,
// .76, .47, .31, 1.07; over TIMELY's .27 with .26, and QCN has next to none. So the published share
// of .36 is within the spread of ours, and .25 is met. PCN's flows complete first as published, but
// by less: 1.23 with .15 beside DCQCN on average, 3.3 with .7 beside TIMELY. 10,000 flows of W2 have
// no pauses under PCN with any of these seeds, 91 to 721 under DCQCN, 51 to 90 thousand under TIMELY.
//
// What the comparison hangs on, one change at a time to W1 and the seed 1: paced from the card PCN has
// 5.1 times as many pauses, DCQCN .8 (cc.pace=card). DCQCN has 1/24 with an alpha from 1
// (dcqcn.alpha0=1), 1/50 with thresholds in proportion to the rate (ecn.kmin=12875B,ecn.kmax=515000B)
// and .87 with such increases (dcqcn.ai=10Mbps,dcqcn.hai=50Mbps): with either of the first two it is
// PCN that pauses more. Where 1 to 15 flows begin together (f.incast=15) PCN has .84 of its pauses.
var pcnFigures14 = map[string]pcnComparison{
	"w1": {
		mean: map[workload.Group]map[string]string{
			workload.GroupAuto: {"dcqcn": "1.75", "timely-pcn": "2.35"},
		},
		p99:    map[workload.Group]map[string]string{workload.GroupAuto: {"qcn": "1.60"}},
		rate:   map[string]string{"qcn": "3.70", "dcqcn": "1.73", "timely-pcn": "12.16"},
		paused: map[string]string{"qcn": "5.73", "dcqcn": "0.36", "timely-pcn": "0.25"},
	},
	"w2": {
		mean: map[workload.Group]map[string]string{
			workload.GroupAuto: {"qcn": "1.44", "dcqcn": "1.57", "timely-pcn": "10.96"},
		},
		rate:   map[string]string{"qcn": "1.27", "dcqcn": "1.13", "timely-pcn": "6.5"},
		paused: map[string]string{"qcn": "0.65", "dcqcn": "0.11", "timely-pcn": "0.01"},
	},
}

// claim sets a comparison beside ours: what each control did, and what PCN did better.
func (c pcnComparison) claim(s *run.Subject, outcomes []*run.Outcome) (claims []run.Claim) {
	byRun := map[string]*run.Outcome{} // PCN's
	for _, o := range outcomes {
		if o.Subject.Values.String("cc") == "pcn" {
			byRun[o.Run] = o
		}
	}
	for _, o := range outcomes {
		claims = append(claims, claimsOfTraffic(o)...)
		claims = append(claims, claimsOfTiers(o)...)
		if pcn := byRun[o.Run]; pcn != nil && pcn != o {
			claims = append(claims, c.beside(o, pcn)...)
		}
	}
	return claims
}

// beside compares a control with PCN.
func (c pcnComparison) beside(o, pcn *run.Outcome) (claims []run.Claim) {
	control := o.Subject.Values.String("cc")
	say := func(what, published string, over, under float64) {
		ours := "neither has any"
		switch {
		case under > 0:
			ours = show.Significant(over / under)
		case over > 0:
			ours = "its are none"
		}
		claims = append(claims, run.Claim{What: what, FC: o.FC, Published: published, Ours: ours})
	}
	for _, g := range []workload.Group{
		workload.Vulnerable, workload.Background, workload.Incast, workload.GroupAuto,
	} {
		theirs, ours := *o.FCT.Of(g), *pcn.FCT.Of(g)
		name, named := c.groupsByHosts[g]
		if theirs == nil || ours == nil || !named && g != workload.GroupAuto {
			continue
		}
		if !named {
			name = "all flows'"
		}
		say(name+" mean completion time over PCN's", c.mean[g][control], theirs.Mean, ours.Mean)
		say(name+" p99 over PCN's", c.p99[g][control], theirs.P99, ours.P99)
	}
	say("PCN's flows completed per second over its", c.rate[control],
		perSecond(pcn, int64(pcn.Result.Completed)), perSecond(o, int64(o.Result.Completed)))
	say("PCN's pauses per second over its", c.paused[control],
		perSecond(pcn, pauseFrames(pcn)), perSecond(o, pauseFrames(o)))
	return claims
}

// claimsOfTraffic lists what the paper draws of a workload.
func claimsOfTraffic(o *run.Outcome) []run.Claim {
	all := o.FCT.Overall
	if all == nil || o.Result.Simulated == 0 {
		return nil
	}
	return []run.Claim{
		{What: "thousand pauses per second", FC: o.FC, Published: "",
			Ours: fmt.Sprintf("%.1f", perSecond(o, pauseFrames(o))/1000)},
		{What: "mean completion time, us", FC: o.FC, Published: "", Ours: show.Significant(all.Mean)},
		{What: "99 % of flows within, us", FC: o.FC, Published: "", Ours: show.Significant(all.P99)},
		{What: "thousand flows completed per second", FC: o.FC, Published: "",
			Ours: fmt.Sprintf("%.1f", perSecond(o, int64(o.Result.Completed))/1000)},
	}
}

// claimsOfTiers says which switches of a Clos network sent the pauses, as the bars of Figure 14(a).
func claimsOfTiers(o *run.Outcome) []run.Claim {
	var byTier [4]int64
	for _, p := range o.Result.Seen.Ports {
		for _, n := range p.Paused {
			byTier[o.Subject.Graph.Nodes[p.At.Switch].Tier] += n
		}
	}
	all := byTier[1] + byTier[2] + byTier[3]
	if all == 0 {
		return nil
	}
	percent := func(tier int) float64 { return 100 * float64(byTier[tier]) / float64(all) }
	return []run.Claim{{
		What: "pauses of ToRs, leafs, spines, %", FC: o.FC, Published: "",
		Ours: fmt.Sprintf("%.1f, %.1f, %.1f", percent(1), percent(2), percent(3)),
	}}
}

// claimPCNFigure13 compares the first weights, the paper's, with others: "As w_max decreases,
// switch S0 receives fewer PFC PAUSEs from its downstream device, but the 99%-tile of FCT grows a
// little. Meanwhile, the value of w_min has almost no impact on pause rate, but the small w_min
// increases FCT slightly."
func claimPCNFigure13(_ *run.Subject, outcomes []*run.Outcome) (claims []run.Claim) {
	for i, o := range outcomes {
		claims = append(claims, claimsOfTraffic(o)...)
		first := outcomes[0]
		if i == 0 || o.FCT.Overall == nil || first.FCT.Overall == nil {
			continue
		}
		weights := pcnParametersOf(o.Subject.Values)
		pauses, mean, p99 := "about 1", "", ""
		if weights.WMax != pcnParametersOf(first.Subject.Values).WMax {
			pauses, p99 = "under 1", "a little over 1"
		} else if weights.WMin.Den > weights.WMin.Num*128 {
			mean = "slightly over 1"
		}
		if n := pauseFrames(first); n > 0 {
			claims = append(claims, run.Claim{What: "pauses, over those of the first", FC: o.FC, Published: pauses,
				Ours: show.Significant(float64(pauseFrames(o)) / float64(n))})
		}
		claims = append(claims,
			run.Claim{What: "mean completion time, over the first's", FC: o.FC, Published: mean,
				Ours: show.Significant(o.FCT.Overall.Mean / first.FCT.Overall.Mean)},
			run.Claim{What: "p99, over the first's", FC: o.FC, Published: p99,
				Ours: show.Significant(o.FCT.Overall.P99 / first.FCT.Overall.P99)})
	}
	return claims
}

// pcnTable3 is "Generating rate of PFC PAUSEs for multiple priorities", of flows of the classes S,
// M, L and XL. Its unit is not given; Figure 2's is a thousand pauses per second.
var pcnTable3 = map[string][4]string{
	"pcn":        {"0", "0", "0.10", "171.49"},
	"qcn":        {"0", "0", "0.28", "110.49"},
	"dcqcn":      {"0", "0", "0.26", "175.02"},
	"timely-pcn": {"0", "0", "1.09", "210.36"},
}

// claimPCNFigure20 compares the pauses of each priority: "PCN outperforms the other three schemes
// in speeding up the overall flow completion time".
func claimPCNFigure20(s *run.Subject, outcomes []*run.Outcome) (claims []run.Claim) {
	fastest := pcnComparison{mean: map[workload.Group]map[string]string{
		workload.GroupAuto: {"qcn": "over 1", "dcqcn": "over 1", "timely-pcn": "over 1"},
	}}
	for _, o := range outcomes {
		for i, name := range []string{"S", "M", "L", "XL"} {
			class := pcnTopClass - sluice.Class(i)
			n := int64(0)
			for _, p := range o.Result.Seen.Ports {
				n += p.Paused[class]
			}
			published := ""
			if rates, ok := pcnTable3[o.Subject.Values.String("cc")]; ok {
				published = rates[i]
			}
			claims = append(claims,
				run.Claim{What: "thousand pauses per second of " + name + " flows", FC: o.FC, Published: published,
					Ours: show.Significant(perSecond(o, n) / 1000)})
		}
	}
	return append(claims, fastest.claim(s, outcomes)...)
}

// perSecond returns n per simulated second.
func perSecond(o *run.Outcome, n int64) float64 {
	if o.Result.Simulated == 0 {
		return 0
	}
	return float64(n) / o.Result.Simulated.Microseconds() * 1e6
}

// pauseFrames returns how many pauses were sent, those that were sent again included.
func pauseFrames(o *run.Outcome) int64 { return o.Result.ControlFrames["pause"] }

// watchPCNPauses counts pauses by port and class.
func watchPCNPauses(_ *run.Subject, c *probe.Config) { c.Classes = true }
