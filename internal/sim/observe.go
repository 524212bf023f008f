package sim

import (
	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/probe"
)

// observe lets the observer take a sample.
func (s *Simulator) observe(at sluice.Time) {
	o := s.config.Observer
	o.Sample(at)
	for i, index := range o.Flows() {
		o.SampleFlow(i, at, s.flowState(index, at))
	}
}

// Rate returns the rate at which a flow that is under way may send, 0 for one that is not.
func (s *Simulator) Rate(flow int) sluice.Rate { return s.flowState(int32(flow), s.now).Rate }

// flowState returns the state of a flow of the configuration. It looks for it among all that are
// under way.
func (s *Simulator) flowState(index int32, at sluice.Time) probe.FlowState {
	if s.result.Flows[index].FCT != sluice.Never {
		return probe.FlowState{Received: s.config.Flows[index].Bytes}
	}
	for slot := range s.flows {
		f := &s.flows[slot]
		if f.index != index || f.packets == 0 {
			continue
		}
		received := sluice.Bytes(s.transport.Received(int32(slot))) * s.config.Payload
		return probe.FlowState{
			Rate: s.control.Rate(at, int32(slot)), Cuts: s.control.Cuts(int32(slot)),
			Received: min(received, f.bytes),
		}
	}
	return probe.FlowState{}
}
