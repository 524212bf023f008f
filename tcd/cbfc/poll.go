package cbfc

import (
	"math/bits"

	"github.com/sluicefc/sluice"
)

// PollFrame builds the next FCP that this port owes its peer, from the state as it is now, for a
// transmitter that is free: one per VL, the lowest first. False, and f unchanged, when none is
// owed. O(1).
func (p *Port) PollFrame(_ sluice.Time, f *Frame) bool {
	if !p.Owes() {
		return false
	}
	class := bits.TrailingZeros8(uint8(p.pending)) & (sluice.Classes - 1)
	v, bit := &p.vls[class], sluice.ClassSet(1)<<class
	p.pending &^= bit
	v.told = v.announced()
	*f = Frame{Op: Init, VL: uint8(class), FCTBS: v.sent, FCCL: v.told}
	if p.heard&bit != 0 {
		f.Op = Normal
	}
	p.state.counters.FramesSent++
	p.state.counters.VL[class].FCPsSent++
	return true
}

// Owes reports whether PollFrame has a frame. O(1).
func (p *Port) Owes() bool { return p.pending != 0 }

// WaitsFor reports whether queue q, which has no credit, waits for packet p to leave the peer's
// device: credit comes when the packets of its ingress on that VL have left. The queue of p there
// makes no difference; came reports that p came in by this port's link.
func (p *Port) WaitsFor(q sluice.QueueID, packet *sluice.Packet, _ sluice.QueueID, came bool) bool {
	return came && sluice.QueueID(packet.Class) == q
}
