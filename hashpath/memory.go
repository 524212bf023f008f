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
	// Control is what only updates and source routes need: state, weights and far ends of links,
	// destinations, ports to hosts.
	Control sluice.Bytes

	Nodes    int // switches, and hosts that are not on one switch by their port 0
	Replicas int // different forwarding tables among them
	Groups   int // different ECMP groups
}

// Paths returns the bytes that calculating paths needs: everything except Control.
func (m Memory) Paths() sluice.Bytes {
	return m.Hashes + m.Addresses + m.Names + m.Switches + m.Links + m.Tables
}

// Total returns all bytes.
func (m Memory) Total() sluice.Bytes { return m.Paths() + m.Control }

// Memory counts the state of the network: the contents of its tables, without the headers of slices
// and maps. During an update there is another set of tables, and the garbage collector's share
// comes on top.
func (n *Network) Memory() Memory {
	n.update.Lock()
	defer n.update.Unlock()
	t := n.now.Load()
	m := Memory{
		Addresses: t.addresses.bytes(),
		Names:     t.places.bytes(),
		Switches:  bytesOf(t.nodes),
		Links:     bytesOf(t.links[:t.exits]) + bytesOf(t.down),
		Tables: bytesOf(t.dests) + bytesOf(t.rows) + bytesOf(t.details) + bytesOf(t.groups) +
			bytesOf(t.members),
		Control: bytesOf(n.choices) + bytesOf(n.homes) + bytesOf(n.blocks) + bytesOf(n.tiers) +
			bytesOf(n.kinds) + bytesOf(n.own) + 5*sluice.Bytes(len(n.weights)),
		Nodes:    len(t.nodes),
		Replicas: len(t.rows) / max(1, len(n.blocks)-1),
		Groups:   len(t.groups),
	}
	for _, p := range t.profiles {
		m.Hashes += bytesOf(p.tables[0]) + bytesOf(p.tables[1])
	}
	// Where paths read the far ends of links, or hosts by port, they count there.
	m.Control += bytesOf(n.ends) - bytesOf(t.arrivals)
	m.Links += bytesOf(t.arrivals)
	hosts := &m.Control
	if n.config.HostHops {
		hosts = &m.Names
	}
	*hosts += bytesOf(t.links[t.exits:]) + bytesOf(t.exitBase) + bytesOf(t.hosts)
	for _, members := range n.static {
		m.Control += bytesOf(members) + 8
	}
	return m
}

func bytesOf[T any](s []T) sluice.Bytes {
	return sluice.Bytes(len(s)) * sluice.Bytes(reflect.TypeFor[T]().Size())
}
