package hashpath

import (
	"cmp"
	"encoding/binary"
	"maps"
	"math/bits"
	"net/netip"
	"slices"
)

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

// search looks into all tables.
func (a *addresses) search(f *Flow) spot {
	if !f.Is6 {
		to := a.hosts.find(f.dst4())
		for i := 0; to == none && i < len(a.v4); i++ {
			to = a.v4[i].find(f.dst4() >> a.v4[i].zeros)
		}
		return spot(to)
	}
	high, low := binary.BigEndian.Uint64(f.Dst[:8]), binary.BigEndian.Uint64(f.Dst[8:])
	for i := range a.v6 {
		p := &a.v6[i]
		name, position := split6(high, low, p.zeros)
		if t := p.find(name, hash6(name), position); t != none {
			return spot(t)
		}
	}
	return none
}

// key6 is the page of an IPv6 address or prefix.
type key6 struct{ high, low uint64 }

// split6 shifts a 128-bit address right and divides it into page and position.
func split6(high, low uint64, by uint8) (name key6, position uint8) {
	n := uint(by)
	low = low>>n | high<<(64-n) | high>>(n-64)
	high >>= n
	return key6{high >> 8, low>>8 | high<<56}, uint8(low)
}

func hash6(k key6) uint64 { return k.high*0xd6e8feb86659fd93 ^ bits.RotateLeft64(k.low, 32) }

// makeAddresses makes the tables from prefixes, each given once, and where they are.
func makeAddresses(found map[netip.Prefix]spot) addresses {
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
