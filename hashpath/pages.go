package hashpath

import (
	"cmp"
	"math/bits"
	"slices"
)

// pages maps keys to values. It divides a key into a page, all but the lowest eight bits, and a
// position in the page. A hash table finds the page; its values are an array from the first key in
// use to the last. Names, addresses and prefixes are all found in such tables: hosts of one rack
// have neighbouring keys, and take four bytes each.
type pages[K comparable] struct {
	shift  uint8     // of a hash, to the slot
	slots  []page[K] // open addressing; a power of two, of which at least one is empty
	values []uint32
}

type page[K comparable] struct {
	name  K
	base  uint32 // values[base] is the value of the first key
	first uint8  // position of the first key
	count uint16 // 0: an empty slot
}

// find returns the value of the key at a position of a page whose hash is given.
func (t *pages[K]) find(name K, hash uint64, position uint8) uint32 {
	for i := t.slot(hash); ; i++ {
		p := &t.slots[i&uint64(len(t.slots)-1)]
		if p.name == name || p.count == 0 {
			if at := uint32(position) - uint32(p.first); at < uint32(p.count) {
				return t.values[p.base+at]
			}
			return none
		}
	}
}

// slot returns where the search for a page begins.
func (t *pages[K]) slot(hash uint64) uint64 { return hash * 0x9e3779b97f4a7c15 >> (t.shift & 63) }

// each calls visit for every key and its value, in order of pages in the table.
func (t *pages[K]) each(visit func(name K, position uint8, value uint32)) {
	for _, p := range t.slots {
		for at, value := range t.values[p.base : p.base+uint32(p.count)] {
			if value != none {
				visit(p.name, p.first+uint8(at), value)
			}
		}
	}
}

// pair is a key and its value, for makePages.
type pair[K comparable] struct {
	name     K
	position uint8
	value    uint32
}

// makePages makes a table of pairs that are sorted by page and position.
func makePages[K comparable](pairs []pair[K], hash func(K) uint64) pages[K] {
	var t pages[K]
	var used []page[K]
	for i, p := range pairs {
		if i == 0 || used[len(used)-1].name != p.name {
			used = append(used, page[K]{p.name, uint32(len(t.values)), p.position, 0})
		}
		last := &used[len(used)-1]
		for uint8(last.count) != p.position-last.first {
			t.values = append(t.values, none)
			last.count++
		}
		t.values = append(t.values, p.value)
		last.count++
	}
	width := max(1, bits.Len(uint(len(used)+len(used)/4)))
	t.slots, t.shift = make([]page[K], 1<<width), uint8(64-width)
	for _, p := range used {
		at := t.slot(hash(p.name))
		for t.slots[at].count != 0 {
			at = (at + 1) % uint64(len(t.slots))
		}
		t.slots[at] = p
	}
	return t
}

// table4 maps 32-bit keys to values. If they are dense, the values of all pages are one array.
type table4 struct {
	first, span uint32 // values[0] is that of key first; span 0: not dense
	pages[uint32]
}

// quick returns the value of a key in a dense table.
func (t *table4) quick(key uint32) uint32 {
	if i := key - t.first; i < t.span {
		return t.values[i]
	}
	return none
}

func (t *table4) find(key uint32) uint32 {
	if v := t.quick(key); v != none {
		return v
	}
	return t.pages.find(key>>8, uint64(key>>8), uint8(key))
}

// newTable4 makes a table of pairs that are sorted.
func newTable4(pairs []pair[uint32]) table4 {
	t := table4{pages: makePages(pairs, func(name uint32) uint64 { return uint64(name) })}
	if n := len(pairs); n > 0 {
		t.first = pairs[0].name<<8 | uint32(pairs[0].position)
		last := pairs[n-1].name<<8 | uint32(pairs[n-1].position)
		if uint64(last-t.first)+1 == uint64(len(t.values)) {
			t.span = uint32(len(t.values))
		}
	}
	return t
}

func makeTable4(values map[uint32]uint32) table4 {
	pairs := make([]pair[uint32], 0, len(values))
	for key, value := range values {
		pairs = append(pairs, pair[uint32]{key >> 8, uint8(key), value})
	}
	slices.SortFunc(pairs, func(a, b pair[uint32]) int {
		return cmp.Or(cmp.Compare(a.name, b.name), cmp.Compare(a.position, b.position))
	})
	return newTable4(pairs)
}
