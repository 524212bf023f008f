package main

// #include "cgo.h"
import "C"

import "unsafe"

//export go_run
func go_run(ops *C.sluice_op, count C.size_t) (refused C.int64_t) {
	if ops == nil {
		return 0
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
	case C.SLUICE_OP_NEXT:
		op.status = go_next(op.machine, op.now, op.port)
		return
	case C.SLUICE_OP_DEQUEUE:
		decided(op, go_dequeue(op.machine, op.now, op.port, op.queue, packet))
		return
	case C.SLUICE_OP_POLL_FRAME:
		op.status = go_poll_frame(op.machine, op.now, op.port, (*C.sluice_frame)(op.data))
		return
	case C.SLUICE_OP_POLL:
		op.status = go_poll(op.machine, op.now, op.port, (*C.sluice_frame)(op.data))
		return
	case C.SLUICE_OP_POLL_PORT:
		op.status = go_poll_port(op.machine)
		return
	case C.SLUICE_OP_DEADLINE:
		op.status = C.SLUICE_OK
		if machines.get(uint64(op.machine)) == nil {
			op.status = errHandle.code
		}
		op.result = C.uint64_t(go_deadline(op.machine))
		return
	case C.SLUICE_OP_OWES:
		op.status = go_owes(op.machine, op.port)
		return
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
		return
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
