package pyrrha

import (
	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/run"
	"github.com/sluicefc/sluice/internal/lab/workload"
)

// Pyrrha's abstract: "Compared with state-of-the-art approaches, the average FCT of uncongested
// flows is reduced by 42%-98%, and 99th-tail latency can be 1.6x-215x lower"; section I: "Pyrrha
// reduces the maximum buffer occupancy by up to 1.8x-6.2x". They are ranges over Figures 14 and 15.
var (
	publishedLess   = comparedByPyrrha(run.Between(42, 98))
	publishedTimes  = comparedByPyrrha(run.Between(1.6, 215))
	publishedBuffer = comparedByPyrrha(run.Between(1.8, 6.2))
)

// comparedByPyrrha gives a range to the protocols that Pyrrha's authors compare with.
func comparedByPyrrha(r run.Range) run.Ranges {
	return run.Ranges{"pfc": r, "bfc-pyrrha": r}
}

// uncongestedGroups are the groups of flows that pass no congestion root.
var uncongestedGroups = [...]workload.Group{workload.Vulnerable, workload.Background}

// claimIsolation sets what Pyrrha spares flows outside the incast beside the paper's ranges, which
// are about PFC and its own form of BFC.
func claimIsolation(*run.Subject) (claims []run.Measurement) {
	compare := func(what string, r run.Relation, of run.Measure, source string, p run.Ranges) {
		claims = append(claims, run.Measurement{
			What: what, Of: []string{"pyrrha"}, Relation: r, Value: of, Figure: source, Published: p,
		})
	}
	for _, g := range uncongestedGroups {
		flows := " of " + g.String() + " flows"
		compare("mean FCT"+flows, run.Less, run.MeanFCT(g), "abstract", publishedLess)
		compare("p99"+flows, run.Fold, run.P99(g), "abstract", publishedTimes)
	}
	compare("largest backlog of a switch", run.Fold, run.LargestBacklog, "section I", publishedBuffer)
	return claims
}

// claimCollapse says when uncongested flows have less than half of what they offer, and then what
// claimIsolation says. published is by protocol and group: from when to when, in ms.
func claimCollapse(
	published map[string]map[workload.Group][2]float64,
) func(*run.Subject) []run.Measurement {
	return func(s *run.Subject) (claims []run.Measurement) {
		for _, g := range uncongestedGroups {
			for i, end := range []string{"from", "until"} {
				c := run.Measurement{
					What: g.String() + " flows get less than half of what they offer " + end, Unit: "ms",
					Value: func(o *run.Outcome) run.Measured { return collapseIn(o, g)[i] },
				}
				c.Published = run.Ranges{}
				for fc, groups := range published {
					if span, ok := groups[g]; ok && span[i] > 0 {
						c.Published[fc] = run.Exactly(span[i])
					}
				}
				claims = append(claims, c)
			}
		}
		return append(claims, claimIsolation(s)...)
	}
}

// collapseWindow is the span over which delivered and offered bytes are compared.
const collapseWindow = 250 * sluice.Microsecond

// collapseIn returns from when to when a group's flows are delivered less than half of the mean of
// what they offer, while flows start, in ms; "never" if at no time.
func collapseIn(o *run.Outcome, g workload.Group) [2]run.Measured {
	s := o.Subject
	var offered sluice.Bytes
	first, last := sluice.Never, sluice.Time(0)
	for i := range s.Flows {
		if s.Groups[i] == g {
			offered += s.Flows[i].Bytes
			first, last = min(first, s.Flows[i].Start), max(last, s.Flows[i].Start)
		}
	}
	windows := int((last - first) / collapseWindow)
	if windows < 1 {
		return [2]run.Measured{run.None(), run.None()}
	}
	delivered := make([]sluice.Bytes, windows)
	for _, sample := range o.Result.Series {
		if i := int((sample.At - 1 - first) / collapseWindow); sample.At > first && i < windows {
			delivered[i] += sample.DeliveredBytes[g]
		}
	}
	half := float64(offered) / float64(last-first) * float64(collapseWindow) / 2
	from, to := -1, -1
	for i, n := range delivered {
		if float64(n) < half {
			to = i + 1
			if from < 0 {
				from = i
			}
		}
	}
	if from < 0 {
		return [2]run.Measured{run.Words("never"), run.Words("never")}
	}
	ms := func(window int) run.Measured {
		return run.Number((sluice.Time(window) * collapseWindow).Microseconds() / 1000)
	}
	return [2]run.Measured{ms(from), ms(to)}
}
