package pyrrha

import (
	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/hiq"
	"github.com/sluicefc/sluice/internal/chassis"
)

// nominate makes this port a congestion root, for the upstream whose packet just arrived and only
// for that, if the OQ is above K_pause (section IV-A).
func (p *Port) nominate(ingress sluice.PortID) {
	s := p.owner
	length := p.iq.OutputBacklog()
	if length > p.pause[ingress] && (p.role != Up || s.upRoot(length)) {
		s.pauseUpstream(s.own(p.id), ingress)
	}
}

// upRoot reports whether a port of role Up with an OQ of that length may claim to be a root.
func (s *Switch) upRoot(length sluice.Bytes) bool {
	switch s.upRule {
	case UpAlways:
		return true
	case UpNever:
		return false
	}
	n, d := sluice.Bytes(s.imbalance.Num), sluice.Bytes(s.imbalance.Den)
	return length*d > n*(s.upBytes/sluice.Bytes(s.upPorts))
}

// leftOutput accounts a packet that left the OQ for the wire, and resumes upstreams if the OQ is
// below K_resume (section IV-C).
func (p *Port) leftOutput(size sluice.Bytes) {
	if p.role == Up {
		p.owner.upBytes -= size
	}
	if p.claims > 0 && p.role != NIC && p.iq.OutputBacklog() < p.resumeMost {
		p.resumeAll(p.owner.own(p.id))
	}
	p.planMove()
}

// enteredIQ accounts a packet that waits for root r, and reports whether so much may wait that the
// upstream it came from is to be paused: then pauseAsChild is next.
func (p *Port) enteredIQ(r int, ingress sluice.PortID, size sluice.Bytes) bool {
	u, bytes := p.waiting(r, ingress)
	*bytes += size
	if bytes != &u.bytes {
		return false
	}
	return (u.bytes > p.pauseLeast || p.owner.byQueue) && u.state != PausedUpstream
}

// pauseAsChild pauses an upstream if more than K_pause waits for root r (section IV-D).
func (p *Port) pauseAsChild(r int, ingress sluice.PortID) {
	if ingress == sluice.Local || p.iq.State(r) == hiq.SoftMerging {
		return
	}
	waits := p.owner.upstream(r, ingress).bytes
	if p.owner.byQueue {
		waits = p.iq.Bytes(r)
	}
	if waits > p.pause[ingress] && !p.waitsForOthers(r) {
		p.owner.pauseUpstream(r, ingress)
	}
}

// leftIQ resumes upstreams, after a packet that came from one of them no longer waits for root r in
// an IQ, if less than K_resume waits (section IV-C).
func (p *Port) leftIQ(r int, ingress sluice.PortID) {
	if p.owner.byQueue {
		p.resumeAll(r)
	} else {
		p.resumeIfBelow(r, ingress)
	}
}

func (p *Port) resumeAll(r int) {
	tree := &p.owner.roots[r].listed
	for i := tree.Next(0); i >= 0; i = tree.Next(i + 1) {
		p.resumeIfBelow(r, sluice.PortID(i))
	}
}

// resumeIfBelow resumes a paused upstream of root r if what we hold for it, in the OQ of the root
// or in IQs, is below K_resume.
func (p *Port) resumeIfBelow(r int, ingress sluice.PortID) {
	s := p.owner
	u := s.upstream(r, ingress)
	if u.state != PausedUpstream {
		return
	}
	if r >= s.remotes {
		root := &s.ports[r-s.remotes]
		if root.role == NIC || root.iq.OutputBacklog() >= root.resume[ingress] {
			return
		}
	}
	if s.byQueue {
		egress := &s.roots[r].egress
		for e := egress.Next(0); e >= 0; e = egress.Next(e + 1) {
			if q := &s.ports[e]; q.iq.Bytes(r) >= q.resume[ingress] && !q.far.Has(r) {
				return
			}
		}
	} else if u.bytes >= p.resume[ingress] {
		return
	}
	s.resumeUpstream(r, ingress)
}

// pauseUpstream puts an upstream into the tree of root r, paused, if it speaks Pyrrha.
func (s *Switch) pauseUpstream(r int, ingress sluice.PortID) {
	p, u := &s.ports[ingress], s.upstream(r, ingress)
	if u.state == PausedUpstream || p.role == Legacy || p.peer.Down {
		return
	}
	if s.roots[r].level >= hiq.MaxLevels {
		p.counts.TooFar++
		return
	}
	s.list(r, ingress)
	u.state = PausedUpstream
	s.countPaused(r, 1)
	p.cancelMerge(r)
	p.compare(r)
}

// resumeUpstream resumes an upstream of root r that is paused. A switch stays in the tree until its
// DEALLOC; a host leaves at once, because hosts send none. A peer that a card paused because its
// host was congested leaves at once as well: it may be another card.
func (s *Switch) resumeUpstream(r int, ingress sluice.PortID) {
	p := &s.ports[ingress]
	s.upstream(r, ingress).state = ResumedUpstream
	s.countPaused(r, -1)
	if p.role == Host || p.role == NIC && r >= s.remotes {
		s.unlist(r, ingress)
	}
	p.compare(r)
}

func (s *Switch) countPaused(r int, by int32) {
	s.roots[r].paused += by
	if r >= s.remotes {
		p := &s.ports[r-s.remotes]
		p.claims += by
		p.watch()
	}
}

