package zold

import (
	"cmp"
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

// addresses finds the longest prefix of an address. IPv4 hosts are in one array if they are dense, or
// in an array for each 256 addresses in use, or in a table like prefixes; whichever is smallest.
type addresses struct {
	base   uint32   // address of hosts[0]
	dense  uint32   // how many of hosts are in one array
	hosts  []target // noTarget in gaps
	blocks []block4 // open addressing
	v4     []prefixes4
	v6     []prefixes6
}

// find returns the target of the flow's destination.
func (a *addresses) find(f *Flow) target {
	if to := a.quick(f); to != noTarget {
		return to
	}
	return a.search(f)
}

// quick looks into the array of dense hosts only.
func (a *addresses) quick(f *Flow) target {
	if i := f.dst4() - a.base; i < a.dense && !f.Is6 {
		return a.hosts[i]
	}
	return noTarget
}

// search looks into everything else.
func (a *addresses) search(f *Flow) target {
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
	if len(a.blocks) > 0 {
		if t := a.findBlock(address); t != noTarget {
			return t
		}
	}
	for i := range a.v4 {
		if t := a.v4[i].find(address); t != noTarget {
			return t
		}
	}
	return noTarget
}

// block4 is 256 IPv4 addresses from key on; those from key+first on are in addresses.hosts from base
// on.
type block4 struct {
	key, base uint32
	first     uint8
	count     uint16 // 0: an empty slot
}

func (a *addresses) findBlock(address uint32) target {
	key := address &^ 0xff
	n := uint32(len(a.blocks))
	for i := spread(uint64(key), n); ; i++ {
		if i >= n {
			i = 0
		}
		b := &a.blocks[i]
		if b.count == 0 {
			return noTarget
		}
		if b.key == key {
			if at := address - key - uint32(b.first); at < uint32(b.count) {
				return a.hosts[b.base+at]
			}
			return noTarget
		}
	}
}

// prefixes4 maps IPv4 prefixes of one length to targets, with open addressing.
type prefixes4 struct {
	mask  uint32
	slots []slot4
}

type slot4 struct {
	key    uint32
	target target
}

func (p *prefixes4) find(address uint32) target {
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
	_      uint32
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
	switch {
	case length == 32 && a.fillArray(keys4, values4):
	case length == 32 && a.fillBlocks(keys4, values4):
	case keys4 != nil:
		a.v4 = append(a.v4, makePrefixes4(length, keys4, values4))
	}
	if keys6 != nil {
		a.v6 = append(a.v6, makePrefixes6(length, keys6, values6))
	}
}

// fillArray puts hosts into one array if at least half of it is in use.
func (a *addresses) fillArray(keys []uint32, values []target) bool {
	if len(keys) == 0 {
		return false
	}
	first, last := slices.Min(keys), slices.Max(keys)
	if uint64(last-first)+1 > 2*uint64(len(keys)) {
		return false
	}
	a.base, a.dense = first, last-first+1
	a.hosts = slices.Repeat([]target{noTarget}, int(a.dense))
	for i, key := range keys {
		a.hosts[key-first] = values[i]
	}
	return true
}

// fillBlocks puts hosts into an array for each 256 addresses if that takes less than a table of them all.
func (a *addresses) fillBlocks(keys []uint32, values []target) bool {
	order := make([]int, len(keys))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(x, y int) int { return cmp.Compare(keys[x], keys[y]) })
	var hosts []target
	var blocks []block4
	for _, i := range order {
		key := keys[i] &^ 0xff
		if n := len(blocks); n == 0 || blocks[n-1].key != key {
			blocks = append(blocks, block4{key: key, base: uint32(len(hosts)), first: uint8(keys[i])})
		}
		b := &blocks[len(blocks)-1]
		for uint32(b.count) < keys[i]-key-uint32(b.first) {
			hosts = append(hosts, noTarget)
			b.count++
		}
		hosts = append(hosts, values[i])
		b.count++
	}
	slots := make([]block4, slotsFor(len(blocks)))
	if bytesOf(hosts, targetSize)+bytesOf(slots, blockSize) > sluice.Bytes(slotsFor(len(keys)))*slot4Size {
		return false
	}
	n := uint32(len(slots))
	for _, b := range blocks {
		at := spread(uint64(b.key), n)
		for slots[at].count != 0 {
			at = (at + 1) % n
		}
		slots[at] = b
	}
	a.hosts, a.blocks = hosts, slots
	return true
}

func makePrefixes4(length int, keys []uint32, values []target) prefixes4 {
	p := prefixes4{mask: uint32(uint64(math.MaxUint32) << (32 - length))}
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
		p.slots[at] = slot6{hi: key[0], lo: key[1], target: values[i]}
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

// find returns the place of a name.
func (p *places) find(id sluice.SwitchID) place {
	if at := p.quick(id); at != noPlace {
		return at
	}
	return p.search(id)
}

// quick looks into the array only.
func (p *places) quick(id sluice.SwitchID) place {
	if uint(id) < uint(len(p.array)) {
		return p.array[id]
	}
	return noPlace
}

func (p *places) search(id sluice.SwitchID) place {
	n := uint32(len(p.slots))
	if n == 0 {
		return noPlace
	}
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
