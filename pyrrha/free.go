package pyrrha

import (
	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/hiq"
)

// touch notes that something about root r changed for which an IQ of it may be freed, or the root
// forgotten. The hook looks at each root it touched once, at its end.
func (s *Switch) touch(r int) { s.touched.Add(r) }

// freeUnused frees the IQs and forgets the roots that nothing needs any more. Freeing an IQ can
// touch the root that it merged into.
func (s *Switch) freeUnused() {
	for r := s.touched.Next(0); r >= 0; r = s.touched.Next(0) {
		s.touched.Remove(r)
		k := &s.roots[r]
		for e := k.egress.Next(0); e >= 0; e = k.egress.Next(e + 1) {
			if p := &s.ports[e]; p.done(r) {
				p.freeIQ(r)
			}
		}
		if k.tree == 0 {
			s.clearFar(r)
			s.forgetIfUnused(r)
		}
	}
}

// done reports whether nothing needs the IQ of root r at this port: it is empty, and
// soft-merging, or resumed and we are a leaf of the tree (section IV-C).
func (p *Port) done(r int) bool {
	return !p.kept(r) && p.iq.Freeable(r)
}

// kept reports whether the IQ of root r at this port is resumed, and the tree is what keeps it.
func (p *Port) kept(r int) bool { return p.iq.State(r) == hiq.Resumed && p.waitsForTree(r) }

// waitsForTree reports whether the IQ of root r at this port is kept until every upstream has
// left the tree. IQs farther from the root than the nearest of this switch are not. So along a
// chain of switches that wait for each other the distance grows, and no circle of paths, and no
// MERGE that was passed round one, makes them wait for ever.
func (p *Port) waitsForTree(r int) bool {
	return p.owner.roots[r].tree > 0 && !(p.detour && p.far.Has(r))
}

// freeIQ frees the IQ of root r at this port, and owes DEALLOC to a parent that lists us in the
// tree.
func (p *Port) freeIQ(r int) {
	s := p.owner
	leaves := p.iq.State(r) == hiq.Resumed
	into, _ := p.iq.Free(r)
	p.release(r)
	p.floor = p.peer.Heard.Latest(p.floor, p.heard[r].mark)
	if leaves && p.role != NIC {
		p.setPending(&p.leaving, r, true)
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
	if r >= s.remotes || k.known() || k.frames > 0 {
		return
	}
	s.table.Remove(k.hop.Key())
	k.hop, k.level = sluice.Hop{}, 0
	s.unused.Add(r)
	s.known--
}

// The chain of buffers of a paused IQ ends at an OQ (section VII) if every link of the chain leads
// nearer to the root. Routes may go round in a circle without passing the root, or have done so
// when packets were queued. Then switches know one root at several distances, and wait for each
// other: each keeps the one before it paused for packets that the one after it holds. So the IQs of
// a root that are farther from it than the nearest of their switch are called far. They pause no
// upstream and keep none paused: their packets are on a detour. Where all paths of a switch to a
// root are equally long none is far.
//
// A switch sends its upstreams a distance of one more than its own. That may shrink while they are
// in the tree, and does not grow: the queues that they wait for are nearer than they are.

// waiting returns an ingress port as a child of root r, and the account of the bytes that came in
// by it and wait for the root at this port.
func (p *Port) waiting(r int, ingress sluice.PortID) (*upstream, *sluice.Bytes) {
	row := p.owner.row(r, ingress)
	u := &p.owner.upstreams[row]
	if p.detour && p.far.Has(r) {
		return u, &p.owner.detours[row]
	}
	return u, &u.bytes
}

// waitsBy returns all that waits for a root and came in by an ingress, which row says.
func (s *Switch) waitsBy(row int) sluice.Bytes { return s.upstreams[row].bytes + s.detours[row] }

// setFar notes whether the IQ of root r at this port is far.
func (p *Port) setFar(r int, far bool) {
	p.far.Put(r, far)
	p.detour = !p.far.Empty()
}

// markFar makes all IQs of root r far, for a port has got an IQ that is nearer.
func (s *Switch) markFar(r int, level uint8) {
	k := &s.roots[r]
	k.level = level
	for e := k.egress.Next(0); e >= 0; e = k.egress.Next(e + 1) {
		s.ports[e].setFar(r, true)
	}
	row := s.row(r, 0)
	for i := range len(s.ports) + 1 {
		u := &s.upstreams[row+i]
		s.detours[row+i] += u.bytes
		u.bytes = 0
		if u.state == PausedUpstream {
			s.resumeUpstream(r, sluice.PortID(i))
		}
	}
}

// clearFar makes equally far IQs of root r near, if none is nearer any more. The tree is empty, so
// no upstream relies on the old distance.
func (s *Switch) clearFar(r int) {
	k := &s.roots[r]
	if k.iqs == 0 || r >= s.remotes {
		return
	}
	first := k.egress.Next(0)
	level := s.ports[first].iq.Level(r)
	for e := first; e >= 0; e = k.egress.Next(e + 1) {
		if p := &s.ports[e]; p.iq.Level(r) != level || !p.far.Has(r) {
			return
		}
	}
	k.level = uint8(level)
	for e := first; e >= 0; e = k.egress.Next(e + 1) {
		s.ports[e].setFar(r, false)
	}
	row := s.row(r, 0)
	for i := range len(s.ports) + 1 {
		s.upstreams[row+i].bytes += s.detours[row+i]
		s.detours[row+i] = 0
	}
}
