package wire

import (
	"math"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/chassis"
)

// Past tells frames that were sent before a link came up, and are still under way, from those that
// were sent after. A port numbers its frames on from there by Reordering more, so that the first
// are near the last that was heard and the others are not. Where none was heard, as by a device
// that started anew, the past is all that comes in while those of it can.
type Past struct {
	Until sluice.Time // frames sent before arrive by then
	last  uint32      // of those that arrived
	known bool        // any did
}

// NewPast returns that of a link that has none.
func NewPast() Past { return Past{Until: noPast} }

const noPast sluice.Time = math.MinInt64

// Begin says that the link came up, when the newest frame of its life so far was heard as the
// window says. A frame takes the link's delay and the time of so many bytes at its rate.
func (p *Past) Begin(now sluice.Time, link sluice.Link, longest sluice.Bytes, heard *Window) {
	if last, known := heard.Newest(); known || p.Until <= now {
		p.last, p.known = last, known
	}
	p.Until = now.Add(link.Rate.TimeOf(longest)).Add(link.Delay)
}

// Has reports whether a frame that comes in now was sent before the link came up.
func (p *Past) Has(now sluice.Time, sequence uint32) bool {
	if now > p.Until {
		return false
	}
	const most = Reordering / 2 // frames under way
	return !p.known || sequence-p.last+most < 2*most
}

// Rebase moves the origin of time.
func (p *Past) Rebase(by sluice.Time) { p.Until = chassis.Shift(p.Until, by) }
