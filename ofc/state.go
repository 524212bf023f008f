package ofc

import (
	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/enum"
)

// State is the state of a class at an egress port (section II-B).
type State uint8

// States.
const (
	// AllResumed: downstream pauses no flow, and the normal queue is served.
	AllResumed State = iota
	// PartialPaused: downstream pauses some flows. The normal queue is served, and their packets
	// move from it to the paused queue.
	PartialPaused
	// PartialResumed: a rotation. What was the paused queue is served until it is empty, and
	// packets of flows that are paused still move from it to the other backup queue.
	PartialResumed
	// AllPaused: downstream holds the whole class, or pauses every flow that has packets here.
	AllPaused
	numStates
)

// String names the state.
func (s State) String() string { return enum.Name(s, "State", stateNames[:]...) }

var stateNames = [numStates]string{
	"all resumed", "partial paused", "partial resumed", "all paused",
}

// State returns the state of a class at this port as an egress; AllResumed for a class above 7.
func (p *Port) State(class sluice.Class) State {
	if class >= sluice.Classes {
		return AllResumed
	}
	switch k := &p.classes[class]; {
	case k.held():
		return AllPaused
	case k.serving != normal:
		return PartialResumed
	case k.congested == 0:
		return AllResumed
	case k.present > 0 && k.present == k.presentCongested && k.untracked == 0:
		return AllPaused
	}
	return PartialPaused
}
