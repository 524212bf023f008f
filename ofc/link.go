package ofc

import (
	"github.com/sluicefc/sluice"
)

// LinkDown says that the link of this port failed. Downstream pauses no flow and holds no class
// from now on, and no move waits for Config.Speedup: what waits here can be emptied at once by Next
// and Dequeue, in the order of a rotation, or stay. Until LinkUp the port polls no frame and obeys
// none. O(Config.Flows).
func (p *Port) LinkDown(now sluice.Time) sluice.Wake {
	p.owner.clock.Advance(now)
	p.state.Down = true
	p.state.slow = 0
	return p.forget()
}

// LinkUp says that the link of this port is there again, or that the device at its other end
// started anew. What either end was told is void, and what the device upstream is to know is told
// again. Both ends must call it, no sooner than the link's delay after LinkDown: a frame that was
// on the link all the while is obeyed when it comes in. O(Config.Flows).
func (p *Port) LinkUp(now sluice.Time) sluice.Wake {
	s, t := p.owner, p.state
	s.clock.Advance(now)
	t.Down = false
	wake := p.forget()
	t.Heard.Forget()
	for class := range sluice.Class(sluice.Classes) {
		a := s.account(uint(p.id), class)
		if a.count > 0 {
			how := asPause
			if s.config.Refresh > 0 {
				how = asState
			}
			a.tellAgain(how)
		}
		if a.count > 0 || a.allWanted || !a.wanted.Empty() {
			wake |= p.hasten(class)
		}
		wake |= p.settle(class)
	}
	return wake
}

func (p *Port) forget() (wake sluice.Wake) {
	s, t := p.owner, p.state
	t.refresh.at, t.refresh.classes = sluice.Never, 0
	t.expires = sluice.Never
	for class := range sluice.Class(sluice.Classes) {
		before := p.sendable(class)
		k, a := &p.classes[class], s.account(uint(p.id), class)
		p.letGo(k, class)
		if p.sendable(class)&^before != 0 {
			wake = sluice.WakePort(p.id)
		}
		a.allTold, a.telling = false, notAgain
		if a.resume {
			p.untellAll(a, class)
		}
		wake |= p.settle(class)
	}
	return wake | p.reschedule()
}
