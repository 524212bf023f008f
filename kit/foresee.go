package kit

import (
	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/prefetch"
)

// Foresee sets lines to the addresses of the cache lines that the hooks of a port touch first for a
// packet of a class, two of the driver and two of the machine. Ports of pfc have a line for each
// class behind the first; of other machines the second line may be of no use. A port
// that does not exist leaves lines alone. It is for simulators, whose many machines are seldom in
// the processor's cache when their turn comes: a simulator knows some events ahead which port is
// next, and asks the processor for the lines meanwhile. An address may be of no memory at all;
// nothing may be read or written there.
func (d *Driver[T]) Foresee(port sluice.PortID, class sluice.Class, lines *[4]uintptr) {
	if int(port) >= len(d.ports) {
		return
	}
	i := int32(port)
	hooks := d.hooksAt + uintptr(i)*d.hooksApart
	*lines = [4]uintptr{
		prefetch.Nth(d.ports, i), prefetch.Nth(d.queues, i*d.perPort), hooks,
		hooks + prefetch.Line*(1+uintptr(class)),
	}
}

// Joined returns the queue of a port that a packet joined last, which the next one is likely to
// join or to leave, and the line of the machine for the class of the same number.
func (d *Driver[T]) Joined(port sluice.PortID) (*Queue, uintptr) {
	q := d.ports[port].joined
	line := d.hooksAt + uintptr(port)*d.hooksApart + prefetch.Line*(1+uintptr(q))
	return d.queueOf(&d.ports[port], q), line
}

// locateHooks notes where the hooks of port 0 are, and how far apart the hooks of two ports are. If
// the ports of a machine do not lie side by side, Foresee names lines of no use.
func (d *Driver[T]) locateHooks() {
	at := func(port int) uintptr {
		hooks := d.ports[port].hooks
		for {
			w, ok := hooks.(interface{ Unwrap() Hooks })
			if !ok {
				return prefetch.In(hooks)
			}
			hooks = w.Unwrap()
		}
	}
	if len(d.ports) > 0 {
		d.hooksAt = at(0)
	}
	if len(d.ports) > 1 {
		d.hooksApart = at(1) - at(0)
	}
}