// watch works out whether more than the length of the OQ changes with a packet that leaves it.
func (p *Port) watch() { p.watched = p.role == Up || p.claims > 0 }

// list puts an upstream into the tree of root r, resumed, if it is not there.
func (s *Switch) list(r int, ingress sluice.PortID) {
	p, u := &s.ports[ingress], s.upstream(r, ingress)
	if u.state != Unlisted {
		return
	}
	u.state = ResumedUpstream
	if s.config.Refresh > 0 && p.listed.Empty() {
		s.start(refreshTimer, ingress, chassis.After(s.clock.Now(), s.config.Refresh))
	}
	p.listed.Add(r)
	s.roots[r].listed.Add(int(ingress))
	s.roots[r].tree++
}

// unlist takes an upstream that is in the tree of root r out of it.
func (s *Switch) unlist(r int, ingress sluice.PortID) {
	p, u := &s.ports[ingress], s.upstream(r, ingress)
	if u.state == PausedUpstream {
		s.countPaused(r, -1)
	}
	u.state = Unlisted
	p.setPending(&p.repeating, r, false)
	p.listed.Remove(r)
	s.roots[r].listed.Remove(int(ingress))
	s.roots[r].tree--
	s.touch(r)
}

// mergeUpstream moves an upstream from the tree of one root to the tree of another, where it counts
// as resumed, and owes it a MERGE.
func (s *Switch) mergeUpstream(old, into int, ingress sluice.PortID) {
	p := &s.ports[ingress]
	s.unlist(old, ingress)
	if s.upstream(into, ingress).state != Unlisted {
		s.unlist(into, ingress)
	}
	if p.role != Host {
		s.list(into, ingress)
	}
	// The upstream may not have heard of the old root yet; then the roots that were to merge into
	// it go on.
	p.redirectMerges(old, into)
	p.cancelMerge(into)
	if s.upstream(old, ingress).told != Unlisted {
		p.beginMerge(old, into)
	}
	p.compare(old)
	p.compare(into)
}

// abdicates reports whether this port claims to be a root, and gives way to a root that is new
// downstream.
func (p *Port) abdicates() bool {
	s := p.owner
	switch {
	case s.roots[s.own(p.id)].tree == 0, p.role == NIC, p.role == Up && !s.config.AbdicateUp:
		return false
	case s.config.Merge == MergeIfCalm:
		return p.iq.OutputBacklog() < p.resumeMost
	}
	return s.config.Merge == MergeAlways
}

// abdicate ends this port's claim to be a root in favour of one downstream, and sends MERGE to all
// its children (section IV-A).
func (p *Port) abdicate(into int) {
	p.counts.Abdications++
	p.owner.mergeTree(p.owner.own(p.id), into)
}

// mergeTree moves every upstream from one tree to another. Without a new root, whose number is
// negative then, or with one too far away for a frame, upstreams are resumed and stay in the old
// tree until their DEALLOC.
func (s *Switch) mergeTree(old, into int) {
	tree := &s.roots[old].listed
	merge := into >= 0 && s.roots[into].level < hiq.MaxLevels
	for i := tree.Next(0); i >= 0; i = tree.Next(i + 1) {
		ingress := sluice.PortID(i)
		switch {
		case merge:
			s.mergeUpstream(old, into, ingress)
		case s.upstream(old, ingress).state == PausedUpstream:
			s.resumeUpstream(old, ingress)
		}
	}
}

// resumeForSets resumes the upstreams that were paused for a root which, in a single tier, has
// resumed, when packets of its sets still wait for other roots. Those pause for themselves; if the
// first went on pausing until the sets are empty, flows that pass it alone would wait for the
// others.
func (s *Switch) resumeForSets(r int) {
	if s.single && !s.config.KeepPaused {
		s.resumeInSets(r)
	}
}

func (s *Switch) resumeInSets(r int) {
	if r >= s.remotes || s.roots[r].paused == 0 || !s.heldByOthers(r) {
		return
	}
	listed := &s.roots[r].listed
	for i := listed.Next(0); i >= 0; i = listed.Next(i + 1) {
		if s.upstream(r, sluice.PortID(i)).state == PausedUpstream {
			s.resumeUpstream(r, sluice.PortID(i))
		}
	}
}

// heldByOthers reports whether, of the ports that are not far from root r, none has r paused, and
// at one of them packets that pass r wait for another root.
func (s *Switch) heldByOthers(r int) bool {
	held := false
	egress := &s.roots[r].egress
	for e := egress.Next(0); e >= 0; e = egress.Next(e + 1) {
		if s.ports[e].far.Has(r) {
			continue
		}
		if s.ports[e].iq.State(r) == hiq.Paused {
			return false
		}
		held = held || s.ports[e].iq.HeldByOthers(r)
	}
	return held
}

func (s *Switch) upstream(r int, ingress sluice.PortID) *upstream {
	return &s.upstreams[r*(len(s.ports)+1)+int(ingress)]
}

// row returns the index in upstreams of root r and an ingress; a number that is no port of ours
// counts as Local.
func (s *Switch) row(r int, ingress sluice.PortID) int {
	return r*(len(s.ports)+1) + min(int(ingress), len(s.ports))
}
