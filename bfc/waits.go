package bfc

import "github.com/sluicefc/sluice"

// WaitsFor reports whether queue q, which the peer holds, waits for packet p to leave the peer's
// device: a pause of an upstream queue ends when packets that came from that queue have left. in is
// the queue where p waits there, came says that it came in by this port's link.
func (p *Port) WaitsFor(q sluice.QueueID, packet *sluice.Packet, _ sluice.QueueID, came bool) bool {
	return came && packet.UpstreamQueue == q
}
