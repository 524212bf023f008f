package chip

import (
	"cmp"
	"fmt"
)

// Queue is a physical queue: a pipe, a port group, and the queue's number in the group. The zero
// value is queue 0 of group 0 of pipe 0.
type Queue struct {
	pipe, group, number uint8
}

// NewQueue returns a queue, 0 to 127, of a port group, 0 to 8, of a pipe, 0 to 3. [Carving.Queue]
// finds the one of a port.
func NewQueue(pipe, group, number int) (Queue, error) {
	fault := cmp.Or(within("pipe", pipe, Pipes-1), within("port group", group, Groups-1),
		within("queue", number, QueuesPerGroup-1))
	if fault != nil {
		return Queue{}, fault
	}
	return Queue{uint8(pipe), uint8(group), uint8(number)}, nil
}

// Pipe returns the pipe of the queue, 0 to 3.
func (q Queue) Pipe() int { return int(q.pipe) }

// Group returns the port group of the queue, 0 to 8: pg_id in the driver's tables.
func (q Queue) Group() int { return int(q.group) }

// Number returns the number of the queue in its group, 0 to 127: pg_queue in the driver's tables.
func (q Queue) Number() int { return int(q.number) }

// Ghost returns the eleven bits by which the ghost thread names the queue within its pipe: the
// group in bits 10:7, the number in bits 6:0.
func (q Queue) Ghost() int { return int(q.group)<<7 | int(q.number) }

// GhostQueue returns the queue that the ghost thread means by a pipe and eleven bits. It is the
// inverse of [Queue.Ghost].
func GhostQueue(pipe, qid int) (Queue, error) {
	if qid < 0 {
		return Queue{}, within("ghost qid", qid, Groups<<7-1)
	}
	return NewQueue(pipe, qid>>7, qid&0x7f)
}

// Index returns the number of the queue among all of the chip, 0 to 4,607.
func (q Queue) Index() int { return int(q.pipe)*QueuesPerPipe + q.Ghost() }

// String formats as "pipe 1, group 1, queue 16".
func (q Queue) String() string {
	return fmt.Sprintf("pipe %d, group %d, queue %d", q.pipe, q.group, q.number)
}
