package drr

import "math/bits"

// Octet serves queues 0 to 7. The caller says at each decision which are eligible: bit i of a word
// for queue i. It decides as a Ring does. The zero Octet has no quanta.
type Octet struct {
	turns [8]turn
}

// SetQuantum sets what queue q may send per round. It is positive.
func (o *Octet) SetQuantum(q int, quantum int64) { o.turns[q&7].quantum = quantum }

// Next returns which of the eligible queues to serve; at least one is eligible. current is the
// queue that had the last turn, and is set to the queue that has the next. Queues that share a turn
// are a ring; an Octet can hold several that share no queue. Asked again before a Charge it answers
// the same, unless eligible changed. Constant time.
func (o *Octet) Next(current *uint8, eligible uint8) int {
	q := int(*current & 7)
	if eligible>>q&1 != 0 && o.turns[q].deficit > 0 {
		return q
	}
	for visits := 0; ; visits++ {
		if visits == len(o.turns) {
			o.skip(eligible)
		}
		q = (q + 1 + bits.TrailingZeros8(bits.RotateLeft8(eligible, -(q+1)))) & 7
		if o.turns[q].begin() {
			*current = uint8(q)
			return q
		}
	}
}

// skip gives every eligible queue the quanta of the rounds in which none of them comes out of debt,
// all at once: packets far larger than a quantum cost no more than others.
func (o *Octet) skip(eligible uint8) {
	rounds := int64(1<<63 - 1)
	for rest := eligible; rest != 0; rest &= rest - 1 {
		t := &o.turns[bits.TrailingZeros8(rest)&7]
		rounds = min(rounds, max(0, -t.deficit/t.quantum))
	}
	for rest := eligible; rest != 0; rest &= rest - 1 {
		t := &o.turns[bits.TrailingZeros8(rest)&7]
		t.deficit += rounds * t.quantum
	}
}

// Charge accounts n sent from queue q.
func (o *Octet) Charge(q int, n int64) { o.turns[q&7].deficit -= n }

// Forfeit takes from queue q what it did not use of its round, because it is empty.
func (o *Octet) Forfeit(q int) { o.turns[q&7].Forfeit() }

// Deficit returns what queue q may still send in its round; negative if it sent more.
func (o *Octet) Deficit(q int) int64 { return o.turns[q&7].deficit }
