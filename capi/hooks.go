package main

// #include "cgo.h"
import "C"

import (
	"unsafe"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/kit"
)

// at returns the machine of a handle if it has the port; else a fault, which the machine remembers.
func at(handle C.sluice_machine, port C.uint16_t) (*machine, *fault) {
	m := machines.get(uint64(handle))
	switch {
	case m == nil:
		return nil, errHandle
	case port >= m.ports:
		m.err = errPort
		return nil, errPort
	}
	return m, nil
}

//export go_enqueue
func go_enqueue(
	handle C.sluice_machine, now C.sluice_time, port C.uint16_t, p *C.sluice_packet,
) C.sluice_verdict {
	m, failure := at(handle, port)
	if failure != nil {
		return C.SLUICE_REFUSED
	}
	packet := goPacket(p)
	if packet == nil {
		m.err = errPacket
		return C.SLUICE_REFUSED
	}
	return C.sluice_verdict(m.Enqueue(sluice.Time(now), sluice.PortID(port), packet))
}

//export go_poll
func go_poll(
	handle C.sluice_machine, now C.sluice_time, port C.uint16_t, f *C.sluice_frame,
) C.int32_t {
	m, failure := at(handle, port)
	switch {
	case failure != nil:
		return failure.code
	case f == nil:
		m.err = errNull
		return errNull.code
	case m.pollFrame(now, port, f):
		return C.SLUICE_FRAME
	}
	return m.next(now, port)
}

//export go_owes
func go_owes(handle C.sluice_machine, port C.uint16_t) C.int32_t {
	m, failure := at(handle, port)
	if failure != nil {
		return failure.code
	}
	return truth(m.owes(port))
}

//export go_poll_frame
func go_poll_frame(
	handle C.sluice_machine, now C.sluice_time, port C.uint16_t, f *C.sluice_frame,
) C.int32_t {
	m, failure := at(handle, port)
	if failure != nil {
		return failure.code
	}
	if f == nil {
		m.err = errNull
		return errNull.code
	}
	return truth(m.pollFrame(now, port, f))
}

func (m *machine) pollFrame(now C.sluice_time, port C.uint16_t, f *C.sluice_frame) bool {
	if !m.owes(port) {
		return false
	}
	room := unsafe.Slice((*byte)(unsafe.Pointer(&f.bytes)), len(f.bytes))
	frame, kind, ok := m.PollFrame(sluice.Time(now), sluice.PortID(port), room[:0])
	if !ok {
		return false
	}
	f.length, f.overhead = C.uint16_t(len(frame)), m.overhead
	name := unsafe.Slice((*byte)(unsafe.Pointer(&f.kind)), len(f.kind))
	clear(name[copy(name[:len(name)-1], kind):])
	return true
}

//export go_next
func go_next(handle C.sluice_machine, now C.sluice_time, port C.uint16_t) C.int32_t {
	m, failure := at(handle, port)
	if failure != nil {
		return failure.code
	}
	return m.next(now, port)
}

func (m *machine) next(now C.sluice_time, port C.uint16_t) C.int32_t {
	q, ok := m.Next(sluice.Time(now), sluice.PortID(port))
	if !ok {
		return C.SLUICE_NONE
	}
	return C.int32_t(q)
}

//export go_dequeue
func go_dequeue(
	handle C.sluice_machine, now C.sluice_time, port, queue C.uint16_t, p *C.sluice_packet,
) C.sluice_verdict {
	m, failure := at(handle, port)
	if failure != nil {
		return C.SLUICE_REFUSED
	}
	packet := goPacket(p)
	if packet == nil {
		m.err = errPacket
		return C.SLUICE_REFUSED
	}
	v := m.Dequeue(sluice.Time(now), sluice.PortID(port), sluice.QueueID(queue), packet)
	if v.Action() == sluice.Drop && misused(v.Reason()) {
		m.err = errDequeue[v.Reason()]
		return C.SLUICE_REFUSED
	}
	return C.sluice_verdict(v)
}

// misused reports whether a drop at Dequeue means that the packet cannot have been in the queue:
// what is wrong with a packet by itself was found by Enqueue.
func misused(why sluice.Reason) bool {
	switch why {
	case sluice.NoReason, sluice.BadIngress, sluice.BadClass, sluice.BadSize, sluice.BadPath,
		sluice.BadQueue:
		return true
	}
	return false
}

