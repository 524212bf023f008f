package pyrrha

import (
	"math"
	"math/bits"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/hiq"
)

// A packet comes into a queue in three steps: it is placed, which names the roots that it waits
// for; it is accounted, to its queue, its roots and its ingress; and what that changes is
// signalled to the upstream that it came from.

// placeBeyond puts a packet into the IQ that comes next after a place in the order, or into the OQ,
// and ends the hook. hops are what the filter lets pass of its path.
//
//go:noinline
func (p *Port) placeBeyond(order uint32, pkt *sluice.Packet, hops uint8) sluice.Verdict {
	r, last := p.match(&pkt.Path, order, hops)
	if r < 0 {
		return p.placeInOutput(pkt)
	}
	pkt.Note = p.note(r, last)
	q := p.iq.Put(r, pkt.Size)
	u, bytes := p.waiting(r, pkt.Ingress)
	*bytes += pkt.Size
	if (u.bytes > p.pauseLeast || p.owner.byQueue) && bytes == &u.bytes && u.state != PausedUpstream {
		p.pauseAsChild(r, pkt.Ingress)
	}
	if p.iq.Waits() || !p.owner.quiet() {
		return p.appended(q)
	}
	return sluice.AppendToQueue(q)
}

// placeInOutput puts a packet into the OQ, and ends the hook.
func (p *Port) placeInOutput(pkt *sluice.Packet) sluice.Verdict {
	p.iq.PutOutput(pkt.Size)
	if p.iq.OutputBacklog() > p.watchAbove || p.iq.Waits() || !p.owner.quiet() {
		return p.enteredOutput(pkt)
	}
	return sluice.AppendToQueue(hiq.Output)
}

// enteredOutput accounts a packet in the OQ, nominates this port as a congestion root when the OQ
// is above K_pause, and ends the hook.
//
//go:noinline
func (p *Port) enteredOutput(pkt *sluice.Packet) sluice.Verdict {
	if p.role == Up {
		p.owner.upBytes += pkt.Size
	}
	if p.iq.OutputBacklog() > p.pauseLeast && pkt.Ingress != sluice.Local {
		p.nominate(pkt.Ingress)
	}
	return p.appended(hiq.Output)
}

// appended ends a hook that put a packet into a queue.
func (p *Port) appended(q sluice.QueueID) sluice.Verdict {
	if p.iq.Waits() {
		p.park()
	}
	return p.owner.answer(sluice.AppendToQueue(q))
}

// mayMeet returns the hops of a path, after the first, that may be a root with an IQ here: bit i is
// hop i.
func (p *Port) mayMeet(path *sluice.Path) (hops uint8) {
	filter, bit := &p.filter, uint8(1<<1)
	for i, n := 1, path.Len(); i < n; i++ {
		if filter.has(path.At(i).Key()) {
			hops |= bit
		}
		bit <<= 1
	}
	return hops
}

// match searches hops of a path for the root whose IQ comes next after a place in the order;
// negative if there is none. last says that none comes after this root. The order is from near to
// far: wherever all know the same distances, the first is the nearest root that this port has an IQ
// for (section IV-C).
func (p *Port) match(path *sluice.Path, after uint32, hops uint8) (r int, last bool) {
	best := uint32(math.MaxUint32)
	r = noRoot
	for ; hops != 0; hops &= hops - 1 {
		k, ok := p.owner.table.Find(path.At(bits.TrailingZeros8(hops)).Key())
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

// move is Dequeue of any queue but the OQ. The head of an IQ goes on to the next queue of its way.
//
//go:noinline
func (p *Port) move(now sluice.Time, q sluice.QueueID, pkt *sluice.Packet) sluice.Verdict {
	s := p.owner
	if s.single || int(q) >= p.iq.Queues() {
		return p.sendOther(now, q, pkt)
	}
	r, size := int(pkt.Note&noteRoot), pkt.Size
	if r >= len(s.roots) || !s.comesBy(pkt.Ingress) {
		return p.misuse(now)
	}
	u, bytes := p.waiting(r, pkt.Ingress)
	if *bytes < size {
		return p.misuse(now)
	}
	if !p.iq.Take(s.later(now), q, r, size) {
		return p.misuse(now)
	}
	s.clock.Advance(now)
	*bytes -= size
	p.moved++
	if s.byQueue || u.state == PausedUpstream {
		p.leftIQ(r, pkt.Ingress)
	}
	if p.done(r) {
		s.touch(r)
	}
	if p.goesOn(pkt.Note) {
		return p.placeBeyond(p.iq.Order(r), pkt, p.mayMeet(&pkt.Path))
	}
	return p.placeInOutput(pkt)
}

// filter is one cache line that distinguishes hops that may be a root with an IQ at a port from
// most other hops: a bit for each of 512 hash values (Bloom: Space/time trade-offs in hash coding
// with allowable errors, 1970, with one hash). With 32 roots one hop in 16 is looked up in vain.
type filter [8]uint64

func (f *filter) bit(key uint64) uint64 { return key * 0x9e3779b97f4a7c15 >> 55 }

func (f *filter) add(key uint64) {
	i := f.bit(key)
	f[i>>6] |= 1 << (i & 63)
}

// has reports whether a key may have been added.
func (f *filter) has(key uint64) bool {
	i := f.bit(key)
	return f[i>>6]>>(i&63)&1 != 0
}

func (p *Port) isolate(r int) {
	k := &p.owner.roots[r]
	p.roots.Add(r)
	p.filter.add(k.hop.Key())
	p.isolated++
	p.era++
	k.iqs++
	k.egress.Add(int(p.id))
}

// release notes that root r has none any more. Linear in the roots that have.
func (p *Port) release(r int) {
	k := &p.owner.roots[r]
	p.roots.Remove(r)
	p.setFar(r, false)
	p.filter = filter{}
	for other := p.roots.Next(0); other >= 0; other = p.roots.Next(other + 1) {
		p.filter.add(p.owner.roots[other].hop.Key())
	}
	p.isolated--
	k.iqs--
	k.egress.Remove(int(p.id))
}
