package pyrrha

import (
	"slices"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/hiq"
)

// Congested reports that the host behind this port, of role NIC, cannot take the packets that it
// receives, because of a congested PCIe bus for instance, or can again (section IV-D). The host
// then is a congestion root of the identity {Config.Switch, port}: packets towards it match if
// their path has this hop as its last. At a port of another role it is misuse and does nothing.
func (p *Port) Congested(now sluice.Time, on bool) sluice.Wake {
	s := p.owner
	s.clock.Advance(now)
	if p.role != NIC {
		p.counts.Misuse++
		return s.finish()
	}
	p.congested = on
	r := s.own(p.id)
	switch {
	case on:
		s.pauseUpstream(r, p.id)
	case s.upstream(r, p.id).state == PausedUpstream:
		s.resumeUpstream(r, p.id)
	}
	return s.finish()
}

// Blocked returns a paused root on a path, whose first hop is this port, and whether there is one.
// A host that pulls packets from flows, the paper's way to pause single flows (section IV-D), asks
// before it takes a packet, instead of having it wait in an IQ. When it may try again, a Wake names
// the port.
func (p *Port) Blocked(path *sluice.Path) (sluice.Hop, bool) {
	if p.isolated == 0 {
		return sluice.Hop{}, false
	}
	for i := 1; i < path.Len(); i++ {
		hop := path.At(i)
		if r := p.owner.find(hop); r >= 0 && p.iq.State(r) == hiq.Paused {
			return hop, true
		}
	}
	return sluice.Hop{}, false
}

// IncastBacklog is the paper's estimate of the backlog of this port when the given number of
// ingress ports sends to it at once: K_pause and a per-hop BDP for each (section IV-D). It uses the
// largest threshold and ingress links. It is no bound: packets that upstreams have in their OQs
// when PAUSE arrives come as well.
func (p *Port) IncastBacklog(senders int) sluice.Bytes {
	return slices.Max(p.pause) + sluice.Bytes(max(senders, 0))*p.owner.hopBDP
}

// WaitsFor reports whether queue q, which is held, waits for a packet to leave the peer's device,
// where the packet waits in queue in: a packet that goes through a root for which q is paused, and
// that waits in the root's OQ, or came in by this port's link and waits for the root. A queue that
// waits for another queue of its own port, or is held by a flow control beneath, waits for no
// packet. Linear in the path.
func (p *Port) WaitsFor(
	q sluice.QueueID, packet *sluice.Packet, in sluice.QueueID, came bool,
) bool {
	if p.held {
		return false
	}
	for i := range packet.Path.Len() {
		r := p.owner.find(packet.Path.At(i))
		if r < 0 || p.iq.State(r) != hiq.Paused || !p.isolates(q, r) {
			continue
		}
		if i == 0 {
			return in == hiq.Output
		}
		if came || p.owner.config.Child == ByQueue {
			return true
		}
	}
	return false
}

// isolates reports whether packets of a root wait in queue q.
func (p *Port) isolates(q sluice.QueueID, root int) bool {
	if !p.owner.single {
		return p.iq.Queue(root) == q
	}
	return slices.Contains(p.iq.RootsOf(hiq.Place(q)), uint16(root))
}
