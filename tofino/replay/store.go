package replay

import "github.com/sluicefc/sluice/tofino/ir"

// waiting is a data packet in a queue of the chip, in the order of the machine's queue.
type waiting struct {
	copy  ir.Copy // with octets of its own; empty if the program was not shown the packet
	shown bool
	flow  uint64
	cells int64
}

// holds gives a packet the copy that the program took, with octets of its own.
func (w *waiting) holds(c ir.Copy) {
	w.copy = ir.Copy{Port: c.Port, Queue: c.Queue, Octets: append(w.copy.Octets[:0], c.Octets...)}
	w.shown = true
}

// queue is a FIFO of packets.
type queue []*waiting

// store has packets that have left their queues, whose octets are used again.
type store []*waiting

// push appends a packet to a queue and returns it to be filled: it has the octets of a packet that
// has left.
func (s *store) push(q *queue) *waiting {
	last := len(*s) - 1
	if last < 0 {
		*s, last = append(*s, &waiting{}), 0
	}
	w := (*s)[last]
	*s, *q = (*s)[:last], append(*q, w)
	w.shown = false
	return w
}

// pop takes the head of a queue, which is good until the next push; nil if the queue is empty.
func (s *store) pop(q *queue) *waiting {
	if len(*q) == 0 {
		return nil
	}
	w := (*q)[0]
	*s, *q = append(*s, w), (*q)[1:]
	return w
}
