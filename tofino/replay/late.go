package replay

import (
	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/wire"
	"github.com/sluicefc/sluice/tofino/ir"
)

// late has the sequence numbers that the ports heard. A machine obeys late frames if they persist.
// A program does not: its controller clears the register heard, as control does here.
type late struct {
	heard    *ir.Register
	windows  map[sluice.PortID]wire.Window
	persists bool // the frame that came in last is late and persists
}

func newLate(p *ir.Program) late {
	l := late{windows: map[sluice.PortID]wire.Window{}}
	for _, r := range p.Registers {
		if r.Name == "heard" {
			l.heard = r
		}
	}
	return l
}

// hear notes a frame that comes in.
func (l *late) hear(id sluice.PortID, sequence uint32) {
	w := l.windows[id]
	before := w.Resynchronised()
	w.Fresh(sequence)
	l.windows[id], l.persists = w, w.Resynchronised() != before
}

// control clears the register if the frame that came in last persists.
func (l *late) control(registers *ir.Machine, id sluice.PortID) {
	if l.persists && l.heard != nil {
		registers.SetRegister(l.heard, int(id), [2]uint32{})
	}
	l.persists = false
}
