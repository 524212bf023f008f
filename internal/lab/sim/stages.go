package sim

import (
	"cmp"
	"slices"

	"github.com/sluicefc/sluice"
)

// stage is the one whose flows start now.
type stage struct {
	number  int32
	since   sluice.Time // when all flows of the one before had arrived
	waiting bool        // all its flows have started, and the next stage's flows wait for them
}

// orderFlows gives every part the flows that begin or end there, by stage and start; flows alike in
// both keep their order.
func (s *Simulator) orderFlows() {
	order := make([]int32, s.config.listed())
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortStableFunc(order, func(a, b int32) int {
		f, g := &s.config.Flows[a], &s.config.Flows[b]
		return cmp.Or(cmp.Compare(f.Stage, g.Stage), cmp.Compare(f.Start, g.Start))
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
		if len(p.order) > 0 {
			p.stage.number = s.config.Flows[p.order[0]].Stage
		}
		p.planNextFlow()
	}
}

// planNextFlow puts the start of the next flow into the agenda. The first of a stage waits until
// all flows before it have arrived: a network is not cut where there are stages.
func (s *part) planNextFlow() {
	if s.stage.waiting = false; s.begun == len(s.order) {
		return
	}
	i := s.order[s.begun]
	f := &s.config.Flows[i]
	if f.Stage != s.stage.number {
		if s.result.Completed < s.begun {
			s.stage.waiting = true
			return
		}
		s.stage = stage{number: f.Stage, since: s.now}
	}
	s.begun++
	s.planned = true
	start := s.stage.since.Add(f.Start)
	if s.stage.since > 0 {
		s.whole.Flows[i].Start = start
	}
	s.agenda.plan(start, eventFlow, i)
}

// allStarted reports whether no flow will start any more unless one arrives.
func (s *part) allStarted() bool {
	return s.started == s.flowsFrom || s.stage.waiting && s.started == s.begun
}
