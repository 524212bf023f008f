package ir

// index finds the number of a bucket by the exact keys of its entries, side by side in 64 bits or,
// where they are wider, in octets. Zero is no bucket.
type index struct {
	slots []slot // a power of two, at most half of them taken; nil where keys are wide
	taken int
	wide  map[string]int32
}

// slot is a place for a number, free if it is 0.
type slot struct {
	key    uint64
	number int32
}

// exactKey is what an index finds a bucket by.
type exactKey struct {
	packed uint64
	octets string // where it is wide
}

const fewestSlots = 8

func newIndex(bits int) index {
	if bits > 64 {
		return index{wide: map[string]int32{}}
	}
	return index{slots: make([]slot, fewestSlots)}
}

// find returns the number of a key of 64 bits.
func (x *index) find(key uint64) int32 { return x.slots[x.at(key)].number }

// at returns where a key is or, if it is not there, has room.
func (x *index) at(key uint64) uint64 {
	last := uint64(len(x.slots) - 1)
	at := key * 0x9E3779B97F4A7C15 >> 32 & last // multiplicative hashing by the golden ratio
	for x.slots[at].number != 0 && x.slots[at].key != key {
		at = (at + 1) & last
	}
	return at
}

// number returns the number of a name.
func (x *index) number(n exactKey) int32 {
	if x.wide != nil {
		return x.wide[n.octets]
	}
	return x.find(n.packed)
}

// put gives a name a number that it has not.
func (x *index) put(n exactKey, number int32) {
	if x.wide != nil {
		x.wide[n.octets] = number
		return
	}
	if x.taken++; x.taken > len(x.slots)/2 {
		old := x.slots
		x.slots = make([]slot, 2*len(old))
		for _, s := range old {
			if s.number != 0 {
				x.slots[x.at(s.key)] = s
			}
		}
	}
	x.slots[x.at(n.packed)] = slot{n.packed, number}
}

// remove takes a name out, which is there.
func (x *index) remove(n exactKey) {
	if x.wide != nil {
		delete(x.wide, n.octets)
		return
	}
	last := uint64(len(x.slots) - 1)
	at := x.at(n.packed)
	x.slots[at] = slot{}
	x.taken--
	for at = (at + 1) & last; x.slots[at].number != 0; at = (at + 1) & last {
		moved := x.slots[at] // it may have been kept from its place by the one that is gone
		x.slots[at] = slot{}
		x.slots[x.at(moved.key)] = moved
	}
}
