package cc

import "strconv"

// Kind is a congestion control.
type Kind uint8

// Kinds.
const (
	None Kind = iota
	DCQCN
	DCQCNHPCC
	Timely
	TimelyPCN
	HPCC
	QCN
	DCTCP
	DCQCNTCD
	TimelyTCD
	IBCC
	IBCCTCD
	PCN
	numKinds
)

// Names of the kinds, as a user writes them, in the order of their numbers.
var Names = [numKinds]string{
	"none", "dcqcn", "dcqcn-hpcc", "timely", "timely-pcn", "hpcc", "qcn", "dctcp",
	"dcqcn+tcd", "timely+tcd", "ibcc", "ibcc+tcd", "pcn",
}

// String names the kind.
func (k Kind) String() string {
	if k < numKinds {
		return Names[k]
	}
	return "Kind(" + strconv.Itoa(int(k)) + ")"
}

// Signals is a set of what a control learns from.
type Signals uint8

// Signals.
const (
	Marks     Signals = 1 << iota // ECN marks of data packets; without marking it never acts
	Echoes                        // they come back in acknowledgements
	Notices                       // they come back in notices of the receiver (CNP)
	Feedback                      // notices of switches (CNM)
	RTT                           // round-trip times of packets that are acknowledged
	Telemetry                     // INT, which makes data packets longer
	Ternary                       // marks are UE as well as CE (TCD); senders send with ECT1
)

// Signals returns what the control learns from.
func (k Kind) Signals() Signals {
	if k < numKinds {
		return signals[k]
	}
	return 0
}

var signals = [numKinds]Signals{
	DCQCN:     Marks | Notices,
	DCQCNHPCC: Marks | Echoes,
	Timely:    RTT,
	TimelyPCN: RTT,
	HPCC:      Telemetry,
	QCN:       Feedback,
	DCTCP:     Marks | Echoes,
	DCQCNTCD:  Marks | Notices | Ternary,
	TimelyTCD: Marks | Echoes | RTT | Ternary,
	IBCC:      Marks | Notices,
	IBCCTCD:   Marks | Notices | Ternary,
	PCN:       Marks | Notices,
}

// family returns the kind whose state and constants a kind has.
func (k Kind) family() Kind {
	switch k {
	case DCQCNTCD:
		return DCQCN
	case TimelyTCD:
		return Timely
	case IBCCTCD:
		return IBCC
	}
	return k
}
