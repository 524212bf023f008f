package hashpath

import (
	"cmp"
	"encoding/binary"
	"math/bits"
	"net/netip"
	"slices"

	"github.com/sluicefc/sluice"
)

// index maps keys to values. A key is a page, all but its lowest eight bits, and a position in the
// page. A hash table finds the page; its values are an array from the first key in use to the last:
// hosts of one rack have neighbouring keys, and take four bytes each.
type index[K comparable] struct {
	shift  uint8     // of a hash, to the slot
	pages  []page[K] // open addressing; a power of two; at least one is empty
	values []uint32
}

type page[K comparable] struct {
	name  K
	base  uint32 // values[base] is the value of the first key
	first uint8  // position of the first key
	count uint16 // 0: an empty slot
}

func (t *index[K]) find(name K, hash uint64, position uint8) uint32 {
	for i := t.slot(hash); ; i++ {
		p := &t.pages[i&uint64(len(t.pages)-1)]
		if p.name == name || p.count == 0 {
			if at := uint32(position) - uint32(p.first); at < uint32(p.count) {
				return t.values[p.base+at]
			}
			return none
		}
	}
}

// slot returns where the search for a page begins.
func (t *index[K]) slot(hash uint64) uint64 { return hash * 0x9e3779b97f4a7c15 >> (t.shift & 63) }

// add adds a key, which is above all keys before. Until place is called, pages are in order.
func (t *index[K]) add(name K, position uint8, value uint32) {
	if n := len(t.pages); n == 0 || t.pages[n-1].name != name {
		t.pages = append(t.pages, page[K]{name, uint32(len(t.values)), position, 0})
	}
	p := &t.pages[len(t.pages)-1]
	for gap := uint16(position-p.first) - p.count; gap > 0; gap-- {
		t.values = append(t.values, none)
	}
	t.values = append(t.values, value)
	p.count = uint16(position-p.first) + 1
}

func (t *index[K]) place(hash func(K) uint64) {
	pages := t.pages
	width := max(1, bits.Len(uint(len(pages)+len(pages)/4)))
	t.pages, t.shift = make([]page[K], 1<<width), uint8(64-width)
	for _, p := range pages {
		at := t.slot(hash(p.name))
		for t.pages[at].count != 0 {
			at = (at + 1) % uint64(len(t.pages))
		}
		t.pages[at] = p
	}
}

// each calls visit for every key and its value.
func (t *index[K]) each(visit func(name K, position uint8, value uint32)) {
	for _, p := range t.pages {
		for at, value := range t.values[p.base : p.base+uint32(p.count)] {
			if value != none {
				visit(p.name, p.first+uint8(at), value)
			}
		}
	}
}

func (t *index[K]) bytes() sluice.Bytes { return bytesOf(t.pages) + bytesOf(t.values) }

// index4 maps 32-bit keys to values. If they are dense, the values of all pages are one array.
type index4 struct {
	zeros       uint8  // bits of an address after the prefix that is the key
	first, span uint32 // values[0] belongs to key first; span 0: not dense
	index[uint32]
}

// quick returns the value of a key in a dense table.
func (t *index4) quick(key uint32) uint32 {
	if i := key - t.first; i < t.span {
		return t.values[i]
	}
	return none
}

func (t *index4) find(key uint32) uint32 {
	if v := t.quick(key); v != none {
		return v
	}
	return t.index.find(key>>8, uint64(key>>8), uint8(key))
}

func (t *index4) place() {
	if n := len(t.pages); n > 0 {
		last := &t.pages[n-1]
		t.first = t.pages[0].name<<8 | uint32(t.pages[0].first)
		end := uint64(last.name<<8|uint32(last.first)) + uint64(last.count)
		if end-uint64(t.first) == uint64(len(t.values)) {
			t.span = uint32(len(t.values))
		}
	}
	t.index.place(func(name uint32) uint64 { return uint64(name) })
}

// index6 maps prefixes of IPv6 to values.
type index6 struct {
	zeros uint8
	index[key6]
}

// key6 is 128 bits; as the name of a page, 120.
type key6 struct{ high, low uint64 }

func (k key6) right(by uint8) key6 {
	n := uint(by)
	return key6{k.high >> n, k.low>>n | k.high<<(64-n) | k.high>>(n-64)}
}

func (k key6) left(by uint8) key6 {
	n := uint(by)
	return key6{k.high<<n | k.low>>(64-n) | k.low<<(n-64), k.low << n}
}

func (k key6) hash() uint64 { return k.high*0xd6e8feb86659fd93 ^ bits.RotateLeft64(k.low, 32) }

