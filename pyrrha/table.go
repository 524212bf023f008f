package pyrrha

import "math/bits"

// rootTable finds the number of a root by its identity: open addressing with linear probing, a power of two of
// entries, at most half of them used. An entry is the key, 48 bits, and the number plus one, 16 bits; 0 is empty.
type rootTable struct {
	entries []uint64
	shift   uint8
}

func newRootTable(roots int) rootTable {
	size := bits.Len(uint(2*roots - 1))
	return rootTable{entries: make([]uint64, 1<<size), shift: uint8(64 - size)}
}

const (
	numberBits = 16
	numberMask = 1<<numberBits - 1
)

// home returns where a key is looked for first.
func (t *rootTable) home(key uint64) int { return int(key * 0x9e3779b97f4a7c15 >> t.shift) }

// find returns the number of the root with a key, or -1.
func (t *rootTable) find(key uint64) int {
	for i := t.home(key); ; i++ {
		e := t.entries[i&(len(t.entries)-1)]
		if e>>numberBits == key && e != 0 {
			return int(e&numberMask) - 1
		}
		if e == 0 {
			return -1
		}
	}
}

// insert adds a key that is not in the table.
func (t *rootTable) insert(key uint64, number int) {
	i := t.home(key)
	for t.entries[i&(len(t.entries)-1)] != 0 {
		i++
	}
	t.entries[i&(len(t.entries)-1)] = key<<numberBits | uint64(number+1)
}

// remove takes out a key that is in the table, and moves later entries of its run so that each
// can still be reached from its home.
func (t *rootTable) remove(key uint64) {
	mask := len(t.entries) - 1
	hole := t.home(key) & mask
	for t.entries[hole]>>numberBits != key || t.entries[hole] == 0 {
		hole = (hole + 1) & mask
	}
	for i := (hole + 1) & mask; t.entries[i] != 0; i = (i + 1) & mask {
		home := t.home(t.entries[i]>>numberBits) & mask
		if (i-home)&mask >= (i-hole)&mask {
			t.entries[hole] = t.entries[i]
			hole = i
		}
	}
	t.entries[hole] = 0
}
