// Package topo describes networks: nodes, ports and links. It makes the usual networks, and reads
// and writes the topology files of HPCC's ns-3 and of Pyrrha's.
//
// Whatever a constructor or Read returns passes Validate: hosts have one port, which leads to a
// switch, unless hosts forward; everything is connected; rates are positive. Nodes and ports are
// numbered in a documented order, the same on every platform.
package topo

import (
	"slices"

	"github.com/sluicefc/sluice"
)

// Limits of a network, so that a wrong number cannot exhaust memory.
const (
	MaxNodes = 1 << 21
	MaxLinks = 1 << 22
	MaxPorts = int(sluice.Local) // of a node
)

// Tier is a node's distance from the hosts: 0 a host, 1 a top-of-rack switch, 2 a spine or
// aggregation switch, 3 a core.
type Tier int8

// Node is a host or a switch. Its identity is its index in Graph.Nodes.
type Node struct {
	Tier Tier
	// Rack is the number of the rack that a host or a top-of-rack switch belongs to, -1 for other
	// switches. A host that forwards belongs to the rack of the first switch that its ports lead to,
	// -1 if they lead to hosts only.
	Rack int32
	// Ports lists the links, by port number.
	Ports []Port
}

type Port struct {
	Peer     sluice.SwitchID // the node at the other end
	PeerPort sluice.PortID   // its port
	Link     sluice.Link
}

type Graph struct {
	// Name says what it is, for reports: "leaf-spine 10x4x16".
	Name  string
	Nodes []Node
	// HostsForward says that hosts pass on packets of others, as in node-centric networks
	// (PortFC): they may have several ports, lead to each other, and be on the way of others'
	// packets. Otherwise a host has one port, which leads to a switch.
	HostsForward bool
	// Groups are hosts with a name, for traffic between them: of files alone.
	Groups []HostGroup
}

// HostGroup is a list of hosts, each once, in the order of a file.
type HostGroup struct {
	Name  string
	Hosts []sluice.SwitchID
}

// Group returns the hosts of a group by its name; false if there is none.
func (g *Graph) Group(name string) ([]sluice.SwitchID, bool) {
	for i := range g.Groups {
		if g.Groups[i].Name == name {
			return g.Groups[i].Hosts, true
		}
	}
	return nil, false
}

// Connect adds a link between two nodes, at the next free port of each, and returns
// their numbers.
func (g *Graph) Connect(a, b sluice.SwitchID, link sluice.Link) (atA, atB sluice.PortID) {
	atA = sluice.PortID(len(g.Nodes[a].Ports))
	atB = sluice.PortID(len(g.Nodes[b].Ports))
	g.Nodes[a].Ports = append(g.Nodes[a].Ports, Port{Peer: b, PeerPort: atB, Link: link})
	g.Nodes[b].Ports = append(g.Nodes[b].Ports, Port{Peer: a, PeerPort: atA, Link: link})
	return atA, atB
}

func (g *Graph) IsHost(n sluice.SwitchID) bool { return g.Nodes[n].Tier == 0 }

// Forwards reports whether packets of others can pass node n: it is a switch, or a host of several
// ports where hosts forward.
func (g *Graph) Forwards(n sluice.SwitchID) bool {
	return g.Nodes[n].Tier != 0 || g.HostsForward && len(g.Nodes[n].Ports) > 1
}

// Hosts returns the identities of the hosts in ascending order.
func (g *Graph) Hosts() []sluice.SwitchID {
	var hosts []sluice.SwitchID
	for id := range g.Nodes {
		if g.Nodes[id].Tier == 0 {
			hosts = append(hosts, sluice.SwitchID(id))
		}
	}
	return hosts
}

// FastestPort returns the largest rate of a node's links, 0 if it has none.
func (g *Graph) FastestPort(n sluice.SwitchID) sluice.Rate {
	var fastest sluice.Rate
	for i := range g.Nodes[n].Ports {
		fastest = max(fastest, g.Nodes[n].Ports[i].Link.Rate)
	}
	return fastest
}

// IsUp reports whether a port leads away from the hosts.
func (g *Graph) IsUp(n sluice.SwitchID, port sluice.PortID) bool {
	return g.Nodes[g.Nodes[n].Ports[port].Peer].Tier > g.Nodes[n].Tier
}

// PortTo returns the lowest port of node a that leads to node b; false if there is none.
// Linear in a's ports.
func (g *Graph) PortTo(a, b sluice.SwitchID) (sluice.PortID, bool) {
	i := slices.IndexFunc(g.Nodes[a].Ports, func(p Port) bool { return p.Peer == b })
	return sluice.PortID(max(i, 0)), i >= 0
}

func (g *Graph) Links() int {
	ends := 0
	for i := range g.Nodes {
		ends += len(g.Nodes[i].Ports)
	}
	return ends / 2
}
