package main

// #include "cgo.h"
import "C"

import (
	"unsafe"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/kit"
	"github.com/sluicefc/sluice/pyrrha"
)

//export go_backlog
func go_backlog(handle C.sluice_machine, port, queue C.uint16_t) C.int64_t {
	return at(handle, port, func(m *machine, port sluice.PortID) C.int64_t {
		return C.int64_t(m.Backlog(port, sluice.QueueID(queue)))
	})
}

//export go_sendable
func go_sendable(handle C.sluice_machine, port, queue C.uint16_t) C.int32_t {
	return at(handle, port, func(m *machine, port sluice.PortID) C.int32_t {
		return truth(m.Sendable(port, sluice.QueueID(queue)))
	})
}

//export go_buffered
func go_buffered(handle C.sluice_machine) C.int64_t {
	return with(&machines, handle, func(m *machine) C.int64_t { return C.int64_t(m.Buffered()) })
}

//export go_counted
func go_counted(handle C.sluice_machine, port C.uint16_t, to *C.sluice_counters) C.int32_t {
	return at(handle, port, func(m *machine, port sluice.PortID) C.int32_t {
		if to == nil {
			return m.refuse(errNull)
		}
		*(*sluice.Counters)(unsafe.Pointer(to)) = m.Counters(port)
		return C.SLUICE_OK
	})
}

//export go_blocked
func go_blocked(
	handle C.sluice_machine, port C.uint16_t, path *C.sluice_path_in, root *C.sluice_hop,
) C.int32_t {
	return atPyrrha(handle, port, func(p *pyrrha.Port) C.int32_t {
		if path == nil || !sound(path) {
			return errPacket.code
		}
		hop, is := p.Blocked(goPath(path))
		if is && root != nil {
			*root = C.sluice_hop{node: C.uint32_t(hop.Switch), port: C.uint16_t(hop.Port)}
		}
		return truth(is)
	})
}

//export go_congested
func go_congested(
	handle C.sluice_machine, now C.sluice_time, port C.uint16_t, on C.int32_t, wake *C.sluice_wake,
) C.int32_t {
	return atPyrrha(handle, port, func(p *pyrrha.Port) C.int32_t {
		return answer(wake, p.Congested(sluice.Time(now), on != 0))
	})
}

//export go_hold
func go_hold(
	handle C.sluice_machine, now C.sluice_time, port C.uint16_t, on C.int32_t, wake *C.sluice_wake,
) C.int32_t {
	return atPyrrha(handle, port, func(p *pyrrha.Port) C.int32_t {
		return answer(wake, p.Hold(sluice.Time(now), on != 0))
	})
}

// atPyrrha is at for a port of a machine that is Pyrrha's.
func atPyrrha(handle C.sluice_machine, port C.uint16_t, f func(*pyrrha.Port) C.int32_t) C.int32_t {
	return at(handle, port, func(m *machine, port sluice.PortID) C.int32_t {
		if s, ok := kit.Unwrap(m.Machine).(*pyrrha.Switch); ok {
			return f(s.Port(port))
		}
		return m.refuse(errUnsupported)
	})
}

func truth(is bool) C.int32_t {
	if is {
		return 1
	}
	return 0
}
