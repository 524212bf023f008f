package ir

import "fmt"

// Trace lists the tables that packets met and the registers that they touched, in order: it tells
// why a packet went where it did. See [Machine.Record].
type Trace struct{ Steps []TraceStep }

// TraceStep is one use of a table, or of an element of a register.
type TraceStep struct {
	Gress Gress
	Pipe  int

	Table  *Table // nil if a register was touched
	Action *Action
	Data   []Value
	Hit    bool // an entry matched

	Register      *Register
	Run           *RegisterAction
	Index         uint64
	Before, After [2]uint32
}

// String formats as "ingress table route: out(0x9)" or "ingress register count[3]: 2 to 3 by up".
func (s TraceStep) String() string {
	if s.Table != nil {
		text := fmt.Sprintf("%v table %s: %s(", s.Gress, s.Table.Name, s.Action.Name)
		for at, datum := range s.Data {
			if at > 0 {
				text += ", "
			}
			text += datum.String()
		}
		if !s.Hit {
			return text + ") by default"
		}
		return text + ")"
	}
	element := func(halves [2]uint32) string {
		if s.Register.Pair {
			return fmt.Sprint(halves)
		}
		return fmt.Sprint(halves[0])
	}
	return fmt.Sprintf("%v register %s[%d]: %s to %s by %s", s.Gress, s.Register.Name, s.Index,
		element(s.Before), element(s.After), s.Run.Name)
}

// Record lets the machine add to a trace from now on; nil ends recording. The reader of the trace
// empties it.
func (m *Machine) Record(to *Trace) { m.trace = to }

func (m *Machine) met(p *pass, table *lookup, call *bound, hit bool) {
	m.trace.Steps = append(m.trace.Steps, TraceStep{Gress: p.gress, Pipe: p.pipe, Table: table.table,
		Action: table.table.Actions[call.action], Data: call.data, Hit: hit})
}

func (m *Machine) touched(p *pass, u *alu, index, before, after uint64) {
	m.trace.Steps = append(m.trace.Steps, TraceStep{Gress: p.gress, Pipe: p.pipe,
		Register: u.array.register, Run: u.action, Index: index, Before: halves(before),
		After: halves(after)})
}

// halves returns an element's, the low one first.
func halves(element uint64) [2]uint32 { return [2]uint32{uint32(element), uint32(element >> 32)} }
