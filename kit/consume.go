package kit

import "github.com/sluicefc/sluice"

// Consumer is an optional part of a Machine: that of a protocol which counts arrivals, as
// credit-based flow control does.
type Consumer interface {
	// Consume says that a packet came in by port and goes no further: it was delivered, or
	// discarded before any Enqueue.
	Consume(now sluice.Time, port sluice.PortID, p *sluice.Packet) sluice.Wake
}

// Consumes reports whether a machine is a Consumer, or wraps one: see [Unwrap].
func Consumes(m Machine) bool { return consumerOf(m) != nil }

// Consume tells a machine that a packet came in by port and goes no further, if its protocol is to
// know. Embedders that drive any protocol call it for every packet that they do not enqueue.
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

// optional returns the machine, or the first one that it wraps, which has an optional part.
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

type consumingAdapter[S Switch[P, F], P Port[F], F any, FP Frame[F]] struct {
	adapter[S, P, F, FP]
}

// Consume implements Consumer.
func (a *consumingAdapter[S, P, F, FP]) Consume(
	now sluice.Time, port sluice.PortID, p *sluice.Packet,
) sluice.Wake {
	return any(a.ports[port]).(consumingPort).Consume(now, p)
}
