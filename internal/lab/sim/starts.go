package sim

import (
	"cmp"
	"slices"

	"github.com/sluicefc/sluice"
)

// orderFlows gives every part the flows of the list that begin or end there, by start; flows that
// start together keep their order.
func (s *Simulator) orderFlows() {
	order := make([]int32, s.config.listed())
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortStableFunc(order, func(a, b int32) int {
		return cmp.Compare(s.config.Flows[a].Start, s.config.Flows[b].Start)
	})
	s.first = sluice.Never
	for _, i := range order {
		s.first = min(s.first, s.config.Flows[i].Start)
		from, to := s.partOf[s.known[i].node[sending]], s.partOf[s.known[i].node[receiving]]
		s.parts[from].order = append(s.parts[from].order, i)
		if s.parts[from].flowsFrom++; from != to {
			s.parts[to].order = append(s.parts[to].order, i)
		}
	}
	for _, p := range s.parts {
		p.planNextFlow()
	}
}

// planNextFlow puts the start of the next flow into the agenda.
func (s *part) planNextFlow() {
	if s.begun == len(s.order) {
		return
	}
	i := s.order[s.begun]
	s.begun++
	s.planned = true
	s.agenda.plan(s.config.Flows[i].Start, eventFlow, i)
}
