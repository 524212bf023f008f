package hiq

import (
	"github.com/sluicefc/sluice"
)

// Single tier: one IQ per set of roots. A packet waits in the IQ of the set of roots on its path,
// and goes from there to the wire. The IQ is held while a root of the set is paused, and until the
// order of its flows allows it to go.
//
// When the IQs are used up, further sets spill into the last one, kept for that. Packets there are
// accounted to the nearest root only. Hashing a set onto the IQ of another, as a root onto one of
// its level, could make two IQs wait for each other; for the same reason no IQ is assigned while
// the last one has packets.

// Place is a set, or a root in the spill, for which a packet waits in a single tier. The owner
// keeps it with the packet and passes it to TakeSet.
type Place uint32

const spillPlace Place = 1 << 31

// PutSet adds a packet of size bytes to the IQ of a set of 1 to MaxLevels different roots, nearest
// first, none of them unassigned. It returns the IQ, and what the owner must keep for TakeSet.
// Constant in the number of IQs; a new set costs a look-up for each of its subsets while packets
// wait from before the youngest root.
func (p *Port) PutSet(roots []uint16, size sluice.Bytes) (sluice.QueueID, Place) {
	s := p.sets
	var sorted [MaxLevels]uint16
	n := copy(sorted[:], roots)
	hash := sortRoots(sorted[:n])
	record := s.find(sorted[:n], hash)
	if record == noRoot {
		if record = p.newSet(sorted[:n], hash); record == noRoot {
			return p.putSpill(roots[0], sorted[:n], size)
		}
	}
	for _, root := range sorted[:n] {
		p.claims[root].bytes += size
	}
	s.records[record].enqueued++
	p.add(sluice.QueueID(record), &p.queues[record], size)
	return sluice.QueueID(record), Place(record)
}

// TakeSet removes the head of IQ q, put there with place: it goes to the wire. False, and no
// change, if that IQ cannot hold such a packet.
func (p *Port) TakeSet(q sluice.QueueID, place Place, size sluice.Bytes) bool {
	if int(q) >= len(p.queues) || !p.queues[q].canHold(size) || !p.fits(q, place, size) {
		return false
	}
	for _, root := range p.RootsOf(place) {
		p.claims[root].bytes -= size
	}
	k := &p.queues[q]
	k.bytes -= size
	k.packets--
	p.counts.Moved++
	if k.packets > 0 {
		p.charge(q, k, size)
	} else {
		p.chargeLast(q, k, size)
	}
	if p.sets.records[q].behind > 0 {
		p.counts.Overtakes++
	}
	p.left(int(q))
	if k.packets == 0 {
		p.endSet(int(q))
	}
	return true
}

// fits reports whether a packet of size bytes put with place can be in IQ q.
func (p *Port) fits(q sluice.QueueID, place Place, size sluice.Bytes) bool {
	spill := p.sets.spill()
	if place&spillPlace != 0 {
		if root := int(place &^ spillPlace); int(q) != spill || root >= len(p.claims) {
			return false
		}
	} else if int(place) != int(q) || int(q) == spill {
		return false
	}
	for _, root := range p.RootsOf(place) {
		if size > p.claims[root].bytes {
			return false
		}
	}
	return true
}

// Opened reports whether an IQ that waited for others waits no longer, since it was asked last.
func (p *Port) Opened() bool {
	if p.sets == nil || !p.sets.opened {
		return false
	}
	p.sets.opened = false
	return true
}

// HeldByOthers reports whether the IQ of a set that has a root is held by another root of the set,
// which is paused; in hierarchical queues false. Linear in the sets that have the root.
func (p *Port) HeldByOthers(root int) bool {
	return p.sets != nil && p.partner(root, 0, func(other int) bool {
		return p.claims[other].state == Paused
	}) >= 0
}

// NextPartner returns the least root, at or after from, that shares a set with a root; -1 if there
// is none. Linear in the sets that have the root.
func (p *Port) NextPartner(root, from int) int {
	if p.sets == nil {
		return noRoot
	}
	return p.partner(root, from, func(int) bool { return true })
}

func (p *Port) partner(root, from int, chosen func(other int) bool) int {
	least := noRoot
	with := &p.sets.byRoot[root]
	for i := with.Next(0); i >= 0; i = with.Next(i + 1) {
		r := &p.sets.records[i]
		for _, member := range r.roots[:r.size] {
			if other := int(member); other != root && other >= from && (least < 0 || other < least) &&
				chosen(other) {
				least = other
			}
		}
	}
	return least
}

// RootsOf returns the roots that a packet put with place is accounted to. The slice is valid until
// the next call of a method that is not a getter.
func (p *Port) RootsOf(place Place) []uint16 {
	if place&spillPlace != 0 {
		p.sets.one[0] = uint16(place)
		return p.sets.one[:]
	}
	if int(place) >= len(p.sets.records) {
		return nil
	}
	r := &p.sets.records[place]
	return r.roots[:r.size]
}

// Spilled reports whether packets wait in the IQ that is kept for sets without one.
func (p *Port) Spilled() bool { return p.sets != nil && p.queues[p.sets.spill()].packets > 0 }

func (p *Port) newSet(roots []uint16, hash uint64) int {
	record := p.unused.Next(1)
	if record == noRoot || p.Spilled() {
		return noRoot
	}
	p.take(record, 0)
	p.queues[record].owners = 1
	p.sets.enter(record, roots, hash)
	p.begin(record)
	for _, root := range roots {
		if p.claims[root].state == Paused {
			p.hold(sluice.QueueID(record))
		}
	}
	p.waitForSubsets(record, roots)
	return record
}

func (p *Port) putSpill(nearest uint16, roots []uint16, size sluice.Bytes) (sluice.QueueID, Place) {
	s := p.sets
	record := s.spill()
	q := sluice.QueueID(record)
	if p.queues[q].packets == 0 {
		p.queues[q].owners = 1
		p.countUse(1)
	}
	p.counts.Shared++
	for _, root := range roots {
		if !s.union.Has(int(root)) {
			s.union.Add(int(root))
			if p.claims[root].state == Paused {
				p.hold(q)
			}
		}
	}
	p.waitForSubsets(record, roots)
	p.claims[nearest].bytes += size
	s.records[record].enqueued++
	p.add(q, &p.queues[q], size)
	return q, spillPlace | Place(nearest)
}

// begin starts the account of a record whose IQ was assigned. The OQ takes turns with the first.
func (p *Port) begin(record int) {
	r := &p.sets.records[record]
	r.enqueued, r.dequeued, r.barrier = 0, 0, 0
	if p.oq.packets > 0 && p.counts.InUse == 1 {
		p.schedule(Output, &p.oq)
	}
}

func (p *Port) endSet(record int) {
	s := p.sets
	if s.records[record].behind > 0 {
		p.forgetWaits(record)
	}
	p.queues[record].owners, p.queues[record].held = 0, 0
	if record == s.spill() {
		s.union.Clear()
		p.countUse(-1)
	} else {
		s.leave(record)
		p.giveBack(record)
	}
	if p.counts.InUse == 0 {
		p.withdraw(Output, &p.oq)
	}
}

func (p *Port) enteredOutput() {
	p.sets.records[Output].enqueued++
	if p.counts.InUse > 0 && p.oq.packets == 1 {
		p.schedule(Output, &p.oq)
	}
}

func (p *Port) leftOutput(size sluice.Bytes) {
	if p.counts.InUse > 0 {
		if p.oq.packets > 0 {
			p.charge(Output, &p.oq, size)
		} else {
			p.chargeLast(Output, &p.oq, size)
		}
	}
	p.left(int(Output))
}
