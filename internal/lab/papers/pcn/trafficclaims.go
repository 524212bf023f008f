package pcn

import (
	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/probe"
	"github.com/sluicefc/sluice/internal/lab/run"
	"github.com/sluicefc/sluice/internal/lab/workload"
)

// The paper measures at what rate PAUSE messages are transmitted (section 3.1). In the code of its
// authors a switch sends one for each packet that comes while an ingress is over its threshold, and
// each 2 us; ours sends one each 5/3 us. So frames are what its counts are compared with; pauses
// begun, which no repetition adds to, stand beside.
var (
	frames = run.Measurement{What: "PAUSE frames per second", Value: run.Value(framesPerSecond)}
	begun  = run.Measurement{What: "pauses begun per second", Value: run.Value(pausesPerSecond)}
	done   = run.Measurement{What: "flows completed per second", Value: run.Value(completedPerSecond)}
)

// pcnGroups are the groups of flows whose completion times are compared, by name.
type pcnGroups map[workload.Group]string

var (
	pcnHosts = pcnGroups{
		workload.GroupAuto: "all flows'", workload.Vulnerable: "H0's", workload.Background: "H1's",
		workload.Incast: "H2 to H15's",
	}
	pcnAll = pcnGroups{workload.GroupAuto: "all flows'"}
)

func (g pcnGroups) mean(of workload.Group) run.Measurement {
	return run.Measurement{What: g[of] + " mean completion time", Value: run.MeanFCT(of)}
}

func (g pcnGroups) p99(of workload.Group) run.Measurement {
	return run.Measurement{What: g[of] + " p99", Value: run.P99(of)}
}

// pcnBeside compares PCN with the other controls.
func pcnBeside(m run.Measurement, relation run.Relation, published run.Ranges) run.Measurement {
	m.Of, m.Relation, m.Published = []string{"pcn"}, relation, published
	return m
}

// measured is what the paper draws of a workload, and what a queue per flow gains over each
// control, which no control of rates could exceed by much.
func (g pcnGroups) measured() run.Claim {
	c := run.Beside(claimsOfTraffic()...)
	c.Measures = append(c.Measures, claimsOfTiers()...)
	for _, of := range []workload.Group{
		workload.Vulnerable, workload.Background, workload.Incast, workload.GroupAuto,
	} {
		if g[of] == "" {
			continue
		}
		for _, m := range []run.Measurement{g.mean(of), g.p99(of)} {
			c.Measures = append(c.Measures, pcnBeside(m, run.Fold, nil))
			m.Of, m.Relation, m.Against = []string{"ideal"}, run.Fold, []string{"qcn", "dcqcn", "timely-pcn"}
			c.Measures = append(c.Measures, m)
		}
	}
	for _, m := range []run.Measurement{frames, begun, done} {
		c.Measures = append(c.Measures, pcnBeside(m, run.Times, nil))
	}
	return c
}

var overQCN = run.Range{Low: 2.25, High: 3.03, Kind: run.Interval}

