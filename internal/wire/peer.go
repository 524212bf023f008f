package wire

import (
	"math"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/chassis"
)

// Peer is what a port knows of the device at the other end of its link, by the numbers of frames.
// Make it with NewPeer.
type Peer struct {
	Down  bool   // the link
	Sent  uint32 // sequence number of the last frame sent
	Heard Window // of frames received
	Past  Past   // what may still be under way from before the link came up
}

// NewPeer returns the peer of a port that sent and heard nothing.
func NewPeer() Peer { return Peer{Past: NewPast()} }

// Obeys reports whether a frame that comes in now is to be obeyed: the link is up, and the frame is
// neither from before it came up nor late.
func (p *Peer) Obeys(now sluice.Time, sequence uint32) bool {
	return !p.Past.Has(now, sequence) && p.Heard.Fresh(sequence) && !p.Down
}

// Up says that the link came up: see Past.Begin. What was heard is void.
func (p *Peer) Up(now sluice.Time, link sluice.Link, longest sluice.Bytes) {
	p.Down = false
	p.Past.Begin(now, link, longest, &p.Heard)
	p.Heard.Forget()
	p.Sent += Reordering
}

// Numbers returns the sequence number of the last frame sent and of the newest one heard.
func (p *Peer) Numbers() (sent, heard uint32) {
	heard, _ = p.Heard.Newest()
	return p.Sent, heard
}

// Renumber moves the origins of sequence numbers: the numbers of frames sent and received are less
// by so much from now on.
func (p *Peer) Renumber(sent, heard uint32) {
	p.Sent -= sent
	p.Heard.Renumber(heard)
	p.Past.Renumber(heard)
}

// Normalize makes peers equal, with all marks that belong to them, that answer the same from now
// on.
func (p *Peer) Normalize(now sluice.Time, marks ...*Mark) {
	p.Past.Normalize(now)
	p.Heard.Normalize(marks...)
}

// Past tells frames that were sent before a link came up, and are still under way, from frames that
// were sent after. A port whose link comes up skips Reordering numbers, so that frames of the past
// are near the last number heard and later frames are not. Where no number was heard, as by a
// device that started anew, every frame is of the past that comes in while frames of the past can.
type Past struct {
	Until sluice.Time // frames sent before arrive by then
	last  uint32      // number of the past that arrived
	known bool        // any did
}

// NewPast returns the past of a link that has none.
func NewPast() Past { return Past{Until: noPast} }

const noPast sluice.Time = math.MinInt64

// Begin says that the link came up; heard is the window of the link's life until now. A frame takes
// the link's delay and the time of longest bytes at its rate.
func (p *Past) Begin(now sluice.Time, link sluice.Link, longest sluice.Bytes, heard *Window) {
	if last, known := heard.Newest(); known || p.Until <= now {
		p.last, p.known = last, known
	}
	p.Until = chassis.After(chassis.After(now, link.Rate.TimeOf(longest)), link.Delay)
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
