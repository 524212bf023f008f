package pyrrha

import "github.com/sluicefc/sluice/hiq"

// touch notes that something about root r changed for which an IQ of it may be freed, or the root
// forgotten. The hook looks at each root it touched once, at its end.
func (s *Switch) touch(r int) { s.touched.Add(r) }

// settle frees the IQs and forgets the roots that nothing needs any more. Freeing an IQ can touch
// the root that it merged into.
func (s *Switch) settle() {
	for r := s.touched.Next(0); r >= 0; r = s.touched.Next(0) {
		s.touched.Remove(r)
		k := &s.roots[r]
		for e := k.egress.Next(0); e >= 0; e = k.egress.Next(e + 1) {
			if p := &s.ports[e]; p.done(r) {
				p.giveUp(r)
			}
		}
		if k.tree == 0 {
			s.recede(r)
			s.forgetIfUnused(r)
		}
	}
}

// done reports whether nothing needs the IQ of root r at this port: it is empty, and
// soft-merging, or resumed and we are a leaf of the tree (section IV-C).
func (p *Port) done(r int) bool {
	return p.iq.Freeable(r) && (p.iq.State(r) != hiq.Resumed || !p.waitsForTree(r))
}

// waitsForTree reports whether the IQ of root r at this port is kept until every upstream has
// left the tree. IQs farther from the root than the nearest of this switch are not. So along a
// chain of switches that wait for each other the distance grows, and no circle of paths, and no
// MERGE that was passed round one, makes them wait for ever.
func (p *Port) waitsForTree(r int) bool {
	return p.owner.roots[r].tree > 0 && !p.far.Has(r)
}

// giveUp frees the IQ of root r at this port. A parent that lists us in the tree is told.
func (p *Port) giveUp(r int) {
	s := p.owner
	leaves := p.iq.State(r) == hiq.Resumed
	into, _ := p.iq.Free(r)
	p.release(r)
	p.paused.Remove(r)
	p.floor = p.peer.Heard.Latest(p.floor, p.heard[r].mark)
	if leaves && p.role != NIC {
		p.owe(&p.leaving, r, true)
	}
	if into >= 0 {
		s.touch(into)
	}
}

func (p *Port) touchDone() {
	for r := p.roots.Next(0); r >= 0; r = p.roots.Next(r + 1) {
		if p.done(r) {
			p.owner.touch(r)
		}
	}
}

// forgetIfUnused takes a root of another switch out of the table when nothing here concerns it any
// more.
func (s *Switch) forgetIfUnused(r int) {
	k := &s.roots[r]
	if r >= s.remotes || k.known() || k.frames > 0 || s.unused.Has(r) {
		return
	}
	s.table.Remove(k.hop.Key())
	s.unused.Add(r)
	s.known--
}
