package pyrrha

import (
	"math"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/hiq"
	"github.com/sluicefc/sluice/internal/wire"
)

// LinkDown says that the link of this port failed. The port polls no frame and obeys none until
// LinkUp. Its queues are held by no root any more: their packets move on to the OQ, from which
// they can be sent when the link is there again, or discarded before. The peer leaves every tree.
// Linear in the roots.
func (p *Port) LinkDown(now sluice.Time) sluice.Wake {
	p.owner.begin(now)
	p.down = true
	p.sever()
	return p.owner.finish()
}

// LinkUp says that the link of this port is there again, perhaps with a device at its other end
// that has started anew: what was heard from it before, and what it was told, is void. Roots are
// no longer paused here, their IQs drain and go; the peer leaves every tree. Packets stay. Linear
// in the roots.
func (p *Port) LinkUp(now sluice.Time) sluice.Wake {
	s := p.owner
	s.begin(now)
	p.down = false
	p.forgetPast()
	p.sever()
	if p.congested {
		s.pauseUpstream(s.own(p.id), p.id)
	}
	return s.finish()
}

// past says which frames are from before the link came up: a port's frames are numbered on from
// there by wire.Reordering more. Where none was heard before, as by a device that started anew,
// it is all that come in as soon as those can.
type past struct {
	until sluice.Time // frames sent before arrive by then
	last  wire.Window // of those that arrived
}

// frameOnWire is the length of a frame with check sequence, preamble and gap.
const frameOnWire = wire.MinimumLength + 4 + 20

// never is before all times: the link has no past.
const never sluice.Time = math.MinInt64

// forgetPast begins a new life of the link.
func (p *Port) forgetPast() {
	now := p.owner.clock.Now()
	if _, heard := p.newest.Newest(); heard || p.past.until <= now {
		p.past.last = p.newest
	}
	link := p.owner.config.Ports[p.id].Link
	p.past.until = now.Add(link.Rate.TimeOf(frameOnWire)).Add(link.Delay)
	p.newest = wire.Window{}
	p.sequence += wire.Reordering
}

// fromBefore reports whether a frame was sent before the link came up.
func (p *Port) fromBefore(f *Frame) bool {
	if p.owner.clock.Now() > p.past.until {
		return false
	}
	const most = wire.Reordering / 2 // frames under way
	last, heard := p.past.last.Newest()
	return !heard || f.Sequence-last+most < 2*most
}

// sever ends what the peer asked for and what it was told.
func (p *Port) sever() {
	s := p.owner
	for r := range s.roots {
		if state := p.iq.State(r); state == hiq.Paused || state == hiq.Resumed {
			p.iq.Merge(r, noRoot)
			p.paused.Remove(r)
			s.relent(r)
			s.touch(r)
		}
		u := s.upstream(r, p.id)
		u.left = wire.Window{}
		if p.merging.Has(r) {
			p.endMerge(r)
		}
		u.told = Unlisted
		if u.state != Unlisted {
			s.unlist(r, p.id)
		}
		p.owe(&p.changed, r, false)
		p.owe(&p.leaving, r, false)
		p.heard[r].window = wire.Window{}
	}
	p.floor = wire.Window{}
	s.start(refreshTimer, p.id, sluice.Never)
	s.start(expiryTimer, p.id, sluice.Never)
	s.woken.Port(p.id)
	p.planMove()
}
