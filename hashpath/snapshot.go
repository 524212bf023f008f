package hashpath

import (
	"cmp"
	"encoding/binary"
	"net/netip"
	"slices"
	"strconv"

	"github.com/sluicefc/sluice"
)

// Snapshot is the forwarding state of a network at one moment, for who makes tables of it for
// another machine, such as a switch chip. It is a copy in plain slices: it shares nothing with the
// network, and later updates do not change it. Equal networks in the same state have equal
// snapshots.
//
// A packet goes through it as follows. Prefixes gives the destination of its address. At a node
// that is this destination it has arrived, and leaves by the port of the prefix unless that says
// Node. Elsewhere the entry for the node's Replica and the destination says by which of the node's
// Links it leaves, or names a group; then the value of the node's hash, modulo the number of slots
// of the group, chooses a slot, which is the number of a link.
type Snapshot struct {
	Nodes        []SnapshotNode
	Destinations []SnapshotDestination
	Prefixes     []SnapshotPrefix // by family, address and length
	// Replicas are the different forwarding tables: entries by destination. Nodes with equal tables
	// share one, and differ in hash and links only. What a replica has for the destination that is
	// the node itself means nothing. A number that is not in use has a nil slice (see Compare).
	Replicas [][]Entry
	// Groups are the different ECMP groups: numbers of links by slot. A link of weight w stands in
	// w slots of a group with Modulo. A number that is not in use has a nil slice.
	Groups [][]int
}

// SnapshotNode is a switch, or a host that is not on one switch by its port 0. Several ways out of
// the network to one prefix are a node too: it is neither Host nor Forwards, and has no name.
type SnapshotNode struct {
	Name     sluice.SwitchID
	Host     bool
	Forwards bool
	// Tier is the number of hops to the nearest forwarding node with a host; -1 if there is none,
	// or if the node does not forward.
	Tier int
	// Destination is the destination that the node is, for itself or the hosts on it; -1 if none.
	Destination int
	Replica     int
	// Hash is the node's hash as it is in effect, with every default filled in.
	Hash Hash
	// Function is the same number at nodes with the same function of the same fields. Their hashes
	// differ by constants only, unless the function is XXH64.
	Function int
	// Constants are the whole results, before Offset and Width, for a flow of zeros, IPv4 and IPv6,
	// with ingress 0: what is to be exclusive-ored into the sum of the words of a flow's bits. Of
	// XXH64 they are 0.
	Constants [2]uint32
	// Links are those to other nodes, in the order that makes nodes alike: towards the hosts by
	// peer, then the others by port.
	Links []SnapshotLink
}

// SnapshotLink is a link of a node to another.
type SnapshotLink struct {
	Port     sluice.PortID
	Peer     int           // in Snapshot.Nodes
	PeerPort sluice.PortID // MaxPorts if the peer is behind a prefix
	Weight   int
	Up       bool
}

// SnapshotDestination is a node that packets are for, as itself or as the switch of hosts.
// Destinations of one block have the same neighbours; most nodes send to all of them alike.
type SnapshotDestination struct {
	Node          int // in Snapshot.Nodes
	Block, Offset int
	Exits         []SnapshotExit // by port
}

// SnapshotExit is the link between a switch and a host by its only port, or the way out to a
// prefix.
type SnapshotExit struct {
	Port sluice.PortID
	Host sluice.SwitchID // if Named
	// Named says that the port leads to a host, not out of the network.
	Named bool
	Up    bool
}

// SnapshotPrefix says where addresses are whose longest prefix it is.
type SnapshotPrefix struct {
	Prefix      netip.Prefix
	Destination int
	// Node says that the destination's node itself is meant; else Port is the exit.
	Node bool
	Port sluice.PortID
}

// Entry says where a node sends what goes to a destination. The zero Entry is: nowhere.
type Entry struct {
	Kind EntryKind
	// Index is the number of the link among those of the node, or of the group; 0 if nowhere.
	Index int
}

// EntryKind is the kind of an Entry.
type EntryKind uint8

// Kinds of entries.
const (
	ToNothing EntryKind = iota
	ToLink
	ToGroup
	NoEntry // of an EntryChange: there is no such entry
)

// String says where the entry leads: "link 3", "group 0", "nothing", or "none" if there is no
// entry.
func (e Entry) String() string {
	switch e.Kind {
	case ToNothing:
		return "nothing"
	case ToLink:
		return "link " + strconv.Itoa(e.Index)
	case ToGroup:
		return "group " + strconv.Itoa(e.Index)
	}
	return "none"
}

