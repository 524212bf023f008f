package kit

import "github.com/sluicefc/sluice"

// Waiter is an optional part of a Machine: it may be able to say what its held queues wait for, so
// that a search for deadlocks need not guess it from the numbers of queues.
type Waiter interface {
	// WaitsFor reports whether queue q of port, which is held, waits for packet p to leave the next
	// device, the one that the port's link leads to: whether the peer holds q on account of p among
	// others. There p waits in queue in; came says that it came in by this link. Its fields are as
	// that device has them: Path begins with the port where it waits. A queue that is held for a
	// reason of its own device waits for no packet. The answer depends on nothing of p but its flow,
	// class, Ingress, UpstreamQueue and Path. known is false if the protocol cannot say.
	WaitsFor(port sluice.PortID, q sluice.QueueID, p *sluice.Packet, in sluice.QueueID,
		came bool) (waits, known bool)
}

// WaitsFor asks a machine, or the one that it wraps, what [Waiter] says.
func WaitsFor(
	m Machine, port sluice.PortID, q sluice.QueueID, p *sluice.Packet, in sluice.QueueID, came bool,
) (waits, known bool) {
	if w, ok := optional[Waiter](m); ok {
		return w.WaitsFor(port, q, p, in, came)
	}
	return false, false
}

// WaitsFor implements Waiter for protocols whose *Port has it.
func (a *adapter[S, P, F, FP]) WaitsFor(
	port sluice.PortID, q sluice.QueueID, p *sluice.Packet, in sluice.QueueID, came bool,
) (waits, known bool) {
	w, known := any(a.ports[port]).(interface {
		WaitsFor(q sluice.QueueID, p *sluice.Packet, in sluice.QueueID, came bool) bool
	})
	return known && w.WaitsFor(q, p, in, came), known
}

// WaiterBehind is an optional part of a Machine: that of a protocol whose devices pass pauses on,
// although their own queue for what is paused may be empty.
type WaiterBehind interface {
	// WaitsBehind reports whether queue q of port, which is held, waits for what queue behind of port
	// by of the next device waits for. That queue is held too, on account of the pause that was
	// passed on; it may have no packets.
	WaitsBehind(port sluice.PortID, q sluice.QueueID, by sluice.PortID, behind sluice.QueueID) bool
}

// WaitsBehind asks a machine, or the one that it wraps, what [WaiterBehind] says.
func WaitsBehind(
	m Machine, port sluice.PortID, q sluice.QueueID, by sluice.PortID, behind sluice.QueueID,
) bool {
	w, ok := optional[WaiterBehind](m)
	return ok && w.WaitsBehind(port, q, by, behind)
}

// WaitsBehind implements WaiterBehind for protocols whose *Port has it.
func (a *adapter[S, P, F, FP]) WaitsBehind(
	port sluice.PortID, q sluice.QueueID, by sluice.PortID, behind sluice.QueueID,
) bool {
	w, ok := any(a.ports[port]).(interface {
		WaitsBehind(q sluice.QueueID, by sluice.PortID, behind sluice.QueueID) bool
	})
	return ok && w.WaitsBehind(q, by, behind)
}
