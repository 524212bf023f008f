package pcn

import (
	"slices"
	"strings"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/probe"
	"github.com/sluicefc/sluice/internal/lab/run"
	"github.com/sluicefc/sluice/internal/lab/workload"
)

// pcnComparison is what the paper says of a workload under other controls beside PCN, by control:
// times and completed flows as a factor by which PCN is better, pauses as PCN's share of theirs.
type pcnComparison struct {
	mean, p99     map[workload.Group]run.Ranges
	rate, paused  run.Ranges
	groupsByHosts map[workload.Group]string // names of groups; all flows only if there are none
}

// pcnFigure12 is section 7.2: "2.25x~3.03x shorter FCT than QCN", for H0 "2.4x and 2.0x faster
// average FCT compared to DCQCN and TIMELY", for H1 "at least 2.2x of DCQCN and 1.7x of TIMELY",
// for H2 to H15 "3.5x and 3.4x in the 99th percentile FCT"; "QCN triggers the smallest PAUSEs, and
// PCN can prevent at least 53% and 92% of PFC PAUSEs compared to DCQCN and TIMELY".
var pcnFigure12 = pcnComparison{
	mean: map[workload.Group]run.Ranges{
		workload.GroupAuto:  {"qcn": overQCN},
		workload.Vulnerable: others(overQCN, run.Exactly(2.4), run.Exactly(2.0)),
		workload.Background: others(overQCN, run.AtLeast(2.2), run.AtLeast(1.7)),
		workload.Incast:     {"qcn": overQCN},
	},
	p99: map[workload.Group]run.Ranges{
		workload.Incast: {"dcqcn": run.Exactly(3.5), "timely-pcn": run.Exactly(3.4)},
	},
	paused: others(run.AtLeast(1), run.AtMost(0.47), run.AtMost(0.08)),
	groupsByHosts: map[workload.Group]string{
		workload.Vulnerable: "H0's", workload.Background: "H1's", workload.Incast: "H2 to H15's",
	},
}

var overQCN = run.Between(2.25, 3.03)

// pcnFigures14 are the comparisons of section 7.4, by workload.
var pcnFigures14 = map[string]pcnComparison{
	"w1": {
		mean: map[workload.Group]run.Ranges{
			workload.GroupAuto: {"dcqcn": run.Exactly(1.75), "timely-pcn": run.Exactly(2.35)},
		},
		p99:    map[workload.Group]run.Ranges{workload.GroupAuto: {"qcn": run.Exactly(1.60)}},
		rate:   numbers(3.70, 1.73, 12.16),
		paused: numbers(5.73, 0.36, 0.25),
	},
	"w2": {
		mean:   map[workload.Group]run.Ranges{workload.GroupAuto: numbers(1.44, 1.57, 10.96)},
		rate:   numbers(1.27, 1.13, 6.5),
		paused: numbers(0.65, 0.11, 0.01),
	},
}

// others returns what the paper says of the controls other than PCN.
func others(qcn, dcqcn, timely run.Range) run.Ranges {
	return run.Ranges{"qcn": qcn, "dcqcn": dcqcn, "timely-pcn": timely}
}

func numbers(qcn, dcqcn, timely float64) run.Ranges {
	return others(run.Exactly(qcn), run.Exactly(dcqcn), run.Exactly(timely))
}

// claim sets the paper's comparison beside ours: what each control did, what PCN did better, and
// how much better a queue per flow is, which no control of rates could exceed by much.
func (c pcnComparison) claim(s *run.Subject) (claims []run.Measurement) {
	claims = slices.Concat(claimsOfTraffic(), claimsOfTiers())
	beside := func(what string, relation run.Relation, published run.Ranges, of run.Measure) {
		claims = append(claims, run.Measurement{
			What: what, Of: []string{"pcn"}, Relation: relation, Value: of, Published: published,
		})
	}
	bound := func(what string, of run.Measure) {
		claims = append(claims, run.Measurement{
			What: what, Of: []string{"ideal"}, Relation: run.Fold, Value: of,
			Against: []string{"qcn", "dcqcn", "timely-pcn"},
		})
	}
	for _, g := range []workload.Group{
		workload.Vulnerable, workload.Background, workload.Incast, workload.GroupAuto,
	} {
		name := c.groupsByHosts[g]
		if g == workload.GroupAuto {
			name = "all flows'"
		}
		if name == "" {
			continue
		}
		mean, p99 := run.MeanFCT(g), run.P99(g)
		beside(name+" mean completion time", run.Fold, c.mean[g], mean)
		beside(name+" p99", run.Fold, c.p99[g], p99)
		bound(name+" mean completion time", mean)
		bound(name+" p99", p99)
	}
	beside("flows completed per second", run.Times, c.rate, run.Value(completedPerSecond))
	beside("pauses per second", run.Times, c.paused, run.Value(pausesPerSecond))
	return claims
}

func completedPerSecond(o *run.Outcome) float64 { return perSecond(o, float64(o.Result.Completed)) }

func pausesPerSecond(o *run.Outcome) float64 { return perSecond(o, pauses(o)) }

