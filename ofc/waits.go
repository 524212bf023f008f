package ofc

import "github.com/sluicefc/sluice"

// WaitsFor reports whether queue q, which is held, waits for a packet to leave the peer's device: a
// paused queue, and every queue of a class that is held, wait until what came in by that ingress in
// the class has come down to X_ON. A normal queue that waits for a rotation waits for its own port.
// in is the queue where the packet waits there, came says that it came in by this port's link.
func (p *Port) WaitsFor(q sluice.QueueID, packet *sluice.Packet, _ sluice.QueueID, came bool) bool {
	if q >= QueuesPerClass*sluice.Classes || !came ||
		sluice.QueueID(packet.Class) != q/QueuesPerClass {
		return false
	}
	k := &p.classes[packet.Class]
	return k.held() || uint8(q%QueuesPerClass) == k.paused
}
