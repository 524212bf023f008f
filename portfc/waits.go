package portfc

import "github.com/sluicefc/sluice"

// WaitsFor reports whether queue q, which is held, waits for a packet to leave the peer's device,
// where it waits in queue in. A node's queue waits for those of its class at the egress port that
// its packets take, whoever sent them: detection is at the egress. A switch's waits for the node's
// relay queue if that has a threshold; else see [Port.WaitsBehind]. Constant time.
func (p *Port) WaitsFor(
	q sluice.QueueID, packet *sluice.Packet, in sluice.QueueID, _ bool,
) bool {
	if int(q) >= p.owner.queues || packet.Path.Len() == 0 {
		return false
	}
	t, to := p.owner.network, packet.Path.At(0).Port
	if !p.owner.node {
		return in == t.RelayQueue() && to < relayHold && p.queue(int(q)).holds>>(relayHold+to)&1 != 0
	}
	class := p.queue(int(q)).class
	if class == relayClass || class == highClass || in > t.DDQ() {
		return false
	}
	e := expand(int32(q)-int32(t.firstOf(class)), p.ownPort)
	return int32(to) == e && uint8(t.K-int(in)/(t.N-1)) == class
}

// WaitsBehind reports whether queue q, which is held, waits for what the peer's queue behind of its
// port by waits for: whether a node has passed on to this switch that it is to hold that queue
// (Algorithm 3). The node's may be empty. Constant time.
func (p *Port) WaitsBehind(q sluice.QueueID, by sluice.PortID, behind sluice.QueueID) bool {
	t := p.owner.network
	return !p.owner.node && q < t.DDQ() && by < relayHold && p.queue(int(q)).holds>>by&1 != 0 &&
		int(behind) == int(q)+t.N-1
}
