package sim

import (
	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/probe"
)

// observe lets the observer take a sample.
func (s *Simulator) observe(at sluice.Time) {
	o := s.config.Observer
	o.Sample(at)
	watched := o.Flows()
	if s.watchedSlots == nil {
		s.watchedSlots = make([]int32, len(watched))
	}
	for i, index := range watched {
		o.SampleFlow(i, at, s.parts[0].flowState(index, at, &s.watchedSlots[i]))
	}
}

// Rate returns the rate at which a flow may send, 0 if it is not under way.
func (s *Simulator) Rate(flow int) sluice.Rate {
	slot := int32(flow)
	return s.parts[0].flowState(int32(flow), s.Now(), &slot).Rate
}

// flowState returns the state of a flow of the configuration. If its slot is not the guessed one,
// it is looked for among all flows under way, and becomes the guess.
func (s *part) flowState(index int32, at sluice.Time, guess *int32) probe.FlowState {
	if s.resultOf(index).FCT != sluice.Never {
		return probe.FlowState{Received: s.config.Flows[index].Bytes}
	}
	if !s.hasSlot(index, *guess) {
		*guess = 0
		for !s.hasSlot(index, *guess) {
			if *guess++; int(*guess) >= len(s.flows) {
				return probe.FlowState{}
			}
		}
	}
	slot := *guess
	received := sluice.Bytes(s.transport.Received(slot)) * s.config.Payload
	return probe.FlowState{
		Rate: s.control.Rate(at, slot), Cuts: s.control.Cuts(slot),
		Received: min(received, s.flows[slot].bytes),
	}
}

// hasSlot reports whether a flow of the configuration is under way in a slot.
func (s *part) hasSlot(index, slot int32) bool {
	return int(slot) < len(s.flows) && s.flows[slot].index == index && s.flows[slot].packets != 0
}
