package main

// #include "cgo.h"
import "C"

import (
	"unsafe"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/kit"
)

// machineAt returns the machine of a handle if it has the port; else a fault, which the machine
// remembers. Hooks that are called for every packet call it themselves, the others call at.
func machineAt(handle C.sluice_machine, port C.uint16_t) (*machine, *fault) {
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

// packetAt is machineAt with a packet of C, which must be sound.
func packetAt(
	handle C.sluice_machine, port C.uint16_t, p *C.sluice_packet,
) (*machine, *sluice.Packet, *fault) {
	m, failure := machineAt(handle, port)
	if failure != nil {
		return nil, nil, failure
	}
	packet := goPacket(p)
	if packet == nil {
		m.err = errPacket
		return nil, nil, errPacket
	}
	return m, packet, nil
}

// at returns what a function makes of a machine and a port of it, or the code of the fault if there
// is no such machine or port.
func at[R ~int32 | ~int64](
	handle C.sluice_machine, port C.uint16_t, f func(*machine, sluice.PortID) R,
) R {
	m, failure := machineAt(handle, port)
	if failure != nil {
		return R(failure.code)
	}
	return f(m, sluice.PortID(port))
}

// refuse remembers why a hook was not called, and returns the code.
func (m *machine) refuse(f *fault) C.int32_t {
	m.err = f
	return f.code
}

//export go_enqueue
func go_enqueue(
	handle C.sluice_machine, now C.sluice_time, port C.uint16_t, p *C.sluice_packet,
) C.sluice_verdict {
	m, packet, failure := packetAt(handle, port, p)
	if failure != nil {
		return C.SLUICE_REFUSED
	}
	return C.sluice_verdict(m.Enqueue(sluice.Time(now), sluice.PortID(port), packet))
}

//export go_poll
func go_poll(
	handle C.sluice_machine, now C.sluice_time, port C.uint16_t, f *C.sluice_frame,
) C.int32_t {
	m, failure := machineAt(handle, port)
	switch {
	case failure != nil:
		return failure.code
	case f == nil:
		return m.refuse(errNull)
	case m.pollFrame(now, port, f):
		return C.SLUICE_FRAME
	}
	return m.next(now, port)
}

//export go_owes
func go_owes(handle C.sluice_machine, port C.uint16_t) C.int32_t {
	return at(handle, port, func(m *machine, _ sluice.PortID) C.int32_t { return truth(m.owes(port)) })
}

//export go_poll_frame
func go_poll_frame(
	handle C.sluice_machine, now C.sluice_time, port C.uint16_t, f *C.sluice_frame,
) C.int32_t {
	m, failure := machineAt(handle, port)
	switch {
	case failure != nil:
		return failure.code
	case f == nil:
		return m.refuse(errNull)
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
	m, failure := machineAt(handle, port)
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
	m, packet, failure := packetAt(handle, port, p)
	if failure != nil {
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
	m, failure := machineAt(handle, port)
	switch {
	case failure != nil:
		return failure.code
	case frame == nil && length > 0:
		return m.refuse(errNull)
	case length > C.SLUICE_MAX_LENGTH:
		return m.refuse(errLength)
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
	m, packet, failure := packetAt(handle, port, p)
	if failure != nil {
		return failure.code
	}
	return answer(wake, kit.Consume(m.Machine, sluice.Time(now), sluice.PortID(port), packet))
}

//export go_consumes
func go_consumes(handle C.sluice_machine) C.int32_t {
	return with(&machines, handle, func(m *machine) C.int32_t {
		return truth(kit.Consumes(m.Machine))
	})
}

//export go_link_down
func go_link_down(
	handle C.sluice_machine, now C.sluice_time, port C.uint16_t, wake *C.sluice_wake,
) C.int32_t {
	return at(handle, port, func(m *machine, port sluice.PortID) C.int32_t {
		return answer(wake, m.LinkDown(sluice.Time(now), port))
	})
}

//export go_link_up
func go_link_up(
	handle C.sluice_machine, now C.sluice_time, port C.uint16_t, wake *C.sluice_wake,
) C.int32_t {
	return at(handle, port, func(m *machine, port sluice.PortID) C.int32_t {
		return answer(wake, m.LinkUp(sluice.Time(now), port))
	})
}

//export go_expire
func go_expire(handle C.sluice_machine, now C.sluice_time, wake *C.sluice_wake) C.int32_t {
	return with(&machines, handle, func(m *machine) C.int32_t {
		return answer(wake, m.Expire(sluice.Time(now)))
	})
}

//export go_deadline
func go_deadline(handle C.sluice_machine) C.sluice_time {
	return with(&machines, handle, func(m *machine) C.sluice_time {
		return C.sluice_time(m.Deadline())
	})
}

//export go_poll_port
func go_poll_port(handle C.sluice_machine) C.int32_t {
	return with(&machines, handle, func(m *machine) C.int32_t {
		if port, ok := m.PollPort(); ok {
			return C.int32_t(port)
		}
		return C.SLUICE_NONE
	})
}

//export go_poll_ports
func go_poll_ports(handle C.sluice_machine, ports *C.uint16_t, room C.size_t) C.int32_t {
	return with(&machines, handle, func(m *machine) C.int32_t {
		if ports == nil && room > 0 {
			return m.refuse(errNull)
		}
		for n := range room {
			port, ok := m.PollPort()
			if !ok {
				return C.int32_t(n)
			}
			*(*C.uint16_t)(unsafe.Add(unsafe.Pointer(ports), n*C.sizeof_uint16_t)) = C.uint16_t(port)
		}
		return C.int32_t(room)
	})
}

//export go_rebase
func go_rebase(handle C.sluice_machine, by C.sluice_time) C.int32_t {
	return with(&machines, handle, func(m *machine) C.int32_t {
		m.Rebase(sluice.Time(by))
		return C.SLUICE_OK
	})
}

// answer writes what a hook said, if C wants to know.
func answer(to *C.sluice_wake, w sluice.Wake) C.int32_t {
	if to != nil {
		*to = C.sluice_wake(w)
	}
	return C.SLUICE_OK
}
