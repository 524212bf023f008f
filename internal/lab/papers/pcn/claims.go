package pcn

import (
	"fmt"
	"math"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/run"
)

// claimPCNFigure2 compares how long the congestion tree and the loss of throughput last.
//
// TIMELY's tree lasts as long as the bursts, 3.1 ms where 1.4 are published. It is not how often it
// samples (timely-pcn.every=16), that it sends bursts (timely-pcn.burst=1030B), nor from where it
// paces (cc.pace=wire): 3.12 ms with each. It is T_high that decides: with 100 us for the 500 of the
// paper (timely-pcn.thigh=100us) S0 is never paused. What the authors had is unknown.
func claimPCNFigure2(s *run.Subject, outcomes []*run.Outcome) (claims []run.Claim) {
	// Of PCN "only a handful of PAUSE fleetingly appears in the S1->S0 link".
	tree := map[string]string{
		"none": "3.1", "qcn": "0.5", "dcqcn": "1.8", "timely-pcn": "1.4", "pcn": "hardly",
	}
	loss := map[string]string{"none": "", "qcn": "12.5", "dcqcn": "25", "timely-pcn": "60"}
	from := s.Values.Time(paramBursts)
	for _, o := range outcomes {
		name := o.Subject.Values.String("cc")
		paused := "never"
		if last := o.Released(pcnP0); last != sluice.Never {
			paused = fmt.Sprintf("%.2f", (last-from).Microseconds()/1000)
		}
		over := from + 3*sluice.Millisecond
		claims = append(claims,
			run.Claim{What: "P0 of S0 is paused until, ms", FC: o.FC, Published: tree[name], Ours: paused},
			run.Claim{What: "F0 and F1 have 36 Gb/s again at, ms", FC: o.FC, Published: loss[name], Ours: recovers(o, from, over)},
			run.Claim{What: "F0 from 0.5 to 2.5 ms, Gb/s", FC: o.FC, Published: map[string]string{"pcn": "37.5"}[name],
				Ours: fmt.Sprintf("%.1f", o.OnWire(0, from+500*sluice.Microsecond, from+2500*sluice.Microsecond))},
			run.Claim{What: "F1 from 0.5 to 2.5 ms, Gb/s", FC: o.FC, Published: map[string]string{"pcn": "2.5"}[name],
				Ours: fmt.Sprintf("%.1f", o.OnWire(1, from+500*sluice.Microsecond, from+2500*sluice.Microsecond))},
		)
		if name == "pcn" {
			claims = append(claims,
				run.Claim{What: "F0 and F1 have 20 Gb/s each again, within 10 %, at, ms", FC: o.FC, Published: "",
					Ours: evens(o, from, over)},
				run.Claim{What: "the same by the fluid model, ms", FC: o.FC, Published: "", Ours: evensByFluid(o, from, over)})
		}
	}
	return claims
}

// recovers returns the end of the first millisecond, from an instant on, in which F0 and F1 deliver
// 36 Gb/s, on the bursts' clock.
func recovers(o *run.Outcome, from, after sluice.Time) string {
	const span = sluice.Millisecond
	for at := after; at+span <= o.Result.Simulated; at += 100 * sluice.Microsecond {
		if o.Throughput(0, at, at+span)+o.Throughput(1, at, at+span) >= pcnRecovered {
			return fmt.Sprintf("%.1f", (at+span-from).Microseconds()/1000)
		}
	}
	return "not by the end"
}

// evens returns the end of the first millisecond, from an instant on, in which F0 and F1 have 18 to
// 22 Gb/s each, on the bursts' clock.
func evens(o *run.Outcome, from, after sluice.Time) string {
	const span = sluice.Millisecond
	for at := after; at+span <= o.Result.Simulated; at += 100 * sluice.Microsecond {
		f0, f1 := o.OnWire(0, at, at+span), o.OnWire(1, at, at+span)
		if min(f0, f1) >= 18 && max(f0, f1) <= 22 {
			return fmt.Sprintf("%.1f", (at+span-from).Microseconds()/1000)
		}
	}
	return "not by the end"
}

