package pyrrha

import (
	"slices"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/hiq"
)

// WaitsFor reports whether queue q, which is held, waits for a packet to leave the peer's device,
// where it waits in queue in: one that goes through a root for which q is paused, and that waits in
// the root's OQ, or came in by this port's link and waits for the root. A queue that waits for
// another of its own port, or is held by a flow control beneath, waits for no packet. Linear in the
// path.
func (p *Port) WaitsFor(
	q sluice.QueueID, packet *sluice.Packet, in sluice.QueueID, came bool,
) bool {
	if p.held || q == hiq.Output || int(q) >= p.iq.Queues() {
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
