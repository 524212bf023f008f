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
	waiting bool        // all its flows have started, and those of the next wait for them
}

// orderFlows sorts the flows by stage and start; those alike keep their order.
func (s *Simulator) orderFlows() {
	s.order = make([]int32, len(s.config.Flows))
	for i := range s.order {
		s.order[i] = int32(i)
	}
	slices.SortStableFunc(s.order, func(a, b int32) int {
		f, g := &s.config.Flows[a], &s.config.Flows[b]
		return cmp.Or(cmp.Compare(f.Stage, g.Stage), cmp.Compare(f.Start, g.Start))
	})
	if len(s.order) > 0 {
		s.stage.number = s.config.Flows[s.order[0]].Stage
	}
}

// planNextFlow puts the start of the next flow into the agenda. The first of a stage waits until
// all flows before it have arrived.
func (s *Simulator) planNextFlow() {
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
	start := s.stage.since.Add(f.Start)
	s.result.Flows[i].Start = start
	s.agenda.plan(start, eventFlow, i)
}

// allStarted reports whether no flow will start any more unless one arrives.
func (s *Simulator) allStarted() bool {
	return s.started == len(s.order) || s.stage.waiting && s.started == s.begun
}
