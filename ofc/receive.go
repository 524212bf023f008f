package ofc

import "github.com/sluicefc/sluice"

// Receive obeys a frame that came in at this port from the device downstream of it: flows pause and
// resume, or a whole class does (Algorithm 2). The wake carries the port if a queue is sendable now
// that was not. O(flows named), and for the last part of a refresh O(Config.Flows).
//
// A frame that is not newer than an earlier one is counted and not obeyed, and so is a frame that
// comes while the link is down. A class that is not under OFC is counted and passed over.
func (p *Port) Receive(now sluice.Time, f *Frame) sluice.Wake {
	s, t := p.owner, p.state
	now = s.clock.Advance(now)
	t.counters.FramesReceived++
	switch {
	case !t.Obeys(now, f.Sequence):
		t.counters.Stale++
		return 0
	case f.check() != nil:
		t.counters.Malformed++
		return 0
	case !s.classes.Has(f.Class):
		t.counters.Ignored++
		return 0
	}
	k := &p.classes[f.Class]
	before := p.sendable(f.Class)
	switch f.Type {
	case Pause:
		t.counters.PausesReceived++
		p.obeyPause(k, f)
	case Resume:
		t.counters.ResumesReceived++
		p.obeyResume(k, f)
	case Refresh:
		t.counters.RefreshesReceived++
		p.obeyRefresh(k, f)
	}
	p.block(f.Class)
	if f.Type != Resume && t.expiry > 0 {
		p.holdOn(k, f.Class)
	}
	if p.sendable(f.Class)&^before != 0 {
		s.woken.Port(p.id)
	}
	return s.woken.Take()
}

// ReceiveWire is Receive of a frame as it came in on the wire, without its check sequence. For
// bytes that are no frame it counts Malformed, changes nothing else and returns a
// *sluice.FrameError. It does not allocate.
func (p *Port) ReceiveWire(now sluice.Time, frame []byte) (sluice.Wake, error) {
	f := &p.owner.incoming
	if err := f.Parse(frame); err != nil {
		p.owner.clock.Overlook(now)
		p.state.counters.Malformed++
		return 0, err
	}
	return p.Receive(now, f), nil
}

func (p *Port) obeyPause(k *egress, f *Frame) {
	if f.All {
		p.hold(k, true)
	}
	for _, flow := range f.Flows() {
		if !p.pause(k, flow, f.Class, 0) {
			k.spilled = true
		}
	}
}

// obeyResume takes flows out of congested_flow_tab, at once or when the rotation under way ends, or
// holds the class no longer.
func (p *Port) obeyResume(k *egress, f *Frame) {
	if f.All {
		p.hold(k, false)
	}
	resumed := false
	for _, flow := range f.Flows() {
		for i := p.find(flow, f.Class); i != 0; {
			e := &p.owner.entries[i]
			next := e.sibling
			if e.is(flow, f.Class) && e.flags&congested != 0 {
				resumed = p.resume(k, i) || resumed
			}
			i = next
		}
	}
	if f.Last {
		k.spilled = false
	}
	if resumed {
		p.rotate(k, f.Class)
	}
}

func (p *Port) hold(k *egress, all bool) {
	if all && !k.all {
		p.state.counters.Holds++
	}
	k.all = all
}

// pause adds a flow to congested_flow_tab and takes back a resume of it that is deferred; false if
// there is no room for it. marks are flags that its entries get.
func (p *Port) pause(k *egress, flow uint64, class sluice.Class, marks uint8) bool {
	s := p.owner
	first, known := p.find(flow, class), false
	for i := first; i != 0; i = s.entries[i].sibling {
		if e := &s.entries[i]; e.is(flow, class) {
			known = true
			p.pauseEntry(k, i)
			p.mark(e, marks)
		}
	}
	if known {
		return true
	}
	i := p.newEntry(first, flow, class, noIngress)
	if i == 0 {
		p.state.counters.Spills++
		return false
	}
	p.pauseEntry(k, i)
	p.mark(&s.entries[i], marks)
	return true
}

func (p *Port) pauseEntry(k *egress, i int32) {
	e := &p.owner.entries[i]
	if e.flags&congested != 0 {
		if e.flags&deferred != 0 {
			e.flags &^= deferred
			k.deferred--
		}
		return
	}
	p.state.counters.FlowsPaused++
	p.setCongested(k, i, e, true)
}

