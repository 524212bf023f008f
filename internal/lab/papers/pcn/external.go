package pcn

import (
	"fmt"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/params"
	"github.com/sluicefc/sluice/internal/lab/run"
)

// pcnIntervals are the intervals of Figure 18's bursts that are run: the paper's ends, and what it
// calls the edge of "a little large".
var pcnIntervals = []string{"50us", "500us", "1ms", "5ms"}

// pcnLinks are the numbers of bottlenecks of Figure 19.
var pcnLinks = []int{2, 4, 6, 8, 10}

// perControl has a variant for each control and value of a parameter; ours is named by the control
// and the value: "pcn, 50us".
func perControl[T any](parameter string, values []T) (variants []run.Variant) {
	for _, c := range pcnControls {
		for _, x := range values {
			variants = append(variants, run.Variant{
				Name: fmt.Sprintf("%s, %v", c.Name, x), Set: fmt.Sprintf("%s,%s=%v", c.Set, parameter, x),
			})
		}
	}
	return variants
}

// claimPCNFigure18 compares the throughput of the two bottlenecks under bursts.
func claimPCNFigure18(s *run.Subject) []run.Claim {
	const settled = 10 * sluice.Millisecond
	rate := func(what string, at sluice.Hop) run.Measurement {
		return run.Measurement{What: what, Unit: "Gb/s", Value: run.Value(func(o *run.Outcome) float64 {
			return o.Rate(at, settled, o.Result.Simulated)
		})}
	}
	first, second := rate("S0 to S1", pcnP0), rate("S1 to R1", pcnP2)
	lost := run.Measurement{
		What: "share of S0 to S1 that is lost", Unit: "%", Of: []string{"dcqcn"},
		Value: run.Value(func(o *run.Outcome) float64 {
			return 100 - o.Rate(pcnP0, settled, o.Result.Simulated)/40*100
		}),
	}
	full := run.About(40)
	large := run.Ranges{}
	s.Built(func(name string, v *params.Values) {
		if v.Time("f.interval") > 500*sluice.Microsecond {
			large[name] = map[string]run.Range{
				"pcn": run.Exactly(30), "qcn": run.Exactly(23), "dcqcn": run.Exactly(25),
				"timely-pcn": run.Exactly(29),
			}[v.String("cc")]
		}
	})
	const place = "appendix B.2, paragraph "
	claims := []run.Claim{
		noted(given("", "under PCN, QCN and TIMELY the link from S0 to S1 is nearly full at all intervals",
			place+"2; Figure 18(a)", with(of(first, "pcn", "qcn", "timely-pcn"), run.Always(full))),
			"the paper has no number: within 10 % of 40 Gb/s is our reading"),
		given("", "as bursts become frequent DCQCN loses up to 15 % of it", place+"2; Figure 18(a)",
			with(lost, run.Always(run.UpTo(15)))),
		noted(given("adversarial", "if bursts are more than 500 us apart, the link from S1 to R1 carries "+
			"30 Gb/s under PCN, 23 under QCN, 25 under DCQCN and 29 under TIMELY", place+"3; Figure 18(b)",
			with(second, large)), "run at 1 and 5 ms"),
	}
	f1 := run.Measurement{What: "F1", Unit: "Gb/s", Value: onWire(1, settled)}
	for _, c := range pcnControls {
		var names, back []string
		for i := range pcnIntervals {
			names = append(names, c.Name+", "+pcnIntervals[i])
			back = append(back, c.Name+", "+pcnIntervals[len(pcnIntervals)-1-i])
		}
		claims = append(claims,
			rising(given("", "the more frequent the bursts the less has F1", place+"3; Figure 18(b)",
				of(f1, names...)), names...),
			rising(given("", "the more frequent the bursts the fuller is the link from S1 to R1",
				place+"3; Figure 18(b)", of(second, back...)), back...))
	}
	return append(claims, run.Beside(first, second))
}

// claimPCNFigure19 compares the throughput of the first link of the parking lot, and of F0.
func claimPCNFigure19(s *run.Subject) []run.Claim {
	const settled = 50 * sluice.Millisecond
	share := run.Measurement{
		What: "first link, share of its rate", Unit: "%", Value: run.Value(func(o *run.Outcome) float64 {
			return o.Rate(o.Result.Seen.Series[0].At, settled, o.Result.Simulated) / 40 * 100
		}),
	}
	f0 := run.Measurement{What: "F0", Unit: "Gb/s", Value: onWire(0, settled)}
	proportional := map[string]run.Ranges{"pcn": {}, "qcn": {}, "dcqcn": {}}
	s.Built(func(name string, v *params.Values) {
		fair := 40 / float64(v.Int("f.count")+1)
		switch control := v.String("cc"); control {
		case "pcn":
			proportional[control][name] = run.About(fair)
		case "qcn":
			proportional[control][name] = run.AtMost(fair)
		case "dcqcn":
			proportional[control][name] = run.Between(fair, 20)
		}
	})
	const place = "appendix B.3, Figure 19(b)"
	f0Of := func(control string) run.Measurement {
		return of(with(f0, proportional[control]), control)
	}
	return []run.Claim{
		given("", "PCN always provides more than 98 % of the first link", place,
			with(of(share, "pcn"), run.Always(run.AtLeast(98)))),
		given("", "under QCN, DCQCN and TIMELY 90, 88 and 95 % of it are used", place,
			with(share, numbers(90, 88, 95))),
		given("proportional", "PCN gives F0 about 1/(N+1) of the capacity", place, f0Of("pcn")),
		given("", "QCN gives F0 less than that", place, f0Of("qcn")),
		given("", "DCQCN gives F0 more than that, and less than half", place, f0Of("dcqcn")),
		run.Beside(f0),
	}
}

// claimPCNDeadlock says whether the run ended in a deadlock.
func claimPCNDeadlock(*run.Subject) []run.Claim {
	share := run.Measurement{
		What: "runs that end in a deadlock", Unit: "%", Value: func(o *run.Outcome) run.Measured {
			dead := run.Deadlocked(o)
			return run.Number(100 * dead.Value)
		},
	}
	const place = "appendix B.5, Figure 21(b)"
	few := func(c run.Claim) run.Claim {
		return noted(c, "five seeds can tell 87 % from 2.8 %, and hardly 13.4 %. `go run ./bench sweep "+
			"-seeds 1-80 -sweep cc=pcn,dcqcn,timely-pcn pcn/fig21` counts more")
	}
	return []run.Claim{
		few(rising(given("deadlocks", "TIMELY is deadlocked in 870 of 1,000 runs, PCN in 28", place, share),
			"pcn", "timely-pcn")),
		few(rising(given("", "DCQCN is deadlocked in 134 of 1,000 runs, PCN in 28", place, share),
			"pcn", "dcqcn")),
	}
}