// claimPCNFigure12 is section 7.2.
func claimPCNFigure12(*run.Subject) []run.Claim {
	const place = "section 7.2, Figure 12"
	g := pcnHosts
	qcn := run.Ranges{"qcn": overQCN}
	fewest := frames
	fewest.Of, fewest.Relation = []string{"qcn"}, run.Times
	fewest.Against = []string{"pcn", "dcqcn", "timely-pcn"}
	fewest.Published = run.Always(run.AtMost(1))
	faster := run.Always(run.AtLeast(1))
	queue := run.Measurement{What: "mean queue of P2", Unit: "KB", Value: run.AboveZero(
		func(o *run.Outcome) float64 { return float64(o.Statistics(pcnP2).MeanQueue) / 1000 })}
	shortest := pcnBeside(queue, run.Fold, faster)
	shortest.Unit, shortest.Against = "", []string{"dcqcn", "timely-pcn"}
	all := given("", "PCN is faster than QCN, DCQCN and TIMELY for each kind of hosts, on average and in "+
		"the 99th percentile", place)
	for _, of := range []workload.Group{
		workload.GroupAuto, workload.Vulnerable, workload.Background, workload.Incast,
	} {
		for _, m := range []run.Measurement{g.mean(of), g.p99(of)} {
			m = pcnBeside(m, run.Fold, faster)
			m.Against = []string{"qcn", "dcqcn", "timely-pcn"}
			all.Measures = append(all.Measures, m)
		}
	}
	return []run.Claim{
		given("burst-pauses", "PCN prevents at least 53 % and 92 % of the PAUSEs of DCQCN and TIMELY", place,
			pcnBeside(frames, run.Less, run.Ranges{
				"dcqcn": run.AtLeast(53), "timely-pcn": run.AtLeast(92),
			})),
		given("", "QCN triggers the fewest PAUSEs", place, fewest),
		given("burst-qcn", "PCN has 2.25 to 3.03 times shorter completion times than QCN",
			place+", item 1", pcnBeside(g.mean(workload.GroupAuto), run.Fold, qcn),
			pcnBeside(g.mean(workload.Vulnerable), run.Fold, qcn),
			pcnBeside(g.mean(workload.Background), run.Fold, qcn),
			pcnBeside(g.mean(workload.Incast), run.Fold, qcn)),
		given("burst-victim", "flows of the victim H0 complete 2.4 and 2.0 times as fast on average as under "+
			"DCQCN and TIMELY", place+", item 2", pcnBeside(g.mean(workload.Vulnerable), run.Fold,
			run.Ranges{"dcqcn": run.Exactly(2.4), "timely-pcn": run.Exactly(2.0)})),
		given("", "the 99th percentile of H2 to H15 is 3.5 and 3.4 times better than under DCQCN and TIMELY",
			place+", item 2", pcnBeside(g.p99(workload.Incast), run.Fold,
				run.Ranges{"dcqcn": run.Exactly(3.5), "timely-pcn": run.Exactly(3.4)})),
		given("", "flows of H1 are at least 2.2 and 1.7 times as fast as under DCQCN and TIMELY",
			place+", item 2", pcnBeside(g.mean(workload.Background), run.Fold,
				run.Ranges{"dcqcn": run.AtLeast(2.2), "timely-pcn": run.AtLeast(1.7)})),
		noted(given("", "under the bursts from H2 to H15 PCN keeps the queue of P2 nearly empty",
			place+", item 2", shortest), "the paper has no number: a shorter mean queue than under DCQCN "+
			"and TIMELY is our reading"),
		all,
		run.Beside(queue),
		g.measured(),
	}
}

// claimPCNFigure14 is section 7.4, by workload, with what the abstract says of both.
func claimPCNFigure14(sizes string) func(*run.Subject) []run.Claim {
	const place = "section 7.4, item "
	g := pcnAll
	fct := func(published run.Ranges) run.Measurement {
		return pcnBeside(g.mean(workload.GroupAuto), run.Fold, published)
	}
	p99 := func(published run.Ranges) run.Measurement {
		return pcnBeside(g.p99(workload.GroupAuto), run.Fold, published)
	}
	two := func(dcqcn, timely float64) run.Ranges {
		return run.Ranges{"dcqcn": run.Exactly(dcqcn), "timely-pcn": run.Exactly(timely)}
	}
	qcn := func(x float64) run.Ranges { return run.Ranges{"qcn": run.Exactly(x)} }
	w1 := []run.Claim{
		given("", "under W1 PCN triggers 5.73 times as many PAUSEs as QCN", place+"1; Figure 14(a)",
			pcnBeside(frames, run.Times, qcn(5.73))),
		given("", "under W1 PCN's 99th percentile is 1.60 times as fast as QCN's", place+"1; Figure 14(b)",
			p99(qcn(1.60))),
		given("", "under W1 PCN completes 3.70 times as many flows per second as QCN",
			place+"1; Figure 14(c)", pcnBeside(done, run.Times, qcn(3.70))),
		given("w1-pauses", "under W1 PCN avoids 64 % and 75 % of the PAUSEs of DCQCN and TIMELY",
			place+"1; Figure 14(a)", pcnBeside(frames, run.Less, two(64, 75))),
		given("w1-fct", "under W1 PCN is 1.75 and 2.35 times as fast on average as DCQCN and TIMELY",
			place+"1; Figure 14(b)", fct(two(1.75, 2.35))),
		given("", "under W1 PCN completes 1.73 and 12.16 times as many flows per second as DCQCN and TIMELY",
			place+"1; Figure 14(c)", pcnBeside(done, run.Times, two(1.73, 12.16))),
	}
	w2 := []run.Claim{
		given("w2-pauses", "under W2 PCN suppresses 35, 89 and 99 % of the PAUSEs of QCN, DCQCN and TIMELY",
			place+"2; Figure 14(a)", pcnBeside(frames, run.Less, numbers(35, 89, 99))),
		given("w2-fct", "under W2 PCN is 1.44, 1.57 and 10.96 times as fast on average as QCN, DCQCN and "+
			"TIMELY", place+"2; Figure 14(b)", fct(numbers(1.44, 1.57, 10.96))),
		given("", "under W2 PCN completes 1.27, 1.13 and 6.5 times as many flows per second as QCN, DCQCN "+
			"and TIMELY", place+"2; Figure 14(c)", pcnBeside(done, run.Times, numbers(1.27, 1.13, 6.5))),
	}
	most := others(run.UpTo(10), run.UpTo(11.3), run.UpTo(13.2))
	both := []run.Claim{
		noted(given("abstract-pauses", "in the large network PCN suppresses 12, 47 and 90 % of the PAUSEs of "+
			"QCN, DCQCN and TIMELY", "section 1, last item",
			pcnBeside(frames, run.Less, numbers(12, 47, 90))), "the paper does not say of which runs, and "+
			"section 7.4 gives other numbers for either workload: both are compared"),
		noted(given("abstract-latency", "PCN reduces latency by up to 10, 11.3 and 13.2 times beside QCN, "+
			"DCQCN and TIMELY", "section 1, last item", fct(most), p99(most)),
			"the paper does not say of what: means and 99th percentiles of all flows are compared"),
		g.measured(),
	}
	claims := append(map[string][]run.Claim{"w1": w1, "w2": w2}[sizes], both...)
	return func(*run.Subject) []run.Claim { return claims }
}

