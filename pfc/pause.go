package pfc

import (
	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/debug"
)

// Receive obeys a pause frame that came in at this port. For each class that it enables, its time
// replaces what is left of an earlier one; 0 releases the class at once; other classes are untouched.
// Classes that are not lossless here ignore it. A classic PAUSE holds all classes. A frame that is
// not of the port's mode is counted and ignored. O(log ports).
func (p *Port) Receive(now sluice.Time, f *Frame) sluice.Wake {
	s := p.owner
	if debug.Enabled {
		s.mustBeDrained("Receive")
	}
	s.advance(now)
	p.counters.FramesReceived++
	switch {
	case f.Opcode == OpcodePFC && p.mode == PriorityPause:
		for rest := f.Enabled; rest != 0; rest &= rest - 1 {
			c := lowest(rest)
			p.load(c, f.Time[c], s.lossless>>c&1 != 0)
		}
	case f.Opcode == OpcodePause && p.mode != PriorityPause:
		for c := range sluice.Class(sluice.Classes) {
			p.load(c, f.Time[0], true)
		}
	default:
		p.counters.FramesIgnored++
		return 0
	}
	return p.reblock().Merge(p.reschedule())
}

// load sets the pause timer of a class, unless the class does not obey.
func (p *Port) load(class sluice.Class, t sluice.Quanta, obeys bool) {
	counters := &p.counters.Class[class]
	if !obeys {
		counters.PausesIgnored++
		return
	}
	p.watch[class].frames++
	if t == 0 {
		counters.ResumesReceived++
		p.release(class)
		return
	}
	counters.PausesReceived++
	if p.held>>class&1 == 0 {
		p.held |= 1 << class
		p.heldSince[class] = p.owner.now
		counters.Holds++
	}
	p.expiresAt[class] = p.owner.now.Add(p.rate.TimeOfQuanta(t))
}

// release ends the pause of a class, if there is one.
func (p *Port) release(class sluice.Class) {
	if p.held>>class&1 == 0 {
		return
	}
	p.held &^= 1 << class
	p.expiresAt[class] = sluice.Never
	p.watch[class].releases++
	p.counters.Class[class].HeldTime += p.owner.now - p.heldSince[class]
}

// reblock works out which queues may send, and says so if that released one with packets.
func (p *Port) reblock() sluice.Wake {
	before := p.blocked
	p.blocked = p.held &^ p.bypass
	if (before&^p.blocked|p.discard)&p.backlog != 0 {
		return sluice.WakePort(p.id)
	}
	return 0
}

// reschedule puts the port's earliest timer into the switch's.
func (p *Port) reschedule() sluice.Wake {
	due := p.refreshAt
	for rest := p.held; rest != 0; rest &= rest - 1 {
		due = min(due, p.expiresAt[lowest(rest)])
	}
	s := p.owner
	before := s.Deadline()
	if s.timers.Put(int(p.id), due) && s.Deadline() != before {
		return sluice.WakeDeadline
	}
	return 0
}

// expire does what is due at the port: classes whose pause has run out send again, and a pause that
// has lasted half of the time sent is sent anew.
func (p *Port) expire() sluice.Wake {
	var wake sluice.Wake
	now := p.owner.now
	for rest := p.held; rest != 0; rest &= rest - 1 {
		if c := lowest(rest); p.expiresAt[c] <= now {
			p.release(c)
			p.counters.Class[c].Expiries++
		}
	}
	if p.refreshAt <= now {
		for rest := p.paused; rest != 0; rest &= rest - 1 {
			p.counters.Class[lowest(rest)].Refreshes++
		}
		p.refreshAt = p.owner.now.Add(p.refreshEvery)
		wake = p.speak(p.paused)
	}
	return wake.Merge(p.reblock()).Merge(p.reschedule())
}

// pauseUpstream turns a class of this ingress to paused.
func (p *Port) pauseUpstream(class sluice.Class) sluice.Wake {
	p.account(class).paused = true
	p.paused |= 1 << class
	p.pausedSince[class] = p.owner.now
	p.counters.Class[class].XOffs++
	if p.mode == ClassicObey || p.mode == ClassicPause && p.told != 0 && p.dirty == 0 {
		return 0 // nobody listens, or the whole port is paused already
	}
	return p.tell(class)
}

// resumeUpstream turns a class of this ingress to not paused.
func (p *Port) resumeUpstream(class sluice.Class) sluice.Wake {
	p.account(class).paused = false
	p.paused &^= 1 << class
	counters := &p.counters.Class[class]
	counters.XOns++
	counters.PausedTime += p.owner.now - p.pausedSince[class]
	if p.mode == ClassicObey || p.mode == ClassicPause && p.paused != 0 {
		return 0 // nobody listens, or another class needs the pause
	}
	if p.paused|p.told == 0 {
		// The pause was never polled: the peer need not know of either.
		p.dirty = 0
		p.owner.dirty.Remove(int(p.id))
		p.refreshAt = sluice.Never
		return p.reschedule()
	}
	return p.tell(class)
}

// tell makes a frame pending that speaks of a class, and of every class that is paused: so it
// refreshes those, and the refresh starts anew.
func (p *Port) tell(class sluice.Class) sluice.Wake {
	p.refreshAt = sluice.Never
	if p.paused != 0 {
		p.refreshAt = p.owner.now.Add(p.refreshEvery)
	}
	return p.speak(1 << class).Merge(p.reschedule())
}

// speak makes a frame about classes pending.
func (p *Port) speak(classes sluice.ClassSet) sluice.Wake {
	p.dirty |= classes
	p.owner.dirty.Add(int(p.id))
	return sluice.WakeFrames
}

// buildFrame writes the pending frame from the state as it is now.
func (p *Port) buildFrame(f *Frame) {
	*f = Frame{Source: p.mac, Opcode: OpcodePFC, Enabled: p.dirty | p.paused}
	p.counters.FramesSent++
	if p.mode == ClassicPause {
		f.Opcode, f.Enabled = OpcodePause, 0
		if p.paused != 0 {
			f.Time[0] = p.pause
		}
	}
	for rest := p.dirty | p.paused; rest != 0; rest &= rest - 1 {
		c := lowest(rest)
		if p.paused>>c&1 == 0 {
			p.counters.Class[c].ResumesSent++
			continue
		}
		p.counters.Class[c].PausesSent++
		if p.mode == PriorityPause {
			f.Time[c] = p.pause
		}
	}
	p.told, p.dirty = p.paused, 0
}
