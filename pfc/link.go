package pfc

import "github.com/sluicefc/sluice"

// LinkDown says that the link of this port failed. Every class that the peer or a shaper held
// may go: what waits stays, or is flushed by Next and Dequeue, which answers a drop for the reason
// LinkDown. Until LinkUp the port polls no frame and obeys none; what its ingress still holds is
// accounted, and its classes pause and resume, but nobody is told. O(log ports).
func (p *Port) LinkDown(now sluice.Time) sluice.Wake {
	p.owner.clock.Advance(now)
	p.down = true
	p.state.slow = 0
	p.setPlain()
	return p.forget()
}

// LinkUp says that the link of this port is there again, or that the device at its other end
// started anew. What either end was told is void: no class is held, and if classes of this ingress
// are paused, the peer is told so. What it sends until then goes to the headroom, as far as that is
// not in use. Both ends must call it: a peer of which this one knows nothing may send until the
// next refresh, at most a third of the pause time. O(log ports).
func (p *Port) LinkUp(now sluice.Time) sluice.Wake {
	p.owner.clock.Advance(now)
	p.down = false
	p.setPlain()
	if p.state.rules != nil {
		p.delay(sluice.AllClasses)
	}
	wake := p.forget()
	if p.wanted() == 0 {
		return wake
	}
	p.pending = p.wanted()
	p.state.refreshAt = p.owner.clock.Now().Add(p.state.refreshEvery)
	return sluice.WakePort(p.id) | wake | p.reschedule()
}

// forget ends every hold, and makes the port owe its peer nothing.
func (p *Port) forget() sluice.Wake {
	t := p.state
	for rest := t.held; rest != 0; rest &= rest - 1 {
		p.release(lowest(rest))
	}
	t.told, p.pending, t.refreshAt = 0, 0, sluice.Never
	return p.reblock() | p.reschedule()
}
