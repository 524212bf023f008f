package cbfc

import (
	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/twin"
)

// form says what of a Switch decides nothing.
var form = twin.Form[Switch]{Past: []string{
	"chassis.Clock.Misuses", "Switch.peak", "Switch.frame", "state.counters", "state.heldSince",
	"lane.enqueued", "lane.transmitted", "lane.bytesOut",
}}

// Clone returns a switch in the same state, which shares no memory with this one. It allocates; the
// time is linear in the memory of the switch.
func (s *Switch) Clone() *Switch { return form.Clone(s) }

// AppendState appends what the answers of the switch to inputs from now on depend on. Times are
// relative to now, or to the latest the switch was told if that is later; counters are left out,
// but for those of blocks, which are what the protocol is about. Two switches that append the
// same behave alike. It allocates.
func (s *Switch) AppendState(dst []byte, now sluice.Time) []byte {
	c := s.Clone()
	c.Rebase(c.clock.Advance(now))
	return form.Append(dst, c)
}
