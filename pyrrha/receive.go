package pyrrha

import (
	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/hiq"
	"github.com/sluicefc/sluice/internal/chassis"
)

// ReceiveWire is Receive of a frame as it came from the wire, without its check sequence. Bytes
// that are no frame are counted as Malformed and change nothing; the error says why. It does not
// allocate.
func (p *Port) ReceiveWire(now sluice.Time, frame []byte) (sluice.Wake, error) {
	f := &p.owner.scratch
	if err := f.Parse(frame); err != nil {
		p.owner.clock.Overlook(now)
		p.counts.Malformed++
		return 0, err
	}
	return p.Receive(now, f), nil
}

// Receive takes a control frame that came in at this port: PAUSE, RESUME and MERGE from
// downstream, about the queues of this port as an egress; DEALLOC from upstream, about this port
// as an ingress. A frame that names what cannot be, or more than the configuration has room for,
// is counted and ignored.
func (p *Port) Receive(now sluice.Time, f *Frame) sluice.Wake {
	s := p.owner
	s.clock.Advance(now)
	p.counts.FramesReceived++
	if f.Type < Pause || f.Type > Dealloc {
		p.counts.Malformed++
		return s.finish()
	}
	p.counts.Received[f.Type]++
	before := p.peer.Past.Has(s.clock.Now(), f.Sequence)
	if !before {
		p.peer.Heard.Fresh(f.Sequence)
	}
	switch {
	case p.role == Legacy:
		p.counts.Ignored++
	case p.peer.Down || before:
		p.counts.Stale++
	case f.Type == Pause:
		p.receivePause(f)
	case f.Type == Resume:
		p.receiveResume(f)
	case f.Type == Merge:
		p.receiveMerge(f)
	default:
		p.receiveDealloc(f)
	}
	return s.finish()
}

// receivePause records a new root in the table, and assigns an IQ to it (section IV-B).
func (p *Port) receivePause(f *Frame) {
	s := p.owner
	r := p.admit(f)
	if r < 0 {
		return
	}
	s.touch(r)
	first, fed := p.iq.State(r) == hiq.Unassigned, p.iq.Into(r)
	p.iq.Pause(r, f.Root.Key(), int(f.Hop))
	p.planMove() // a level that could go at once may have been what kept others from waiting for time
	p.hear(r, f, first)
	if s.single {
		for other := p.iq.NextPartner(r, 0); other >= 0; other = p.iq.NextPartner(r, other+1) {
			s.resumeForSets(other)
		}
	}
	if s.config.Expiry > 0 {
		if p.paused.Empty() {
			s.start(expiryTimer, p.id, chassis.After(s.clock.Now(), s.config.Expiry))
		}
		p.paused.Add(r)
	}
	if first && p.abdicates() {
		p.abdicate(r)
	}
	if fed >= 0 {
		s.touch(fed)
	}
}

// admit returns the number of the root that a PAUSE or MERGE names, negative if there can be no
// IQ for it or the frame is stale.
func (p *Port) admit(f *Frame) int {
	s := p.owner
	switch {
	case f.Root == sluice.Hop{Switch: s.id, Port: p.id}:
		// PAUSE of our own root is ignored (section IV-E).
		p.counts.OwnRoot++
		p.counts.Ignored++
		return noRoot
	case f.Hop < 1 || f.Hop > p.levels:
		p.counts.TooFar++
		p.counts.Ignored++
		return noRoot
	}
	if r := s.find(f.Root); r >= 0 && p.iq.State(r) != hiq.Unassigned {
		if p.stale(r, f) {
			p.counts.Stale++
			return noRoot
		}
		return r
	}
	if p.belowFloor(f) {
		p.counts.Stale++
		return noRoot
	}
	r := s.enter(f.Root, s.isolate)
	if r < 0 {
		p.counts.TableFull++
		p.counts.Ignored++
	}
	return r
}

// stale reports whether a frame is not newer than the last about root r, which has an IQ here.
func (p *Port) stale(r int, f *Frame) bool {
	return !p.peer.Heard.After(f.Sequence, p.heard[r].mark)
}

// belowFloor is stale for a root that has no IQ here: an IQ that was given up may have had it.
func (p *Port) belowFloor(f *Frame) bool {
	return !p.peer.Heard.After(f.Sequence, p.floor)
}