// evensByFluid returns when they do by Proposition 2: the distance of F1's share from a half, as it
// is at an instant, shrinks by the factor a in each cycle of two loops, to a tenth of the half.
func evensByFluid(o *run.Outcome, from, after sluice.Time) string {
	const span = sluice.Millisecond
	f0, f1 := o.OnWire(0, after-span, after), o.OnWire(1, after-span, after)
	if f0+f1 == 0 {
		return "nothing was sent"
	}
	p := pcnParametersOf(o.Subject.Values)
	factor := p.Bounds(2, pcnUplink).Factor
	at := after
	for distance := math.Abs(f1/(f0+f1) - 0.5); distance > 0.05; distance *= factor {
		at += 2 * p.Period
	}
	return fmt.Sprintf("%.1f", (at-from).Microseconds()/1000)
}

// claimPCNFigure5 compares pauses and rates by F1's rate.
func claimPCNFigure5(_ *run.Subject, outcomes []*run.Outcome) (claims []run.Claim) {
	for _, o := range outcomes {
		pauses, f0 := "none", "20"
		if o.Subject.Values.Rate(paramF1Rate) > 9500*sluice.Mbps {
			pauses, f0 = "some", "less"
		}
		const settled = 4 * sluice.Millisecond
		claims = append(claims,
			run.Claim{What: "pauses of S0 by S1", FC: o.FC, Published: pauses, Ours: fmt.Sprint(o.Statistics(pcnP0).Pauses)},
			run.Claim{What: "F0, Gb/s", FC: o.FC, Published: f0, Ours: fmt.Sprintf("%.2f", o.OnWire(0, settled, o.Result.Simulated))},
			run.Claim{
				What: "F1, Gb/s", FC: o.FC, Published: "at most 9.5", Ours: fmt.Sprintf("%.2f", o.OnWire(1, settled, o.Result.Simulated)),
			})
	}
	return claims
}

// setRates returns the sum of the rates that the control has set, by sample, in Gb/s.
func setRates(o *run.Outcome) (sums []float64) {
	for _, f := range o.Result.Seen.Flows {
		for i, rate := range f.Set {
			if i == len(sums) {
				sums = append(sums, 0)
			}
			sums[i] += float64(rate) / 1e9
		}
	}
	return sums
}

// claimPCNFigure11 compares convergence: from when on the sum of the rates, over a round trip, is
// within 10 % of the link's rate for five round trips; when the queue is below 15 KB first; and
// what the queue and the sum are then.
//
// Published numbers are of a round-trip time of about 500 us that was measured, with PCN's queue and
// hosts in it or without. Taken as 40 us of propagation (the variants of RTT 40us) PCN comes to the
// link's rate at once, drains its queue and is calm, with one T and w_min: that is the reading of
// which the paper's three statements hold together. Taken as 500 us of propagation no T and w_min
// gives all three: with T of 50 us the sum of rates swings, with 500 us the queue drains late.
func claimPCNFigure11(s *run.Subject, outcomes []*run.Outcome) (claims []run.Claim) {
	published := map[string][2]string{
		"pcn": {"2", "7.5"}, "qcn": {"40", "13"}, "dcqcn": {"50", "41"}, "timely-pcn": {"90", "72"},
	}
	for _, o := range outcomes {
		name := o.Subject.Values.String("cc")
		series := o.Result.Seen.Series[0]
		if len(series.Time) == 0 {
			continue // the run took no samples
		}
		sums := setRates(o)
		rtt := int(pcnDumbbellT / s.SampleEvery)
		converged := converged(o, sums, rtt)
		say := func(what, published, ours string) {
			claims = append(claims, run.Claim{What: what, FC: o.FC, Published: published, Ours: ours})
		}
		if converged < 0 {
			say("sum of rates within 10 % of 10 Gb/s from, ms", published[name][0], "not by the end")
		} else {
			say(
				"sum of rates within 10 % of 10 Gb/s from, ms", published[name][0],
				milliseconds(series.Time[converged]),
			)
		}
		if name == "pcn" {
			say("queue drained at, by equation 8, ms", "", milliseconds(drainTime(o.Subject.Values)))
		}
		steady := steady(o)
		if steady.drained == sluice.Never {
			say("queue below 15 KB at, ms", published[name][1], "not by the end")
			continue
		}
		say("queue below 15 KB at, ms", published[name][1], milliseconds(steady.drained))
		say("queue after that, mean and most, KB", "",
			fmt.Sprintf("%d, %d", int64(steady.mean)/1000, int64(steady.most)/1000))
		say("sum of rates after that, Gb/s", "", fmt.Sprintf("%.1f to %.1f", steady.low, steady.high))
	}
	return claims
}

