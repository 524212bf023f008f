package tcd

import "strconv"

// State is the state of an egress queue (section 3.2.1).
type State uint8

// States.
const (
	// NonCongestion, 0: "The port is persistently ON and without queue buildup."
	NonCongestion State = iota
	// Congestion, 1: "The port is persistently ON. The output rate is at full rate with queue
	// buildup not caused by OFF."
	Congestion
	// Undetermined, /: "The output rate is in an ON-OFF style."
	Undetermined
	// Draining is the helper state of a queue that was undetermined, is so no more, and empties of
	// what was held.
	Draining
	numStates
)

// String gives the paper's sign of the state, and "D" for Draining.
func (s State) String() string {
	if s < numStates {
		return "01/D"[s : s+1]
	}
	return "State(" + strconv.Itoa(int(s)) + ")"
}
