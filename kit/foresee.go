package kit

import (
	"unsafe"

	"github.com/sluicefc/sluice"
)

// Foresight is the addresses of the cache lines that the hooks of a port touch first: two of the
// driver, two of the machine.
type Foresight [4]uintptr

// Foresee sets f for a port; it leaves f alone if there is no such port. It is for embedders of
// many machines, which are seldom in the processor's cache when their turn comes: whoever knows
// some events ahead which port is next asks the processor for the lines meanwhile. They are
// addresses, not pointers: nobody may read there.
func (d *Driver[T]) Foresee(port sluice.PortID, f *Foresight) {
	i := uintptr(port)
	if i >= uintptr(len(d.ports)) {
		return
	}
	hooks := d.hooksAt + i*d.hooksApart
	f[0] = uintptr(unsafe.Pointer(unsafe.SliceData(d.ports))) + i*unsafe.Sizeof(portState{})
	f[1] = uintptr(unsafe.Pointer(unsafe.SliceData(d.queues))) +
		i*uintptr(d.perPort)*unsafe.Sizeof(Queue{})
	f[2], f[3] = hooks, hooks+64
}

// locateHooks notes where the hooks of port 0 are, and how far apart those of two ports are. If the
// ports of a machine do not lie side by side, Foresee names lines that nobody needs.
func (d *Driver[T]) locateHooks() {
	at := func(port int) uintptr {
		hooks := d.ports[port].hooks
		for {
			w, ok := hooks.(interface{ Unwrap() Hooks })
			if !ok {
				return (*[2]uintptr)(unsafe.Pointer(&hooks))[1]
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
