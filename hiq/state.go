package hiq

import "github.com/sluicefc/sluice/internal/enum"

// State is the state of a root's isolation queue (Pyrrha, Figure 6).
type State uint8

// States.
const (
	Unassigned  State = iota // the root has no IQ here
	Paused                   // packets stay
	Resumed                  // packets move on
	SoftMerging              // packets move on; the IQ is in no congestion tree and goes when empty

	numStates
)

// String names the state as the paper does.
func (s State) String() string { return enum.Name(s, "State", stateNames[:]...) }

var stateNames = [numStates]string{"unassigned", "paused", "resumed", "soft-merging"}

// Event is what may change the state of a root's isolation queue.
type Event uint8

// Events.
const (
	EventPause  Event = iota // PAUSE was received
	EventResume              // RESUME was received, or the pause expired
	EventMerge               // MERGE was received that names the root as the old one
	EventAdopt               // MERGE was received that names the root as the new one
	EventFree                // the IQ is empty and nothing needs it

	numEvents
)

// String names the event.
func (e Event) String() string { return enum.Name(e, "Event", eventNames[:]...) }

var eventNames = [numEvents]string{"pause", "resume", "merge", "adopt", "free"}

// refused marks a transition that does not exist.
const refused = numStates

// transitions is Figure 6, by state and event: pause, resume, merge, adopt, free.
var transitions = [numStates][numEvents]State{
	Unassigned:  {Paused, refused, refused, Resumed, refused},
	Paused:      {Paused, Resumed, SoftMerging, Resumed, refused},
	Resumed:     {Paused, Resumed, SoftMerging, Resumed, Unassigned},
	SoftMerging: {Paused, refused, SoftMerging, Resumed, Unassigned},
}

// After returns the state that follows s at an event; ok is false, and the state s, if Figure 6
// has no such transition.
func (s State) After(e Event) (next State, ok bool) {
	if s >= numStates || e >= numEvents {
		return s, false
	}
	if next = transitions[s][e]; next == refused {
		return s, false
	}
	return next, true
}
