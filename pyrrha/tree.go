package pyrrha

import (
	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/hiq"
)

// enteredOutput accounts a packet in the OQ, and nominates this port as a congestion root when the OQ is above K_pause:
// "a switch checks whether the queue length exceeds a given threshold" (section IV-A).
func (p *Port) enteredOutput(ingress sluice.PortID, size sluice.Bytes) {
	if p.role == Up {
		p.owner.upBytes += size
	}
	if p.iq.Backlog(hiq.Output) > p.pauseLeast && ingress != sluice.Local {
		p.nominate(ingress)
	}
}

// nominate pauses the upstream whose packet just arrived, and only that one.
func (p *Port) nominate(ingress sluice.PortID) {
	s := p.owner
	length := p.iq.Backlog(hiq.Output)
	if length <= p.pause[ingress] || p.role == Up && !s.upRoot(length) {
		return
	}
	s.pauseUpstream(s.own(p.id), ingress)
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

// leftOutput accounts a packet that left the OQ for the wire, and resumes upstreams: "Once the OQ length of
// the congestion root decreases below the resume threshold, it sends back RESUME to its upstream" (section IV-C).
func (p *Port) leftOutput(size sluice.Bytes) {
	s := p.owner
	if p.role == Up {
		s.upBytes -= size
	}
	r := s.own(p.id)
	if s.roots[r].paused > 0 && p.role != NIC && p.iq.Backlog(hiq.Output) < p.resumeMost {
		tree := &s.roots[r].listed
		for i := tree.Next(0); i >= 0; i = tree.Next(i + 1) {
			s.resumeIfBelow(r, sluice.PortID(i), p)
		}
		s.pruneLeaves(r)
	}
	if p.iq.Waits() {
		p.planMove()
	}
}

// enteredIQ accounts a packet that waits for root r, and pauses the upstream it came from when too much does.
func (p *Port) enteredIQ(r int, ingress sluice.PortID, size sluice.Bytes) {
	u := &p.owner.upstreams[p.owner.row(r, ingress)]
	u.bytes += size
	if (u.bytes > p.pauseLeast || p.owner.byQueue) && u.state != PausedUpstream {
		p.pauseAsChild(r, ingress, u.bytes)
	}
}

// pauseAsChild pauses an upstream of which so much waits for root r, if that is above K_pause. "A PAUSE frame carrying the
// root ID is sent back to its upstream switch" (section IV-D).
func (p *Port) pauseAsChild(r int, ingress sluice.PortID, waits sluice.Bytes) {
	if ingress == sluice.Local || p.iq.State(r) == hiq.SoftMerging {
		return
	}
	if p.owner.byQueue {
		waits = p.iq.Bytes(r)
	}
	if waits > p.pause[ingress] {
		p.owner.pauseUpstream(r, ingress)
	}
}

// leftIQ accounts a packet that no longer waits for root r in an IQ, and resumes upstreams.
func (p *Port) leftIQ(r int, ingress sluice.PortID, size sluice.Bytes) {
	u := &p.owner.upstreams[p.owner.row(r, ingress)]
	u.bytes -= size
	if u.state == PausedUpstream || p.owner.byQueue {
		p.resumeAsChild(r, ingress)
	}
}

// resumeAsChild: "Likewise, upstream switches could resume their upstream when their own IQ decreases below the resume
// threshold" (section IV-C).
func (p *Port) resumeAsChild(r int, ingress sluice.PortID) {
	s := p.owner
	if !s.byQueue {
		if ingress != sluice.Local {
			s.resumeIfBelow(r, ingress, p)
		}
		return
	}
	tree := &s.roots[r].listed
	for i := tree.Next(0); i >= 0; i = tree.Next(i + 1) {
		s.resumeIfBelow(r, sluice.PortID(i), p)
	}
}

// resumeIfBelow resumes a paused upstream of root r if what p holds for it, in the OQ or in IQs, is below K_resume.
func (s *Switch) resumeIfBelow(r int, ingress sluice.PortID, p *Port) {
	u := s.upstream(r, ingress)
	if u.state != PausedUpstream {
		return
	}
	if r >= s.remotes {
		root := &s.ports[r-s.remotes]
		if root.role == NIC || root.iq.Backlog(hiq.Output) >= root.resume[ingress] {
			return
		}
	}
	if s.byQueue {
		egress := &s.roots[r].egress
		for e := egress.Next(0); e >= 0; e = egress.Next(e + 1) {
			if q := &s.ports[e]; q.iq.Bytes(r) >= q.resume[ingress] {
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
	u := s.upstream(r, ingress)
	if u.state == PausedUpstream || s.ports[ingress].role == Legacy {
		return
	}
	if s.roots[r].level >= hiq.MaxLevels {
		s.counts.TooFar++
		return
	}
	s.list(r, ingress)
	u.state = PausedUpstream
	s.roots[r].paused++
	s.pend(&s.ports[ingress].changed, r, &s.ports[ingress])
}

// resumeUpstream resumes an upstream of root r that is paused. A switch stays in the tree until its DEALLOC; a host leaves
// at once, as hosts send none.
func (s *Switch) resumeUpstream(r int, ingress sluice.PortID) {
	p := &s.ports[ingress]
	s.upstream(r, ingress).state = ResumedUpstream
	s.roots[r].paused--
	s.pend(&p.changed, r, p)
	if p.role == Host {
		s.unlist(r, ingress)
	}
}

// list puts an upstream into the tree of root r, resumed, if it is not there.
func (s *Switch) list(r int, ingress sluice.PortID) {
	p := &s.ports[ingress]
	u := s.upstream(r, ingress)
	if u.state != Unlisted {
		return
	}
	u.state = ResumedUpstream
	if s.refresh > 0 && p.listed.Empty() {
		s.start(refreshTimer, ingress, s.now.Add(s.refresh))
	}
	p.listed.Add(r)
	s.roots[r].listed.Add(int(ingress))
	s.roots[r].tree++
}

// unlist takes an upstream that is in the tree of root r out of it.
func (s *Switch) unlist(r int, ingress sluice.PortID) {
	u := s.upstream(r, ingress)
	if u.state == PausedUpstream {
		s.roots[r].paused--
	}
	u.state = Unlisted
	s.ports[ingress].listed.Remove(r)
	s.roots[r].listed.Remove(int(ingress))
	s.roots[r].tree--
	s.left = true
}

// mergeUpstream moves an upstream from the tree of one root to that of another, where it counts as
// resumed, and has it told so.
func (s *Switch) mergeUpstream(old, into int, ingress sluice.PortID) {
	p := &s.ports[ingress]
	s.unlist(old, ingress)
	if s.upstream(into, ingress).state != Unlisted {
		s.unlist(into, ingress)
	}
	if p.role != Host {
		s.list(into, ingress)
	}
	// MERGE says all of both roots: what the upstream was to be told of them before is overtaken.
	s.cancelMerge(into, p)
	s.cancelMerge(old, p)
	s.cancel(&p.changed, into, p)
	s.cancel(&p.changed, old, p)
	s.upstream(old, ingress).into = uint16(into)
	s.roots[into].frames++
	s.pend(&p.merging, old, p)
}

// cancelMerge takes back a pending MERGE from root old. The upstream, which the root it merged into lists, will not have heard
// of that root: the RESUME that it is sent instead makes it say so.
func (s *Switch) cancelMerge(old int, p *Port) {
	if !p.merging.Has(old) {
		return
	}
	into := int(s.upstream(old, p.id).into)
	if s.upstream(into, p.id).state != Unlisted {
		s.pend(&p.changed, into, p)
	}
	s.cancel(&p.merging, old, p)
	s.unpend(into)
}

// abdicate ends this port's claim to be a root in favour of one downstream: "The false-positive congestion root
// notifies all its child nodes by sending a control message MERGE" (section IV-A).
func (p *Port) abdicate(into int) {
	s := p.owner
	s.counts.Abdications++
	s.mergeTree(s.own(p.id), into)
	s.pruneLeaves(into)
}

// mergeTree moves every upstream from one tree to another. Without a new root, which is negative then, or if it is too far away
// to be told of, upstreams are resumed and stay in the old tree until their DEALLOC.
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

// relent resumes the upstreams that were paused for a root which, in a single tier, has resumed, when packets of its sets still wait for
// other roots. Those pause for themselves; if the first went on pausing until the sets are empty, flows that pass it alone would wait for
// the others.
func (s *Switch) relent(r int) {
	if !s.single || r >= s.remotes || s.roots[r].paused == 0 || !s.heldByOthers(r) {
		return
	}
	listed := &s.roots[r].listed
	for i := listed.Next(0); i >= 0; i = listed.Next(i + 1) {
		if s.upstream(r, sluice.PortID(i)).state == PausedUpstream {
			s.resumeUpstream(r, sluice.PortID(i))
		}
	}
	s.pruneLeaves(r)
}

// heldByOthers reports whether no port has root r paused, and at one of them packets that pass it wait for another root.
func (s *Switch) heldByOthers(r int) bool {
	held := false
	egress := &s.roots[r].egress
	for e := egress.Next(0); e >= 0; e = egress.Next(e + 1) {
		if s.ports[e].iq.State(r) == hiq.Paused {
			return false
		}
		held = held || s.ports[e].iq.HeldByOthers(r)
	}
	return held
}
