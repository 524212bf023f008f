package hashpath

import (
	"math"
	"math/bits"
	"slices"

	"github.com/sluicefc/sluice"
)

// tables is the forwarding state of a network at one moment. It is immutable once published;
// an update makes another that shares what did not change.
type tables struct {
	generation uint32 // how many tables were published before, modulo 2^32

	places    table4 // place by name
	addresses addresses
	dests     []dest
	nodes     []node
	named     uint32 // nodes from this index on are ways out to a prefix, without a name
	trunks    []trunk
	arrivals  []uint16 // by trunk, the port at the other end; nil if not read
	rows      []entry  // by node.row + dest.block
	details   []entry  // by a row's detail + dest.offset
	groups    []group
	members   []uint16 // trunks of a node, by group.base + slot
	profiles  []*profile

	down     []uint32 // the exitKeys, ascending, of those whose link is down
	exits    table4   // by exitKey of a port to a host that is no node, the host's name
	ways     table4   // the exitKeys of ports out of the network
	hostHops bool     // paths end with the host's own hop
}

// Bits of packed words.
const (
	portBits = 12
	nodeBits = 19
	portMask = 1<<portBits - 1
	nodeMask = 1<<nodeBits - 1
	flagBit  = 1 << (portBits + nodeBits)
)

// node is a switch, or a host that is not on one switch by its port 0, or several ways out to a
// prefix.
type node struct {
	id     sluice.SwitchID
	trunks uint32 // where its trunks begin in tables.trunks
	row    uint32 // where its row begins in tables.rows; identical nodes share it
	dest   uint32 // the destination that it is, for itself or the hosts on it; noDest
	tweak  tweak
}

const noDest = math.MaxUint32

// trunk is a link of a node to another: the real port at the node and the other's index; flagBit
// says that the other does not forward. Trunks of a node are in canonical order: those towards the
// hosts by their peers, then the others by port. So nodes that differ only in their cabling towards
// the hosts have equal rows.
type trunk uint32

func makeTrunk(port sluice.PortID, peer uint32, end bool) trunk {
	t := trunk(port) | trunk(peer)<<portBits
	if end {
		t |= flagBit
	}
	return t
}

func (t trunk) port() sluice.PortID { return sluice.PortID(t & portMask) }
func (t trunk) peer() uint32        { return uint32(t>>portBits) & nodeMask }
func (t trunk) isEnd() bool         { return t&flagBit != 0 }

// dest is a destination's place in the tables: destinations with the same neighbours are a block,
// to which most nodes have one entry.
type dest struct{ block, offset uint32 }

// entry says where a node sends what goes to a destination or block: kind in the two upper bits.
type entry uint32

const (
	entryNone   entry = iota << entryShift // nowhere
	entryTrunk                             // by the trunk of that number
	entryGroup                             // by a member of the group of that number
	entryDetail                            // by the entry in details from that number on

	entryShift = 30
	entryValue = 1<<entryShift - 1
	entryKind  = ^entry(entryValue)
)

// group is an ECMP group: slots of trunk numbers. A value is reduced modulo the number of slots by
// a mask if that is a power of two, else by a multiplication (Lemire, Kaser and Kurz: Faster
// remainder by direct computation, 2019), which is exact for 32-bit values.
type group struct {
	base  uint32
	slots uint32
	magic uint64 // 2^64 / slots, rounded up; 0 for a power of two
}

func makeGroup(base, slots uint32) group {
	g := group{base: base, slots: slots}
	if slots&(slots-1) != 0 {
		g.magic = math.MaxUint64/uint64(slots) + 1
	}
	return g
}

func (g *group) slot(value uint32) uint32 {
	if g.magic == 0 {
		return value & (g.slots - 1)
	}
	hi, _ := bits.Mul64(g.magic*uint64(value), uint64(g.slots))
	return uint32(hi)
}

// entryOf returns where the node of a row sends what goes to d.
func (t *tables) entryOf(row uint32, d dest) entry {
	e := t.rows[row+d.block]
	if e >= entryDetail {
		e = t.details[uint32(e&entryValue)+d.offset]
	}
	return e
}

// exitKey names a port of a node.
func exitKey(index uint32, port sluice.PortID) uint32 { return index<<portBits | uint32(port) }

func splitKey(key uint32) (index uint32, port sluice.PortID) {
	return key >> portBits, sluice.PortID(key & portMask)
}

// isDown reports whether the link between a switch and a host on it is down.
func (t *tables) isDown(index uint32, port sluice.PortID) bool {
	if len(t.down) == 0 {
		return false
	}
	_, found := slices.BinarySearch(t.down, exitKey(index, port))
	return found
}

// isExit reports whether a port of a node leads to a host that is in no table, or out of the
// network.
func (t *tables) isExit(index uint32, port sluice.PortID) bool {
	key := exitKey(index, port)
	return port < MaxPorts && (t.exits.find(key) != none || t.ways.find(key) != none)
}

// findTrunk returns the trunk of a node at a port as an index into trunks, false if it has none
// there. It tries the places where a trunk is in regular networks before it searches.
func (t *tables) findTrunk(index uint32, port sluice.PortID) (uint32, bool) {
	trunks, base := t.trunksOf(index), t.nodes[index].trunks
	if len(trunks) == 0 {
		return 0, false
	}
	if i := uint32(port); i < uint32(len(trunks)) && trunks[i].port() == port {
		return base + i, true
	}
	i := uint32(port) - uint32(trunks[0].port())
	if i < uint32(len(trunks)) && trunks[i].port() == port {
		return base + i, true
	}
	at := slices.IndexFunc(trunks, func(by trunk) bool { return by.port() == port })
	return base + uint32(at), at >= 0
}

// trunksOf returns the trunks of a node.
func (t *tables) trunksOf(index uint32) []trunk {
	end := uint32(len(t.trunks))
	if int(index)+1 < len(t.nodes) {
		end = t.nodes[index+1].trunks
	}
	return t.trunks[t.nodes[index].trunks:end]
}
