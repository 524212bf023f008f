// Package table is a hash table from 64-bit keys to small integers, with open addressing and room
// for a fixed number of keys: what a machine needs to find a flow, a congestion root or a set of
// them without a map and without allocating.
package table

import "math/bits"

// Max is the largest capacity of a Table.
const Max = 1 << 28

// Table maps keys to values. A search begins where the key hashes to and goes on slot by slot up to
// the first empty one (linear probing). A removal moves later keys of the run back, so that nothing
// is left behind to be skipped. At most half of the slots are in use: a search reads 1.5 slots on
// average for a key that is there, and 2.5 for a key that is not (Knuth, The Art of Computer
// Programming, volume 3, section 6.4). A slot is 16 bytes, four to a cache line. Make it with New.
type Table struct {
	slots    []slot // a power of two
	seed     uint64
	len      int32
	capacity int32
}

// slot is a key and its value plus 1; zero is an empty slot, so that a new table touches no memory.
type slot struct {
	key   uint64
	value uint32
}

const slotBytes = 16

// New returns an empty table with room for capacity keys, 0 to Max. Tables of different seeds place
// keys differently, so that a sender that does not know the seed cannot choose keys that collide.
// It panics if capacity is out of range: sizes are checked where a configuration is.
func New(capacity int, seed uint64) Table {
	return sized(capacity, seed^0x9e3779b97f4a7c15)
}

// sized returns a table whose home reads this seed.
func sized(capacity int, seed uint64) Table {
	if capacity < 0 || capacity > Max {
		panic("table: capacity out of range")
	}
	size := 2
	for size < 2*capacity {
		size *= 2
	}
	return Table{slots: make([]slot, size), seed: seed, capacity: int32(capacity)}
}

// Find returns the value of a key; -1 and false if it has none.
func (t *Table) Find(key uint64) (int, bool) {
	mask := uint64(len(t.slots) - 1)
	for i := t.home(key) & mask; ; i = (i + 1) & mask {
		if s := &t.slots[i]; s.key == key || s.value == 0 {
			return int(s.value) - 1, s.value != 0
		}
	}
}

// Put gives a key a value, 0 to 2^31-1, in place of the value that it has. It reports false, and
// changes nothing, if the key is new and the table is full.
func (t *Table) Put(key uint64, value int) bool {
	mask := uint64(len(t.slots) - 1)
	for i := t.home(key); ; i++ {
		s := &t.slots[i&mask]
		if s.value != 0 && s.key != key {
			continue
		}
		if s.value == 0 {
			if t.len == t.capacity {
				return false
			}
			t.len++
		}
		s.key, s.value = key, uint32(value)+1
		return true
	}
}

// Grow doubles the capacity, and allocates for it.
func (t *Table) Grow() {
	old := t.slots
	*t = sized(2*int(t.capacity), t.seed)
	for _, s := range old {
		if s.value != 0 {
			t.Put(s.key, int(s.value-1))
		}
	}
}

// Remove takes a key out; false if it is not there.
func (t *Table) Remove(key uint64) bool {
	mask := uint64(len(t.slots) - 1)
	i := t.home(key) & mask
	for t.slots[i].value == 0 || t.slots[i].key != key {
		if t.slots[i].value == 0 {
			return false
		}
		i = (i + 1) & mask
	}
	t.len--
	// A key of the run behind i moves to i unless its home lies behind i: then a search for it does
	// not pass i.
	for j := (i + 1) & mask; t.slots[j].value != 0; j = (j + 1) & mask {
		if (j-t.home(t.slots[j].key))&mask >= (j-i)&mask {
			t.slots[i] = t.slots[j]
			i = j
		}
	}
	t.slots[i] = slot{}
	return true
}

// Len returns how many keys there are.
func (t *Table) Len() int { return int(t.len) }

// Capacity returns how many keys there is room for.
func (t *Table) Capacity() int { return int(t.capacity) }

// Bytes returns how much memory the table takes.
func (t *Table) Bytes() int { return len(t.slots) * slotBytes }

// Clear takes all keys out. It takes time in proportion to the capacity.
func (t *Table) Clear() {
	clear(t.slots)
	t.len = 0
}

// home returns a number whose low bits say where the search for a key begins: the two halves of a
// product, folded.
func (t *Table) home(key uint64) uint64 {
	high, low := bits.Mul64(key^t.seed, 0xd1342543de82ef95)
	return high ^ low
}
