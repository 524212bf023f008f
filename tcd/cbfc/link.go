package cbfc

import "github.com/sluicefc/sluice"

// LinkDown says that the link of this port failed. No VL is held: what waits can be emptied by
// Next and Dequeue, or stay. Until LinkUp the port polls no frame and obeys none. O(log ports).
func (p *Port) LinkDown(now sluice.Time) sluice.Wake {
	p.owner.clock.Advance(now)
	p.down = true
	p.pending, p.changed = 0, 0
	t := p.state
	t.tickAt, t.keepAt = sluice.Never, sluice.Never
	var wake sluice.Wake
	for class := range sluice.Class(sluice.Classes) {
		if p.release(class) {
			wake = sluice.WakePort(p.id)
		}
	}
	return wake | p.schedule()
}

// LinkUp says that the link of this port is there again, or that the device at its other end
// started anew. All counters of the link begin at 0, and every VL is held until the peer says what
// it has room for. Both ends must call it. O(log ports).
func (p *Port) LinkUp(now sluice.Time) sluice.Wake {
	s, t := p.owner, p.state
	now = s.clock.Advance(now)
	p.down = false
	p.heard, p.changed, p.pending = 0, s.classes, s.classes // op 1 until the peer is heard
	for i := range p.vls {
		v := &p.vls[i]
		v.sent, v.limit, v.received, v.told = 0, 0, 0, unknown
		p.renew(sluice.Class(i))
	}
	t.tickAt, t.keepAt = sluice.Never, now.Add(t.keepAlive)
	return sluice.WakePort(p.id) | p.schedule()
}
