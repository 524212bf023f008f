package hiq

import (
	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/bitset"
	"github.com/sluicefc/sluice/internal/prng"
)

// The order of a single tier. When a root appears, flows that wait in the IQ of a set, or in the
// OQ, continue in the IQ of a larger set, and only a rule keeps that from being served first. The
// rule: a new set is held until the packets that its subsets' IQs and the OQ had when the youngest
// root appeared have left. Later packets knew every root, so none of them is of a flow that the new
// set's packets belong to. (Sets shrink only by a root that is freed, and a root is freed only when
// nothing waits for it.) This holds no flow for a root off its path: a root that holds a subset
// holds the set too.

// appeared notes that a root appeared: packets that wait now are from before. Linear in the IQs in
// use. The spill is a subset of no other set.
func (p *Port) appeared() {
	p.sets.records[Output].fence(p.sets)
	inUse := &p.members[0]
	for record := inUse.Next(1); record >= 0; record = inUse.Next(record + 1) {
		p.sets.records[record].fence(p.sets)
	}
}

// fence notes that the packets of a record are from before the youngest root.
func (r *set) fence(s *sets) {
	if r.drained() && r.enqueued != r.dequeued {
		s.unsettled++
	}
	r.barrier = r.enqueued
}

// drained reports whether nothing is left from before the youngest root.
func (r *set) drained() bool { return r.barrier == r.dequeued }

// left notes that a packet left a record, and lets the records go that waited for it.
func (p *Port) left(record int) {
	r := &p.sets.records[record]
	before := r.drained()
	r.dequeued++
	if before {
		r.barrier = r.dequeued
		return
	}
	if r.drained() {
		p.sets.unsettled--
	}
	for (!r.waiters.Empty() || !r.later.Empty()) && int32(r.dequeued-r.mark) >= 0 {
		p.endWaits(&r.waiters)
		r.waiters, r.later = r.later, r.waiters
		r.mark = r.laterMark
	}
}

// waitForSubsets has a record wait for the packets of its subsets from before the youngest root.
func (p *Port) waitForSubsets(record int, roots []uint16) {
	s := p.sets
	if s.unsettled == 0 {
		return
	}
	var subset [MaxLevels]uint16
	for mask := range 1<<len(roots) - 1 {
		n, hash := 0, uint64(0)
		for i, root := range roots {
			if mask>>i&1 != 0 {
				subset[n] = root
				n++
				hash += prng.Mix(uint64(root) + 1)
			}
		}
		if before := s.find(subset[:n], hash); before >= 0 {
			p.waitFor(record, before)
		}
	}
}

// waitFor has a record wait for the packets of another from before the youngest root. Late-comers
// wait for a second mark, so that a stream of them cannot put off the first.
func (p *Port) waitFor(record, before int) {
	r := &p.sets.records[before]
	switch {
	case r.drained():
		return
	case r.waiters.Empty():
		r.mark = r.barrier
		fallthrough
	case r.mark == r.barrier:
		if r.waiters.Has(record) {
			return
		}
		r.waiters.Add(record)
	default:
		r.laterMark = r.barrier
		if r.later.Has(record) {
			return
		}
		r.later.Add(record)
	}
	p.sets.records[record].behind++
	if !p.sets.unordered {
		p.hold(sluice.QueueID(record))
	}
}

// endWaits lets records go that waited for another.
func (p *Port) endWaits(waiters *bitset.Set) {
	for w := waiters.Next(0); w >= 0; w = waiters.Next(w + 1) {
		waiters.Remove(w)
		p.sets.records[w].behind--
		if !p.sets.unordered {
			p.release(sluice.QueueID(w))
			p.sets.opened = true
		}
	}
}

// behind returns how often an IQ is held by the order of flows.
func (p *Port) behind(q sluice.QueueID) int32 {
	if p.sets == nil || p.sets.unordered {
		return 0
	}
	return int32(p.sets.records[q].behind)
}

// forgetWaits ends whatever a record waits for: its last packet was taken against the rule.
func (p *Port) forgetWaits(record int) {
	for i := range p.sets.records {
		for _, waiters := range []*bitset.Set{&p.sets.records[i].waiters, &p.sets.records[i].later} {
			if waiters.Has(record) {
				waiters.Remove(record)
				p.sets.records[record].behind--
			}
		}
	}
}
