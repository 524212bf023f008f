package run

import (
	"cmp"
	"slices"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/schedule"
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

// summarise describes f of every flow that started after the warm-up and completed, by group; nil
// where no flow did. Memory is eight bytes for each flow, twice if there are several groups.
func (o *Outcome) summarise(f func(*sim.FlowResult) float64) (all ByGroup[*Summary]) {
	each := func(visit func(*sim.FlowResult, workload.Group)) {
		o.EachFlow(func(r *sim.FlowResult, g workload.Group) {
			if r.Start >= o.From && r.FCT != sluice.Never {
				visit(r, g)
			}
		})
	}
	counts, sum := map[workload.Group]int{}, 0
	each(func(_ *sim.FlowResult, g workload.Group) {
		counts[g]++
		sum++
	})
	values := map[workload.Group][]float64{}
	for g, n := range counts {
		values[g] = make([]float64, 0, n)
	}
	if len(counts) > 1 {
		values[workload.GroupAuto] = make([]float64, 0, sum)
	}
	each(func(r *sim.FlowResult, g workload.Group) {
		x := f(r)
		values[g] = append(values[g], x)
		if len(counts) > 1 {
			values[workload.GroupAuto] = append(values[workload.GroupAuto], x)
		}
	})
	for g := range counts {
		if len(counts) == 1 {
			values[workload.GroupAuto] = values[g]
		}
	}
	for _, g := range ReportGroups(o.Groups) {
		*all.Of(g) = summarise(values[g])
	}
	return all
}

// Counted returns how many flows of each group start when the warm-up is over; GroupAuto counts
// all. A message counts with the start of its job.
func (s *Subject) Counted() map[workload.Group]int {
	count := map[workload.Group]int{}
	for i, g := range s.Groups {
		if s.Flows[i].Start >= s.WarmUp {
			count[g]++
			count[workload.GroupAuto]++
		}
	}
	s.eachWindowed(func(j *schedule.Job) {
		if j.Start >= s.WarmUp {
			count[workload.Background] += j.Messages()
			count[workload.GroupAuto] += j.Messages()
		}
	})
	return count
}

// eachWindowed visits the jobs whose messages are not in Flows.
func (s *Subject) eachWindowed(visit func(*schedule.Job)) {
	for i := range s.Jobs {
		if s.Jobs[i].Schedule.InWindow() {
			visit(&s.Jobs[i])
		}
	}
}

// Count returns how many flows and messages there are.
func (s *Subject) Count() int {
	n := len(s.Flows)
	s.eachWindowed(func(j *schedule.Job) { n += j.Messages() })
	return n
}

// CountGroups returns how many flows each group has; GroupAuto counts all.
func (s *Subject) CountGroups() map[workload.Group]int {
	count := map[workload.Group]int{}
	for _, g := range s.Groups {
		count[g]++
	}
	s.eachWindowed(func(j *schedule.Job) { count[workload.Background] += j.Messages() })
	count[workload.GroupAuto] = s.Count()
	return count
}
