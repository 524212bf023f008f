package wire

import "github.com/sluicefc/sluice"

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

// Renumber moves the origins of sequence numbers: those of frames sent and received are less by so
// much from now on.
func (p *Peer) Renumber(sent, heard uint32) {
	p.Sent -= sent
	p.Heard.Renumber(heard)
	p.Past.Renumber(heard)
}

// Settle makes equal, with all marks that belong to it, what answers the same from now on.
func (p *Peer) Settle(now sluice.Time, marks ...*Mark) {
	p.Past.Settle(now)
	p.Heard.Settle(marks...)
}
