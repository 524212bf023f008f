// Package bitset is a set of small integers with a summary word, so that the next member
// is found in a constant number of steps up to 4,096 members.
package bitset

import "math/bits"

// Max is the largest number of members a Set can have room for.
const Max = 64 * 64

// Set is a set of integers in [0, n). The zero value has room for none.
type Set struct {
	summary uint64 // bit i: words[i] is not 0
	words   []uint64
}

// New returns an empty set with room for 0 to n-1. It panics if n is negative or above
// Max: sizes are checked where a configuration is.
func New(n int) Set {
	if n < 0 || n > Max {
		panic("bitset: size out of range")
	}
	return Set{words: make([]uint64, (n+63)/64)}
}

// Add makes i a member. i is in [0, n).
func (s *Set) Add(i int) {
	s.words[i>>6] |= 1 << (i & 63)
	s.summary |= 1 << (i >> 6 & 63)
}

// Remove makes i no member. i is in [0, n).
func (s *Set) Remove(i int) {
	w := &s.words[i>>6]
	*w &^= 1 << (i & 63)
	if *w == 0 {
		s.summary &^= 1 << (i >> 6 & 63)
	}
}

// Put makes i a member or not. i is in [0, n).
func (s *Set) Put(i int, member bool) {
	if member {
		s.Add(i)
	} else {
		s.Remove(i)
	}
}

// Has reports whether i is a member. i is in [0, n).
func (s *Set) Has(i int) bool { return s.words[i>>6]>>(i&63)&1 != 0 }

// Empty reports whether there is no member.
func (s *Set) Empty() bool { return s.summary == 0 }

// Len counts the members.
func (s *Set) Len() int {
	n := 0
	for _, w := range s.words {
		n += bits.OnesCount64(w)
	}
	return n
}

// CopyTo copies the members to dst, 64 to a word, the lowest first, as far as dst reaches, and
// returns how many words that are.
func (s *Set) CopyTo(dst []uint64) int { return copy(dst, s.words) }

// Clear makes the set empty.
func (s *Set) Clear() {
	clear(s.words)
	s.summary = 0
}

// Next returns the smallest member at or after i, or -1. i is not negative.
func (s *Set) Next(i int) int {
	w := uint(i) >> 6
	if w >= uint(len(s.words)) {
		return -1
	}
	if rest := s.words[w] >> (i & 63); rest != 0 {
		return i + bits.TrailingZeros64(rest)
	}
	later := s.summary &^ (2<<(w&63) - 1)
	if later == 0 {
		return -1
	}
	next := bits.TrailingZeros64(later)
	return next<<6 + bits.TrailingZeros64(s.words[next])
}

// NextCyclic returns the first member at or after i, going round past the end, or
// -1 if the set is empty. i is in [0, n].
func (s *Set) NextCyclic(i int) int {
	if next := s.Next(i); next >= 0 || s.summary == 0 {
		return next
	}
	w := bits.TrailingZeros64(s.summary)
	return w<<6 + bits.TrailingZeros64(s.words[w])
}