// hear notes a frame that was obeyed; first if the root got its IQ by it.
func (p *Port) hear(r int, f *Frame, first bool) {
	s := p.owner
	p.heard[r] = heard{s.clock.Now(), p.peer.Heard.Mark(f.Sequence)}
	if !first {
		return
	}
	k := &s.roots[r]
	if r < s.remotes && !k.known() {
		k.level = f.Hop
	}
	p.isolate(r)
	if f.Hop < k.level {
		s.markFar(r, f.Hop)
	}
	p.setFar(r, f.Hop > k.level)
	p.setPending(&p.leaving, r, false)
}

// receiveResume lets the root's packets move. A root that has no IQ here is answered with
// DEALLOC: the parent believes that we are in its tree.
func (p *Port) receiveResume(f *Frame) {
	r := p.owner.find(f.Root)
	switch {
	case r < 0 || p.iq.State(r) == hiq.Unassigned:
		if p.belowFloor(f) {
			p.counts.Stale++
			return
		}
		p.counts.Ignored++
		p.answerUnknown(f)
	case p.stale(r, f):
		p.counts.Stale++
	case p.iq.State(r) == hiq.SoftMerging:
		p.counts.Ignored++
	default:
		p.hear(r, f, false)
		p.unpause(r)
	}
}

func (p *Port) unpause(r int) {
	s := p.owner
	if p.iq.State(r) == hiq.Paused {
		s.woken.Port(p.id)
	}
	p.iq.Resume(r)
	p.paused.Remove(r)
	s.resumeForSets(r)
	s.touch(r)
	p.planMove()
}

// answerUnknown answers RESUME of, or MERGE into, a root that has no IQ here with DEALLOC. The
// root is in the table until that is sent.
func (p *Port) answerUnknown(f *Frame) {
	s := p.owner
	if p.role == NIC {
		return
	}
	r := s.enter(f.Root, s.remotes)
	switch {
	case r < 0:
		p.counts.Unanswered++
	case p.iq.State(r) == hiq.Unassigned:
		p.setPending(&p.leaving, r, true)
	}
}

// receiveMerge makes the old root's IQ soft-merging and passes MERGE on to the upstreams (section
// IV-A).
func (p *Port) receiveMerge(f *Frame) {
	s := p.owner
	if f.Old == f.Root {
		p.counts.Malformed++
		return
	}
	late := p.belowFloor(f)
	old := s.find(f.Old)
	if old >= 0 && (p.iq.State(old) == hiq.Unassigned || p.stale(old, f)) {
		old = noRoot
	}
	into := p.adopt(f)
	if old >= 0 {
		if fed := p.iq.Into(old); fed >= 0 {
			s.touch(fed)
		}
		p.hear(old, f, false)
		feeds := into
		if s.config.FreeMerged {
			feeds = noRoot
		}
		p.iq.Merge(old, feeds)
		p.paused.Remove(old)
		s.mergeTree(old, into)
		s.touch(old)
	} else {
		p.counts.Ignored++
	}
	if into < 0 && !late {
		p.answerUnknown(f)
	}
	s.woken.Port(p.id)
	p.planMove()
}

// adopt gives the new root of a MERGE its IQ, resumed. It returns the root, negative if it can have
// none.
func (p *Port) adopt(f *Frame) int {
	s := p.owner
	r := p.admit(f)
	if r < 0 {
		return noRoot
	}
	s.touch(r)
	first, fed := p.iq.State(r) == hiq.Unassigned, p.iq.Into(r)
	p.iq.Adopt(r, f.Root.Key(), int(f.Hop))
	if fed >= 0 {
		s.touch(fed)
	}
	p.hear(r, f, first)
	p.paused.Remove(r)
	return r
}

// receiveDealloc takes an upstream out of a tree. One that was last sent PAUSE stays: PAUSE and
// DEALLOC crossed on the link.
func (p *Port) receiveDealloc(f *Frame) {
	s := p.owner
	r := s.find(f.Root)
	if r < 0 {
		p.counts.Ignored++
		return
	}
	u := s.upstream(r, p.id)
	if !p.peer.Heard.After(f.Sequence, u.left) {
		p.counts.Stale++
		return
	}
	u.left = p.peer.Heard.Mark(f.Sequence)
	if u.told != ResumedUpstream {
		p.counts.Ignored++
		return
	}
	u.told = Unlisted
	p.cancelMerge(r)
	p.compare(r)
}
