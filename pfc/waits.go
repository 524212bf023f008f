package pfc

import "github.com/sluicefc/sluice"

// WaitsFor reports whether queue q, which the peer holds, waits for packet p to leave the peer's
// device: a pause of a class ends when what came in by its ingress in that class has left. in is
// the queue where p waits there, came says that it came in by this port's link. A class that GFC
// paces waits for time alone; one that GPFC pauses, for all classes.
func (p *Port) WaitsFor(q sluice.QueueID, packet *sluice.Packet, _ sluice.QueueID, came bool) bool {
	return came && !p.state.pacer.paced.Has(sluice.Class(q)) &&
		(sluice.QueueID(packet.Class) == q || p.owner.config.Trigger == GPFC)
}
