package hybrid

import (
	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/twin"
	"github.com/sluicefc/sluice/kit"
)

var _ kit.Stateful = (*Switch)(nil)

var form twin.Form[Switch]

// Clone implements kit.Stateful.
func (h *Switch) Clone() kit.Machine { return form.Clone(h) }

// AppendState implements kit.Stateful.
func (h *Switch) AppendState(dst []byte, now sluice.Time) []byte {
	now = max(now, h.clock.Now())
	dst = h.below.AppendState(dst, now)
	dst = h.above.AppendState(dst, now)
	for _, held := range h.held {
		if dst = append(dst, 0); held {
			dst[len(dst)-1] = 1
		}
	}
	return dst
}

// Numbers implements kit.Stateful: PFC's frames have none.
func (h *Switch) Numbers(port sluice.PortID) (sent, heard uint32) {
	return h.abovePorts[port].Numbers()
}

// Renumber implements kit.Stateful.
func (h *Switch) Renumber(port sluice.PortID, sent, heard uint32) {
	h.abovePorts[port].Renumber(sent, heard)
}
