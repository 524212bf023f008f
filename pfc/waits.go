package pfc

import "github.com/sluicefc/sluice"

// WaitsFor reports whether queue q, which the peer holds, waits for packet p to leave the peer's
// device: a pause of a class ends when what came in by its ingress in that class has left. in is
// the queue where p waits there, came says that it came in by this port's link. For who looks for
// deadlocks. A class that GFC paces waits for time alone.
func (p *Port) WaitsFor(q sluice.QueueID, packet *sluice.Packet, _ sluice.QueueID, came bool) bool {
	return came && sluice.QueueID(packet.Class) == q && !p.state.pacer.paced.Has(packet.Class)
}
