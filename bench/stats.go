package main

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/sim"
	"github.com/sluicefc/sluice/internal/workload"
)

// summary is the distribution of a quantity over flows. In JSON its numbers are rounded to six digits
// behind the point, so that the last bit of a sum does not show.
type summary struct {
	Mean float64 `json:"mean"`
	P50  float64 `json:"p50"`
	P95  float64 `json:"p95"`
	P99  float64 `json:"p99"`
	Max  float64 `json:"max"`
}

// summarise sorts values and describes them; nil if there are none. A percentile is the smallest value that at least
// that share of the values does not exceed.
func summarise(values []float64) *summary {
	if len(values) == 0 {
		return nil
	}
	slices.Sort(values)
	quantile := func(p float64) float64 { return round6(stat.Quantile(p, stat.Empirical, values, nil)) }
	return &summary{
		Mean: round6(stat.Mean(values, nil)),
		P50:  quantile(0.50), P95: quantile(0.95), P99: quantile(0.99),
		Max: round6(values[len(values)-1]),
	}
}

func round6(x float64) float64 { return math.Round(x*1e6) / 1e6 }

// groupSummaries has a summary of all flows and one of each group; nil where no flow completed.
type groupSummaries struct {
	Overall    *summary `json:"overall"`
	Incast     *summary `json:"incast"`
	Vulnerable *summary `json:"vulnerable"`
	Background *summary `json:"background"`
}

func (g *groupSummaries) of(group workload.Group) *summary {
	switch group {
	case workload.Incast:
		return g.Incast
	case workload.Vulnerable:
		return g.Vulnerable
	case workload.Background:
		return g.Background
	}
	return g.Overall
}

// reportGroups are the groups in the order of reports; GroupAuto stands for all flows.
var reportGroups = [...]workload.Group{workload.Incast, workload.Vulnerable, workload.Background, workload.GroupAuto}

func groupTitle(g workload.Group) string {
	if g == workload.GroupAuto {
		return "all flows"
	}
	return g.String()
}

// summariseFlows describes f of every flow that completed, by group.
func summariseFlows(flows []sim.FlowResult, groups []workload.Group, f func(*sim.FlowResult) float64) groupSummaries {
	var values [len(reportGroups)][]float64
	for i := range flows {
		if flows[i].FCT == sluice.Never {
			continue
		}
		x := f(&flows[i])
		values[workload.GroupAuto] = append(values[workload.GroupAuto], x)
		values[groups[i]] = append(values[groups[i]], x)
	}
	return groupSummaries{
		Overall:    summarise(values[workload.GroupAuto]),
		Incast:     summarise(values[workload.Incast]),
		Vulnerable: summarise(values[workload.Vulnerable]),
		Background: summarise(values[workload.Background]),
	}
}

// countGroups returns how many flows each group has; index GroupAuto counts all.
func countGroups(groups []workload.Group) (count [len(reportGroups)]int) {
	for _, g := range groups {
		count[g]++
	}
	count[workload.GroupAuto] = len(groups)
	return count
}
