package hiq

import (
	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/bitset"
	"github.com/sluicefc/sluice/internal/prng"
)

// Single tier: one IQ a set of roots. A packet waits in the IQ of the set of roots on its path
// and then goes to the OQ. The IQ is held while a root of the set is paused.
//
// Order needs one thing more. When a root appears, flows that wait in the IQ of a set continue in
// the IQ of a larger one, and once all have resumed nothing but a rule keeps the second from
// being served first. The rule: a new IQ is held until what waited in the IQs of smaller sets,
// all of whose roots are its own too, has left. (Sets shrink only by a root that is freed, and a
// root is freed only when nothing waits for it.) This holds no flow for a root off its path.
//
// When the IQs are used up, further sets spill into the last one, kept for that. Packets there
// are accounted to the nearest root only. Hashing a set onto the IQ of another, as a root onto
// one of its level, could make two IQs wait for each other; for the same reason no IQ is assigned
// while the last one has packets.
type sets struct {
	records []set        // by QueueID-1; the last one is the spill
	heads   []int32      // by hash: first record, noRoot if none
	byRoot  []bitset.Set // by root: records of sets that have it
	union   bitset.Set   // roots of the spill
	one     [1]uint16
}

// set is a set of roots whose packets wait.
type set struct {
	roots [MaxLevels]uint16 // ascending
	size  int
	hash  uint64
	next  int32 // with the same head

	enqueued, dequeued uint32     // packets, modulo 2^32
	waiters, later     bitset.Set // records to be released when dequeued reaches mark, laterMark
	mark, laterMark    uint32
}

// Place says for what a packet waits in a single tier: a set, or a root in the spill. The owner
// keeps it with the packet and gives it back to TakeSet.
type Place uint32

const spillPlace Place = 1 << 31

func newSets(iqs, roots int) *sets {
	heads := 16
	for heads < 2*iqs {
		heads *= 2
	}
	s := &sets{
		records: make([]set, iqs),
		heads:   make([]int32, heads),
		byRoot:  make([]bitset.Set, roots),
		union:   bitset.New(roots),
	}
	for i := range s.records {
		s.records[i].waiters, s.records[i].later = bitset.New(iqs), bitset.New(iqs)
	}
	for i := range s.heads {
		s.heads[i] = noRoot
	}
	for i := range s.byRoot {
		s.byRoot[i] = bitset.New(iqs)
	}
	return s
}

// PutSet adds a packet of size bytes to the IQ of a set of 1 to MaxLevels different roots,
// nearest first, none of them unassigned. It returns the IQ, and what the owner must keep for
// TakeSet. Constant in the number of IQs; a new set costs a look-up for each of its subsets.
func (p *Port) PutSet(roots []uint16, size sluice.Bytes) (sluice.QueueID, Place) {
	s := p.sets
	var sorted [MaxLevels]uint16
	n := copy(sorted[:], roots)
	hash := sortRoots(sorted[:n])
	record := s.find(sorted[:n], hash)
	if record < 0 {
		if record = p.newSet(sorted[:n], hash); record < 0 {
			return p.spill(roots, sorted[:n], size)
		}
	}
	for _, root := range sorted[:n] {
		p.claims[root].bytes += size
	}
	s.records[record].enqueued++
	q := sluice.QueueID(record + 1)
	p.add(q, size)
	return q, Place(record)
}

// TakeSet removes the head of IQ q, put there with place. False, and no change, if that IQ cannot
// hold such a packet.
func (p *Port) TakeSet(now sluice.Time, q sluice.QueueID, place Place, size sluice.Bytes) bool {
	if int(q) >= len(p.queues) || !p.queues[q].canHold(size) || !p.fits(q, place, size) {
		return false
	}
	for _, root := range p.RootsOf(place) {
		p.claims[root].bytes -= size
	}
	p.remove(now, q, size)
	if p.queues[q].packets == 0 {
		p.endSet(int(q) - 1)
		return true
	}
	r := &p.sets.records[q-1]
	r.dequeued++
	p.pass(r)
	return true
}

// fits reports whether a packet of size bytes put with place can be in IQ q.
func (p *Port) fits(q sluice.QueueID, place Place, size sluice.Bytes) bool {
	if place&spillPlace != 0 {
		if root := int(place &^ spillPlace); int(q) != len(p.sets.records) || root >= len(p.claims) {
			return false
		}
	} else if int(place) != int(q)-1 || int(q) == len(p.sets.records) {
		return false
	}
	for _, root := range p.RootsOf(place) {
		if c := &p.claims[root]; c.state == Unassigned || size > c.bytes {
			return false
		}
	}
	return true
}

// HeldByOthers reports whether the IQ of a set that has a root is held by another root of the
// set, which is paused; in hierarchical queues false. Linear in the sets that have the root.
func (p *Port) HeldByOthers(root int) bool {
	return p.sets != nil && p.partner(root, 0, func(other int) bool { return p.claims[other].state == Paused }) >= 0
}

// NextPartner returns the least root, at or after from, that shares a set with a root; -1 if
// there is none. Linear in the sets that have the root.
func (p *Port) NextPartner(root, from int) int {
	if p.sets == nil {
		return -1
	}
	return p.partner(root, from, func(int) bool { return true })
}

