package hiq

import "github.com/sluicefc/sluice"

// Store is first-in first-out queues of opaque packet handles, for owners that have none. Queues share one pool of
// places, all made by NewStore; it holds no pointers, so that the collector does not scan it. It is not
// safe for concurrent use.
//
// One Store can serve all ports of a switch: queue q of port p is p*queues+q.
type Store struct {
	ends   []ends
	places []place
	free   uint32 // first of the free places
	length int
}

// ends are the first and last place of a queue.
type ends struct{ head, tail uint32 }

type place struct {
	handle uint32
	size   int32
	next   uint32
}

const nowhere = ^uint32(0)

// NewStore returns a store of empty queues with room for capacity packets in all. queues must be 1 to 2^24, capacity
// 1 to 2^28.
func NewStore(queues, capacity int) (*Store, error) {
	fail := func(field string, value int, rule string) error {
		return &sluice.ConfigError{Package: "hiq", Field: field, Value: value, Rule: rule}
	}
	switch {
	case queues < 1 || queues > 1<<24:
		return nil, fail("Store.Queues", queues, "must be 1 to 16,777,216")
	case capacity < 1 || capacity > 1<<28:
		return nil, fail("Store.Capacity", capacity, "must be 1 to 268,435,456")
	}
	s := &Store{ends: make([]ends, queues), places: make([]place, capacity)}
	for i := range s.ends {
		s.ends[i] = ends{nowhere, nowhere}
	}
	for i := range s.places {
		s.places[i].next = uint32(i + 1)
	}
	s.places[capacity-1].next = nowhere
	return s, nil
}

// Push appends a packet of size bytes to queue q. False if the store is full or has no such queue.
func (s *Store) Push(q int, handle uint32, size int32) bool {
	if uint(q) >= uint(len(s.ends)) || s.free == nowhere {
		return false
	}
	at := s.free
	s.free = s.places[at].next
	s.places[at] = place{handle: handle, size: size, next: nowhere}
	s.append(q, at)
	s.length++
	return true
}

// Pop removes the head of queue q. False if it is empty or does not exist.
func (s *Store) Pop(q int) (handle uint32, size int32, ok bool) {
	at, ok := s.unlink(q)
	if !ok {
		return 0, 0, false
	}
	p := &s.places[at]
	p.next, s.free = s.free, at
	s.length--
	return p.handle, p.size, true
}

// Peek returns the head of queue q without removing it. False if it is empty or does not exist.
func (s *Store) Peek(q int) (handle uint32, size int32, ok bool) {
	if uint(q) >= uint(len(s.ends)) || s.ends[q].head == nowhere {
		return 0, 0, false
	}
	p := &s.places[s.ends[q].head]
	return p.handle, p.size, true
}

// Move puts the head of queue from at the tail of queue to; they may be the same. False if from is empty or
// either does not exist.
func (s *Store) Move(from, to int) bool {
	if uint(to) >= uint(len(s.ends)) {
		return false
	}
	at, ok := s.unlink(from)
	if !ok {
		return false
	}
	s.places[at].next = nowhere
	s.append(to, at)
	return true
}

// Empty reports whether queue q is empty; a queue that does not exist is.
func (s *Store) Empty(q int) bool {
	return uint(q) >= uint(len(s.ends)) || s.ends[q].head == nowhere
}

// Len returns the number of packets in all queues.
func (s *Store) Len() int { return s.length }

// Capacity returns how many packets there is room for.
func (s *Store) Capacity() int { return len(s.places) }

// append puts a place that is in no list at the tail of queue q.
func (s *Store) append(q int, at uint32) {
	e := &s.ends[q]
	if e.tail == nowhere {
		e.head = at
	} else {
		s.places[e.tail].next = at
	}
	e.tail = at
}

// unlink takes the head of queue q out.
func (s *Store) unlink(q int) (at uint32, ok bool) {
	if uint(q) >= uint(len(s.ends)) {
		return 0, false
	}
	e := &s.ends[q]
	if at = e.head; at == nowhere {
		return 0, false
	}
	e.head = s.places[at].next
	if e.head == nowhere {
		e.tail = nowhere
	}
	return at, true
}
