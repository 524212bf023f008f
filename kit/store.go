package kit

import "github.com/sluicefc/sluice"

// Handle names a packet in a Store. Zero names none.
type Handle uint32

// Item is a packet in a Store: what machines may know of it, and the embedder's own Value, a
// pointer to a buffer for instance. It is 96 bytes if Value is at most 12; the last 49 are Path,
// which most protocols do not read.
type Item[T any] struct {
	Value T
	next  Handle // in whatever queue it is, or in the list of free items; else 0
	sluice.Packet
}

// Store holds packets by value, and FIFOs of them as linked lists. It allocates in NewStore and
// in Grow and nowhere else. One Store can serve many switches, if one goroutine drives them all.
type Store[T any] struct {
	pages    []*[pageSize]Item[T] // item 0 is none
	free     Handle
	used     int
	capacity int
}

// Items are in pages, so that a store that grows copies nothing and leaves nothing behind.
const (
	pageBits = 8
	pageSize = 1 << pageBits
)

// NewStore returns a store with room for capacity packets, 1 to 2^31-1.
func NewStore[T any](capacity int) (*Store[T], error) {
	if capacity < 1 || capacity > maxCapacity {
		return nil, &sluice.ConfigError{
			Package: "kit", Field: "capacity", Value: capacity, Rule: "must be 1 to 2,147,483,647",
		}
	}
	s := &Store[T]{}
	s.Grow(capacity)
	return s, nil
}

const maxCapacity = 1<<31 - 1

// Take returns an unused item; false if the store is full. Its fields are whatever the last user
// left.
func (s *Store[T]) Take() (Handle, bool) {
	h := s.free
	if h == 0 {
		return 0, false
	}
	item := s.At(h)
	s.free, item.next = item.next, 0
	s.used++
	return h, true
}

// Release gives an item back that Take returned and that is in no queue.
func (s *Store[T]) Release(h Handle) {
	s.At(h).next = s.free
	s.free = h
	s.used--
}

// At returns an item. The pointer is good as long as the store.
func (s *Store[T]) At(h Handle) *Item[T] { return &s.pages[h>>pageBits][h&(pageSize-1)] }

// Used returns how many items are taken.
func (s *Store[T]) Used() int { return s.used }

// Capacity returns how many items there is room for.
func (s *Store[T]) Capacity() int { return s.capacity }

// Grow makes room for more packets.
func (s *Store[T]) Grow(more int) {
	for range more {
		s.capacity++
		h := Handle(s.capacity)
		if int(h>>pageBits) >= len(s.pages) {
			s.pages = append(s.pages, new([pageSize]Item[T]))
		}
		s.At(h).next = s.free
		s.free = h
	}
}

// Queue is a FIFO of items of a Store. The zero value is empty.
type Queue struct{ head, tail Handle }

// Empty reports whether the queue has no item.
func (q *Queue) Empty() bool { return q.head == 0 }

// Head returns the first item, 0 if there is none.
func (q *Queue) Head() Handle { return q.head }

// Push appends an item, which is in no queue, to the tail of q.
func (s *Store[T]) Push(q *Queue, h Handle) {
	if q.head == 0 {
		q.head = h
	} else {
		s.At(q.tail).next = h
	}
	q.tail = h
}

// Pop removes the head of q and returns it, 0 if there is none.
func (s *Store[T]) Pop(q *Queue) Handle {
	h := q.head
	if h != 0 {
		item := s.At(h)
		q.head, item.next = item.next, 0
	}
	return h
}

// After returns the item behind h in its queue, 0 if there is none.
func (s *Store[T]) After(h Handle) Handle { return s.At(h).next }
