package pyrrha

import (
	"math/bits"
	"slices"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/hiq"
)

// placeInSet puts a packet into the IQ of all roots on its path, in a single tier, or into the OQ,
// and ends the hook.
func (p *Port) placeInSet(pkt *sluice.Packet) sluice.Verdict {
	var set [hiq.MaxLevels]uint16
	n := 0
	for hops := p.mayMeet(&pkt.Path); hops != 0; hops &= hops - 1 {
		r := p.owner.find(pkt.Path.At(bits.TrailingZeros8(hops)))
		if r >= 0 && p.iq.Order(r) != 0 && !slices.Contains(set[:n], uint16(r)) {
			set[n] = uint16(r)
			n++
		}
	}
	if n == 0 {
		return p.placeInOutput(pkt)
	}
	q, where := p.iq.PutSet(set[:n], pkt.Size)
	pkt.Note = uint64(where)
	p.enteredSet(p.iq.RootsOf(where), pkt.Ingress, pkt.Size)
	return p.appended(q)
}

// enteredSet accounts a packet that waits for a set of roots. While any root is paused, it waits
// for the paused roots, and only they pause the upstream it came from: a root that has resumed
// would stop flows there which pass it alone.
func (p *Port) enteredSet(set []uint16, ingress sluice.PortID, size sluice.Bytes) {
	held := false
	for _, r := range set {
		held = held || p.iq.State(int(r)) == hiq.Paused
	}
	for _, r := range set {
		if much := p.enteredIQ(int(r), ingress, size); much &&
			(!held || p.iq.State(int(r)) == hiq.Paused) {
			p.pauseAsChild(int(r), ingress)
		}
		if held && p.owner.roots[r].paused > 0 { // the set may be new
			p.owner.resumeForSets(int(r))
		}
	}
}

// waitsForOthers reports whether a root that is not paused at this port has packets which wait for
// another one. Then it pauses no upstream, even when a packet that passes it alone arrives: an
// upstream paused for it would wait for the other.
func (p *Port) waitsForOthers(r int) bool {
	s := p.owner
	return s.single && !s.config.KeepPaused && s.heldByOthers(r)
}

// sendFromSet takes the head of the IQ of a set, and sends it to the wire: with a single tier a
// packet visits one queue of a port (section VI-C, Lemma 1).
func (p *Port) sendFromSet(
	now sluice.Time, q sluice.QueueID, pkt *sluice.Packet, size sluice.Bytes,
) bool {
	s := p.owner
	if pkt.Note>>32 != 0 || !s.comesBy(pkt.Ingress) {
		return false
	}
	where := hiq.Place(pkt.Note)
	var set [hiq.MaxLevels]uint16
	n := copy(set[:], p.iq.RootsOf(where))
	for _, r := range set[:n] {
		if int(r) >= len(s.roots) {
			return false
		}
		if _, bytes := p.waiting(int(r), pkt.Ingress); *bytes < size {
			return false
		}
	}
	spilled := p.iq.Spilled()
	if !p.iq.TakeSet(q, where, size) {
		return false
	}
	s.clock.Advance(now)
	for _, r := range set[:n] {
		u, bytes := p.waiting(int(r), pkt.Ingress)
		if *bytes -= size; s.byQueue || u.state == PausedUpstream {
			p.leftIQ(int(r), pkt.Ingress)
		}
		if p.done(int(r)) {
			s.touch(int(r))
		}
	}
	if spilled && !p.iq.Spilled() {
		p.touchDone()
	}
	return true
}
