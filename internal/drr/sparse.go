package drr

import "github.com/sluicefc/sluice/internal/bitset"

// Sparse is a Ring for many rings of many queues, of which hardly any has packets at a time. It
// keeps what its owner knows of a queue beside the queue's turn, and a queue that is eligible alone
// in a word beside the ring: a packet through it touches two cache lines. It decides as a Ring
// does. While several queues are eligible it takes some more steps.
type Sparse[T any] struct {
	slots []Slot[T]
	members
}

// Slot is a queue of a Sparse ring: what its owner knows of it, and its turn.
type Slot[T any] struct {
	Of T
	turn
}

// NewSparse is New of a Sparse ring.
func NewSparse[T any](quanta []int64) Sparse[T] {
	r := Sparse[T]{slots: make([]Slot[T], len(quanta)), members: newMembers(len(quanta))}
	for i, t := range New(quanta).turns {
		r.slots[i].turn = t
	}
	return r
}

// Slots returns all queues, by number. They are the ring's own: charge them there.
func (r *Sparse[T]) Slots() []Slot[T] { return r.slots }

// Alone returns the queue to serve where there is no crowd; false if none is eligible. Asked again
// before a charge it answers the same, unless eligibility changed; so does NextOfCrowd, which is
// apart so that a hook has Alone inlined. Constant time while no packet is larger than a quantum.
func (r *Sparse[T]) Alone() (int, bool) {
	q, slots := int(r.only)-1, r.slots
	if uint(q) >= uint(len(slots)) {
		return 0, false
	}
	t := &slots[q].turn
	if q != int(r.current) || t.deficit <= 0 {
		for !t.begin() { // it has round after round
		}
		r.current = int32(q)
	}
	return q, true
}

// NextOfCrowd returns the queue to serve where there is a crowd.
func (r *Sparse[T]) NextOfCrowd() int {
	r.Gather()
	q, slots := int(r.current), r.slots
	if uint(q) < uint(len(slots)) && slots[q].deficit > 0 && r.crowd.Has(q) {
		return q
	}
	for {
		if q = r.crowd.Next(q + 1); q < 0 {
			q = r.crowd.Next(0)
		}
		if slots[q].begin() {
			r.current = int32(q)
			return q
		}
	}
}

// members says which queues of a Sparse ring are eligible: one by itself, and a crowd, which is
// empty but where several are.
type members struct {
	current int32 // the queue that had the last turn
	only    int32 // a queue that is eligible, plus 1; or noQueue
	crowd   bitset.Set
}

// noQueue is members.only where it names no queue.
const noQueue = 0

func newMembers(n int) members { return members{crowd: bitset.New(n)} }

// Crowded reports whether there is a crowd.
func (m *members) Crowded() bool { return !m.crowd.Empty() }

// Empty reports whether no queue may be served.
func (m *members) Empty() bool { return m.only == noQueue && m.crowd.Empty() }

// Gather puts every queue that is eligible into the crowd, so that two rings which decide alike are
// equal.
func (m *members) Gather() {
	if m.only != noQueue {
		m.crowd.Add(int(m.only) - 1)
		m.only = noQueue
	}
}

// Join says that queue q may be served, which it might not be before.
func (m *members) Join(q int) {
	if m.only == noQueue {
		m.only = int32(q) + 1
		return
	}
	m.crowd.Add(q)
}

// Leave says that queue q may not be served.
func (m *members) Leave(q int) {
	if m.only == int32(q)+1 {
		m.only = noQueue
		return
	}
	m.crowd.Remove(q)
}

// Eligible reports whether queue q may be served.
func (m *members) Eligible(q int) bool { return m.only == int32(q)+1 || m.crowd.Has(q) }
