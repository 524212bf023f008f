package main

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"unsafe"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/kit"
)

// request is a call as replay.c reads it.
type request struct {
	Now                       sluice.Time
	Hook, Port, Queue, Length uint16
	Machine, Zero             uint32
	Packet                    sluice.Packet
}

// reply is an answer as replay.c writes it.
type reply struct {
	Result, Note uint64
	Status       int32
	Length       uint32
}

// call makes a call of Go's machine, and writes it down with its answer.
func (d *drive) call(side int, r *request, frame []byte) reply {
	r.Machine, r.Length = uint32(side), uint16(len(frame))
	d.write(r, frame)
	d.calls++
	answer, more := d.carryOut(d.machines[side], r, frame)
	answer.Length = uint32(len(more))
	d.journal = append(d.journal, entry{d.replies.Len(),
		fmt.Sprintf("machine %d at %v: call %d, port %d, queue %d, "+
			"frame of %d bytes", side, r.Now, r.Hook, r.Port, r.Queue, len(frame))})
	_ = binary.Write(&d.replies, binary.NativeEndian, &answer)
	d.replies.Write(more)
	d.replies.Write(make([]byte, -len(more)&7))
	d.count(r, &answer, more)
	return answer
}

func (d *drive) write(r *request, frame []byte) {
	d.requests.Write(unsafe.Slice((*byte)(unsafe.Pointer(r)), unsafe.Sizeof(*r)))
	d.requests.Write(frame)
}

func (d *drive) carryOut(m kit.Machine, r *request, frame []byte) (a reply, more []byte) {
	port, queue, p := sluice.PortID(r.Port), sluice.QueueID(r.Queue), r.Packet
	switch r.Hook {
	case opEnqueue:
		a.Result = uint64(m.Enqueue(r.Now, port, &p))
	case opNext:
		a.Status = index(m.Next(r.Now, port))
	case opDequeue:
		v := m.Dequeue(r.Now, port, queue, &p)
		if v.Action() == sluice.Drop && misused(v.Reason()) {
			v, a.Status = 0, refused
		}
		a.Result = uint64(v)
	case opPollFrame:
		polled, kind, ok := m.PollFrame(r.Now, port, d.frame[:0])
		if ok {
			a.Status = 1
			more = append(append(more, kind...), make([]byte, kindLength-len(kind))...)
			return a, append(more, polled...)
		}
	case opPoll:
		if polled, kind, ok := m.PollFrame(r.Now, port, d.frame[:0]); ok {
			a.Status = isFrame
			more = append(append(more, kind...), make([]byte, kindLength-len(kind))...)
			return a, append(more, polled...)
		}
		a.Status = index(m.Next(r.Now, port))
	case opOwes:
		a.Status = int32(truth(kit.HooksOf(m, port).Owes()))
	case opReceive:
		wake, err := m.Receive(r.Now, port, frame)
		a.Result = uint64(wake)
		if err != nil {
			a.Status = badFrame
		}
	case opConsume:
		a.Result = uint64(kit.Consume(m, r.Now, port, &p))
	case opExpire:
		a.Result = uint64(m.Expire(r.Now))
	case opLinkDown:
		a.Result = uint64(m.LinkDown(r.Now, port))
	case opLinkUp:
		a.Result = uint64(m.LinkUp(r.Now, port))
	case opPollPort:
		a.Status = index(m.PollPort())
	case opRebase:
		m.Rebase(r.Now)
	case opDeadline:
		a.Result = uint64(m.Deadline())
	case opBacklog:
		a.Result = uint64(m.Backlog(port, queue))
	case opSendable:
		a.Status = int32(truth(m.Sendable(port, queue)))
	case opBuffered:
		a.Result = uint64(m.Buffered())
	case opCounted:
		c := m.Counters(port)
		more = bytes.Clone(unsafe.Slice((*byte)(unsafe.Pointer(&c)), unsafe.Sizeof(c)))
	case opQuiescent:
		if m.Quiescent() != nil {
			a.Status = busy
		}
	case opAudit:
		if err := m.Audit(); err != nil {
			panic(err)
		}
	}
	a.Note = p.Note
	return a, more
}

func index[T ~uint16](i T, ok bool) int32 {
	if !ok {
		return none
	}
	return int32(i)
}
