package pyrrha

import (
	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/hiq"
)

// reorderWindow is how many frames late a frame can be and still be known as such. It is far more than a link can hold, and
// so little that a root of which nothing was heard for long takes no new frame for an old one.
const reorderWindow = 1 << 16

// newer reports whether a frame with sequence number a follows one with b, modulo 2^32.
func newer(a, b uint32) bool { return b-a >= reorderWindow }

// Receive takes a control frame that came in at this port: PAUSE, RESUME and MERGE from downstream, about the queues of this
// port as an egress; DEALLOC from upstream, about this port as an ingress. A frame that names what cannot be, or
// more than the configuration has room for, is counted and ignored.
func (p *Port) Receive(now sluice.Time, f *Frame) sluice.Wake {
	s := p.owner
	s.begin(now)
	if f.Type >= Pause && f.Type <= Dealloc {
		s.counts.Received[f.Type]++
	}
	if p.role == Legacy {
		s.counts.Ignored++
		return 0
	}
	switch f.Type {
	case Pause:
		p.receivePause(f)
	case Resume:
		p.receiveResume(f)
	case Merge:
		p.receiveMerge(f)
	case Dealloc:
		p.receiveDealloc(f)
	default:
		s.counts.Malformed++
	}
	return s.finish()
}

// receivePause: "When a PAUSE frame indicating a new congestion root is received, the congestion root is recorded in
// the table" (section IV-B).
func (p *Port) receivePause(f *Frame) {
	s := p.owner
	r := p.admit(f)
	if r < 0 {
		return
	}
	first, fed := p.iq.State(r) == hiq.Unassigned, p.iq.Into(r)
	if !p.iq.Pause(r, f.Root.Key(), int(f.Hop)) {
		s.forgetIfUnused(r)
		return
	}
	p.hear(r, f, first)
	for other := p.iq.NextPartner(r, 0); other >= 0; other = p.iq.NextPartner(r, other+1) {
		s.relent(other)
	}
	if s.expiry > 0 {
		if p.paused.Empty() {
			s.start(expiryTimer, p.id, s.now.Add(s.expiry))
		}
		p.paused.Add(r)
	}
	if first && p.role != NIC && (p.role != Up || s.abdicates) && s.roots[s.own(p.id)].tree > 0 {
		p.abdicate(r)
	}
	if fed >= 0 {
		p.prune(fed)
	}
}

// admit returns the number of the root a PAUSE or MERGE names, -1 if there can be no IQ for it or the frame is
// stale.
func (p *Port) admit(f *Frame) int {
	s := p.owner
	switch {
	case f.Root == sluice.Hop{Switch: s.id, Port: p.id}:
		// "Pyrrha switch checks whether the congestion root carried in the PAUSE frame is identical to its own
		// identifier. If so, it ignores the PAUSE frame directly" (section IV-E).
		s.counts.OwnRoot++
		return -1
	case f.Hop < 1 || f.Hop > s.levels:
		s.counts.TooFar++
		return -1
	}
	if r := s.table.find(f.Root.Key()); r >= 0 && p.iq.State(r) != hiq.Unassigned {
		if p.stale(r, f) {
			s.counts.Stale++
			return -1
		}
		return r
	}
	if p.belowFloor(f) {
		s.counts.Stale++
		return -1
	}
	return s.lookUp(f.Root)
}

// stale reports whether a frame is not newer than the last about root r, which has an IQ here.
func (p *Port) stale(r int, f *Frame) bool {
	return p.heard[r].valid && !newer(f.Sequence, p.heard[r].sequence)
}

// belowFloor is stale for a root that has no IQ here: one that was given up may have had it.
func (p *Port) belowFloor(f *Frame) bool { return p.hasFloor && !newer(f.Sequence, p.floor) }

// hear notes a frame that was obeyed; first if the root got its IQ by it.
func (p *Port) hear(r int, f *Frame, first bool) {
	s := p.owner
	p.heard[r] = heard{at: s.now, sequence: f.Sequence, valid: true}
	if !first {
		return
	}
	k := &s.roots[r]
	known := k.iqs > 0 || k.tree > 0
	nearer := known && k.level > f.Hop
	if r < s.remotes && (nearer || !known) {
		k.level = f.Hop
	}
	if nearer { // IQs of the root at other ports wait for its tree no longer
		for e := k.egress.Next(0); e >= 0; e = k.egress.Next(e + 1) {
			s.ports[e].giveUpIfDone(r)
		}
	}
	p.roots++
	p.era++
	k.iqs++
	k.egress.Add(int(p.id))
	// What the parent was to be told is not true any more.
	s.cancel(&p.leaving, r, p)
	p.answers = p.answers && p.answer != f.Root
	s.settlePending(p)
}

