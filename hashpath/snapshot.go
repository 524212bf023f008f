package hashpath

import (
	"cmp"
	"net/netip"
	"slices"
	"strconv"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/check"
)

// Snapshot is the forwarding state of a network at one moment, to make tables of it for another
// machine, such as a switch chip. It is a copy in plain slices: it shares nothing with the
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
	// share one, and differ in hash and links only. A replica's entry for the node itself means
	// nothing. A number that is not in use has a nil slice (see Compare).
	Replicas [][]Entry
	// Groups are the different ECMP groups: numbers of links by slot. A link of weight w stands in
	// w slots of a group with Modulo. A number that is not in use has a nil slice.
	Groups [][]int
}

// SnapshotNode is a switch, or a host that is not on one switch by its port 0. Several ways out of
// the network to one prefix are a node too: it is neither Host nor Forwards, and its Name means
// nothing.
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
	// with ingress 0. The exclusive-or of a constant and the words of a flow's bits is the flow's
	// result. For XXH64 they are 0.
	Constants [2]uint32
	// Links lead to other nodes, in the order that makes nodes alike: towards the hosts by peer,
	// then the others by port.
	Links []SnapshotLink
}

// SnapshotLink is a link of a node to another.
type SnapshotLink struct {
	Port     sluice.PortID
	Peer     int           // in Snapshot.Nodes
	PeerPort sluice.PortID // if the peer is behind a prefix, just a number
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
	// Index is the number of the link among the node's links, or of the group; 0 if nowhere.
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

// Snapshot returns the present state. Work and memory grow with all entries of all different
// forwarding tables: for a fat-tree with k = 36, a few milliseconds and two megabytes.
func (n *Network) Snapshot() *Snapshot {
	n.update.Lock()
	defer n.update.Unlock()
	t, s := n.now.Load(), &Snapshot{}
	for where, d := range t.dests {
		home := n.homes[where]
		to := SnapshotDestination{Node: int(home), Block: int(d.block), Offset: int(d.offset)}
		for link := t.exitBase[home]; link < t.exitBase[home+1]; link++ {
			e := SnapshotExit{Port: t.links[link].port(), Up: !t.isDown(link)}
			if host := t.hosts[link-t.exits]; host != none {
				e.Host, e.Named = host, true
			}
			to.Exits = append(to.Exits, e)
		}
		s.Destinations = append(s.Destinations, to)
	}
	t.addresses.each(func(p netip.Prefix, to spot) {
		s.Prefixes = append(s.Prefixes, SnapshotPrefix{
			Prefix: p, Destination: int(to.index()), Node: !to.isFlagged(), Port: to.port(),
		})
	})
	slices.SortFunc(s.Prefixes, func(p, q SnapshotPrefix) int {
		return cmp.Or(p.Prefix.Addr().Compare(q.Prefix.Addr()),
			cmp.Compare(p.Prefix.Bits(), q.Prefix.Bits()))
	})
	for _, g := range t.groups {
		var slots []int
		for _, m := range t.slotsOf(g) {
			slots = append(slots, int(m))
		}
		s.Groups = append(s.Groups, slots)
	}
	width := uint32(len(n.blocks) - 1)
	for row := uint32(0); row < uint32(len(t.rows)); row += width {
		var entries []Entry
		for _, e := range t.expand(row) {
			entries = append(entries, Entry{EntryKind(e >> entryShift), int(e & entryValue)})
		}
		s.Replicas = append(s.Replicas, entries)
	}
	for i := range t.nodes {
		s.Nodes = append(s.Nodes, n.snapshotOf(t, uint32(i)))
	}
	return s
}

func (n *Network) snapshotOf(t *tables, i uint32) SnapshotNode {
	x := &t.nodes[i]
	d := SnapshotNode{
		Name: x.id, Host: n.kinds[i].isHost(), Forwards: n.kinds[i].forwards(), Tier: int(n.tiers[i]),
		Destination: -1, Hash: n.hashOf(i, x.id, check.Of("", "")), Function: int(x.tweak.profile),
	}
	if d.Hash.Kind != KindXXHash {
		d.Constants = x.tweak.constant
	}
	if x.dest != none {
		d.Destination = int(x.dest)
	}
	if len(n.blocks) > 1 {
		d.Replica = int(x.row) / (len(n.blocks) - 1)
	}
	for k, by := range t.trunksOf(i) {
		trunk := x.trunks + uint32(k)
		d.Links = append(d.Links, SnapshotLink{
			Port: by.port(), Peer: int(by.index()), PeerPort: sluice.PortID(n.ends[trunk]),
			Weight: int(n.weight(trunk)), Up: !t.isDown(trunk),
		})
	}
	return d
}
