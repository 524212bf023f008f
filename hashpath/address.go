package hashpath

import (
	"encoding/binary"
	"math"
	"math/bits"
	"net/netip"
	"slices"

	"github.com/sluicefc/sluice"
)

// target is where an address is: destination, and port of the destination's switch.
type target uint32

const noTarget target = math.MaxUint32

func makeTarget(dest uint32, port sluice.PortID) target {
	return target(port) | target(dest)<<portBits
}

func (t target) port() sluice.PortID { return sluice.PortID(t & portMask) }
func (t target) dest() uint32        { return uint32(t>>portBits) & nodeMask }

// addresses finds the longest prefix of an address: a table for each length in use, longest
// first.
type addresses struct {
	v4 []prefixes4
	v6 []prefixes6
}

func (a *addresses) find(f *Flow) target {
	if f.Is6 {
		hi, lo := binary.BigEndian.Uint64(f.Dst[:8]), binary.BigEndian.Uint64(f.Dst[8:])
		for i := range a.v6 {
			if t := a.v6[i].find(hi, lo); t != noTarget {
				return t
			}
		}
		return noTarget
	}
	address := f.dst4()
	for i := range a.v4 {
		if t := a.v4[i].find(address); t != noTarget {
			return t
		}
	}
	return noTarget
}

// prefixes4 maps IPv4 prefixes of one length to targets: an array if they are dense, else a
// table with open addressing.
type prefixes4 struct {
	mask  uint32
	base  uint32   // key of array[0]
	shift uint8    // 32 less the length
	array []target // by key>>shift - base>>shift
	slots []slot4
}

type slot4 struct {
	key    uint32
	target target
}

func (p *prefixes4) find(address uint32) target {
	if p.slots == nil {
		i := uint64(address>>p.shift) - uint64(p.base>>p.shift)
		if i < uint64(len(p.array)) {
			return p.array[i]
		}
		return noTarget
	}
	key := address & p.mask
	n := uint32(len(p.slots))
	for i := spread(uint64(key), n); ; i++ {
		if i >= n {
			i = 0
		}
		if s := &p.slots[i]; s.key == key || s.target == noTarget {
			return s.target
		}
	}
}

// prefixes6 maps IPv6 prefixes of one length to targets.
type prefixes6 struct {
	maskHi, maskLo uint64
	slots          []slot6
}

type slot6 struct {
	hi, lo uint64
	target target
}

func (p *prefixes6) find(hi, lo uint64) target {
	hi &= p.maskHi
	lo &= p.maskLo
	n := uint32(len(p.slots))
	for i := spread(mix6(hi, lo), n); ; i++ {
		if i >= n {
			i = 0
		}
		if s := &p.slots[i]; s.hi == hi && s.lo == lo || s.target == noTarget {
			return s.target
		}
	}
}

func mix6(hi, lo uint64) uint64 { return hi*0xd6e8feb86659fd93 ^ bits.RotateLeft64(lo, 32) }

// spread maps a key to [0, n).
func spread(key uint64, n uint32) uint32 {
	return uint32(key * 0x9e3779b97f4a7c15 >> 32 * uint64(n) >> 32)
}

// slotsFor returns the size of a table with open addressing for n keys: load 3/4, never full.
func slotsFor(n int) int { return n + n/3 + 1 }

// makeAddresses makes the tables from prefixes, each given once, and their targets.
func makeAddresses(prefixes []netip.Prefix, targets []target) addresses {
	var a addresses
	order := make([]int, len(prefixes))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(x, y int) int { return prefixes[y].Bits() - prefixes[x].Bits() })
	for len(order) > 0 {
		length := prefixes[order[0]].Bits()
		end := 1
		for end < len(order) && prefixes[order[end]].Bits() == length {
			end++
		}
		a.add(length, order[:end], prefixes, targets)
		order = order[end:]
	}
	return a
}