func makeKey6(b *[16]byte) key6 {
	return key6{binary.BigEndian.Uint64(b[:8]), binary.BigEndian.Uint64(b[8:])}
}

func (t *index6) find(address key6) uint32 {
	k := address.right(t.zeros)
	name := k.right(8)
	return t.index.find(name, name.hash(), uint8(k.low))
}

// addresses finds the longest prefix of an address: a table for each length, the longest first. A
// host's address is a prefix of full length. The key is the prefix without its zero bits.
type addresses struct {
	hosts index4   // IPv4 addresses
	v4    []index4 // shorter than an address
	v6    []index6
}

// find returns where the flow's destination is: the destination, and the port of its node to the
// host, or flagged the node itself.
func (a *addresses) find(f *Flow) spot {
	if to := a.quick(f); to != none {
		return to
	}
	return a.search(f)
}

// quick looks into the IPv4 hosts only, if they are dense.
func (a *addresses) quick(f *Flow) spot {
	if f.Is6 {
		return none
	}
	return spot(a.hosts.quick(f.dst4()))
}

func (a *addresses) search(f *Flow) spot {
	to := uint32(none)
	if f.Is6 {
		address := makeKey6(&f.Dst)
		for i := 0; to == none && i < len(a.v6); i++ {
			to = a.v6[i].find(address)
		}
		return spot(to)
	}
	to = a.hosts.find(f.dst4())
	for i := 0; to == none && i < len(a.v4); i++ {
		to = a.v4[i].find(f.dst4() >> a.v4[i].zeros)
	}
	return spot(to)
}

func (a *addresses) bytes() sluice.Bytes {
	sum := a.hosts.bytes()
	for _, t := range a.v4 {
		sum += t.bytes()
	}
	for _, t := range a.v6 {
		sum += t.bytes()
	}
	return sum
}

// announced is a prefix and where it is.
type announced struct {
	prefix netip.Prefix
	to     spot
}

// makeAddresses puts prefixes, of which none is there twice, into tables. It sorts them, unless
// they come in order.
func makeAddresses(found []announced) (a addresses) {
	inOrder := func(p, q announced) int {
		return cmp.Or(cmp.Compare(q.prefix.Bits(), p.prefix.Bits()),
			p.prefix.Addr().Compare(q.prefix.Addr()))
	}
	if !slices.IsSortedFunc(found, inOrder) {
		slices.SortFunc(found, inOrder)
	}
	for _, f := range found {
		p := f.prefix
		b, zeros := p.Addr().As16(), uint8(p.Addr().BitLen()-p.Bits())
		if p.Addr().Is6() {
			if n := len(a.v6); n == 0 || a.v6[n-1].zeros != zeros {
				a.v6 = append(a.v6, index6{zeros: zeros})
			}
			key := makeKey6(&b).right(zeros)
			a.v6[len(a.v6)-1].add(key.right(8), uint8(key.low), uint32(f.to))
			continue
		}
		t := &a.hosts
		if zeros > 0 {
			if n := len(a.v4); n == 0 || a.v4[n-1].zeros != zeros {
				a.v4 = append(a.v4, index4{zeros: zeros})
			}
			t = &a.v4[len(a.v4)-1]
		}
		key := binary.BigEndian.Uint32(b[12:]) >> zeros
		t.add(key>>8, uint8(key), uint32(f.to))
	}
	a.hosts.place()
	for i := range a.v4 {
		a.v4[i].place()
	}
	for i := range a.v6 {
		a.v6[i].place(key6.hash)
	}
	return a
}

// each calls visit for every prefix and where it is.
func (a *addresses) each(visit func(p netip.Prefix, to spot)) {
	for _, t := range append([]index4{a.hosts}, a.v4...) {
		t.each(func(name uint32, position uint8, to uint32) {
			var b [4]byte
			binary.BigEndian.PutUint32(b[:], (name<<8|uint32(position))<<t.zeros)
			visit(netip.PrefixFrom(netip.AddrFrom4(b), 32-int(t.zeros)), spot(to))
		})
	}
	for _, t := range a.v6 {
		t.each(func(name key6, position uint8, to uint32) {
			k := name.left(8)
			k.low |= uint64(position)
			k = k.left(t.zeros)
			var b [16]byte
			binary.BigEndian.PutUint64(b[:8], k.high)
			binary.BigEndian.PutUint64(b[8:], k.low)
			visit(netip.PrefixFrom(netip.AddrFrom16(b), 128-int(t.zeros)), spot(to))
		})
	}
}
