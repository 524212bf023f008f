package zold

import "github.com/sluicefc/sluice"

// Sizes of the elements of tables, in bytes.
const (
	placeSize     = 4
	placeSlotSize = 8
	targetSize    = 4
	blockSize     = 12
	slot4Size     = 8
	slot6Size     = 24
	nodeSize      = 32
	trunkSize     = 4
	destSize      = 8
	entrySize     = 4
	groupSize     = 16
	memberSize    = 2
	byteSums      = 1024 // the sums of all bytes at one place
	choiceSize    = 8
)

// Memory is the state of a network in bytes, and how much of it is shared.
type Memory struct {
	Hashes    sluice.Bytes // tables of the hash functions
	Addresses sluice.Bytes // addresses and prefixes to destinations
	Names     sluice.Bytes // switches and hosts by name
	Switches  sluice.Bytes // what each switch has for itself: name, seed, where its tables are
	Links     sluice.Bytes // ports and peers
	Tables    sluice.Bytes // forwarding tables and ECMP groups, shared
	Control   sluice.Bytes // what only updates need: state, weights and far ends of links, destinations

	Nodes    int // switches, and hosts that are not on one switch by their port 0
	Replicas int // different forwarding tables among them
	Groups   int // different ECMP groups
}

// Paths returns the bytes that calculating paths needs: all but Control.
func (m Memory) Paths() sluice.Bytes {
	return m.Hashes + m.Addresses + m.Names + m.Switches + m.Links + m.Tables
}

// Total returns all bytes.
func (m Memory) Total() sluice.Bytes { return m.Paths() + m.Control }

// Memory counts the state of the network: the contents of its tables, without the headers of slices and maps. During
// an update there is another set of tables, and the garbage collector's share comes on top.
func (n *Network) Memory() Memory {
	n.update.Lock()
	defer n.update.Unlock()
	t, l := n.now.Load(), n.layout
	m := Memory{
		Addresses: t.addresses.bytes(),
		Names:     bytesOf(t.places.array, placeSize) + bytesOf(t.places.slots, placeSlotSize),
		Switches:  bytesOf(t.nodes, nodeSize),
		Links:     bytesOf(t.trunks, trunkSize) + bytesOf(t.down, 4) + bytesOf(t.exits, 8),
		Tables: bytesOf(t.dests, destSize) + bytesOf(t.rows, entrySize) + bytesOf(t.details, entrySize) +
			bytesOf(t.groups, groupSize) + bytesOf(t.members, memberSize),
		Control: bytesOf(l.up, 1) + bytesOf(l.weights, 1) + bytesOf(l.choices, choiceSize) + bytesOf(l.homes, 4) + bytesOf(l.tiers, 4),
		Nodes:   len(t.nodes),
		Groups:  len(t.groups),
	}
	for _, p := range t.profiles {
		m.Hashes += bytesOf(p.table4, byteSums) + bytesOf(p.table6, byteSums) +
			bytesOf(p.ingress4, byteSums) + bytesOf(p.ingress6, byteSums)
	}
	if arrivals := bytesOf(l.arrivals, 2); t.arrivals != nil {
		m.Links += arrivals
	} else {
		m.Control += arrivals
	}
	for _, dests := range l.blocks {
		m.Control += bytesOf(dests, 4)
	}
	for _, members := range l.static {
		m.Control += bytesOf(members, memberSize) + 8
	}
	if blocks := len(l.blocks); blocks > 0 {
		m.Replicas = len(t.rows) / blocks
	}
	return m
}

func (a *addresses) bytes() sluice.Bytes {
	n := bytesOf(a.hosts, targetSize) + bytesOf(a.blocks, blockSize)
	for _, p := range a.v4 {
		n += bytesOf(p.slots, slot4Size)
	}
	for _, p := range a.v6 {
		n += bytesOf(p.slots, slot6Size)
	}
	return n
}

func bytesOf[T any](s []T, size sluice.Bytes) sluice.Bytes { return sluice.Bytes(len(s)) * size }
