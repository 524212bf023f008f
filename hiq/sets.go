package hiq

import (
	"slices"

	"github.com/sluicefc/sluice/internal/bitset"
	"github.com/sluicefc/sluice/internal/prng"
)

type sets struct {
	records   []set // by QueueID: the OQ, which is the empty set, the IQs, and the spill last
	heads     []int32
	byRoot    []bitset.Set // by root: records of sets that have it
	union     bitset.Set   // roots of the packets in the spill
	unsettled int          // records with packets from before the youngest root
	unordered bool         // Config.Unordered
	opened    bool         // a record waits no longer, since Opened was asked
	one       [1]uint16
}

// set is a set of roots whose packets wait.
type set struct {
	roots [MaxLevels]uint16 // ascending
	size  int
	hash  uint64
	next  int32 // with the same head

	// Packets, modulo 2^32: dequeued, barrier, enqueued are in this order. Those before barrier were
	// here when the youngest root appeared.
	enqueued, dequeued, barrier uint32

	behind          int        // sets that this one waits for
	waiters, later  bitset.Set // records that wait until dequeued reaches mark, laterMark
	mark, laterMark uint32
}

func newSets(c *Config) *sets {
	heads := 16
	for heads < 2*c.IQs {
		heads *= 2
	}
	s := &sets{
		records:   make([]set, c.IQs+1),
		heads:     make([]int32, heads),
		byRoot:    make([]bitset.Set, c.Roots),
		union:     bitset.New(c.Roots),
		unordered: c.Unordered,
	}
	for i := range s.records {
		r := &s.records[i]
		r.waiters, r.later = bitset.New(len(s.records)), bitset.New(len(s.records))
	}
	for i := range s.heads {
		s.heads[i] = noRoot
	}
	for i := range s.byRoot {
		s.byRoot[i] = bitset.New(len(s.records))
	}
	return s
}

// spill returns the record of the IQ that is kept for sets without one.
func (s *sets) spill() int { return len(s.records) - 1 }

// find returns the record of a set in ascending order; negative if it has none.
func (s *sets) find(roots []uint16, hash uint64) int {
	if len(roots) == 0 {
		return int(Output)
	}
	for i := s.heads[hash&uint64(len(s.heads)-1)]; i != noRoot; i = s.records[i].next {
		if r := &s.records[i]; slices.Equal(r.roots[:r.size], roots) {
			return int(i)
		}
	}
	return noRoot
}

// enter makes a record findable by its set.
func (s *sets) enter(record int, roots []uint16, hash uint64) {
	r := &s.records[record]
	r.size, r.hash = copy(r.roots[:], roots), hash
	head := &s.heads[hash&uint64(len(s.heads)-1)]
	r.next, *head = *head, int32(record)
	for _, root := range roots {
		s.byRoot[root].Add(record)
	}
}

func (s *sets) leave(record int) {
	r := &s.records[record]
	for _, root := range r.roots[:r.size] {
		s.byRoot[root].Remove(record)
	}
	link := &s.heads[r.hash&uint64(len(s.heads)-1)]
	for int(*link) != record {
		link = &s.records[*link].next
	}
	*link = r.next
}

// sortRoots sorts in place and returns the set's hash, a sum over its members.
func sortRoots(roots []uint16) uint64 {
	hash := uint64(0)
	for i, root := range roots {
		hash += prng.Mix(uint64(root) + 1)
		j := i
		for ; j > 0 && roots[j-1] > root; j-- {
			roots[j] = roots[j-1]
		}
		roots[j] = root
	}
	return hash
}
