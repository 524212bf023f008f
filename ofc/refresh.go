package ofc

import (
	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/chassis"
)

// refresher is when a port sends its lists again.
type refresher struct {
	at         sluice.Time     // Never: no frame was sent since the link is up
	interval   sluice.Time     // to the one after that
	idle       int             // refreshes left before the interval grows
	classes    sluice.ClassSet // classes with announced flows since the link is up
	generation uint32
}

// refreshSoon plans an early refresh, because the frame that is about to be sent may get lost.
func (p *Port) refreshSoon(class sluice.Class) {
	s, r := p.owner, &p.state.refresh
	if s.config.Refresh == 0 || p.state.Down {
		return
	}
	r.classes |= 1 << class
	r.interval, r.idle = s.config.Refresh, s.config.IdleRefreshes
	r.at = min(r.at, chassis.After(s.clock.Now(), r.interval))
	p.reschedule()
}

// refresh starts to send the lists again.
func (p *Port) refresh() {
	s, r := p.owner, &p.state.refresh
	r.generation++
	busy := false
	for rest := r.classes; rest != 0; rest &= rest - 1 {
		class := highest(rest & -rest)
		a := s.account(p.id, class)
		busy = busy || a.active || a.count > 0 || a.allTold
		if a.telling == notAgain {
			a.repeatAll(asState)
			p.updateOwed(class)
		}
	}
	switch {
	case busy:
		r.interval, r.idle = s.config.Refresh, s.config.IdleRefreshes
	case r.idle > 0:
		r.idle--
	default:
		r.interval = min(2*r.interval, chassis.Longest)
	}
	r.at = chassis.After(s.clock.Now(), r.interval)
}

// gathering is the parts of a refresh that have come.
type gathering struct {
	generation uint32
	next       uint16 // the part that is to come
	complete   bool   // none was missed so far
	spilled    bool   // there was no room for one of the flows
	named      int32  // entries that are marked
}

// obeyRefresh adds the flows of a part to congested_flow_tab, and when all parts have come takes
// out the flows that no part named.
func (p *Port) obeyRefresh(k *egress, f *Frame) {
	g := &p.state.gather[f.Class]
	p.hold(k, f.All)
	switch {
	case f.Part == 0:
		p.unmark(f.Class)
		*g = gathering{generation: f.Generation, complete: true}
	case f.Generation != g.generation || f.Part != g.next:
		g.complete = false
	}
	marks := uint8(0)
	if g.complete {
		marks = named
	}
	before := p.state.counters.FlowsPaused
	for _, flow := range f.Flows() {
		if !p.pause(k, flow, f.Class, marks) {
			k.spilled, g.spilled = true, true
		}
	}
	p.state.counters.Repairs += p.state.counters.FlowsPaused - before
	g.next = f.Part + 1
	if g.complete && g.next == f.Parts {
		p.resumeUnnamed(k, f.Class)
		k.spilled = g.spilled
		g.complete = false
	}
}

func (p *Port) mark(e *entry, marks uint8) {
	if marks&^e.flags != 0 {
		e.flags |= marks
		p.state.gather[e.class()].named++
	}
}

func (p *Port) unmark(class sluice.Class) {
	g := &p.state.gather[class]
	if g.named == 0 {
		return
	}
	for i := p.base() + 1; i <= p.base()+p.fresh; i++ {
		if e := &p.owner.entries[i]; e.class() == class {
			e.flags &^= named
		}
	}
	g.named = 0
}

// resumeUnnamed takes the flows that a refresh did not name out of congested_flow_tab.
func (p *Port) resumeUnnamed(k *egress, class sluice.Class) {
	resumed := false
	for i := p.base() + 1; i <= p.base()+p.fresh; i++ {
		e := &p.owner.entries[i]
		if e.class() == class && e.flags&(congested|deferred|named) == congested {
			p.state.counters.Repairs++
			resumed = p.resume(k, i) || resumed
		}
	}
	p.unmark(class)
	if resumed {
		p.rotate(k, class)
	}
}
