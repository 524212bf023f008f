package hashpath

import (
	"cmp"
	"encoding/binary"
	"maps"
	"math"
	"math/bits"
	"net/netip"
	"slices"

	"github.com/sluicefc/sluice"
)

// none is the value of a key that a table of pages does not hold.
const none = math.MaxUint32

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

// key6 is the page of an IPv6 address or prefix.
type key6 struct{ high, low uint64 }

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

// each calls visit for every key and its value.
func (t *table4) each(visit func(key, value uint32)) {
	t.pages.each(func(name uint32, position uint8, value uint32) {
		visit(name<<8|uint32(position), value)
	})
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

// target is where an address is: the destination, and the port of its switch to the host; or, with
// flagBit, the destination's node itself.
type target uint32

const noTarget target = none

func makeTarget(dest uint32, port sluice.PortID) target {
	return target(port) | target(dest)<<portBits
}

// nodeTarget is that of a destination that is a node itself, not a host on it.
func nodeTarget(dest uint32) target { return target(dest)<<portBits | flagBit }

func (t target) isNode() bool        { return t&flagBit != 0 }
func (t target) port() sluice.PortID { return sluice.PortID(t & portMask) }
func (t target) dest() uint32        { return uint32(t>>portBits) & nodeMask }

// addresses finds the longest prefix of an address: a table for each length, the longest first. A
// host's address is a prefix of full length. The key is the prefix without its zero bits.
type addresses struct {
	hosts table4      // IPv4 addresses
	v4    []prefixes4 // shorter than an address
	v6    []prefixes6
}

type prefixes4 struct {
	zeros uint8 // bits after the prefix
	table4
}

type prefixes6 struct {
	zeros uint8
	pages[key6]
}

// find returns the target of the flow's destination.
func (a *addresses) find(f *Flow) target {
	if to := a.quick(f); to != noTarget {
		return to
	}
	return a.search(f)
}

// quick looks into the IPv4 hosts only, if they are dense.
func (a *addresses) quick(f *Flow) target {
	if f.Is6 {
		return noTarget
	}
	return target(a.hosts.quick(f.dst4()))
}

// search looks into all tables.
func (a *addresses) search(f *Flow) target {
	if !f.Is6 {
		to := a.hosts.find(f.dst4())
		for i := 0; to == none && i < len(a.v4); i++ {
			to = a.v4[i].find(f.dst4() >> a.v4[i].zeros)
		}
		return target(to)
	}
	high, low := binary.BigEndian.Uint64(f.Dst[:8]), binary.BigEndian.Uint64(f.Dst[8:])
	for i := range a.v6 {
		p := &a.v6[i]
		name, position := split6(high, low, p.zeros)
		if t := p.find(name, hash6(name), position); t != none {
			return target(t)
		}
	}
	return noTarget
}

// split6 shifts a 128-bit address right and divides it into page and position.
func split6(high, low uint64, by uint8) (name key6, position uint8) {
	n := uint(by)
	low = low>>n | high<<(64-n) | high>>(n-64)
	high >>= n
	return key6{high >> 8, low>>8 | high<<56}, uint8(low)
}

func hash6(k key6) uint64 { return k.high*0xd6e8feb86659fd93 ^ bits.RotateLeft64(k.low, 32) }

// makeAddresses makes the tables from prefixes, each given once, and their targets.
func makeAddresses(found map[netip.Prefix]target) addresses {
	a := addresses{hosts: newTable4(nil)}
	order := slices.SortedFunc(maps.Keys(found), func(p, q netip.Prefix) int {
		return cmp.Or(cmp.Compare(q.Bits(), p.Bits()), p.Addr().Compare(q.Addr()))
	})
	for len(order) > 0 {
		length := order[0].Bits()
		var pairs4 []pair[uint32]
		var pairs6 []pair[key6]
		for len(order) > 0 && order[0].Bits() == length {
			b, to := order[0].Addr().As16(), uint32(found[order[0]])
			if order[0].Addr().Is4() {
				key := binary.BigEndian.Uint32(b[12:]) >> (32 - length)
				pairs4 = append(pairs4, pair[uint32]{key >> 8, uint8(key), to})
			} else {
				high, low := binary.BigEndian.Uint64(b[:8]), binary.BigEndian.Uint64(b[8:])
				name, position := split6(high, low, uint8(128-length))
				pairs6 = append(pairs6, pair[key6]{name, position, to})
			}
			order = order[1:]
		}
		if pairs6 != nil {
			a.v6 = append(a.v6, prefixes6{uint8(128 - length), makePages(pairs6, hash6)})
		}
		switch {
		case length == 32:
			a.hosts = newTable4(pairs4)
		case pairs4 != nil:
			a.v4 = append(a.v4, prefixes4{uint8(32 - length), newTable4(pairs4)})
		}
	}
	return a
}

// place is where a name is: a node's index; or, with flagBit, a host on one switch by its port 0:
// the switch's index and port.
type place uint32

const noPlace place = none

func hostPlace(at uint32, port sluice.PortID) place {
	return place(port) | place(at)<<portBits | flagBit
}

func (p place) isHost() bool        { return p&flagBit != 0 }
func (p place) node() uint32        { return uint32(p) } // of one that is not isHost
func (p place) at() uint32          { return uint32(p>>portBits) & nodeMask }
func (p place) port() sluice.PortID { return sluice.PortID(p & portMask) }

// placeOf returns where a name is.
func (t *tables) placeOf(id sluice.SwitchID) place { return place(t.places.find(uint32(id))) }
