package pyrrha

import (
	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/hiq"
)

// refreshUpstreams sends again what the upstream at this port was told of every root in whose tree it is. A RESUME
// that finds no IQ is answered with DEALLOC, which repairs one that was lost.
func (p *Port) refreshUpstreams() {
	s := p.owner
	for r := p.listed.Next(0); r >= 0; r = p.listed.Next(r + 1) {
		if !p.merging.Has(r) {
			s.pend(&p.changed, r, p)
			s.counts.Refreshed++
		}
	}
	if !p.listed.Empty() {
		s.start(refreshTimer, p.id, s.now.Add(s.refresh))
	}
}

// expirePauses resumes the roots whose PAUSE was not repeated in time.
func (p *Port) expirePauses() {
	s := p.owner
	next := sluice.Never
	for r := p.paused.Next(0); r >= 0; r = p.paused.Next(r + 1) {
		at := p.heard[r].at.Add(s.expiry)
		if at > s.now {
			next = min(next, at)
			continue
		}
		s.counts.Expired++
		p.unpause(r)
	}
	if next != sluice.Never {
		s.start(expiryTimer, p.id, next)
	}
}

// Congested says that the host behind this port, of role NIC, cannot take what it receives, a congested PCIe bus for
// instance, or can again: "Pyrrha can also handle end-host congestion (e.g., PCIe congestion) by backpressuring the traffic it
// receives" (section IV-D). The host then is a congestion root of the identity {Config.Switch, port}: packets
// towards it match if their path has this hop as its last. At a port of another role it is misuse and does nothing.
func (p *Port) Congested(now sluice.Time, on bool) sluice.Wake {
	s := p.owner
	if p.role != NIC {
		s.counts.Misuse++
		return 0
	}
	s.begin(now)
	r := s.own(p.id)
	switch paused := s.upstream(r, p.id).state == PausedUpstream; {
	case on && !paused:
		s.pauseUpstream(r, p.id)
	case !on && paused:
		s.resumeUpstream(r, p.id)
	}
	return s.finish()
}

// LinkUp says that the link of this port came up, perhaps with a device at its other end that has started anew: what was
// heard from it before, and what it was told, is void. Roots are no longer paused here, their IQs drain and go; the peer leaves
// every tree. Packets stay. The embedder of that device calls it too. Linear in the roots.
func (p *Port) LinkUp(now sluice.Time) sluice.Wake {
	s := p.owner
	s.begin(now)
	for r := range s.roots {
		if state := p.iq.State(r); state == hiq.Paused || state == hiq.Resumed {
			p.iq.Merge(r, -1)
			p.paused.Remove(r)
			p.giveUpIfDone(r)
		}
		s.cancelMerge(r, p)
		s.cancel(&p.changed, r, p)
		s.cancel(&p.leaving, r, p)
		if s.upstream(r, p.id).state != Unlisted {
			s.unlist(r, p.id)
			s.pruneLeaves(r)
		}
		s.upstream(r, p.id).heard = false
	}
	p.hasFloor, p.answers = false, false
	s.settlePending(p)
	for r := range p.heard {
		p.heard[r].valid = false
	}
	s.start(refreshTimer, p.id, sluice.Never)
	s.start(expiryTimer, p.id, sluice.Never)
	s.wake = s.wake.Merge(sluice.WakePort(p.id))
	p.planMove()
	return s.finish()
}
