package ofc

import (
	"math/bits"

	"github.com/sluicefc/sluice"
)

// PollFrame fills f with the next frame that this port owes the device upstream; false when it owes
// none, and f is as it was. What pauses or resumes a whole class goes first and alone; then a
// refresh under way, RESUME and PAUSE, of the highest class first. The time is not looked at.
// O(flows named).
func (p *Port) PollFrame(_ sluice.Time, f *Frame) bool {
	if !p.Owes() {
		return false
	}
	t := p.state
	t.Sent++
	t.counters.FramesSent++
	f.Source, f.Sequence = p.owner.config.MAC, t.Sent
	f.All, f.Last, f.Count, f.Generation, f.Part, f.Parts = false, false, 0, 0, 0, 0
	if p.urgent != 0 {
		p.fillAll(f, highest(p.urgent))
	} else {
		p.fillList(f, highest(p.owed))
	}
	p.updateOwed(f.Class)
	return true
}

// Owes reports whether PollFrame has a frame. O(1).
func (p *Port) Owes() bool { return p.urgent|p.owed != 0 }

func (p *Port) fillAll(f *Frame, class sluice.Class) {
	a := p.owner.account(p.id, class)
	a.allTold = a.allWanted
	f.Class, f.All, f.Type = class, true, Resume
	if a.allTold {
		f.Type = Pause
		p.state.counters.AllPausesSent++
	} else {
		p.state.counters.AllResumesSent++
	}
}

func (p *Port) fillList(f *Frame, class sluice.Class) {
	a := p.owner.account(p.id, class)
	f.Class = class
	switch {
	case a.telling != notAgain:
		p.fillAgain(f, a)
	case a.resume:
		p.fillResume(f, a)
	default:
		p.fillPause(f, a)
	}
	p.state.counters.FlowsSent += uint64(f.Count)
}

// fillPause makes f a PAUSE of flows to announce.
func (p *Port) fillPause(f *Frame, a *account) {
	s := p.owner
	f.Type = Pause
	p.state.counters.PausesSent++
	for i := a.wanted.Next(0); i >= 0; i = a.wanted.Next(i) {
		g := s.group(sluice.PortID(i), p.id, f.Class)
		if !s.announce(f, a, &g.plain) || !s.announce(f, a, &g.congested) {
			return
		}
		a.wanted.Remove(i)
	}
}

// announce moves the flows to announce of a list into f and to the announced flows; false if f is
// full and some are left.
func (s *Switch) announce(f *Frame, a *account, l *list) bool {
	for l.upTo != 0 {
		if int(f.Count) == s.config.MaxFlowsPerFrame {
			return false
		}
		i := l.head
		s.remove(l, i)
		s.entries[i].flags |= told
		s.push(&a.toldList, i)
		a.count++
		f.add(s.entries[i].flow)
	}
	return true
}

// fillResume makes f a RESUME of announced flows.
func (p *Port) fillResume(f *Frame, a *account) {
	f.Type = Resume
	p.state.counters.ResumesSent++
	for int(f.Count) < p.owner.config.MaxFlowsPerFrame && a.toldList.head != 0 {
		f.add(p.owner.entries[a.toldList.head].flow)
		p.owner.untell(a)
	}
	f.Last = a.toldList.head == 0
	a.resume = !f.Last
}

func (s *Switch) untell(a *account) {
	i := a.toldList.head
	e := &s.entries[i]
	s.remove(&a.toldList, i)
	a.count--
	e.flags &^= told
	p := &s.ports[(i-1)/s.perPort]
	if e.packets > 0 {
		p.enlist(i, e)
	} else if e.flags&congested == 0 {
		p.release(i)
	}
}

// forgetAnnounced forgets all announcements, because the device upstream has forgotten them.
func (p *Port) forgetAnnounced(a *account) {
	for a.toldList.head != 0 {
		p.owner.untell(a)
	}
	a.resume = false
}

// fillAgain makes f the next part of the list of all announced flows.
func (p *Port) fillAgain(f *Frame, a *account) {
	s, most := p.owner, int32(p.owner.config.MaxFlowsPerFrame)
	f.Type = Pause
	if a.telling == asState {
		f.Type, f.All, f.Generation = Refresh, a.allWanted, p.state.refresh.generation
		f.Part, f.Parts = a.part, uint16(max(1, (a.count+most-1)/most))
		p.state.counters.RefreshesSent++
	} else {
		p.state.counters.PausesSent++
	}
	for int32(f.Count) < most && a.cursor != 0 {
		f.add(s.entries[a.cursor].flow)
		a.cursor = s.entries[a.cursor].next
	}
	a.part++
	if a.cursor == 0 {
		a.telling = notAgain
	}
}

// repeatAll starts to tell the list of flows from the beginning.
func (a *account) repeatAll(how telling) {
	a.telling, a.cursor, a.part = how, a.toldList.head, 0
}

func highest(s sluice.ClassSet) sluice.Class { return sluice.Class(bits.Len8(uint8(s)) - 1) }
