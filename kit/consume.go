package kit

import "github.com/sluicefc/sluice"

// Consumer is what a Machine is besides if its protocol counts arrivals, as credit-based flow
// control does.
type Consumer interface {
	// Consume says that a packet came in by port and goes no further: it was delivered, or
	// discarded before any Enqueue.
	Consume(now sluice.Time, port sluice.PortID, p *sluice.Packet) sluice.Wake
}

// Consume tells a machine that a packet came in by port and goes no further, if its protocol is to
// know. Embedders that drive any protocol call it for every packet that they do not enqueue.
func Consume(m Machine, now sluice.Time, port sluice.PortID, p *sluice.Packet) sluice.Wake {
	if c, ok := m.(Consumer); ok {
		return c.Consume(now, port, p)
	}
	return 0
}

// Consume says that a packet came in by port and goes no further: see [Consume].
func (d *Driver[T]) Consume(now sluice.Time, port sluice.PortID, p *sluice.Packet) {
	d.act(now, Consume(d.machine, now, port, p))
}

// Consume makes the machine of every protocol a Consumer; those that do not count arrivals have
// nothing to do.
func (a *adapter[S, P, F, FP]) Consume(
	now sluice.Time, port sluice.PortID, p *sluice.Packet,
) sluice.Wake {
	if c, ok := any(a.ports[port]).(interface {
		Consume(now sluice.Time, p *sluice.Packet) sluice.Wake
	}); ok {
		return c.Consume(now, p)
	}
	return 0
}
