package main

// #include "cgo.h"
import "C"

import (
	"unsafe"

	"github.com/sluicefc/sluice"
)

//export go_send
func go_send(
	handle C.sluice_machine, now C.sluice_time, port C.uint16_t, heads *C.sluice_head,
	f *C.sluice_frame, v *C.sluice_verdict,
) C.int32_t {
	m, failure := machineAt(handle, port)
	switch {
	case failure != nil:
		return failure.code
	case heads == nil || f == nil || v == nil:
		return m.refuse(errNull)
	}
	return m.send(handle, now, port, heads, f, v, nil, 0)
}

//export go_pass
func go_pass(
	handle C.sluice_machine, now C.sluice_time, port C.uint16_t, p *C.sluice_packet,
	heads *C.sluice_head, f *C.sluice_frame, verdicts *C.sluice_verdict,
) C.int32_t {
	m, failure := machineAt(handle, port)
	if failure != nil {
		return failure.code
	}
	packet := goPacket(p)
	switch {
	case heads == nil || f == nil || verdicts == nil:
		return m.refuse(errNull)
	case packet == nil:
		return m.refuse(errPacket)
	}
	v := unsafe.Slice(verdicts, 2)
	in := m.Enqueue(sluice.Time(now), sluice.PortID(port), packet)
	v[0], v[1] = C.sluice_verdict(in), C.SLUICE_REFUSED
	if in.Wake() != 0 {
		return C.SLUICE_NONE
	}
	if in.Action() != sluice.Append {
		p = nil
	}
	return m.send(handle, now, port, heads, f, &v[1], p, in.Queue())
}

// send polls a port and takes the head of the queue that may go: the packet at hand, if it went to
// that queue and the queue was empty.
func (m *machine) send(
	handle C.sluice_machine, now C.sluice_time, port C.uint16_t, heads *C.sluice_head,
	f *C.sluice_frame, v *C.sluice_verdict, at *C.sluice_packet, to sluice.QueueID,
) C.int32_t {
	*v = C.SLUICE_REFUSED
	if m.pollFrame(now, port, f) {
		return C.SLUICE_FRAME
	}
	queue := m.next(now, port)
	if queue < 0 {
		return queue
	}
	head := (*C.sluice_packet)(unsafe.Slice(heads, m.queues)[queue])
	if head == nil && sluice.QueueID(queue) == to {
		head = at
	}
	if *v = go_dequeue(handle, now, port, C.uint16_t(queue), head); *v == C.SLUICE_REFUSED {
		return errPacket.code
	}
	return queue
}