func framesPerSecond(o *run.Outcome) float64 { return perSecond(o, pauseFrames(o)) }

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
		{What: "thousand PAUSE frames per second", Value: thousands(framesPerSecond)},
		{What: "thousand pauses begun per second", Value: thousands(pausesPerSecond)},
		{What: "mean completion time", Unit: "us", Value: run.MeanFCT(workload.GroupAuto)},
		{What: "99 % of flows within", Unit: "us", Value: run.P99(workload.GroupAuto)},
		{What: "thousand flows completed per second", Value: thousands(completedPerSecond)},
	}
}

// claimsOfTiers says which switches of a Clos network sent the pauses, as the bars of Figure 14(a).
func claimsOfTiers() (claims []run.Measurement) {
	for i, name := range []string{"ToRs", "leafs", "spines"} {
		claims = append(claims, run.Measurement{
			What: "PAUSE frames of " + name, Unit: "%",
			Value: func(o *run.Outcome) run.Measured {
				var byTier [4]int64
				for _, p := range o.Result.Seen.Ports {
					for _, n := range p.Pausing {
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

// claimPCNFigure13 compares the paper's weights with others.
func claimPCNFigure13(s *run.Subject) []run.Claim {
	const papers, place = "1/128, 1/2", "section 7.3, Figure 13"
	ofS0 := run.Measurement{
		What: "PAUSE frames that S0 gets from S1", Value: run.Value(func(o *run.Outcome) (n float64) {
			peer := o.Subject.Graph.Nodes[pcnP0.Switch].Ports[pcnP0.Port]
			s1 := o.Statistics(sluice.Hop{Switch: peer.Peer, Port: peer.PeerPort})
			for _, ofClass := range s1.Pausing {
				n += float64(ofClass)
			}
			return n
		}),
	}
	mean := run.Measurement{
		What: "mean completion time", Unit: "us", Value: run.MeanFCT(workload.GroupAuto),
	}
	p99 := run.Measurement{
		What: "99 % of flows within", Unit: "us", Value: run.P99(workload.GroupAuto),
	}
	same := ofS0
	same.Of, same.Relation = []string{"1/256, 1/2", "1/32, 1/2"}, run.Times
	same.Against, same.Published = []string{papers}, run.Always(run.Exactly(1))
	claims := []run.Claim{
		rising(given("weights-pauses", "the lower w_max the fewer PAUSEs does S0 get from S1", place, ofS0),
			"1/128, 1/8", "1/128, 1/4", papers),
		rising(given("", "the lower w_max the longer is the 99th percentile", place, p99),
			papers, "1/128, 1/4", "1/128, 1/8"),
		given("", "w_min has almost no impact on the rate of PAUSEs", place, same),
		rising(given("", "with a small w_min flows take a little longer", place, mean),
			papers, "1/256, 1/2"),
	}
	return append(claims, run.Beside(append(claimsOfTraffic(), ofS0)...))
}

// pcnTable3 is Table 3, how often PFC pauses each of several priorities, of flows of the classes S,
// M, L and XL. Its unit is not given; Figure 2's is a thousand pauses per second.
var pcnTable3 = map[string][4]float64{
	"pcn":        {0, 0, 0.10, 171.49},
	"qcn":        {0, 0, 0.28, 110.49},
	"dcqcn":      {0, 0, 0.26, 175.02},
	"timely-pcn": {0, 0, 1.09, 210.36},
}

// claimPCNFigure20 compares the pauses of each priority, and completion times.
func claimPCNFigure20(*run.Subject) []run.Claim {
	const place = "appendix B.4, Table 3"
	var ofClass [4]run.Measurement
	var meanOf [4]run.Measurement
	var again []run.Measurement
	for i, name := range []string{"S", "M", "L", "XL"} {
		class := pcnTopClass - sluice.Class(i)
		count := func(of func(*probe.PortStatistics) int64) run.Measure {
			return run.Value(func(o *run.Outcome) float64 {
				n := int64(0)
				for k := range o.Result.Seen.Ports {
					n += of(&o.Result.Seen.Ports[k])
				}
				return perSecond(o, float64(n)) / 1000
			})
		}
		ofClass[i] = run.Measurement{
			What: "thousand PAUSE frames per second of " + name + " flows", Figure: "Table 3",
			Value: count(func(p *probe.PortStatistics) int64 { return p.Pausing[class] }),
		}
		published := run.Ranges{}
		for control, rates := range pcnTable3 {
			published[control] = run.Exactly(rates[i])
		}
		ofClass[i].Published = published
		again = append(again, run.Measurement{
			What: "thousand pauses begun per second of " + name + " flows", Figure: "Table 3",
			Value: count(func(p *probe.PortStatistics) int64 { return p.Paused[class] }),
		})
		meanOf[i] = run.Measurement{
			What: "mean completion time of " + name + " flows", Unit: "us", Value: meanOfClass(class),
		}
	}
	unit := "the table has no unit: thousand per second, as the paper's figures, is our reading"
	fewer := func(m run.Measurement) run.Measurement {
		m = pcnBeside(m, run.Times, run.Always(run.AtMost(1)))
		m.Against = []string{"dcqcn", "timely-pcn"}
		return m
	}
	alike := func(m run.Measurement) run.Measurement {
		m = pcnBeside(m, run.Fold, run.Always(run.Exactly(1)))
		m.Against = []string{"qcn", "dcqcn", "timely-pcn"}
		return m
	}
	faster := pcnBeside(pcnAll.mean(workload.GroupAuto), run.Fold, run.Always(run.AtLeast(1)))
	faster.Against = []string{"qcn", "dcqcn", "timely-pcn"}
	return []run.Claim{
		given("", "S and M flows, of the two high priorities, have no PAUSEs under any control", place,
			ofClass[0], ofClass[1]),
		noted(given("", "L flows have .10 PAUSEs under PCN, .28 under QCN, .26 under DCQCN and 1.09 under "+
			"TIMELY", place, ofClass[2]), unit),
		noted(given("", "XL flows have 171.49 PAUSEs under PCN, 110.49 under QCN, 175.02 under DCQCN and "+
			"210.36 under TIMELY", place, ofClass[3]), unit),
		given("priorities-pauses", "L and XL flows have fewer PAUSEs under PCN than under DCQCN and TIMELY",
			"appendix B.4, last paragraph", fewer(ofClass[2]), fewer(ofClass[3])),
		given("", "S and M flows take as long under each control",
			"appendix B.4, last paragraph; Figure 20", alike(meanOf[0]), alike(meanOf[1])),
		given("priorities-fct", "PCN is faster than the other three over all flows",
			"appendix B.4, last paragraph; Figure 20", faster),
		run.Beside(append(again, meanOf[2:]...)...),
		pcnAll.measured(),
	}
}

// meanOfClass measures the mean completion time of the flows of a class, in microseconds.
func meanOfClass(class sluice.Class) run.Measure {
	return func(o *run.Outcome) run.Measured {
		var sum float64
		n := 0
		for i := range o.Result.Flows {
			if f := &o.Result.Flows[i]; f.Class == class && f.FCT != sluice.Never {
				sum, n = sum+f.FCT.Microseconds(), n+1
			}
		}
		if n == 0 {
			return run.None()
		}
		return run.Number(sum / float64(n))
	}
}

// perSecond returns n per simulated second.
func perSecond(o *run.Outcome, n float64) float64 {
	if o.Result.Simulated == 0 {
		return 0
	}
	return n / o.Result.Simulated.Microseconds() * 1e6
}

// pauseFrames returns how many frames that pause were sent, those that repeat a pause among them.
func pauseFrames(o *run.Outcome) float64 { return float64(o.Result.ControlFrames["pause"]) }

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
