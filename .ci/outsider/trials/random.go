package main

// random is SplitMix64.
type random uint64

func (r *random) next() uint64 {
	*r += 0x9e3779b97f4a7c15
	return mix(uint64(*r))
}

func mix(z uint64) uint64 {
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// below draws 0 to n-1.
func (r *random) below(n int) int { return int(r.next() >> 33 % uint64(n)) }

// between draws low to high.
func (r *random) between(low, high int) int { return low + r.below(high-low+1) }

func (r *random) one(n int) bool { return r.below(n) == 0 }

// pick draws one of the values.
func pick[T any](r *random, values ...T) T { return values[r.below(len(values))] }
