package ofc

import "github.com/sluicefc/sluice"

// holdOn notes that downstream said what it pauses of a class, so that this holds on.
func (p *Port) holdOn(k *egress, class sluice.Class) sluice.Wake {
	t, now := p.state, p.owner.clock.Now()
	t.said[class] = now
	if t.expires != sluice.Never || !k.obeys() {
		return 0
	}
	t.expires = now.Add(t.expiry)
	return p.reschedule()
}

// obeys reports whether downstream pauses anything of the class. A resume that waits for the end of
// a rotation needs nobody any more.
func (k *egress) obeys() bool { return k.held() || k.congested > k.deferred }

// expirePauses ends what is paused of each class of which downstream said nothing for
// Config.Expiry. A device that refreshes says so every Config.Refresh while it pauses anything.
func (p *Port) expirePauses(now sluice.Time) (wake sluice.Wake) {
	t := p.state
	t.expires = sluice.Never
	for class := range sluice.Class(sluice.Classes) {
		k := &p.classes[class]
		if !k.obeys() {
			continue
		}
		if at := t.said[class].Add(t.expiry); at > now {
			t.expires = min(t.expires, at)
			continue
		}
		t.counters.Expired++
		before := p.sendable(class)
		p.letGo(k, class)
		if p.sendable(class)&^before != 0 {
			wake = sluice.WakePort(p.id)
		}
	}
	return wake
}

func (p *Port) letGo(k *egress, class sluice.Class) {
	k.all, k.spilled = false, false
	p.unmark(class)
	p.state.gather[class] = gathering{}
	p.resumeUnnamed(k, class)
	p.block(class)
}
