package pfc

import (
	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/chassis"
)

// BigRedSwitch turns on or off the discarding of every lossless class at every port, storm or no
// storm. While it is on, nothing is detected or restored; turning it on ends all storms, and a
// class that is held when it is turned off counts as held from then on. O(ports).
func (s *Switch) BigRedSwitch(now sluice.Time, on bool) sluice.Wake {
	s.clock.Advance(now)
	if on != s.watchdog.bigRed {
		s.setBigRedSwitch(on)
	}
	return s.woken.Take()
}

func (s *Switch) setBigRedSwitch(on bool) {
	s.watchdog.bigRed = on
	for i := range s.ports {
		p := &s.ports[i]
		lossless := p.queuesOf(s.config.lossless(i))
		for rest := lossless | p.state.obeys; rest != 0; rest &= rest - 1 {
			c := lowest(rest)
			if p.state.storming.Has(c) {
				p.restore(c)
			}
			p.calm(c)
			p.setDiscard(c, on && lossless.Has(c))
			p.sinceNow(c)
		}
		if on {
			p.state.bypass = lossless
		}
		s.woken.Note(p.reblock())
	}
}

// sinceNow makes a class that is held count as held from now on.
func (p *Port) sinceNow(class sluice.Class) {
	t, now := p.state, p.owner.clock.Now()
	if t.held.Has(class) {
		c := &t.counters.Class[class]
		c.HeldTime = c.HeldTime.Add(chassis.Span(t.heldSince[class], now))
		t.heldSince[class] = now
	}
}
