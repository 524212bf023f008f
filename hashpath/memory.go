package hashpath

import (
	"reflect"

	"github.com/sluicefc/sluice"
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
		Addresses: bytesOf(t.addresses.hosts) + bytesOf(t.addresses.blocks),
		Names:     bytesOf(t.places.array) + bytesOf(t.places.slots),
		Switches:  bytesOf(t.nodes),
		Links:     bytesOf(t.trunks) + bytesOf(t.down) + bytesOf(t.exits),
		Tables:    bytesOf(t.dests) + bytesOf(t.rows) + bytesOf(t.details) + bytesOf(t.groups) + bytesOf(t.members),
		Control:   bytesOf(l.up) + bytesOf(l.weights) + bytesOf(l.choices) + bytesOf(l.homes) + bytesOf(l.tiers),
		Nodes:     len(t.nodes),
		Groups:    len(t.groups),
	}
	for _, p := range t.addresses.v4 {
		m.Addresses += bytesOf(p.slots)
	}
	for _, p := range t.addresses.v6 {
		m.Addresses += bytesOf(p.slots)
	}
	for _, p := range t.profiles {
		m.Hashes += bytesOf(p.table4) + bytesOf(p.table6) + bytesOf(p.ingress4) + bytesOf(p.ingress6)
	}
	if t.arrivals != nil {
		m.Links += bytesOf(t.arrivals)
	} else {
		m.Control += bytesOf(l.arrivals)
	}
	for _, dests := range l.blocks {
		m.Control += bytesOf(dests)
	}
	for _, members := range l.static {
		m.Control += bytesOf(members) + 8
	}
	if blocks := len(l.blocks); blocks > 0 {
		m.Replicas = len(t.rows) / blocks
	}
	return m
}

func bytesOf[T any](s []T) sluice.Bytes {
	return sluice.Bytes(len(s)) * sluice.Bytes(reflect.TypeFor[T]().Size())
}
