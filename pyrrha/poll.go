package pyrrha

import (
	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/hiq"
	"github.com/sluicefc/sluice/internal/bitset"
	"github.com/sluicefc/sluice/internal/wire"
)

// Frames are derived from state when the transmitter asks. A port owes its upstream a frame about
// a root while the last frame to it differs from its state:
//
// 	last frame state             frame
// 	not paused paused            PAUSE
// 	paused     resumed           RESUME
// 	paused     unlisted, a host  RESUME
// 	any but unlisted             MERGE, if its tree became part of another's
//
// A change that ends before the poll needs no frame. An upstream without a frame about a root is
// in no tree, unless it must be paused.

// upstream is an ingress port as a child of a root.
type upstream struct {
	bytes sluice.Bytes  // came in by it and wait here for the root, in IQs that are not far
	left  wire.Mark     // the newest DEALLOC about it
	state UpstreamState // in the tree
	told  UpstreamState // in the last frame to it
	into  uint16        // the new root of the MERGE that is owed for this one
}

// PollFrame fills f with the next frame for the device at the other end; false if none is owed. At
// one port a MERGE goes before a PAUSE or RESUME, so that the later of two frames about one root
// carries its state.
func (p *Port) PollFrame(now sluice.Time, f *Frame) bool {
	if !p.Owes() {
		p.owner.clock.Overlook(now)
		return false
	}
	p.owner.clock.Advance(now)
	p.build(f)
	return true
}

// Owes reports whether PollFrame has a frame. O(1).
func (p *Port) Owes() bool { return p.owed != 0 }

func (p *Port) build(f *Frame) {
	p.peer.Sent++
	*f = Frame{Sequence: p.peer.Sent, Source: p.owner.config.MAC}
	if r := p.merging.Next(0); r >= 0 {
		p.buildMerge(r, f)
	} else if r := p.changed.Next(0); r >= 0 {
		p.buildState(r, f)
	} else if r := p.repeating.Next(0); r >= 0 {
		p.buildState(r, f)
	} else {
		p.buildDealloc(p.leaving.Next(0), f)
	}
	p.counts.FramesSent++
	p.counts.Sent[f.Type]++
	p.owner.finish() // it wakes this port, which is asked again when it is free
}

func (p *Port) buildMerge(old int, f *Frame) {
	s := p.owner
	from := s.upstream(old, p.id)
	into := int(from.into)
	f.Type = Merge
	f.Old, f.Root = s.roots[old].hop, s.roots[into].hop
	// A host is not in the tree of the new root, which may be known farther since the merge.
	f.Hop = min(s.roots[into].level+1, hiq.MaxLevels)
	from.told = Unlisted
	to := s.upstream(into, p.id)
	to.told = ResumedUpstream
	if p.role == Host { // it sends no DEALLOC, and leaves the tree by itself
		to.told = Unlisted
	}
	p.endMerge(old)
	p.compare(into)
}

func (p *Port) buildState(r int, f *Frame) {
	s := p.owner
	u := s.upstream(r, p.id)
	f.Root = s.roots[r].hop
	if u.state == PausedUpstream {
		f.Type, f.Hop = Pause, s.roots[r].level+1
	} else {
		f.Type = Resume
	}
	u.told = u.state
	p.setPending(&p.changed, r, false)
	p.setPending(&p.repeating, r, false)
}

func (p *Port) buildDealloc(r int, f *Frame) {
	f.Type, f.Root = Dealloc, p.owner.roots[r].hop
	p.setPending(&p.leaving, r, false)
}

// compare notes whether PAUSE or RESUME of root r is owed: whether the last frame to the upstream
// differs from its state.
func (p *Port) compare(r int) {
	u := p.owner.upstream(r, p.id)
	paused, toldPaused := u.state == PausedUpstream, u.told == PausedUpstream
	p.setPending(&p.changed, r, paused != toldPaused && !p.merging.Has(r))
	if u.state == ResumedUpstream && u.told == Unlisted && !p.mergesInto(r) {
		p.owner.unlist(r, p.id)
	}
}

// setPending notes that a frame about root r is owed, or is not: which says what frame.
func (p *Port) setPending(which *bitset.Set, r int, owed bool) {
	if which.Has(r) == owed {
		return
	}
	which.Put(r, owed)
	if owed {
		p.addPending(r)
	} else {
		p.dropPending(r)
	}
}

func (p *Port) addPending(r int) {
	p.owed++
	p.owner.roots[r].frames++
	p.owner.woken.Port(p.id)
}

func (p *Port) dropPending(r int) {
	p.owed--
	p.unname(r)
}

// unname notes that one frame less names root r, which may be forgotten if it was the last.
func (p *Port) unname(r int) {
	k := &p.owner.roots[r]
	if k.frames--; k.frames == 0 && !k.known() {
		p.owner.touch(r)
	}
}

// beginMerge notes that the upstream is owed MERGE of root old into another.
func (p *Port) beginMerge(old, into int) {
	s := p.owner
	s.upstream(old, p.id).into = uint16(into)
	s.roots[into].frames++
	p.merging.Add(old)
	p.addPending(old)
}

// endMerge reverts beginMerge: the MERGE was sent, or is no longer needed.
func (p *Port) endMerge(old int) {
	p.merging.Remove(old)
	p.dropPending(old)
	p.unname(int(p.owner.upstream(old, p.id).into))
}

// cancelMerge cancels an owed MERGE, because old is a root for the upstream again or the upstream
// left the tree. No frame names the root that it would have merged into.
func (p *Port) cancelMerge(old int) {
	if p.merging.Has(old) {
		into := int(p.owner.upstream(old, p.id).into)
		p.endMerge(old)
		p.compare(into)
	}
}

// mergesInto reports whether the upstream is owed a MERGE into root r.
func (p *Port) mergesInto(r int) bool {
	for old := p.merging.Next(0); old >= 0; old = p.merging.Next(old + 1) {
		if int(p.owner.upstream(old, p.id).into) == r {
			return true
		}
	}
	return false
}

// redirectMerges changes the MERGEs into root from that the upstream is owed to root to.
func (p *Port) redirectMerges(from, to int) {
	s := p.owner
	for old := p.merging.Next(0); old >= 0; old = p.merging.Next(old + 1) {
		if int(s.upstream(old, p.id).into) != from {
			continue
		}
		p.endMerge(old)
		if old != to {
			p.beginMerge(old, to)
		}
	}
}