// claimsOfTraffic lists what the paper draws of a workload, of runs in which flows completed.
func claimsOfTraffic() []run.Measurement {
	thousands := func(of func(*run.Outcome) float64) run.Measure {
		return func(o *run.Outcome) run.Measured {
			if o.FCT.Overall == nil {
				return run.None()
			}
			return run.Number(of(o) / 1000)
		}
	}
	return []run.Measurement{
		{What: "thousand pauses per second", Value: thousands(pausesPerSecond)},
		{What: "mean completion time", Unit: "us", Value: run.MeanFCT(workload.GroupAuto)},
		{What: "99 % of flows within", Unit: "us", Value: run.P99(workload.GroupAuto)},
		{What: "thousand flows completed per second", Value: thousands(completedPerSecond)},
	}
}

// claimsOfTiers says which switches of a Clos network sent the pauses, as the bars of Figure 14(a).
func claimsOfTiers() (claims []run.Measurement) {
	for i, name := range []string{"ToRs", "leafs", "spines"} {
		claims = append(claims, run.Measurement{
			What: "pauses of " + name, Unit: "%",
			Value: func(o *run.Outcome) run.Measured {
				var byTier [4]int64
				for _, p := range o.Result.Seen.Ports {
					for _, n := range p.Paused {
						byTier[o.Subject.Graph.Nodes[p.At.Switch].Tier] += n
					}
				}
				all := byTier[1] + byTier[2] + byTier[3]
				if all == 0 {
					return run.None()
				}
				return run.Number(100 * float64(byTier[1+i]) / float64(all))
			},
		})
	}
	return claims
}

// claimPCNFigure13 compares the paper's weights with others: "As w_max decreases, switch S0
// receives fewer PFC PAUSEs from its downstream device, but the 99%-tile of FCT grows a little.
// Meanwhile, the value of w_min has almost no impact on pause rate, but the small w_min increases
// FCT slightly."
func claimPCNFigure13(s *run.Subject) []run.Measurement {
	const papers = "1/128, 1/2"
	published, mean, p99 := run.Ranges{}, run.Ranges{}, run.Ranges{}
	for _, v := range s.Scenario.Variants {
		wmin, wmax, _ := strings.Cut(v.Name, ", ")
		switch {
		case v.Name == papers:
		case wmax != "1/2":
			published[v.Name], p99[v.Name] = run.AtMost(1), run.AtLeast(1)
		default:
			published[v.Name] = run.Exactly(1)
			if wmin == "1/256" {
				mean[v.Name] = run.AtLeast(1)
			}
		}
	}
	claims := claimsOfTraffic()
	for _, v := range s.Scenario.Variants {
		if v.Name == papers {
			continue
		}
		beside := func(what string, published run.Ranges, of run.Measure) {
			c := run.Measurement{
				What: what, Of: []string{v.Name}, Relation: run.Times, Against: []string{papers}, Value: of,
			}
			if r, ok := published[v.Name]; ok {
				c.Published = run.Always(r)
			}
			claims = append(claims, c)
		}
		beside("pauses", published, run.Value(pauses))
		beside("mean completion time", mean, run.MeanFCT(workload.GroupAuto))
		beside("p99", p99, run.P99(workload.GroupAuto))
	}
	return claims
}

// pcnTable3 is "Generating rate of PFC PAUSEs for multiple priorities", of flows of the classes S,
// M, L and XL. Its unit is not given; Figure 2's is a thousand pauses per second.
var pcnTable3 = map[string][4]float64{
	"pcn":        {0, 0, 0.10, 171.49},
	"qcn":        {0, 0, 0.28, 110.49},
	"dcqcn":      {0, 0, 0.26, 175.02},
	"timely-pcn": {0, 0, 1.09, 210.36},
}

// claimPCNFigure20 compares the pauses of each priority: "PCN outperforms the other three schemes
// in speeding up the overall flow completion time".
func claimPCNFigure20(s *run.Subject) (claims []run.Measurement) {
	for i, name := range []string{"S", "M", "L", "XL"} {
		published := run.Ranges{}
		for control, rates := range pcnTable3 {
			published[control] = run.Exactly(rates[i])
		}
		claims = append(claims, run.Measurement{
			What: "thousand pauses per second of " + name + " flows", Figure: "Table 3",
			Published: published,
			Value: run.Value(func(o *run.Outcome) float64 {
				n := int64(0)
				for _, p := range o.Result.Seen.Ports {
					n += p.Paused[pcnTopClass-sluice.Class(i)]
				}
				return perSecond(o, float64(n)) / 1000
			}),
		})
	}
	faster := run.AtLeast(1)
	fastest := pcnComparison{mean: map[workload.Group]run.Ranges{
		workload.GroupAuto: others(faster, faster, faster),
	}}
	return append(claims, fastest.claim(s)...)
}

// perSecond returns n per simulated second.
func perSecond(o *run.Outcome, n float64) float64 {
	if o.Result.Simulated == 0 {
		return 0
	}
	return n / o.Result.Simulated.Microseconds() * 1e6
}

// pauses returns how many pauses were begun. Frames that repeat them, each 5/3 us, are not counted.
func pauses(o *run.Outcome) (n float64) {
	for _, p := range o.Result.Seen.Ports {
		for _, ofClass := range p.Paused {
			n += float64(ofClass)
		}
	}
	return n
}

// watchPCNPauses counts pauses by port and class; watchPCNTraffic does so in the network of Figure
// 1, and watches what watchPCN watches.
func watchPCNPauses(_ *run.Subject, c *probe.Config) { c.Classes = true }

func watchPCNTraffic(s *run.Subject, c *probe.Config) {
	watchPCN(s, c)
	watchPCNPauses(s, c)
}
