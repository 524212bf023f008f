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
	m, failure := at(handle, port)
	if failure != nil {
		return C.int64_t(failure.code)
	}
	return C.int64_t(m.Backlog(sluice.PortID(port), sluice.QueueID(queue)))
}

//export go_sendable
func go_sendable(handle C.sluice_machine, port, queue C.uint16_t) C.int32_t {
	m, failure := at(handle, port)
	if failure != nil {
		return failure.code
	}
	return truth(m.Sendable(sluice.PortID(port), sluice.QueueID(queue)))
}

//export go_buffered
func go_buffered(handle C.sluice_machine) C.int64_t {
	m := machines.get(uint64(handle))
	if m == nil {
		return C.SLUICE_E_HANDLE
	}
	return C.int64_t(m.Buffered())
}

//export go_counted
func go_counted(handle C.sluice_machine, port C.uint16_t, to *C.sluice_counters) C.int32_t {
	m, failure := at(handle, port)
	if failure != nil {
		return failure.code
	}
	if to == nil {
		m.err = errNull
		return errNull.code
	}
	*(*sluice.Counters)(unsafe.Pointer(to)) = m.Counted(sluice.PortID(port))
	return C.SLUICE_OK
}

//export go_blocked
func go_blocked(
	handle C.sluice_machine, port C.uint16_t, path *C.sluice_path_in, root *C.sluice_hop,
) C.int32_t {
	p, failure := pyrrhaPort(handle, port)
	if failure != nil {
		return failure.code
	}
	if path == nil || !sound(path) {
		return errPacket.code
	}
	hop, is := p.Blocked(goPath(path))
	if is && root != nil {
		*root = C.sluice_hop{node: C.uint32_t(hop.Switch), port: C.uint16_t(hop.Port)}
	}
	return truth(is)
}

//export go_congested
func go_congested(
	handle C.sluice_machine, now C.sluice_time, port C.uint16_t, on C.int32_t, wake *C.sluice_wake,
) C.int32_t {
	p, failure := pyrrhaPort(handle, port)
	if failure != nil {
		return failure.code
	}
	answer(wake, p.Congested(sluice.Time(now), on != 0))
	return C.SLUICE_OK
}

//export go_hold
func go_hold(
	handle C.sluice_machine, now C.sluice_time, port C.uint16_t, on C.int32_t, wake *C.sluice_wake,
) C.int32_t {
	p, failure := pyrrhaPort(handle, port)
	if failure != nil {
		return failure.code
	}
	answer(wake, p.Hold(sluice.Time(now), on != 0))
	return C.SLUICE_OK
}

// pyrrhaPort returns a port of a machine that is Pyrrha's.
func pyrrhaPort(handle C.sluice_machine, port C.uint16_t) (*pyrrha.Port, *fault) {
	m, failure := at(handle, port)
	if failure != nil {
		return nil, failure
	}
	s, ok := kit.Unwrap(m.Machine).(*pyrrha.Switch)
	if !ok {
		m.err = errUnsupported
		return nil, errUnsupported
	}
	return s.Port(sluice.PortID(port)), nil
}

func truth(is bool) C.int32_t {
	if is {
		return 1
	}
	return 0
}
