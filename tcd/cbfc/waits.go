package cbfc

import "github.com/sluicefc/sluice"

// WaitsFor reports whether queue q, which has no credit, waits for packet p to leave the peer's
// device: credit comes when what came in by its ingress on that VL has left. in is the queue where
// p waits there, came says that it came in by this port's link.
func (p *Port) WaitsFor(q sluice.QueueID, packet *sluice.Packet, _ sluice.QueueID, came bool) bool {
	return came && sluice.QueueID(packet.Class) == q
}
