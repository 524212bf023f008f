package pyrrha

import (
	"math"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/hiq"
)

// A packet comes into a queue in three steps: it is placed, which names the roots that it waits
// for; it is accounted, to its queue, its roots and its ingress; and what that changes is
// signalled to the upstream that it came from.

// place finds the queue of a packet that is new at a port which knows roots.
func (p *Port) place(pkt *sluice.Packet, size sluice.Bytes) sluice.QueueID {
	if p.owner.single {
		return p.placeInSet(pkt, size)
	}
	return p.placeBeyond(0, pkt, size)
}

// placeBeyond puts a packet into the IQ that comes next after a place in the order, or into the OQ.
func (p *Port) placeBeyond(order uint32, pkt *sluice.Packet, size sluice.Bytes) sluice.QueueID {
	r, last := p.match(&pkt.Path, order)
	if r < 0 {
		p.putOutput(pkt.Ingress, size)
		return hiq.Output
	}
	pkt.Note = p.note(r, last)
	q := p.iq.Put(r, size)
	p.enteredIQ(r, pkt.Ingress, size)
	p.planMove()
	return q
}

func (p *Port) putOutput(ingress sluice.PortID, size sluice.Bytes) {
	p.iq.PutOutput(size)
	if p.role == Up {
		p.owner.upBytes += size
	}
	p.planMove()
	if p.iq.OutputBacklog() > p.pauseLeast && ingress != sluice.Local {
		p.nominate(ingress)
	}
}

// match searches a path for the root whose IQ comes next after a place in the order; negative if
// there is none. last says that none comes after that. The order is from near to far: the nearest
// root of which this port has an IQ, that is, wherever all know the same distances (section
// IV-C).
func (p *Port) match(path *sluice.Path, after uint32) (r int, last bool) {
	best := uint32(math.MaxUint32)
	r, last = noRoot, true
	hops := path.Hops()
	for i := 1; i < len(hops); i++ {
		k, ok := p.owner.table.Find(hops[i].Key())
		if !ok {
			continue
		}
		switch order := p.iq.Order(k); {
		case order <= after || order == best:
		case order < best:
			last = r < 0
			best, r = order, k
		default:
			last = false
		}
	}
	return r, last
}

// A packet's note in an IQ: the root it waits for; whether that is the last on its path; and the
// era in which that was found out. While the era lasts the path need not be searched again.
const (
	noteRoot = 1<<16 - 1
	noteLast = 1 << 16
	noteEra  = 32 // the shift
)

func (p *Port) note(r int, last bool) uint64 {
	n := uint64(r) | uint64(p.era)<<noteEra
	if last {
		n |= noteLast
	}
	return n
}

// goesOn reports whether a packet with such a note may have another root to wait for.
func (p *Port) goesOn(note uint64) bool {
	return note&noteLast == 0 || uint32(note>>noteEra) != p.era
}

// move takes the head of an IQ to the next one or to the OQ.
func (p *Port) move(now sluice.Time, q sluice.QueueID, pkt *sluice.Packet, size sluice.Bytes) sluice.Verdict {
	s := p.owner
	if s.single {
		return p.moveFromSet(now, q, pkt, size)
	}
	r := int(pkt.Note & noteRoot)
	if r >= len(s.roots) || s.upstreams[s.row(r, pkt.Ingress)].bytes < size {
		return p.misuse(now)
	}
	order := p.iq.Order(r)
	if !p.iq.Take(s.later(now), q, r, size) {
		return p.misuse(now)
	}
	s.clock.Advance(now)
	p.leftIQ(r, pkt.Ingress, size)
	if p.iq.Bytes(r) == 0 && p.done(r) {
		s.touch(r)
	}
	to := hiq.Output
	if p.goesOn(pkt.Note) {
		to = p.placeBeyond(order, pkt, size)
	} else {
		p.putOutput(pkt.Ingress, size)
	}
	p.planMove()
	p.moved++
	return s.answer(sluice.AppendTo(to))
}

// placeInSet is place for the single tier.
func (p *Port) placeInSet(pkt *sluice.Packet, size sluice.Bytes) sluice.QueueID {
	var set [hiq.MaxLevels]uint16
	n := 0
	hops := pkt.Path.Hops()
	for i := 1; i < len(hops); i++ {
		r := p.owner.find(hops[i])
		if r >= 0 && p.iq.Order(r) != 0 && !contains(set[:n], uint16(r)) {
			set[n] = uint16(r)
			n++
		}
	}
	if n == 0 {
		p.putOutput(pkt.Ingress, size)
		return hiq.Output
	}
	q, where := p.iq.PutSet(set[:n], size)
	pkt.Note = uint64(where)
	p.enteredSet(p.iq.RootsOf(where), pkt.Ingress, size)
	p.planMove()
	return q
}

// enteredSet accounts a packet that waits for a set of roots. While one of them is paused, it waits
// for those that are, and only they pause the upstream it came from: a root that has resumed would
// stop flows there which pass it alone.
func (p *Port) enteredSet(set []uint16, ingress sluice.PortID, size sluice.Bytes) {
	held := false
	for _, r := range set {
		held = held || p.iq.State(int(r)) == hiq.Paused
	}
	for _, r := range set {
		if held && p.iq.State(int(r)) != hiq.Paused {
			p.owner.upstreams[p.owner.row(int(r), ingress)].bytes += size
		} else {
			p.enteredIQ(int(r), ingress, size)
		}
	}
}

func contains(set []uint16, r uint16) bool {
	for _, member := range set {
		if member == r {
			return true
		}
	}
	return false
}

func (p *Port) moveFromSet(now sluice.Time, q sluice.QueueID, pkt *sluice.Packet, size sluice.Bytes) sluice.Verdict {
	s := p.owner
	if pkt.Note>>32 != 0 {
		return p.misuse(now)
	}
	where := hiq.Place(pkt.Note)
	var set [hiq.MaxLevels]uint16
	n := copy(set[:], p.iq.RootsOf(where))
	for _, r := range set[:n] {
		if int(r) >= len(s.roots) || s.upstreams[s.row(int(r), pkt.Ingress)].bytes < size {
			return p.misuse(now)
		}
	}
	spilled := p.iq.Spilled()
	if !p.iq.TakeSet(s.later(now), q, where, size) {
		return p.misuse(now)
	}
	s.clock.Advance(now)
	for _, r := range set[:n] {
		p.leftIQ(int(r), pkt.Ingress, size)
		if p.done(int(r)) {
			s.touch(int(r))
		}
	}
	s.woken.Port(p.id) // sets that waited for this one may go
	if spilled && !p.iq.Spilled() {
		p.touchDone()
	}
	p.putOutput(pkt.Ingress, size)
	p.planMove()
	p.moved++
	return s.answer(sluice.AppendTo(hiq.Output))
}
