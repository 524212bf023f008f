// Package drr is deficit round robin over the eligible queues of a set, one decision at a time in
// constant time (Shreedhar and Varghese: Efficient fair queuing using deficit round robin, SIGCOMM
// 1995).
//
// A queue is charged after its packet was sent, and its deficit may go negative by less than a
// packet: so the length of the head packet need not be known before. The service that a queue gets
// over any interval differs from the paper's by less than one packet.
package drr

import "github.com/sluicefc/sluice/internal/bitset"

// Ring serves queues 0 to n-1. A queue takes part while it is eligible: it has a packet and nothing
// holds it. The owner decides eligibility. Next and Charge touch the Ring, the cache line of the
// queue's turn, and one line that says who is eligible.
type Ring struct {
	eligible bitset.Set
	turns    []turn
	current  int
}

// turn is what a queue may send: quantum in each round, deficit of it in this one still.
type turn struct{ deficit, quantum int64 }

// Charge accounts n sent from the queue.
func (t *turn) Charge(n int64) { t.deficit -= n }

// begin begins the queue's turn in a new round, and reports whether it may send in it.
func (t *turn) begin() bool {
	t.deficit = min(t.deficit, 0) + t.quantum
	return t.deficit > 0
}

// Forfeit takes what the queue did not use of its quantum, because it is empty; a debt stays.
func (t *turn) Forfeit() { t.deficit = min(t.deficit, 0) }

// ChargeLast is Charge of what was the queue's last, and Forfeit.
func (t *turn) ChargeLast(n int64) { t.deficit = min(t.deficit-n, 0) }

// New returns a ring of len(quanta) queues, none eligible. A quantum is what a queue may send in a
// round: bytes, at least the largest packet, for DRR; 1 with Charge(q, 1) for round robin by
// packet. It panics if a quantum is not positive: they are checked where a configuration is.
func New(quanta []int64) Ring {
	turns := make([]turn, len(quanta))
	for i, q := range quanta {
		if q <= 0 {
			panic("drr: quantum not positive")
		}
		turns[i].quantum = q
	}
	return Ring{eligible: bitset.New(len(quanta)), turns: turns}
}

// Uniform returns n equal quanta.
func Uniform(n int, quantum int64) []int64 {
	quanta := make([]int64, n)
	for i := range quanta {
		quanta[i] = quantum
	}
	return quanta
}

// SetEligible says whether queue q may be served.
func (r *Ring) SetEligible(q int, eligible bool) { r.eligible.Put(q, eligible) }

// Eligible reports whether queue q may be served.
func (r *Ring) Eligible(q int) bool { return r.eligible.Has(q) }

// Empty reports whether no queue may be served.
func (r *Ring) Empty() bool { return r.eligible.Empty() }

// Next returns the queue to serve, -1 if none is eligible. Asked again before a Charge it answers
// the same, unless eligibility changed. Constant time while no packet is larger than a quantum.
func (r *Ring) Next() int {
	if q, ok := r.Stays(); ok {
		return q
	}
	return r.Pass()
}

// Stays returns the queue that has the turn; false if it may not send. It is the first step of
// Next, apart so that a hook has it inlined.
func (r *Ring) Stays() (int, bool) {
	q, turns := r.current, r.turns
	return q, uint(q) < uint(len(turns)) && turns[q].deficit > 0 && r.eligible.Has(q)
}

// Pass is the rest of Next: it gives the turn to the next queue that may send.
func (r *Ring) Pass() int {
	q, turns := r.current, r.turns
	for {
		if q = r.eligible.Next(q + 1); q < 0 {
			if q = r.eligible.Next(0); q < 0 {
				return -1
			}
		}
		if turns[q].begin() {
			r.current = q
			return q
		}
	}
}

// Lowest returns the eligible queue of the lowest number, -1 if none is eligible.
func (r *Ring) Lowest() int { return r.eligible.Next(0) }

// Charge accounts n sent from queue q.
func (r *Ring) Charge(q int, n int64) { r.turns[q].deficit -= n }

// ChargeLast is Charge of a packet that was the queue's last: the queue is out, and forfeits what
// it did not use.
func (r *Ring) ChargeLast(q int, n int64) {
	r.eligible.Remove(q)
	r.turns[q].ChargeLast(n)
}