func (p *Port) partner(root, from int, chosen func(other int) bool) int {
	least := -1
	with := &p.sets.byRoot[root]
	for i := with.Next(0); i >= 0; i = with.Next(i + 1) {
		r := &p.sets.records[i]
		for _, member := range r.roots[:r.size] {
			if other := int(member); other != root && other >= from && (least < 0 || other < least) && chosen(other) {
				least = other
			}
		}
	}
	return least
}

// RootsOf returns the roots that a packet put with place is accounted to. The slice is valid
// until the next call of a method that is not a getter.
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
func (p *Port) Spilled() bool { return p.sets != nil && p.queues[len(p.sets.records)].packets > 0 }

// newSet assigns an IQ to a set; negative if none is to be had.
func (p *Port) newSet(roots []uint16, hash uint64) int {
	s := p.sets
	q := p.unused.Next(1)
	if q < 0 || p.Spilled() {
		return noRoot
	}
	p.take(q, 1)
	p.queues[q].owners = 1
	record := q - 1
	r := &s.records[record]
	r.size, r.hash = copy(r.roots[:], roots), hash
	r.enqueued, r.dequeued = 0, 0
	head := &s.heads[hash&uint64(len(s.heads)-1)]
	r.next, *head = *head, int32(record)
	for _, root := range roots {
		s.byRoot[root].Add(record)
		if p.claims[root].state == Paused {
			p.hold(sluice.QueueID(q))
		}
	}
	p.queueBehindSubsets(record, roots)
	return record
}

// spill puts a packet into the last IQ.
func (p *Port) spill(path, roots []uint16, size sluice.Bytes) (sluice.QueueID, Place) {
	s := p.sets
	record := len(s.records) - 1
	q := sluice.QueueID(record + 1)
	if p.queues[q].packets == 0 {
		p.queues[q].owners = 1
		p.counts.InUse++
		p.counts.MaxInUse = max(p.counts.MaxInUse, p.counts.InUse)
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
	p.queueBehindSubsets(record, roots)
	p.claims[path[0]].bytes += size
	p.add(q, size)
	return q, spillPlace | Place(path[0])
}

// queueBehindSubsets holds a record until what now waits in the IQs of the proper subsets of
// roots has left.
func (p *Port) queueBehindSubsets(record int, roots []uint16) {
	s := p.sets
	var subset [MaxLevels]uint16
	for mask := 1; mask < 1<<len(roots)-1; mask++ {
		n, hash := 0, uint64(0)
		for i, root := range roots {
			if mask>>i&1 != 0 {
				subset[n] = root
				n++
				hash += prng.Mix(uint64(root) + 1)
			}
		}
		before := s.find(subset[:n], hash)
		if before < 0 {
			continue
		}
		r := &s.records[before]
		switch {
		case r.waiters.Empty():
			r.mark = r.enqueued
			r.waiters.Add(record)
		case r.later.Has(record):
			r.laterMark = r.enqueued
			continue
		default:
			r.laterMark = r.enqueued
			r.later.Add(record)
		}
		p.hold(sluice.QueueID(record + 1))
	}
}

// pass releases who waited for packets of r that have left. Late-comers wait for a second mark,
// so that a stream of them cannot put off the first.
func (p *Port) pass(r *set) {
	for !r.waiters.Empty() && int32(r.dequeued-r.mark) >= 0 {
		p.releaseWaiters(&r.waiters)
		r.waiters, r.later = r.later, r.waiters
		r.mark = r.laterMark
	}
}

func (p *Port) releaseWaiters(waiters *bitset.Set) {
	for w := waiters.Next(0); w >= 0; w = waiters.Next(w + 1) {
		waiters.Remove(w)
		p.release(sluice.QueueID(w + 1))
	}
}

// endSet frees an empty IQ.
func (p *Port) endSet(record int) {
	s := p.sets
	r := &s.records[record]
	q := record + 1
	p.releaseWaiters(&r.waiters)
	p.releaseWaiters(&r.later)
	if p.queues[q].held > 0 { // its last packet was taken against the rule
		p.queues[q].held = 0
		for i := range s.records {
			s.records[i].waiters.Remove(record)
			s.records[i].later.Remove(record)
		}
	}
	p.queues[q].owners = 0
	if q == len(s.records) {
		for root := s.union.Next(0); root >= 0; root = s.union.Next(root + 1) {
			s.union.Remove(root)
		}
		p.counts.InUse--
		return
	}
	for _, root := range r.roots[:r.size] {
		s.byRoot[root].Remove(record)
	}
	link := &s.heads[r.hash&uint64(len(s.heads)-1)]
	for int(*link) != record {
		link = &s.records[*link].next
	}
	*link = r.next
	p.giveBack(q)
}

// holdSets holds the IQs of the sets that have root, which was paused.
func (p *Port) holdSets(root int) {
	s := p.sets
	for record := s.byRoot[root].Next(0); record >= 0; record = s.byRoot[root].Next(record + 1) {
		p.hold(sluice.QueueID(record + 1))
	}
	if s.union.Has(root) {
		p.hold(sluice.QueueID(len(s.records)))
	}
}

// releaseSets undoes holdSets.
func (p *Port) releaseSets(root int) {
	s := p.sets
	for record := s.byRoot[root].Next(0); record >= 0; record = s.byRoot[root].Next(record + 1) {
		p.release(sluice.QueueID(record + 1))
	}
	if s.union.Has(root) {
		p.release(sluice.QueueID(len(s.records)))
	}
}

// spilled reports whether packets in the spill may have root on their path.
func (s *sets) spilled(root int) bool { return s.union.Has(root) }
