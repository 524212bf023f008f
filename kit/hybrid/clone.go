package hybrid

import (
	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/states"
	"github.com/sluicefc/sluice/internal/twin"
	"github.com/sluicefc/sluice/kit"
	"github.com/sluicefc/sluice/pfc"
	"github.com/sluicefc/sluice/pyrrha"
)

var _ kit.Stateful = (*Switch)(nil)

var form twin.Form[Switch]

// Clone implements kit.Stateful.
func (h *Switch) Clone() kit.Machine { return form.Clone(h) }

// AppendState implements kit.Stateful. Which ports are held, Pyrrha's machine knows.
func (h *Switch) AppendState(dst []byte, now sluice.Time) []byte {
	now = max(now, h.clock.Now())
	dst = states.Of[*pfc.Switch]().AppendState(h.below, dst, now)
	return ofPyrrha().AppendState(h.above, dst, now)
}

// Numbers implements kit.Stateful: PFC's frames have none.
func (h *Switch) Numbers(port sluice.PortID) (sent, heard uint32) {
	return ofPyrrha().Numbers(h.above, port)
}

// Renumber implements kit.Stateful.
func (h *Switch) Renumber(port sluice.PortID, sent, heard uint32) {
	ofPyrrha().Renumber(h.above, port, sent, heard)
}

func ofPyrrha() *states.Methods[*pyrrha.Switch] { return states.Of[*pyrrha.Switch]() }
