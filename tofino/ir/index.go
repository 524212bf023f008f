package ir

import "github.com/sluicefc/sluice/internal/table"

// index finds the number of a bucket by the exact keys of its entries, side by side in 64 bits or,
// where the keys are wider, in octets. Zero is no bucket.
type index struct {
	packed table.Table
	wide   map[string]int32 // nil unless keys are wide
}

// exactKey is what an index finds a bucket by.
type exactKey struct {
	packed uint64
	octets string // of a wide key
}

const fewestKeys = 4

func newIndex(bits int) index {
	if bits > 64 {
		return index{wide: map[string]int32{}}
	}
	return index{packed: table.New(fewestKeys, 0)}
}

// find returns the number of a key of 64 bits.
func (x *index) find(key uint64) int32 {
	number, _ := x.packed.Find(key)
	return int32(number) + 1
}

func (x *index) number(n exactKey) int32 {
	if x.wide != nil {
		return x.wide[n.octets]
	}
	return x.find(n.packed)
}

// put gives a new key a number.
func (x *index) put(n exactKey, number int32) {
	if x.wide != nil {
		x.wide[n.octets] = number
	} else if !x.packed.Put(n.packed, int(number)-1) {
		x.packed.Grow()
		x.packed.Put(n.packed, int(number)-1)
	}
}

// remove takes out a key, which must be there.
func (x *index) remove(n exactKey) {
	if x.wide != nil {
		delete(x.wide, n.octets)
	} else {
		x.packed.Remove(n.packed)
	}
}
