package cc

import "github.com/sluicefc/sluice/internal/lab/params"

// Kind is a congestion control.
type Kind struct {
	Name    string  // as a user writes it
	Signals Signals // what it learns from
	// Detector is what marks packets for it, where nobody chooses: a value of parameter detect.
	Detector string
	// Windowed says that its window shrinks with the rate, where nobody chooses.
	Windowed bool

	base *Kind // whose parameters it has; nil: it has its own
	law  func() law
}

// kinds are all there are, in the order of lists.
var kinds = []*Kind{
	None, DCQCN, DCQCNHPCC, Timely, TimelyPCN, HPCC, QCN, DCTCP, DCQCNTCD, TimelyTCD, IBCC, IBCCTCD,
	PCN,
}

// None is a control that does nothing.
var None = &Kind{Name: "none", law: func() law { return new(none) }}

type none struct{ each[struct{}] }

// String names the kind.
func (k *Kind) String() string { return k.Name }

// Names of the kinds.
var Names = func() (names []string) {
	for _, k := range kinds {
		names = append(names, k.Name)
	}
	return names
}()

// Find returns the kind of a name; nil if there is none.
func Find(name string) *Kind {
	for _, k := range kinds {
		if k.Name == name {
			return k
		}
	}
	return nil
}

// Definitions returns the parameters of all controls.
func Definitions() (all []params.Definition) {
	for _, k := range kinds {
		if k.base == nil {
			l := k.law()
			(*params.Values)(nil).Fill(l.parameters())
			all = append(all, params.Definitions(l.parameters())...)
		}
	}
	return all
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