func (a *addresses) add(length int, order []int, prefixes []netip.Prefix, targets []target) {
	var keys4 []uint32
	var values4 []target
	var keys6 [][2]uint64
	var values6 []target
	for _, i := range order {
		address := prefixes[i].Addr()
		if address.Is4() {
			b := address.As4()
			keys4 = append(keys4, binary.BigEndian.Uint32(b[:]))
			values4 = append(values4, targets[i])
		} else {
			b := address.As16()
			keys6 = append(keys6, [2]uint64{binary.BigEndian.Uint64(b[:8]), binary.BigEndian.Uint64(b[8:])})
			values6 = append(values6, targets[i])
		}
	}
	if keys4 != nil {
		a.v4 = append(a.v4, makePrefixes4(length, keys4, values4))
	}
	if keys6 != nil {
		a.v6 = append(a.v6, makePrefixes6(length, keys6, values6))
	}
}

func makePrefixes4(length int, keys []uint32, values []target) prefixes4 {
	p := prefixes4{shift: uint8(32 - length)}
	p.mask = uint32(uint64(math.MaxUint32) << p.shift)
	p.base = slices.Min(keys)
	if span := uint64(slices.Max(keys)>>p.shift) - uint64(p.base>>p.shift) + 1; span <= 2*uint64(len(keys)) {
		p.array = slices.Repeat([]target{noTarget}, int(span))
		for i, key := range keys {
			p.array[key>>p.shift-p.base>>p.shift] = values[i]
		}
		return p
	}
	p.slots = slices.Repeat([]slot4{{target: noTarget}}, slotsFor(len(keys)))
	n := uint32(len(p.slots))
	for i, key := range keys {
		at := spread(uint64(key), n)
		for p.slots[at].target != noTarget {
			at = (at + 1) % n
		}
		p.slots[at] = slot4{key, values[i]}
	}
	return p
}

func makePrefixes6(length int, keys [][2]uint64, values []target) prefixes6 {
	var p prefixes6
	switch {
	case length > 64:
		p.maskHi, p.maskLo = math.MaxUint64, uint64(math.MaxUint64)<<(128-length)
	default:
		p.maskHi = uint64(math.MaxUint64) << (64 - length)
	}
	p.slots = slices.Repeat([]slot6{{target: noTarget}}, slotsFor(len(keys)))
	n := uint32(len(p.slots))
	for i, key := range keys {
		at := spread(mix6(key[0], key[1]), n)
		for p.slots[at].target != noTarget {
			at = (at + 1) % n
		}
		p.slots[at] = slot6{key[0], key[1], values[i]}
	}
	return p
}

// place is where a name is: a node's index; or, with flagBit, a host on one switch by its port 0:
// the switch's index and port.
type place uint32

const noPlace place = math.MaxUint32

func hostPlace(at uint32, port sluice.PortID) place {
	return place(port) | place(at)<<portBits | flagBit
}

func (p place) isHost() bool        { return p&flagBit != 0 }
func (p place) node() uint32        { return uint32(p) } // of one that is not isHost
func (p place) at() uint32          { return uint32(p>>portBits) & nodeMask }
func (p place) port() sluice.PortID { return sluice.PortID(p & portMask) }

// places maps the names of nodes to their places: an array if the numbers are dense, else a table
// with open addressing.
type places struct {
	array []place
	slots []placeSlot
}

type placeSlot struct {
	id    sluice.SwitchID
	place place
}

func (p *places) find(id sluice.SwitchID) place {
	if p.slots == nil {
		if uint64(id) < uint64(len(p.array)) {
			return p.array[id]
		}
		return noPlace
	}
	n := uint32(len(p.slots))
	for i := spread(uint64(id), n); ; i++ {
		if i >= n {
			i = 0
		}
		if s := &p.slots[i]; s.id == id || s.place == noPlace {
			return s.place
		}
	}
}

func makePlaces(ids []sluice.SwitchID, values []place) places {
	var p places
	if len(ids) == 0 {
		return p
	}
	if span := uint64(slices.Max(ids)) + 1; span <= 4*uint64(len(ids)) {
		p.array = slices.Repeat([]place{noPlace}, int(span))
		for i, id := range ids {
			p.array[id] = values[i]
		}
		return p
	}
	p.slots = slices.Repeat([]placeSlot{{place: noPlace}}, slotsFor(len(ids)))
	n := uint32(len(p.slots))
	for i, id := range ids {
		at := spread(uint64(id), n)
		for p.slots[at].place != noPlace {
			at = (at + 1) % n
		}
		p.slots[at] = placeSlot{id, values[i]}
	}
	return p
}
