package run

import (
	"cmp"
	"slices"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/sim"
	"github.com/sluicefc/sluice/internal/lab/workload"
)

// ByGroup is something of all flows and of the flows of each group.
type ByGroup[T any] struct {
	Overall    T `json:"overall"`
	Incast     T `json:"incast"`
	Vulnerable T `json:"vulnerable"`
	Background T `json:"background"`
	// Own has the groups with names of one's own.
	Own map[string]*T `json:"own,omitempty"`
}

// Of returns the part of a group; GroupAuto stands for all flows.
func (b *ByGroup[T]) Of(g workload.Group) *T {
	if !g.IsOwn() {
		return [...]*T{&b.Overall, &b.Incast, &b.Vulnerable, &b.Background}[g]
	}
	if b.Own == nil {
		b.Own = map[string]*T{}
	}
	own := b.Own[g.String()]
	if own == nil {
		own = new(T)
		b.Own[g.String()] = own
	}
	return own
}

// PaperGroups are the groups that have no name of one's own, in the order of reports; GroupAuto
// stands for all flows.
var PaperGroups = [...]workload.Group{
	workload.Incast, workload.Vulnerable, workload.Background, workload.GroupAuto,
}

// ReportGroups returns the groups in the order of reports: the papers', whether or not flows are in
// them, others by name, and all flows.
func ReportGroups(groups []workload.Group) []workload.Group {
	own := map[workload.Group]bool{}
	list := slices.Clone(PaperGroups[:3])
	for _, g := range groups {
		if g.IsOwn() && !own[g] {
			own[g] = true
			list = append(list, g)
		}
	}
	slices.SortFunc(list[3:], func(a, b workload.Group) int {
		return cmp.Compare(a.String(), b.String())
	})
	return append(list, workload.GroupAuto)
}

func GroupTitle(g workload.Group) string {
	if g == workload.GroupAuto {
		return "all flows"
	}
	return g.String()
}

// summariseFlows describes f of every flow that started at an instant or later and completed, by
// group; nil where no flow did.
func summariseFlows(
	flows []sim.FlowResult, groups []workload.Group, from sluice.Time, f func(*sim.FlowResult) float64,
) (all ByGroup[*Summary]) {
	values := map[workload.Group][]float64{}
	for i := range flows {
		if flows[i].Start < from || flows[i].FCT == sluice.Never {
			continue
		}
		x := f(&flows[i])
		values[workload.GroupAuto] = append(values[workload.GroupAuto], x)
		values[groups[i]] = append(values[groups[i]], x)
	}
	for _, g := range ReportGroups(groups) {
		*all.Of(g) = summarise(values[g])
	}
	return all
}

// Counted returns how many flows of each group start when the warm-up is over; GroupAuto counts
// all.
func (s *Subject) Counted() map[workload.Group]int {
	count := map[workload.Group]int{}
	for i, g := range s.Groups {
		if s.Flows[i].Start >= s.WarmUp {
			count[g]++
			count[workload.GroupAuto]++
		}
	}
	return count
}

// CountGroups returns how many flows each group has; GroupAuto counts all.
func CountGroups(groups []workload.Group) map[workload.Group]int {
	count := map[workload.Group]int{}
	for _, g := range groups {
		count[g]++
	}
	count[workload.GroupAuto] = len(groups)
	return count
}