//export go_receive
func go_receive(
	handle C.sluice_machine, now C.sluice_time, port C.uint16_t, frame *C.sluice_bytes_in,
	length C.size_t, wake *C.sluice_wake,
) C.int32_t {
	m, failure := at(handle, port)
	if failure != nil {
		return failure.code
	}
	if frame == nil && length > 0 {
		m.err = errNull
		return errNull.code
	}
	bytes := unsafe.Slice((*byte)(frame), int(length))
	w, err := m.Receive(sluice.Time(now), sluice.PortID(port), bytes)
	answer(wake, w)
	if err != nil {
		m.err = err
		return C.SLUICE_E_FRAME
	}
	return C.SLUICE_OK
}

//export go_consume
func go_consume(
	handle C.sluice_machine, now C.sluice_time, port C.uint16_t, p *C.sluice_packet,
	wake *C.sluice_wake,
) C.int32_t {
	m, failure := at(handle, port)
	if failure != nil {
		return failure.code
	}
	packet := goPacket(p)
	if packet == nil {
		m.err = errPacket
		return errPacket.code
	}
	answer(wake, kit.Consume(m.Machine, sluice.Time(now), sluice.PortID(port), packet))
	return C.SLUICE_OK
}

//export go_consumes
func go_consumes(handle C.sluice_machine) C.int32_t {
	m := machines.get(uint64(handle))
	if m == nil {
		return C.SLUICE_E_HANDLE
	}
	return truth(kit.Consumes(m.Machine))
}

//export go_link_down
func go_link_down(
	handle C.sluice_machine, now C.sluice_time, port C.uint16_t, wake *C.sluice_wake,
) C.int32_t {
	m, failure := at(handle, port)
	if failure != nil {
		return failure.code
	}
	answer(wake, m.LinkDown(sluice.Time(now), sluice.PortID(port)))
	return C.SLUICE_OK
}

//export go_link_up
func go_link_up(
	handle C.sluice_machine, now C.sluice_time, port C.uint16_t, wake *C.sluice_wake,
) C.int32_t {
	m, failure := at(handle, port)
	if failure != nil {
		return failure.code
	}
	answer(wake, m.LinkUp(sluice.Time(now), sluice.PortID(port)))
	return C.SLUICE_OK
}

//export go_expire
func go_expire(handle C.sluice_machine, now C.sluice_time, wake *C.sluice_wake) C.int32_t {
	m := machines.get(uint64(handle))
	if m == nil {
		return C.SLUICE_E_HANDLE
	}
	answer(wake, m.Expire(sluice.Time(now)))
	return C.SLUICE_OK
}

//export go_deadline
func go_deadline(handle C.sluice_machine) C.sluice_time {
	m := machines.get(uint64(handle))
	if m == nil {
		return C.SLUICE_E_HANDLE
	}
	return C.sluice_time(m.Deadline())
}

//export go_poll_port
func go_poll_port(handle C.sluice_machine) C.int32_t {
	m := machines.get(uint64(handle))
	if m == nil {
		return C.SLUICE_E_HANDLE
	}
	port, ok := m.PollPort()
	if !ok {
		return C.SLUICE_NONE
	}
	return C.int32_t(port)
}

//export go_poll_ports
func go_poll_ports(handle C.sluice_machine, ports *C.uint16_t, room C.size_t) C.int32_t {
	m := machines.get(uint64(handle))
	switch {
	case m == nil:
		return C.SLUICE_E_HANDLE
	case ports == nil && room > 0:
		m.err = errNull
		return errNull.code
	}
	n := C.size_t(0)
	for ; n < room; n++ {
		port, ok := m.PollPort()
		if !ok {
			break
		}
		*(*C.uint16_t)(unsafe.Add(unsafe.Pointer(ports), n*C.sizeof_uint16_t)) = C.uint16_t(port)
	}
	return C.int32_t(n)
}

//export go_rebase
func go_rebase(handle C.sluice_machine, by C.sluice_time) C.int32_t {
	m := machines.get(uint64(handle))
	if m == nil {
		return C.SLUICE_E_HANDLE
	}
	m.Rebase(sluice.Time(by))
	return C.SLUICE_OK
}

// answer writes what a hook said, if C wants to know.
func answer(to *C.sluice_wake, w sluice.Wake) {
	if to != nil {
		*to = C.sluice_wake(w)
	}
}
