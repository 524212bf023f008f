package replay

import "github.com/sluicefc/sluice/tofino/ir"

// waiting is a data packet in a queue of the chip, in the order of the machine's queue.
type waiting struct {
	copy  ir.Copy // with octets of its own; empty if the program was not shown the packet
	shown bool
	flow  uint64
	cells int64
	next  int32
}

// holds gives a packet the copy that the program took, with octets of its own.
func (w *waiting) holds(c ir.Copy) {
	w.copy = ir.Copy{Port: c.Port, Queue: c.Queue, Octets: append(w.copy.Octets[:0], c.Octets...)}
	w.shown = true
}

// queue is a FIFO of packets of a store. The zero value is empty.
type queue struct {
	head, tail int32 // one more than their place in the store
	length     int
}

// store holds packets and uses their octets again.
type store struct {
	packets []waiting
	free    []int32
}

// push appends a packet to a queue and returns it to be filled: it has the octets of a packet that
// has left.
func (s *store) push(q *queue) *waiting {
	if len(s.free) == 0 {
		s.packets = append(s.packets, waiting{})
		s.free = append(s.free, int32(len(s.packets)-1))
	}
	at := s.free[len(s.free)-1]
	s.free = s.free[:len(s.free)-1]
	w := &s.packets[at]
	w.next, w.shown = 0, false
	if q.length == 0 {
		q.head = at + 1
	} else {
		s.packets[q.tail-1].next = at + 1
	}
	q.tail = at + 1
	q.length++
	return w
}

// pop takes the head of a queue, which is good until the next push; nil if the queue is empty.
func (s *store) pop(q *queue) *waiting {
	if q.length == 0 {
		return nil
	}
	at := q.head - 1
	w := &s.packets[at]
	q.head = w.next
	q.length--
	s.free = append(s.free, at)
	return w
}
