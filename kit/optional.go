package kit

import "github.com/sluicefc/sluice"

// Consumer is an optional part of a Machine, for protocols that count arrivals, as credit-based
// flow control does.
type Consumer interface {
	// Consume says that a packet came in by port and goes no further: it was delivered, or
	// discarded before any Enqueue.
	Consume(now sluice.Time, port sluice.PortID, p *sluice.Packet) sluice.Wake
}

// Consumes reports whether a machine is a Consumer, or wraps a Consumer: see [Unwrap].
func Consumes(m Machine) bool { return consumerOf(m) != nil }

// Consume tells a machine that a packet came in by port and goes no further, if its protocol counts
// arrivals. Embedders that drive any protocol call it for every packet that came in and that they
// do not enqueue.
func Consume(m Machine, now sluice.Time, port sluice.PortID, p *sluice.Packet) sluice.Wake {
	if c := consumerOf(m); c != nil {
		return c.Consume(now, port, p)
	}
	return 0
}

// Consume says that a packet came in by port and goes no further: see [Consume].
func (d *Driver[T]) Consume(now sluice.Time, port sluice.PortID, p *sluice.Packet) {
	if d.consumer != nil {
		d.Act(now, d.consumer.Consume(now, port, p))
	}
}

func consumerOf(m Machine) Consumer {
	c, _ := optional[Consumer](m)
	return c
}

// optional returns the first of a machine and the machines within it that has an optional part.
func optional[I any](m Machine) (I, bool) {
	for {
		if i, ok := m.(I); ok {
			return i, true
		}
		w, ok := m.(interface{ Unwrap() Machine })
		if !ok {
			var none I
			return none, false
		}
		m = w.Unwrap()
	}
}

// consumingPort is a protocol's *Port that has Consume.
type consumingPort interface {
	Consume(now sluice.Time, p *sluice.Packet) sluice.Wake
}

type consumingAdapter[
	S Switch[P, F, C, N], P Port[F, C], F any, FP Frame[F], C Common, N any,
] struct {
	adapter[S, P, F, FP, C, N]
}

// Consume implements Consumer.
func (a *consumingAdapter[S, P, F, FP, C, N]) Consume(
	now sluice.Time, port sluice.PortID, p *sluice.Packet,
) sluice.Wake {
	return any(a.ports[port]).(consumingPort).Consume(now, p)
}

// EthernetOverhead is what an Ethernet frame takes of the wire beside what Frame.AppendTo writes,
// as [FrameOverhead] counts: its check sequence.
const EthernetOverhead sluice.Bytes = 4

// Overheaded is an optional part of a Frame, for frames that ride in something else than Ethernet.
type Overheaded interface {
	// Overhead returns what a frame takes of the wire beside the bytes that AppendTo writes.
	Overhead() sluice.Bytes
}

// FrameOverhead returns how many byte times a control frame of a machine takes of the wire beside
// the bytes that PollFrame appends: EthernetOverhead, unless the machine's frames say otherwise, as
// InfiniBand's do. Preamble and gap are left out, as they are of packets.
func FrameOverhead(m Machine) sluice.Bytes {
	if o, ok := optional[Overheaded](m); ok {
		return o.Overhead()
	}
	return EthernetOverhead
}

// Overhead implements Overheaded.
func (a *adapter[S, P, F, FP, C, N]) Overhead() sluice.Bytes {
	if o, ok := any(FP(&a.outgoing)).(Overheaded); ok {
		return o.Overhead()
	}
	return EthernetOverhead
}

// Paused is an optional part of a Machine, for protocols whose queues may not be Sendable for
// reasons of their own device: an isolation queue without a root, a backup queue whose turn it is
// not.
type Paused interface {
	// PausedByPeer reports whether the device at the other end of port's link pauses queue q, or flows
	// that come to q: from the frame that says so until another, or its time, ends the pause.
	PausedByPeer(port sluice.PortID, q sluice.QueueID) bool
}

// PausedByPeer asks a machine, or the machine that it wraps, what [Paused] says. Of a machine
// without it, the peer stops the queues that are not Sendable.
func PausedByPeer(m Machine, port sluice.PortID, q sluice.QueueID) bool {
	if p, ok := optional[Paused](m); ok {
		return p.PausedByPeer(port, q)
	}
	return !m.Sendable(port, q)
}

// PausedByPeer implements Paused.
func (a *adapter[S, P, F, FP, C, N]) PausedByPeer(port sluice.PortID, q sluice.QueueID) bool {
	if p, ok := any(a.ports[port]).(interface {
		PausedByPeer(q sluice.QueueID) bool
	}); ok {
		return p.PausedByPeer(q)
	}
	return !a.ports[port].Sendable(q)
}

// WaiterBehind is an optional part of a Machine, for protocols whose devices pass pauses on
// although their own queue for what is paused may be empty.
type WaiterBehind interface {
	// WaitsBehind reports whether queue q of port, which is held, waits for what queue behind of port
	// by of the next device waits for. That queue is held too, on account of the pause that was
	// passed on; it may have no packets.
	WaitsBehind(port sluice.PortID, q sluice.QueueID, by sluice.PortID, behind sluice.QueueID) bool
}

// WaitsBehind asks a machine, or the machine that it wraps, what [WaiterBehind] says.
func WaitsBehind(
	m Machine, port sluice.PortID, q sluice.QueueID, by sluice.PortID, behind sluice.QueueID,
) bool {
	w, ok := optional[WaiterBehind](m)
	return ok && w.WaitsBehind(port, q, by, behind)
}

// WaitsBehind implements WaiterBehind for protocols whose *Port has it.
func (a *adapter[S, P, F, FP, C, N]) WaitsBehind(
	port sluice.PortID, q sluice.QueueID, by sluice.PortID, behind sluice.QueueID,
) bool {
	w, ok := any(a.ports[port]).(interface {
		WaitsBehind(q sluice.QueueID, by sluice.PortID, behind sluice.QueueID) bool
	})
	return ok && w.WaitsBehind(q, by, behind)
}

// Rooted is an optional part of a Machine, for protocols whose pauses name the congested port that
// they are for.
type Rooted interface {
	// PausedFor returns a congestion root for which the device at the other end of port's link pauses
	// queue q; false if it pauses it for none that is known.
	PausedFor(port sluice.PortID, q sluice.QueueID) (root sluice.Hop, ok bool)
}

// RootedOf returns the part of a machine, or of the machine that it wraps, that is [Rooted]; nil if
// its pauses name no root.
func RootedOf(m Machine) Rooted {
	r, _ := optional[Rooted](m)
	return r
}

// rootedPort is a protocol's *Port whose pauses name a root.
type rootedPort interface {
	PausedFor(q sluice.QueueID) (root sluice.Hop, ok bool)
}

type rootedAdapter[
	S Switch[P, F, C, N], P Port[F, C], F any, FP Frame[F], C Common, N any,
] struct {
	adapter[S, P, F, FP, C, N]
}

// PausedFor implements Rooted.
func (a *rootedAdapter[S, P, F, FP, C, N]) PausedFor(
	port sluice.PortID, q sluice.QueueID,
) (root sluice.Hop, ok bool) {
	return any(a.ports[port]).(rootedPort).PausedFor(q)
}
