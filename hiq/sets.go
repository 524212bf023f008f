package hiq

import (
	"slices"

	"github.com/sluicefc/sluice/internal/prng"
)

// find returns the record of a set given in ascending order, or noRoot.
func (s *sets) find(roots []uint16, hash uint64) int {
	for i := s.heads[hash&uint64(len(s.heads)-1)]; i >= 0; i = s.records[i].next {
		if r := &s.records[i]; r.hash == hash && slices.Equal(r.roots[:r.size], roots) {
			return int(i)
		}
	}
	return noRoot
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
