package pyrrha

import (
	"fmt"
	"slices"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/run"
	"github.com/sluicefc/sluice/internal/lab/show"
	"github.com/sluicefc/sluice/internal/lab/workload"
)

// Pyrrha's abstract: "Compared with state-of-the-art approaches, the average FCT of uncongested
// flows is reduced by 42%-98%, and 99th-tail latency can be 1.6x-215x lower"; section I: "Pyrrha
// reduces the maximum buffer occupancy by up to 1.8x-6.2x". They are ranges over Figures 14 and 15.
const (
	publishedLess   = "42 to 98"
	publishedTimes  = "1.6 to 215"
	publishedBuffer = "1.8 to 6.2"
)

// uncongested are the groups of flows that pass no congestion root.
var uncongestedGroups = [...]workload.Group{workload.Vulnerable, workload.Background}

// claimIsolation sets what Pyrrha spares the flows that are not of the incast beside the paper's
// ranges, which are of PFC and of its own form of BFC.
func claimIsolation(_ *run.Subject, outcomes []*run.Outcome) []run.Claim {
	i := slices.IndexFunc(outcomes, func(o *run.Outcome) bool { return o.FC == "pyrrha" })
	if i < 0 {
		return nil
	}
	pyrrha := outcomes[i]
	var claims []run.Claim
	for _, o := range outcomes {
		if o == pyrrha {
			continue
		}
		add := func(what, published, ours string) {
			if o.FC != "pfc" && o.FC != "bfc-pyrrha" {
				published = ""
			}
			claims = append(claims, run.Claim{What: what, FC: o.FC, Published: published, Ours: ours})
		}
		for _, g := range uncongestedGroups {
			theirs, ours := *o.FCT.Of(g), *pyrrha.FCT.Of(g)
			if theirs == nil || ours == nil {
				continue
			}
			add(
				"mean of "+g.String()+" flows, less under pyrrha by %", publishedLess,
				fmt.Sprintf("%.1f", 100*(1-ours.Mean/theirs.Mean)),
			)
			add(
				"p99 of "+g.String()+" flows, times that under pyrrha", publishedTimes,
				show.Significant(theirs.P99/ours.P99),
			)
		}
		add("largest backlog of a switch, times that under pyrrha", publishedBuffer,
			show.Significant(float64(o.Result.MaxSwitchBytes)/float64(pyrrha.Result.MaxSwitchBytes)))
	}
	return claims
}

// claimCollapse says when uncongested flows have less than half of what they offer, and then what
// claimIsolation says. published is by protocol and group, in ms: "1 to 4".
func claimCollapse(published map[string][2]string) func(*run.Subject, []*run.Outcome) []run.Claim {
	return func(s *run.Subject, outcomes []*run.Outcome) []run.Claim {
		var claims []run.Claim
		for _, o := range outcomes {
			for i, g := range uncongestedGroups {
				claims = append(claims, run.Claim{
					What: g.String() + " flows get less than half of what they offer, ms", FC: o.FC,
					Published: published[o.FC][i], Ours: collapse(s, o, g),
				})
			}
		}
		return append(claims, claimIsolation(s, outcomes)...)
	}
}

// collapseWindow is the span over which what is delivered is compared with what is offered.
const collapseWindow = 250 * sluice.Microsecond

// collapse returns from when to when a group's flows are delivered less than half of the mean of
// what they offer, while flows start: "1.0 to 4.5", "never" if at no time.
func collapse(s *run.Subject, o *run.Outcome, g workload.Group) string {
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
		return "-"
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
		return "never"
	}
	ms := func(window int) float64 {
		return (sluice.Time(window) * collapseWindow).Microseconds() / 1000
	}
	return fmt.Sprintf("%.2g to %.3g", ms(from), ms(to))
}
