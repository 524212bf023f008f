package pyrrha

import (
	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/hiq"
	"github.com/sluicefc/sluice/internal/wire"
)

// LinkDown says that the link of this port failed. The port polls no frame and obeys none until
// LinkUp. Its queues are held by no root any more, and no move waits for the line: their packets go
// on to the OQ as fast as Next is asked, from where they can be discarded at once, or sent when the
// link is there again. The peer leaves every tree. Linear in the roots.
func (p *Port) LinkDown(now sluice.Time) sluice.Wake {
	p.owner.clock.Advance(now)
	p.peer.Down = true
	p.iq.SetPaced(false)
	p.sever()
	return p.owner.finish()
}

// LinkUp reports that the link of this port is there again, perhaps with a device at its other end
// that has started anew. It voids all frames from and to the peer before it: roots are no longer
// paused here, their IQs drain and go; the peer leaves every tree. Packets stay. Linear in the
// roots.
//
// Without LinkDown before, as beside a device that restarted too fast to be missed, frames of its
// new life can be taken for frames of the old one. Until a frame takes over the link, a frame
// numbered within 32,768 of the last one received is not obeyed, and if none was received no frame
// is. A PAUSE that is lost so is not repeated without Config.Refresh. So call LinkDown when the
// device goes away, and LinkUp no sooner than the link's delay after that.
func (p *Port) LinkUp(now sluice.Time) sluice.Wake {
	s := p.owner
	s.clock.Advance(now)
	p.peer.Up(s.clock.Now(), s.config.Ports[p.id].Link, frameOnWire)
	p.iq.SetPaced(true)
	p.sever()
	if p.congested {
		s.pauseUpstream(s.own(p.id), p.id)
	}
	return s.finish()
}

const frameOnWire = wire.MinimumLength + 4 + 20

// sever voids the frames from the peer and the frames to it.
func (p *Port) sever() {
	s := p.owner
	for r := range s.roots {
		if state := p.iq.State(r); state == hiq.Paused || state == hiq.Resumed {
			p.iq.Merge(r, noRoot)
			p.paused.Remove(r)
			s.resumeForSets(r)
			s.touch(r)
		}
		u := s.upstream(r, p.id)
		if p.merging.Has(r) {
			p.endMerge(r)
		}
		u.told = Unlisted
		if u.state != Unlisted {
			s.unlist(r, p.id)
		}
		p.setPending(&p.changed, r, false)
		p.setPending(&p.leaving, r, false)
	}
	s.start(refreshTimer, p.id, sluice.Never)
	s.start(expiryTimer, p.id, sluice.Never)
	s.woken.Port(p.id)
	p.planMove()
}
