package kit

import (
	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/states"
)

// Stateful is an optional part of a Machine: its state can be copied and compared. Machines of Wrap
// have it if their protocol is one of this module, or if their *Switch has
//
//	Clone() *Switch
//	AppendState(dst []byte, now sluice.Time) []byte
//
// and their *Port, if frames carry sequence numbers,
//
//	Numbers() (sent, heard uint32)
//	Renumber(sent, heard uint32)
//
// Embedders need none of them but Clone.
type Stateful interface {
	// Clone returns a machine in the same state, which shares no memory with this one: for a warm
	// restart, or to see what inputs would lead to.
	Clone() Machine
	// AppendState appends what the answers to inputs from now on depend on. Times are relative to now,
	// sequence numbers to the last that each port sent and heard; counters are left out. Machines of
	// one protocol that append the same behave alike, whatever their histories, and append the same
	// after the same inputs. The reverse is not promised: memory that was used in another order may
	// differ. The machine stays as it is.
	AppendState(dst []byte, now sluice.Time) []byte
	// Numbers returns the sequence number of the last frame that a port sent, and of the newest frame
	// that it heard; zeros if frames have no numbers.
	Numbers(port sluice.PortID) (sent, heard uint32)
	// Renumber moves the origins of a port's sequence numbers, as Rebase moves the origin of time:
	// from then on the numbers of frames sent are less by sent, and the numbers of frames received by
	// heard. Free memory is used in an order that no longer tells of the past.
	Renumber(port sluice.PortID, sent, heard uint32)
}

// StatefulOf returns the Stateful that a machine is; false if it is none.
func StatefulOf(m Machine) (Stateful, bool) {
	if a, ok := m.(interface{ stateful() bool }); ok && !a.stateful() {
		return nil, false
	}
	s, ok := m.(Stateful)
	return s, ok
}

type cloner[S any] interface{ Clone() S }

type stater interface {
	AppendState(dst []byte, now sluice.Time) []byte
}

type numbers interface {
	Numbers() (sent, heard uint32)
	Renumber(sent, heard uint32)
}

func (a *adapter[S, P, F, FP, C, N]) stateful() bool {
	_, cloned := any(a.Switch).(cloner[S])
	_, appends := any(a.Switch).(stater)
	return cloned && (appends || states.Of[S]() != nil)
}

// Clone implements Stateful.
func (a *adapter[S, P, F, FP, C, N]) Clone() Machine {
	return Wrap[S, P, F, FP, C, N](any(a.Switch).(cloner[S]).Clone())
}

// AppendState implements Stateful.
func (a *adapter[S, P, F, FP, C, N]) AppendState(dst []byte, now sluice.Time) []byte {
	if ours := states.Of[S](); ours != nil {
		return ours.AppendState(any(a.Switch).(S), dst, now)
	}
	return any(a.Switch).(stater).AppendState(dst, now)
}

// Numbers implements Stateful.
func (a *adapter[S, P, F, FP, C, N]) Numbers(port sluice.PortID) (sent, heard uint32) {
	if ours := states.Of[S](); ours != nil && ours.Numbers != nil {
		return ours.Numbers(any(a.Switch).(S), port)
	}
	if n, ok := any(a.ports[port]).(numbers); ok {
		return n.Numbers()
	}
	return 0, 0
}

// Renumber implements Stateful.
func (a *adapter[S, P, F, FP, C, N]) Renumber(port sluice.PortID, sent, heard uint32) {
	if ours := states.Of[S](); ours != nil && ours.Renumber != nil {
		ours.Renumber(any(a.Switch).(S), port, sent, heard)
	} else if n, ok := any(a.ports[port]).(numbers); ok {
		n.Renumber(sent, heard)
	}
}
