package pyrrha

import "github.com/sluicefc/sluice/hiq"

// giveUpIfDone frees the IQ of root r at this port if nothing needs it: it is empty, and soft-merging, or resumed and we are a
// leaf of the tree (section IV-C). Then the parent is told.
func (p *Port) giveUpIfDone(r int) {
	s := p.owner
	for r >= 0 && p.iq.Freeable(r) {
		leaves := p.iq.State(r) == hiq.Resumed
		if leaves && p.waitsForTree(r) {
			return
		}
		into, _ := p.iq.Free(r)
		p.forget(r)
		if leaves && p.role != NIC {
			s.pend(&p.leaving, r, p)
		}
		s.forgetIfUnused(r)
		r = into
	}
}

// waitsForTree reports whether the IQ of root r at this port is kept until every upstream has left the tree. IQs
// farther from the root than the nearest of this switch are not. So along a chain of switches that wait for each other the
// distance grows, and no circle of paths, and no MERGE that was passed round one, makes them wait for ever.
func (p *Port) waitsForTree(r int) bool {
	k := &p.owner.roots[r]
	return k.tree > 0 && p.iq.Level(r) <= int(k.level)
}

// forget notes that root r has no IQ here any more.
func (p *Port) forget(r int) {
	k := &p.owner.roots[r]
	p.roots--
	p.era++
	k.iqs--
	k.egress.Remove(int(p.id))
	p.paused.Remove(r)
	if h := &p.heard[r]; h.valid && (!p.hasFloor || newer(h.sequence, p.floor)) {
		p.floor, p.hasFloor = h.sequence, true
	}
}

// giveUpAll is giveUpIfDone for every root.
func (p *Port) giveUpAll() {
	for r := range p.owner.roots {
		if p.iq.Freeable(r) {
			p.giveUpIfDone(r)
		}
	}
}

// prune frees the IQs of root r that nothing needs after p's changed, or after an upstream left the tree.
func (p *Port) prune(r int) {
	p.giveUpIfDone(r)
	p.owner.pruneLeaves(r)
}

// pruneLeaves frees the IQs of root r at all ports, as far as they are empty and we are a leaf of its tree.
func (s *Switch) pruneLeaves(r int) {
	if s.roots[r].tree > 0 {
		return
	}
	egress := &s.roots[r].egress
	for e := egress.Next(0); e >= 0; e = egress.Next(e + 1) {
		s.ports[e].giveUpIfDone(r)
	}
	s.forgetIfUnused(r)
}
