package pyrrha

import (
	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/bitset"
)

// PollFrame fills f with the next frame to send and returns the port it leaves by; false if none is pending. Ports
// take turns. At one port a MERGE goes before a PAUSE or RESUME, so that of two frames about one root the later
// carries its state.
func (s *Switch) PollFrame(now sluice.Time, f *Frame) (sluice.PortID, bool) {
	s.now = max(s.now, now)
	i := s.pending.NextCyclic(s.cursor)
	if i < 0 {
		return 0, false
	}
	s.cursor = i + 1
	if s.cursor == len(s.ports) {
		s.cursor = 0
	}
	p := &s.ports[i]
	p.sequence++
	*f = Frame{Sequence: p.sequence, Source: s.mac}
	if r := p.merging.Next(0); r >= 0 {
		s.buildMerge(p, r, f)
	} else if r := p.changed.Next(0); r >= 0 {
		s.buildState(p, r, f)
	} else {
		s.buildDealloc(p, p.leaving.Next(0), f)
	}
	s.settlePending(p)
	return p.id, true
}

func (s *Switch) buildMerge(p *Port, old int, f *Frame) {
	p.merging.Remove(old)
	u := s.upstream(old, p.id)
	into := int(u.into)
	for p.merging.Has(into) { // it merged on before we came to tell
		into = int(s.upstream(into, p.id).into)
	}
	f.Type = Merge
	f.Old, f.Root, f.Hop = s.roots[old].hop, s.roots[into].hop, s.roots[into].level+1
	s.counts.Sent[Merge]++
	s.unpend(int(u.into))
	s.unpend(old)
}

func (s *Switch) buildState(p *Port, r int, f *Frame) {
	p.changed.Remove(r)
	f.Root = s.roots[r].hop
	if s.upstream(r, p.id).state == PausedUpstream {
		f.Type, f.Hop = Pause, s.roots[r].level+1
	} else {
		f.Type = Resume
	}
	s.counts.Sent[f.Type]++
	s.unpend(r)
}

func (s *Switch) buildDealloc(p *Port, r int, f *Frame) {
	f.Type = Dealloc
	s.counts.Sent[Dealloc]++
	if r < 0 {
		f.Root, p.answers = p.answer, false
		return
	}
	p.leaving.Remove(r)
	f.Root = s.roots[r].hop
	s.unpend(r)
}

// pend notes a frame about root r that port p owes; which is the set it belongs to.
func (s *Switch) pend(which *bitset.Set, r int, p *Port) {
	if which.Has(r) {
		return
	}
	which.Add(r)
	s.roots[r].frames++
	s.pending.Add(int(p.id))
	s.wake |= sluice.WakeFrames
}

// cancel takes back what pend noted, if it is still pending.
func (s *Switch) cancel(which *bitset.Set, r int, p *Port) {
	if !which.Has(r) {
		return
	}
	which.Remove(r)
	s.settlePending(p)
	s.unpend(r)
}

// settlePending takes a port that owes no frame out of the set of those that do.
func (s *Switch) settlePending(p *Port) {
	if p.merging.Empty() && p.changed.Empty() && p.leaving.Empty() && !p.answers {
		s.pending.Remove(int(p.id))
	}
}

// unpend notes that a frame about root r is no longer pending.
func (s *Switch) unpend(r int) {
	s.roots[r].frames--
	s.forgetIfUnused(r)
}