// converged returns the first sample from which on the mean of the sums over a round trip is within
// 10 % of the link's rate, five round trips long; -1 if there is none.
func converged(o *run.Outcome, sums []float64, rtt int) int {
	good := 0
	for i := rtt; i <= len(sums); i++ {
		mean := 0.0
		for _, v := range sums[i-rtt : i] {
			mean += v / float64(rtt)
		}
		if mean < 9 || mean > 11 {
			good = 0
			continue
		}
		if good++; good == 5*rtt {
			return i - good
		}
	}
	return -1
}

func milliseconds(at sluice.Time) string { return fmt.Sprintf("%.1f", at.Microseconds()/1000) }

// claimPCNFigure18 compares the throughput of the two bottlenecks under bursts.
func claimPCNFigure18(_ *run.Subject, outcomes []*run.Outcome) (claims []run.Claim) {
	// "Under PCN, QCN and TIMELY, link S0->S1 can achieve near-full utilization. But [...] DCQCN
	// trends to loss as high as 15% of throughput."
	victims := map[string]string{
		"pcn": "near 40", "qcn": "near 40", "dcqcn": "down to 34", "timely-pcn": "near 40",
	}
	published := map[string]string{"pcn": "30", "qcn": "23", "dcqcn": "25", "timely-pcn": "29"}
	for _, o := range outcomes {
		const settled = 10 * sluice.Millisecond
		claims = append(claims,
			run.Claim{What: "S0 to S1, Gb/s", FC: o.FC, Published: victims[o.Subject.Values.String("cc")],
				Ours: fmt.Sprintf("%.1f", o.Rate(pcnP0, settled, o.Result.Simulated))},
			run.Claim{What: "S1 to R1, Gb/s", FC: o.FC, Published: published[o.Subject.Values.String("cc")],
				Ours: fmt.Sprintf("%.1f", o.Rate(pcnP2, settled, o.Result.Simulated))})
	}
	return claims
}

// claimPCNFigure19 compares the throughput of the first link of the parking lot, and of F0.
func claimPCNFigure19(_ *run.Subject, outcomes []*run.Outcome) (claims []run.Claim) {
	published := map[string]string{"pcn": "over 98", "qcn": "90", "dcqcn": "88", "timely-pcn": "95"}
	for _, o := range outcomes {
		const settled = 50 * sluice.Millisecond
		control := o.Subject.Values.String("cc")
		// "F0 obtains about 1/(N+1) of the capacity. QCN allocates F0 less than the proportional
		// fairness. DCQCN allocates F0 more [...], but also less than the max-min fairness".
		share := 40 / float64(o.Subject.Values.Int(paramCount)+1)
		f0 := map[string]string{
			"pcn": fmt.Sprintf("about %.1f", share), "qcn": fmt.Sprintf("under %.1f", share),
			"dcqcn": fmt.Sprintf("%.1f to 20", share),
		}
		claims = append(claims,
			run.Claim{What: "first link, % of its rate", FC: o.FC, Published: published[control],
				Ours: fmt.Sprintf("%.1f", o.Rate(o.Result.Seen.Series[0].At, settled, o.Result.Simulated)/40*100)},
			run.Claim{What: "F0, Gb/s", FC: o.FC, Published: f0[control],
				Ours: fmt.Sprintf("%.2f", o.OnWire(0, settled, o.Result.Simulated))})
	}
	return claims
}

// claimPCNDeadlock says whether the run ended in a deadlock. Published runs last 500 ms, ours 50: if
// deadlocks come at any time alike, 0.3, 1.4 and 18.5 % of ours should have one. 0 of 80, 0 of 80
// and 11 of 40 have (sweep -seeds 1-80 of cc=pcn and cc=dcqcn, 1-40 of cc=timely-pcn), and 0 of 8
// of DCQCN of 500 ms (-set duration=500ms -until 510ms).
func claimPCNDeadlock(_ *run.Subject, outcomes []*run.Outcome) (claims []run.Claim) {
	published := map[string]string{
		"pcn": "28 of 1000", "dcqcn": "134 of 1000", "timely-pcn": "870 of 1000",
	}
	for _, o := range outcomes {
		ours := "no"
		if o.Result.Deadlock != "" {
			ours = "yes"
		}
		claims = append(claims, run.Claim{What: "deadlock", FC: o.FC, Published: published[o.Subject.Values.String("cc")], Ours: ours})
	}
	return claims
}
