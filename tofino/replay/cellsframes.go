package replay

import (
	"slices"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/ofc"
)

// Receive implements [kit.Machine].
func (s *cellSwitch) Receive(
	now sluice.Time, id sluice.PortID, octets []byte,
) (sluice.Wake, error) {
	p, f := &s.ports[id], &s.incoming
	if err := f.Parse(octets); err != nil {
		p.counters.Malformed++
		return 0, err
	}
	now = s.clock.Advance(now)
	p.counters.FramesReceived++
	switch {
	case !p.Obeys(now, f.Sequence):
		p.counters.Stale++
		return 0, nil
	case !s.config.Classes.Has(f.Class) || f.Type == ofc.Refresh:
		p.counters.Ignored++
		return 0, nil
	}
	s.changing(id, f.Class, func(k *cellClass) {
		if f.All {
			k.held = f.Type == ofc.Pause
			return
		}
		resumed := false
		for _, flow := range f.Flows() {
			if f.Type == ofc.Pause {
				k.pause(flow)
			} else {
				resumed = k.resume(func(c *cell) bool { return c.flow == flow }) || resumed
			}
		}
		k.spilled = k.spilled && !f.Last
		if resumed {
			k.rotate()
		}
	})
	return s.woken.Take(), nil
}

// changing calls a function that changes what downstream pauses of a class. It wakes the port if
// another queue may send then.
func (s *cellSwitch) changing(id sluice.PortID, class sluice.Class, change func(*cellClass)) {
	k := &s.ports[id].classes[class]
	blocked, serving := k.blocked(), k.serving
	if change(k); !k.blocked() && (blocked || k.serving != serving) {
		s.woken.Port(id)
	}
}

// pause adds a flow to congested_flow_tab and takes back a resume of it that is deferred. If there
// is no cell for the flow, the class is held.
func (k *cellClass) pause(flow uint64) {
	at := k.congested.place(flow)
	if at < 0 {
		k.spilled = true
		return
	}
	k.congested[at] = cell{flow: flow, packets: 1}
}

// resume takes flows out of congested_flow_tab, or in a rotation has that wait for its end. It
// reports whether one is out.
func (k *cellClass) resume(of func(*cell) bool) bool {
	if k.serving == 0 {
		return k.congested.free(of)
	}
	k.congested.each(of, func(c *cell) { c.marked = true })
	return false
}

// PollFrame implements [kit.Machine].
func (s *cellSwitch) PollFrame(
	now sluice.Time, id sluice.PortID, buf []byte,
) (octets []byte, kind string, ok bool) {
	p := &s.ports[id]
	for _, wanted := range [...]func(owed) bool{owed.all, owed.some} {
		for class := sluice.Class(sluice.Classes); class > 0; {
			class--
			if !wanted(s.owes(id, class)) {
				continue
			}
			p.Sent++
			p.counters.FramesSent++
			f := ofc.Frame{Source: s.config.MAC, Sequence: p.Sent, Class: class, Type: ofc.Pause}
			s.account(id, class).fill(&f)
			return f.AppendTo(buf), f.Kind(), true
		}
	}
	return buf, "", false
}

// fill makes f the next frame about a class: what pauses or resumes all of it goes first.
func (a *cellAccount) fill(f *ofc.Frame) {
	switch {
	case a.allWanted != a.allTold:
		a.allTold, f.All = a.allWanted, true
		if !a.allTold {
			f.Type = ofc.Resume
		}
		return
	case a.resume:
		c := &a.told[slices.IndexFunc(a.told, func(c cell) bool { return c.marked })]
		f.Type, f.Keys[0] = ofc.Resume, c.flow
		*c = cell{}
		a.resume = a.told.count(marked) > 0
		f.Last = !a.resume
	default:
		c := &a.told[a.pending[0]]
		f.Keys[0], c.marked, a.pending = c.flow, true, a.pending[1:]
	}
	f.Count = 1
}

// owed says which frames are owed about a class.
type owed struct{ wholeClass, flows bool }

func (o owed) all() bool  { return o.wholeClass }
func (o owed) some() bool { return o.flows }

func (s *cellSwitch) owes(id sluice.PortID, class sluice.Class) owed {
	a := s.account(id, class)
	if s.ports[id].Down {
		return owed{}
	}
	return owed{a.allWanted != a.allTold, a.resume || len(a.pending) > 0}
}

// wakeFor wakes a port that owes more frames about a class than before.
func (s *cellSwitch) wakeFor(id sluice.PortID, class sluice.Class, before owed) {
	after := s.owes(id, class)
	if after.wholeClass && !before.wholeClass || after.flows && !before.flows {
		s.woken.Port(id)
	}
}

// pauseAll has the device upstream hold the whole class.
func (a *cellAccount) pauseAll() { a.active, a.allWanted = true, true }

// want has the device upstream pause a flow; false if there is no cell for it in pause_frame_tab.
func (a *cellAccount) want(flow uint64) bool {
	at := a.told.place(flow)
	if at >= 0 && a.told[at].packets == 0 {
		a.told[at] = cell{flow: flow, packets: 1}
		a.pending = append(a.pending, at)
	}
	return at >= 0
}

// resumeUpstream has frames resume everything that frames paused upstream (Algorithm 1, lines 16
// to 19).
func (s *cellSwitch) resumeUpstream(id sluice.PortID, class sluice.Class, a *cellAccount) {
	before := s.owes(id, class)
	a.active, a.allWanted, a.pending = false, false, nil
	a.told.free(func(c *cell) bool { return !c.marked })
	clear(a.walked)
	a.resume = a.told.count(marked) > 0
	if s.ports[id].Down {
		a.forgetTold()
	}
	s.wakeFor(id, class, before)
}

// forgetTold forgets the flows that a RESUME is to name, because the device upstream forgot them.
func (a *cellAccount) forgetTold() {
	if a.resume {
		a.told.free(marked)
	}
	a.resume = false
}

// LinkDown implements [kit.Machine].
func (s *cellSwitch) LinkDown(now sluice.Time, id sluice.PortID) sluice.Wake {
	s.clock.Advance(now)
	s.ports[id].Down = true
	s.forget(id)
	return s.woken.Take()
}

// LinkUp implements [kit.Machine]: the port announces again what it pauses.
func (s *cellSwitch) LinkUp(now sluice.Time, id sluice.PortID) sluice.Wake {
	s.clock.Advance(now)
	p := &s.ports[id]
	s.forget(id)
	p.Down = false
	p.Heard.Forget()
	for class := range sluice.Class(sluice.Classes) {
		a := s.account(id, class)
		a.pending = nil
		for at := range a.told {
			if a.told[at].packets > 0 {
				a.told[at].marked = false
				a.pending = append(a.pending, at)
			}
		}
		s.wakeFor(id, class, owed{})
	}
	return s.woken.Take()
}

// forget voids all frames of a link's life.
func (s *cellSwitch) forget(id sluice.PortID) {
	for class := range sluice.Class(sluice.Classes) {
		s.changing(id, class, func(k *cellClass) {
			k.held, k.spilled = false, false
			if k.resume(taken) {
				k.rotate()
			}
		})
		a := s.account(id, class)
		a.allTold = false
		a.forgetTold()
	}
}
