// Package timers keeps the deadlines of a fixed number of slots and their minimum.
package timers

import (
	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/chassis"
)

// Set is a tournament tree of deadlines, one per slot, all Never at first. Setting one costs
// O(log n), less where it changes little, O(1) while no other runs; reading the minimum costs O(1).
type Set struct {
	// The root is at 1, the children of i at 2i and 2i+1, the slots in the second half. A node is
	// the earliest of what is below it, of equals the lowest slot.
	nodes []node
	min   node
	alone bool // no deadline runs but min: the nodes above the slots are as if that did not either
}

type node struct {
	at   sluice.Time
	slot int
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
	s := Set{nodes: make([]node, 2*leaves)}
	for i := range leaves {
		s.nodes[leaves+i] = node{sluice.Never, i}
	}
	s.play()
	return s
}

// Put sets the deadline of slot i, sluice.Never to stop it. It reports whether the minimum changed.
func (s *Set) Put(i int, t sluice.Time) bool {
	slot, before := &s.nodes[len(s.nodes)/2+i], s.min
	if slot.at == t {
		return false
	}
	slot.at = t
	if s.alone {
		if before.at == sluice.Never || before.slot == i {
			s.min = node{t, i}
			return true
		}
		s.lift(before.slot, before.at)
	}
	s.lift(i, t)
	s.min = s.nodes[1]
	s.alone = s.min.at == sluice.Never
	return s.min.at != before.at
}

func (s *Set) lift(i int, t sluice.Time) {
	slot := i
	for k := uint(len(s.nodes)/2 + i); k > 1; k /= 2 {
		if rival := &s.nodes[k^1]; rival.at < t || rival.at == t && rival.slot < slot {
			t, slot = rival.at, rival.slot
		}
		above := &s.nodes[k/2]
		if above.at == t && above.slot == slot {
			return // and so is all further up
		}
		above.at, above.slot = t, slot
	}
}

// At returns the deadline of slot i.
func (s *Set) At(i int) sluice.Time { return s.nodes[len(s.nodes)/2+i].at }

// Min returns the earliest deadline and its slot, the lowest of equals; Never, of any slot, if all
// are stopped.
func (s *Set) Min() (int, sluice.Time) { return s.min.slot, s.min.at }

// Next returns the earliest deadline, Never if all are stopped or no clock will show it.
func (s *Set) Next() sluice.Time { return chassis.Due(s.min.at) }

// Due returns the slot of the earliest deadline, the lowest of equals; false if that is later than
// now, or all are stopped.
func (s *Set) Due(now sluice.Time) (slot int, due bool) {
	return s.min.slot, s.min.at <= now && s.min.at != sluice.Never
}

// Rebase makes every deadline earlier by so much. Linear in the slots.
func (s *Set) Rebase(by sluice.Time) {
	slots := s.nodes[len(s.nodes)/2:]
	for i := range slots {
		slots[i].at = chassis.Shift(slots[i].at, by)
	}
	s.play()
}

func (s *Set) play() {
	for k := len(s.nodes)/2 - 1; k >= 1; k-- {
		s.nodes[k] = s.nodes[2*k]
		if s.nodes[2*k+1].at < s.nodes[k].at {
			s.nodes[k] = s.nodes[2*k+1]
		}
	}
	s.min = s.nodes[1]
	s.alone = s.min.at == sluice.Never
}
