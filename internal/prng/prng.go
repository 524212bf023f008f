// Package prng is the one source of pseudo-random numbers: SplitMix64, eight bytes of
// state, the same sequence on every platform and with every Go version.
package prng

import "math/bits"

// Source is a SplitMix64 generator (Steele, Lea, Flood: Fast splittable pseudorandom number
// generators, OOPSLA 2014). The zero value is the generator of seed 0.
type Source struct{ state uint64 }

// New returns the generator of the given seed. Any seed is good.
func New(seed uint64) Source { return Source{seed} }

// Uint64 returns the next 64 bits.
func (s *Source) Uint64() uint64 {
	s.state += 0x9e3779b97f4a7c15
	return Mix(s.state)
}

// Below returns a number in [0, n), without bias that matters: at most n/2^64. It returns 0
// for n = 0.
func (s *Source) Below(n uint64) uint64 {
	hi, _ := bits.Mul64(s.Uint64(), n)
	return hi
}

// Float64 returns a number in [0, 1) that is a multiple of 2^-53.
func (s *Source) Float64() float64 { return float64(s.Uint64()>>11) * 0x1p-53 }

// Mix is the finaliser of SplitMix64, a bijection that spreads every bit of x over the result.
func Mix(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// Shuffle puts a list into a random order, each with the same probability.
func Shuffle[T any](s *Source, list []T) {
	for i := len(list) - 1; i > 0; i-- {
		j := s.Below(uint64(i + 1))
		list[i], list[j] = list[j], list[i]
	}
}
