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
	generation uint32 // of the next tables it is one more, modulo 2^32

	places    index4 // by name, a node; flagged, the port of a switch to a host that is none
	addresses addresses
	dests     []dest
	nodes     []node

	// Links between nodes (trunks): a node's port and its peer, flagged if the peer does not
	// forward. Then, from number exits on, links to hosts and ways out: node and port.
	links    []spot
	exits    uint32
	exitBase []uint32          // by node, where its exits begin; then the number of links
	hosts    []sluice.SwitchID // by exit; none for a way out
	arrivals []uint16          // by trunk, the port at the other end; nil if paths do not read it
	down     []uint32          // links that are down, ascending
	stop     spot              // paths end with a trunk that is not below: flag, or none with HostHops

	rows     []entry // by node.row + dest.block
	details  []entry // by a row's detail + dest.offset
	groups   []group
	members  []uint16 // trunks of a node, by group.base + slot
	profiles []*profile
}

// none names no node, and is the value of a key that an index does not hold.
const none = math.MaxUint32

// spot is a port of a node or destination, in a word. Its use gives the flag its meaning.
type spot uint32

const (
	portBits = 12
	nodeBits = 19
	portMask = 1<<portBits - 1
	nodeMask = 1<<nodeBits - 1
	flag     = 1 << (portBits + nodeBits)
)

func makeSpot(index uint32, port sluice.PortID, flagged bool) spot {
	s := spot(port&portMask) | spot(index)<<portBits
	if flagged {
		s |= flag
	}
	return s
}

func (s spot) port() sluice.PortID { return sluice.PortID(s & portMask) }
func (s spot) index() uint32       { return uint32(s>>portBits) & nodeMask }
func (s spot) isFlagged() bool     { return s&flag != 0 }

// node is a switch, or a host that is not on one switch by its port 0, or several ways out to a
// prefix. Its trunks are in canonical order: trunks towards the hosts by their peers, then the
// others by port. So nodes that differ only in their cabling towards the hosts have equal rows.
type node struct {
	id     sluice.SwitchID // none for ways out
	trunks uint32          // where its trunks begin in tables.links
	row    uint32          // where its row begins in tables.rows; identical nodes share it
	dest   uint32          // the destination that it is, for itself or the hosts on it; none
	tweak  tweak
}

// dest is a destination's place in the tables: its block, and the offset there.
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

func (t *tables) slotsOf(g group) []uint16 { return t.members[g.base : g.base+g.slots] }

func (t *tables) memberOf(i, value uint32) uint32 {
	g := &t.groups[i]
	return uint32(t.members[g.base+g.slot(value)])
}

// entryOf returns where the node of a row sends what goes to d.
func (t *tables) entryOf(row uint32, d dest) entry {
	e := t.rows[row+d.block]
	if e >= entryDetail {
		e = t.details[uint32(e&entryValue)+d.offset]
	}
	return e
}

func (t *tables) expand(row uint32) []entry {
	entries := make([]entry, len(t.dests))
	for where, d := range t.dests {
		entries[where] = t.entryOf(row, d)
	}
	return entries
}

func (t *tables) placeOf(id sluice.SwitchID) spot { return spot(t.places.find(uint32(id))) }

func (t *tables) trunksOf(x uint32) []spot {
	end := t.exits
	if int(x)+1 < len(t.nodes) {
		end = t.nodes[x+1].trunks
	}
	return t.links[t.nodes[x].trunks:end]
}

// exitsOf returns the exits of a node, by port.
func (t *tables) exitsOf(x uint32) []spot { return t.links[t.exitBase[x]:t.exitBase[x+1]] }

func (t *tables) isDown(link uint32) bool {
	_, down := slices.BinarySearch(t.down, link)
	return down
}

func (t *tables) exitAt(x uint32, port sluice.PortID) uint32 {
	i, _ := findPort(t.exitsOf(x), port)
	return t.exitBase[x] + uint32(i)
}

// allPorts is not a port.
const allPorts = -1

// find returns a node and its links at a port or at all ports, by number; of a host that is no
// node, the link of its switch to it. There are several at a port by which several prefixes leave.
func (t *tables) find(id sluice.SwitchID, port int) (x uint32, links []uint32, ok bool) {
	p := t.placeOf(id)
	if p == none || p.isFlagged() && port > 0 {
		return 0, nil, false
	}
	if p.isFlagged() {
		port = int(p.port())
	}
	x = p.index()
	trunks := t.nodes[x].trunks
	for _, part := range [][2]uint32{
		{trunks, trunks + uint32(len(t.trunksOf(x)))}, {t.exitBase[x], t.exitBase[x+1]},
	} {
		for i := part[0]; i < part[1]; i++ {
			if port == allPorts || port == int(t.links[i].port()) {
				links = append(links, i)
			}
		}
	}
	return x, links, port == allPorts || links != nil
}

// findPort returns which link is at a port. It looks first where that is in regular networks.
func findPort(links []spot, port sluice.PortID) (int, bool) {
	if len(links) > 0 {
		i := int(port) - int(links[0].port())
		if uint(i) < uint(len(links)) && links[i].port() == port {
			return i, true
		}
	}
	i := slices.IndexFunc(links, func(s spot) bool { return s.port() == port })
	return i, i >= 0
}
