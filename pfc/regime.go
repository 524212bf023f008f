package pfc

import "github.com/sluicefc/sluice"

// When Reconfigure makes a class lossless at an ingress, or lossy, packets of it wait that were
// accounted the other way. Each leaves the account that took it in. Those that came before the
// change are the first in their queues; those that come while any of them waits are marked in
// Packet.Note. When the last of them has left, all is as if the class had always been so.
const (
	noteLossless uint64 = iota
	noteLossy
)

// setClasses takes over the lossless classes of this ingress, and the classes that it sends and
// obeys pauses of. A peer that is paused in a class which is no longer lossless is resumed.
func (p *Port) setClasses() {
	s, t := p.owner, p.state
	c := &s.config.Ports[p.id]
	for i := range sluice.Class(sluice.Classes) {
		a := p.account(i)
		a.flags &^= lossy | limited
		if c.Classes.Has(i) {
			continue
		}
		if a.flags&pausing != 0 {
			p.resumeUpstream(i)
		}
		if a.flags = a.flags&^spilled | lossy; s.config.accounted(int(p.id)).Has(i) {
			a.flags ^= lossy | limited
		}
		a.bytes += int64(a.headroom) // its reserve and headroom are the pool's again
		a.headroom = 0
	}
	t.maySend, t.obeys = c.Sends&c.Classes&sluice.AllClasses, c.Obeys&sluice.AllClasses
	switch t.mode {
	case ClassicPause:
		t.obeys = sluice.AllClasses
	case ClassicObey:
		t.maySend, t.obeys = 0, sluice.AllClasses
	}
	t.sends = t.maySend &^ t.muted
}

// applyClasses makes the port act on the changes of setClasses: a class that does not obey any
// more is released, and its storm is over; the peer gets a frame of the classes that are paused
// now.
func (p *Port) applyClasses() {
	t := p.state
	for rest := t.storming &^ p.watched(); rest != 0; rest &= rest - 1 {
		p.restore(lowest(rest))
	}
	for rest := t.held &^ t.obeys; rest != 0; rest &= rest - 1 {
		p.release(lowest(rest))
	}
	if p.owner.watchdog.bigRed {
		t.bypass = p.state.maps.queueOf.Of(p.owner.config.lossless(int(p.id)))
		for i := range sluice.Class(sluice.Classes) {
			p.setDiscard(i, t.bypass.Has(i))
		}
	}
	p.retell()
	p.reblock()
}

// beginChange notes which packets wait from before a change of the lossless classes.
func (s *Switch) beginChange() {
	s.settling = 0
	for i := range s.accounts {
		if a := &s.accounts[i]; a.flags&mixed == 0 {
			a.flags = a.flags&^wasLossy | mixed
			if a.flags&lossy != 0 {
				a.flags |= wasLossy
			}
		}
	}
	for i := range s.ports {
		p := &s.ports[i]
		for c := range p.queues {
			p.state.lastBefore[c] = p.came(c)
			if !s.changing {
				p.state.before[c] = p.came(c)
			}
		}
	}
	s.changing = true
}

// continueChange looks at a few queues more whether all has left that waited at the last change.
func (s *Switch) continueChange() {
	for range 4 {
		if s.settling == len(s.accounts) {
			for i := range s.accounts {
				s.accounts[i].flags &^= mixed
			}
			s.changing = false
			return
		}
		p, c := &s.ports[s.settling/sluice.Classes], s.settling%sluice.Classes
		if p.left(c) < p.state.lastBefore[c] {
			return
		}
		s.settling++
	}
}

func (p *Port) came(class int) uint64 {
	return p.queues[class%sluice.Classes].enqueued + p.state.restored[class%sluice.Classes]
}

func (p *Port) left(class int) uint64 {
	return p.queues[class%sluice.Classes].transmitted + p.state.gone[class%sluice.Classes]
}

func (p *Port) isLossy(a *account, packet *sluice.Packet, class sluice.Class) bool {
	switch {
	case a.flags&mixed == 0:
		return a.flags&lossy != 0
	case p.left(int(class)) < p.state.before[class%sluice.Classes]:
		return a.flags&wasLossy != 0
	}
	return packet.Note == noteLossy
}