// Snapshot returns the present state. The work and the memory are those of all entries of all
// different forwarding tables: for a fat-tree with k = 36, a few milliseconds and two megabytes.
func (n *Network) Snapshot() *Snapshot {
	n.update.Lock()
	defer n.update.Unlock()
	t, l := n.now.Load(), n.layout
	s := &Snapshot{Destinations: make([]SnapshotDestination, len(t.dests))}
	for where, d := range t.dests {
		s.Destinations[where] = SnapshotDestination{
			Node: int(l.homes[where]), Block: int(d.block), Offset: int(d.offset),
		}
	}
	s.addExits(t)
	s.addPrefixes(&t.addresses)
	for _, g := range t.groups {
		var slots []int
		for _, m := range t.slotsOf(g) {
			slots = append(slots, int(m))
		}
		s.Groups = append(s.Groups, slots)
	}
	replicaOf := map[uint32]int{}
	for i := range t.nodes {
		row := t.nodes[i].row
		if _, known := replicaOf[row]; !known && len(t.dests) > 0 {
			replicaOf[row] = len(s.Replicas)
			entries := make([]Entry, len(t.dests))
			for where, d := range t.dests {
				e := t.entryOf(row, d)
				entries[where] = Entry{EntryKind(e >> entryShift), int(e & entryValue)}
			}
			s.Replicas = append(s.Replicas, entries)
		}
		s.addNode(t, l, uint32(i), replicaOf[row])
	}
	return s
}

func (s *Snapshot) addNode(t *tables, l *layout, i uint32, replica int) {
	x := &t.nodes[i]
	hash, _ := l.hashOf(i, x.id) // without an error, as Build had none
	d := SnapshotNode{
		Name: x.id, Host: l.kinds[i].isHost(), Forwards: l.kinds[i].forwards(), Tier: -1,
		Destination: -1, Replica: replica,
		Hash: hash, Function: int(x.tweak.profile),
	}
	if tier := l.tiers[i]; tier != unreached {
		d.Tier = int(tier)
	}
	if x.dest != noDest {
		d.Destination = int(x.dest)
	}
	if d.Hash.Kind != KindXXHash {
		d.Constants = x.tweak.constant
	}
	for k, by := range t.trunksOf(i) {
		trunk := x.trunks + uint32(k)
		d.Links = append(d.Links, SnapshotLink{
			Port: by.port(), Peer: int(by.index()), PeerPort: sluice.PortID(l.arrivals[trunk]),
			Weight: int(l.weight(trunk)), Up: l.up[trunk],
		})
	}
	s.Nodes = append(s.Nodes, d)
}

func (s *Snapshot) addExits(t *tables) {
	for i, exit := range t.exits {
		d := &s.Destinations[t.nodes[exit.index()].dest]
		e := SnapshotExit{Port: exit.port(), Named: t.hosts[i] != none, Up: !t.isDown(exit)}
		if e.Named {
			e.Host = t.hosts[i]
		}
		d.Exits = append(d.Exits, e)
	}
}

func (s *Snapshot) addPrefixes(a *addresses) {
	add := func(address netip.Addr, zeros uint8, to spot) {
		p := SnapshotPrefix{
			Prefix:      netip.PrefixFrom(address, address.BitLen()-int(zeros)),
			Destination: int(to.index()), Node: !to.isFlagged(), Port: to.port(),
		}
		s.Prefixes = append(s.Prefixes, p)
	}
	for _, p := range append([]prefixes4{{0, a.hosts}}, a.v4...) {
		p.each(func(name uint32, position uint8, to uint32) {
			var b [4]byte
			binary.BigEndian.PutUint32(b[:], (name<<8|uint32(position))<<p.zeros)
			add(netip.AddrFrom4(b), p.zeros, spot(to))
		})
	}
	for _, p := range a.v6 {
		p.each(func(name key6, position uint8, to uint32) {
			high, low := name.high<<8|name.low>>56, name.low<<8|uint64(position)
			n := uint(p.zeros)
			var b [16]byte
			binary.BigEndian.PutUint64(b[:8], high<<n|low>>(64-n)|low<<(n-64))
			binary.BigEndian.PutUint64(b[8:], low<<n)
			add(netip.AddrFrom16(b), p.zeros, spot(to))
		})
	}
	slices.SortFunc(s.Prefixes, func(p, q SnapshotPrefix) int {
		return cmp.Or(p.Prefix.Addr().Compare(q.Prefix.Addr()),
			cmp.Compare(p.Prefix.Bits(), q.Prefix.Bits()))
	})
}
