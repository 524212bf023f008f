package main

// #include "cgo.h"
import "C"

import (
	"unsafe"

	"github.com/sluicefc/sluice"
)

//export go_run
func go_run(ops *C.sluice_op, count C.size_t) (refused C.int64_t) {
	switch {
	case ops == nil:
		return 0
	case count > C.SLUICE_MAX_OPS:
		return C.SLUICE_E_ARGUMENT
	}
	for i := range unsafe.Slice(ops, int(count)) {
		op := (*C.sluice_op)(unsafe.Add(unsafe.Pointer(ops), i*C.sizeof_sluice_op))
		carryOut(op)
		if op.status < 0 && op.status != C.SLUICE_NONE {
			refused++
		}
	}
	return refused
}

// carryOut calls one hook as C would.
func carryOut(op *C.sluice_op) {
	packet := (*C.sluice_packet)(op.data)
	var wake C.sluice_wake
	switch op.hook {
	case C.SLUICE_OP_ENQUEUE:
		decided(op, go_enqueue(op.machine, op.now, op.port, packet))
		return
	case C.SLUICE_OP_DEQUEUE:
		decided(op, go_dequeue(op.machine, op.now, op.port, op.queue, packet))
		return
	case C.SLUICE_OP_DEADLINE:
		op.status = C.SLUICE_OK
		if machines.get(uint64(op.machine)) == nil {
			op.status = errHandle.code
		}
		op.result = C.uint64_t(go_deadline(op.machine))
		return
	case C.SLUICE_OP_NEXT:
		op.status = go_next(op.machine, op.now, op.port)
	case C.SLUICE_OP_POLL_FRAME:
		op.status = go_poll_frame(op.machine, op.now, op.port, (*C.sluice_frame)(op.data))
	case C.SLUICE_OP_POLL:
		op.status = go_poll(op.machine, op.now, op.port, (*C.sluice_frame)(op.data))
	case C.SLUICE_OP_POLL_PORT:
		op.status = go_poll_port(op.machine)
	case C.SLUICE_OP_OWES:
		op.status = go_owes(op.machine, op.port)
	case C.SLUICE_OP_RECEIVE:
		op.status = go_receive(
			op.machine, op.now, op.port, (*C.sluice_bytes_in)(op.data), C.size_t(op.length), &wake)
	case C.SLUICE_OP_CONSUME:
		op.status = go_consume(op.machine, op.now, op.port, packet, &wake)
	case C.SLUICE_OP_EXPIRE:
		op.status = go_expire(op.machine, op.now, &wake)
	case C.SLUICE_OP_LINK_DOWN:
		op.status = go_link_down(op.machine, op.now, op.port, &wake)
	case C.SLUICE_OP_LINK_UP:
		op.status = go_link_up(op.machine, op.now, op.port, &wake)
	default:
		op.status = errOp.code
	}
	op.result = C.uint64_t(wake)
}

// decided notes a verdict, or why there is none.
func decided(op *C.sluice_op, v C.sluice_verdict) {
	op.result = C.uint64_t(v)
	if v == C.SLUICE_REFUSED {
		op.status = errPacket.code
		if machines.get(uint64(op.machine)) == nil {
			op.status = errHandle.code
		}
	} else {
		op.status = C.SLUICE_OK
	}
}

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
	m, packet, failure := packetAt(handle, port, p)
	switch {
	case failure != nil:
		return failure.code
	case heads == nil || f == nil || verdicts == nil:
		return m.refuse(errNull)
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