// receiveResume lets the root's packets move. A root that has no IQ here is answered with DEALLOC: the parent
// believes that we are in its tree.
func (p *Port) receiveResume(f *Frame) {
	s := p.owner
	r := s.table.find(f.Root.Key())
	if r < 0 || p.iq.State(r) == hiq.Unassigned {
		if !p.belowFloor(f) {
			p.answerUnknown(f)
		}
		return
	}
	if p.stale(r, f) {
		s.counts.Stale++
		return
	}
	if p.iq.State(r) == hiq.SoftMerging {
		s.counts.Ignored++
		return
	}
	p.heard[r] = heard{at: s.now, sequence: f.Sequence, valid: true}
	p.unpause(r)
}

// unpause resumes the IQ of root r.
func (p *Port) unpause(r int) {
	if p.iq.State(r) == hiq.Paused {
		p.owner.wake = p.owner.wake.Merge(sluice.WakePort(p.id))
	}
	p.iq.Resume(r)
	p.paused.Remove(r)
	p.owner.relent(r)
	p.giveUpIfDone(r)
	p.planMove()
}

// answerUnknown answers RESUME of, or MERGE into, a root that has no IQ here with DEALLOC. It needs no room in the table; one
// answer a port can be pending, which is enough for whoever drains frames as the contract says.
func (p *Port) answerUnknown(f *Frame) {
	s := p.owner
	s.counts.Ignored++
	if p.role == NIC {
		return
	}
	if r := s.table.find(f.Root.Key()); r >= 0 && p.iq.State(r) != hiq.Unassigned {
		return
	}
	p.answer, p.answers = f.Root, true
	s.pending.Add(int(p.id))
	s.wake |= sluice.WakeFrames
}

// receiveMerge: "switches receiving the MERGE frame change the state of the corresponding IQ to soft-merging and propagate the
// notification to its upstream further" (section IV-A).
func (p *Port) receiveMerge(f *Frame) {
	s := p.owner
	if f.Old == f.Root {
		s.counts.Malformed++
		return
	}
	late := p.belowFloor(f)
	old := s.table.find(f.Old.Key())
	if old >= 0 && (p.iq.State(old) == hiq.Unassigned || p.stale(old, f)) {
		old = noRoot
	}
	into, fedBefore := p.adopt(f)
	oldFed := noRoot
	if old >= 0 {
		oldFed = p.iq.Into(old)
		p.heard[old] = heard{at: s.now, sequence: f.Sequence, valid: true}
		p.iq.Merge(old, into)
		p.paused.Remove(old)
		s.mergeTree(old, into)
	} else {
		s.counts.Ignored++
	}
	for _, r := range [...]int{old, oldFed, fedBefore, into} {
		if r >= 0 {
			p.prune(r)
		}
	}
	if into < 0 && !late {
		p.answerUnknown(f)
	}
	s.wake = s.wake.Merge(sluice.WakePort(p.id))
	p.planMove()
}

// adopt gives the new root of a MERGE its IQ, resumed. It returns the root, negative if it can have none, and that into which it
// merged before.
func (p *Port) adopt(f *Frame) (r, fed int) {
	if r = p.admit(f); r < 0 {
		return noRoot, noRoot
	}
	first, fed := p.iq.State(r) == hiq.Unassigned, p.iq.Into(r)
	if !p.iq.Adopt(r, f.Root.Key(), int(f.Hop)) {
		p.owner.forgetIfUnused(r)
		return noRoot, noRoot
	}
	p.hear(r, f, first)
	p.paused.Remove(r)
	return r, fed
}

// receiveDealloc takes an upstream out of a tree. One that is paused stays: PAUSE and DEALLOC crossed on the link.
func (p *Port) receiveDealloc(f *Frame) {
	s := p.owner
	r := s.table.find(f.Root.Key())
	if r < 0 {
		s.counts.Ignored++
		return
	}
	u := s.upstream(r, p.id)
	if u.heard && !newer(f.Sequence, u.sequence) {
		s.counts.Stale++
		return
	}
	u.sequence, u.heard = f.Sequence, true
	if u.state != ResumedUpstream {
		s.counts.Ignored++
		return
	}
	s.unlist(r, p.id)
	s.cancel(&p.changed, r, p)
	s.pruneLeaves(r)
}
