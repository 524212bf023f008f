// Package timers keeps the deadlines of a fixed number of slots and their minimum.
package timers

import (
	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/chassis"
)

// Set is a tournament tree of deadlines, one a slot, all Never at first. Setting one costs
// O(log n), reading the minimum O(1).
type Set struct {
	leaves int
	at     []sluice.Time // by slot
	winner []int32       // by tree node, root at 1: the slot of the earliest deadline below, ties to the lower slot
}

// New returns a set of n slots. It panics if n is not positive: sizes are checked where a
// configuration is.
func New(n int) Set {
	if n <= 0 {
		panic("timers: no slots")
	}
	leaves := 1
	for leaves < n {
		leaves *= 2
	}
	s := Set{leaves: leaves, at: make([]sluice.Time, leaves), winner: make([]int32, 2*leaves)}
	for i := range s.at {
		s.at[i] = sluice.Never
		s.winner[leaves+i] = int32(i)
	}
	for node := leaves - 1; node >= 1; node-- {
		s.winner[node] = s.winner[2*node]
	}
	return s
}

// Put sets the deadline of slot i, sluice.Never to stop it. It reports whether the
// minimum changed.
func (s *Set) Put(i int, t sluice.Time) bool {
	if s.at[i] == t {
		return false
	}
	before := s.at[s.winner[1]]
	s.at[i] = t
	for node := (s.leaves + i) / 2; node >= 1; node /= 2 {
		left, right := s.winner[2*node], s.winner[2*node+1]
		if s.at[right] < s.at[left] {
			left = right
		}
		s.winner[node] = left
	}
	return s.at[s.winner[1]] != before
}

// At returns the deadline of slot i.
func (s *Set) At(i int) sluice.Time { return s.at[i] }

// Min returns the earliest deadline and its slot, the lowest of equals; Never if all are stopped.
func (s *Set) Min() (int, sluice.Time) {
	i := s.winner[1]
	return int(i), s.at[i]
}

// Rebase makes every deadline earlier by so much. Linear in the slots.
func (s *Set) Rebase(by sluice.Time) {
	for i := range s.at {
		s.at[i] = chassis.Shift(s.at[i], by)
	}
	for node := s.leaves - 1; node >= 1; node-- {
		left, right := s.winner[2*node], s.winner[2*node+1]
		if s.at[right] < s.at[left] {
			left = right
		}
		s.winner[node] = left
	}
}