// resume takes an entry out of congested_flow_tab, or in a rotation has that wait for its end
// (deviation: the order mark). It reports whether it is out.
func (p *Port) resume(k *egress, i int32) bool {
	e := &p.owner.entries[i]
	if k.serving != normal {
		p.deferEntry(k, i)
		return false
	}
	p.state.counters.FlowsResumed++
	p.setCongested(k, i, e, false)
	return true
}

// deferEntry has the resume of an entry wait for the end of the rotation.
func (p *Port) deferEntry(k *egress, i int32) {
	e := &p.owner.entries[i]
	if e.flags&deferred != 0 {
		return
	}
	p.state.counters.Deferrals++
	k.deferred++
	if e.flags&chained == 0 {
		e.chain = k.chain
		k.chain = i
	}
	e.flags |= deferred | chained
}

// setCongested puts an entry into congested_flow_tab, or takes it out. An entry to announce
// upstream stays one.
func (p *Port) setCongested(k *egress, i int32, e *entry, on bool) {
	change := int32(-1)
	if on {
		change = 1
	}
	k.congested += change
	listed := e.packets > 0 && e.flags&told == 0
	if listed {
		p.relist(i, e)
	} else {
		e.flags ^= congested
	}
	if e.flags&named != 0 { // only what is paused is marked
		e.flags &^= named
		p.state.gather[e.class()].named--
	}
	if e.packets > 0 {
		k.presentCongested += change
	}
	if !on && e.packets == 0 && e.flags&told == 0 {
		p.release(i)
	}
}

// relist puts a listed flow into congested_flow_tab, or takes it out, and changes its list with it.
// A flow to announce stays one.
func (p *Port) relist(i int32, e *entry) {
	s := p.owner
	if int(e.ingress()) >= len(s.ports) {
		e.flags ^= congested // of local packets there are no lists
		return
	}
	g := s.group(p.id, e.ingress(), e.class())
	from := g.of(e.flags)
	wanted := from.upTo != 0
	s.remove(from, i)
	e.flags ^= congested
	if wanted {
		s.pushFirst(g.of(e.flags), i)
	} else {
		s.push(g.of(e.flags), i)
	}
}

// LinkDown says that the link of this port failed. Downstream pauses no flow and holds no class
// from now on, and no move waits for Config.Speedup: what waits here can be emptied at once by Next
// and Dequeue, in the order of a rotation, or stay. Until LinkUp the port polls no frame and obeys
// none. O(Config.Flows).
func (p *Port) LinkDown(now sluice.Time) sluice.Wake {
	p.owner.clock.Advance(now)
	p.state.Down = true
	p.state.slow = 0
	p.forget()
	return p.owner.woken.Take()
}

// LinkUp says that the link of this port is there again, or that the device at its other end
// started anew. Earlier frames are void at both ends, and the port announces again what it pauses.
// Both ends must call it, no sooner than the link's delay after LinkDown: a frame that was on the
// link all the while is obeyed when it comes in. O(Config.Flows).
func (p *Port) LinkUp(now sluice.Time) sluice.Wake {
	s, t := p.owner, p.state
	s.clock.Advance(now)
	t.Down = false
	p.forget()
	t.Heard.Forget()
	for class := range sluice.Class(sluice.Classes) {
		a := s.account(p.id, class)
		if a.count > 0 {
			how := asPause
			if s.config.Refresh > 0 {
				how = asState
			}
			a.repeatAll(how)
		}
		if a.count > 0 || a.allWanted || !a.wanted.Empty() {
			p.refreshSoon(class)
		}
		p.updateOwed(class)
	}
	return s.woken.Take()
}

func (p *Port) forget() {
	s, t := p.owner, p.state
	t.refresh.at, t.refresh.classes = sluice.Never, 0
	t.expires = sluice.Never
	for class := range sluice.Class(sluice.Classes) {
		before := p.sendable(class)
		k, a := &p.classes[class], s.account(p.id, class)
		p.letGo(k, class)
		if p.sendable(class)&^before != 0 {
			s.woken.Port(p.id)
		}
		a.allTold, a.telling = false, notAgain
		if a.resume {
			p.forgetAnnounced(a)
		}
		p.updateOwed(class)
	}
	p.reschedule()
}
