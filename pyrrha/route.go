package pyrrha

import (
	"math"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/hiq"
)

// place finds the queue of a packet that is new here and accounts it there.
func (p *Port) place(pkt *sluice.Packet, size sluice.Bytes) sluice.QueueID {
	if p.roots > 0 {
		if p.owner.single {
			if q, ok := p.placeInSet(pkt, size); ok {
				return q
			}
		} else if r, next := p.match(&pkt.Path, 0); r >= 0 {
			return p.putIQ(r, next, pkt, size)
		}
	}
	return p.putOutput(pkt.Ingress, size)
}

func (p *Port) putOutput(ingress sluice.PortID, size sluice.Bytes) sluice.QueueID {
	p.iq.PutOutput(size)
	p.enteredOutput(ingress, size)
	return hiq.Output
}

func (p *Port) putIQ(r, next int, pkt *sluice.Packet, size sluice.Bytes) sluice.QueueID {
	pkt.Note = note(r, next, p.era)
	q := p.iq.Put(r, size)
	p.enteredIQ(r, pkt.Ingress, size)
	if p.iq.Waits() {
		p.planMove()
	}
	return q
}

// match searches a path for the root whose IQ comes next after a place in the order, and for the one after it. The
// order is from near to far: the nearest root of which this port has an IQ, that is, wherever all know the same
// distances (section IV-C). -1 if there is none.
func (p *Port) match(path *sluice.Path, after uint32) (r, next int) {
	const none = math.MaxUint32
	first, second := uint32(none), uint32(none)
	r, next = noRoot, noRoot
	table, hops := p.owner.table, path.Hops()
	for i := 1; i < len(hops); i++ {
		k := table.find(hops[i].Key())
		if k < 0 {
			continue
		}
		switch order := p.iq.Order(k); {
		case order <= after || order == first:
		case order < first:
			second, next = first, r
			first, r = order, k
		case order < second:
			second, next = order, k
		}
	}
	return r, next
}

// A packet's note in an IQ: the root it waits for, the root it will wait for next, and the era in which that was found
// out. While the era lasts the path need not be searched again.
const (
	noRoot       = -1
	noteBits     = 13
	noteMask     = 1<<noteBits - 1
	noteEraShift = 2 * noteBits
)

func note(r, next int, era uint64) uint64 {
	return uint64(r) | uint64(next&noteMask)<<noteBits | era<<noteEraShift
}

// beyond returns the roots that a packet visits after root r, of which the IQ is at a place in the order.
func (p *Port) beyond(pkt *sluice.Packet, order uint32) (r, next int) {
	if p.roots == 0 {
		return noRoot, noRoot
	}
	if pkt.Note>>noteEraShift == p.era&(1<<(64-noteEraShift)-1) && pkt.Note>>noteBits&noteMask == noteMask {
		return noRoot, noRoot
	}
	return p.match(&pkt.Path, order)
}

// placeInSet is place for the single tier.
func (p *Port) placeInSet(pkt *sluice.Packet, size sluice.Bytes) (sluice.QueueID, bool) {
	var set [hiq.MaxLevels]uint16
	n := 0
	hops := pkt.Path.Hops()
	for i := 1; i < len(hops); i++ {
		if r := p.owner.table.find(hops[i].Key()); r >= 0 && p.iq.Order(r) != 0 && !contains(set[:n], uint16(r)) {
			set[n] = uint16(r)
			n++
		}
	}
	if n == 0 {
		return hiq.Output, false
	}
	q, where := p.iq.PutSet(set[:n], size)
	pkt.Note = uint64(where)
	p.enteredSet(p.iq.RootsOf(where), pkt.Ingress, size)
	if p.iq.Waits() {
		p.planMove()
	}
	return q, true
}

// enteredSet accounts a packet that waits for a set of roots. While one of them is paused, it waits for those that are, and only they
// pause the upstream it came from: a root that has resumed would stop flows there which pass it alone.
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

// move takes the head of an IQ to the next one or to the OQ.
func (p *Port) move(now sluice.Time, q sluice.QueueID, pkt *sluice.Packet, size sluice.Bytes) sluice.Verdict {
	s := p.owner
	if s.single {
		return p.moveFromSet(now, q, pkt, size)
	}
	r := int(pkt.Note & noteMask)
	if r >= len(s.roots) || s.upstreams[s.row(r, pkt.Ingress)].bytes < size {
		return s.misuse()
	}
	order := p.iq.Order(r)
	if !p.iq.Take(max(now, s.now), q, r, size) {
		return s.misuse()
	}
	s.begin(now)
	p.leftIQ(r, pkt.Ingress, size)
	var to sluice.QueueID
	if next, afterNext := p.beyond(pkt, order); next >= 0 {
		to = p.putIQ(next, afterNext, pkt, size)
	} else {
		to = p.putOutput(pkt.Ingress, size)
	}
	if p.iq.Bytes(r) == 0 || s.left {
		s.left = false
		p.prune(r)
	}
	if p.iq.Waits() {
		p.planMove()
	}
	return p.moved(to)
}

func (p *Port) moveFromSet(now sluice.Time, q sluice.QueueID, pkt *sluice.Packet, size sluice.Bytes) sluice.Verdict {
	s := p.owner
	if pkt.Note>>32 != 0 {
		return s.misuse()
	}
	where := hiq.Place(pkt.Note)
	var set [hiq.MaxLevels]uint16
	n := copy(set[:], p.iq.RootsOf(where))
	for _, r := range set[:n] {
		if int(r) >= len(s.roots) || s.upstreams[s.row(int(r), pkt.Ingress)].bytes < size {
			return s.misuse()
		}
	}
	spilled := p.iq.Spilled()
	if !p.iq.TakeSet(max(now, s.now), q, where, size) {
		return s.misuse()
	}
	s.begin(now)
	for _, r := range set[:n] {
		p.leftIQ(int(r), pkt.Ingress, size)
	}
	to := p.putOutput(pkt.Ingress, size)
	for _, r := range set[:n] {
		p.prune(int(r))
	}
	if spilled && !p.iq.Spilled() {
		p.giveUpAll()
	}
	if p.iq.Waits() {
		p.planMove()
	}
	return p.moved(to)
}

func (p *Port) moved(to sluice.QueueID) sluice.Verdict {
	p.owner.counts.Moved++
	v := sluice.AppendTo(to)
	if p.owner.wake != 0 {
		v = v.WithWake(p.owner.finish())
	}
	return v
}
