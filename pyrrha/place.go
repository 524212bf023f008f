package pyrrha

import (
	"math"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/hiq"
)

// A packet comes into a queue in three steps: it is placed, which names the roots that it waits
// for; it is accounted, to its queue, its roots and its ingress; and what that changes is
// signalled to the upstream that it came from.

// placeBeyond puts a packet into the IQ that comes next after a place in the order, or into the OQ.
func (p *Port) placeBeyond(order uint32, pkt *sluice.Packet, size sluice.Bytes) sluice.QueueID {
	r, last := p.match(&pkt.Path, order)
	if r < 0 {
		p.putOutput(pkt.Ingress, size)
		return hiq.Output
	}
	pkt.Note = p.note(r, last)
	q := p.iq.Put(r, size)
	if p.enteredIQ(r, pkt.Ingress, size) {
		p.pauseAsChild(r, pkt.Ingress)
	}
	return q
}

func (p *Port) putOutput(ingress sluice.PortID, size sluice.Bytes) {
	p.iq.PutOutput(size)
	if p.role == Up || p.iq.OutputBacklog() > p.pauseLeast {
		p.enteredOutput(ingress, size)
	}
}

// enteredOutput accounts a packet in the OQ, and nominates this port as a congestion root when that
// is above K_pause.
func (p *Port) enteredOutput(ingress sluice.PortID, size sluice.Bytes) {
	if p.role == Up {
		p.owner.upBytes += size
	}
	if p.iq.OutputBacklog() > p.pauseLeast && ingress != sluice.Local {
		p.nominate(ingress)
	}
}

// match searches a path for the root whose IQ comes next after a place in the order; negative if
// there is none. last says that none comes after this root. The order is from near to far: wherever
// all know the same distances, the first is the nearest root that this port has an IQ for (section
// IV-C).
func (p *Port) match(path *sluice.Path, after uint32) (r int, last bool) {
	filter, best := &p.filter, uint32(math.MaxUint32)
	r = noRoot
	for i, hops := 1, path.Len(); i < hops; i++ {
		key := path.At(i).Key()
		if !filter.has(key) {
			continue
		}
		k, ok := p.owner.table.Find(key)
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

func (p *Port) move(
	now sluice.Time, q sluice.QueueID, pkt *sluice.Packet, size sluice.Bytes,
) sluice.Verdict {
	s := p.owner
	r := int(pkt.Note & noteRoot)
	if r >= len(s.roots) {
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
	if s.byQueue || u.state == PausedUpstream {
		p.leftIQ(r, pkt.Ingress)
	}
	if p.done(r) {
		s.touch(r)
	}
	to := hiq.Output
	if p.goesOn(pkt.Note) {
		to = p.placeBeyond(p.iq.Order(r), pkt, size)
	} else {
		p.putOutput(pkt.Ingress, size)
	}
	if p.iq.Waits() {
		p.park()
	}
	p.moved++
	v := sluice.AppendToQueue(to)
	if s.quiet() {
		return v
	}
	return s.answer(v)
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
