package explore_test

import (
	"fmt"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/bfc"
	"github.com/sluicefc/sluice/kit"
	"github.com/sluicefc/sluice/kit/explore"
	"github.com/sluicefc/sluice/ofc"
	"github.com/sluicefc/sluice/pfc"
	"github.com/sluicefc/sluice/portfc"
	"github.com/sluicefc/sluice/pyrrha"
	"github.com/sluicefc/sluice/tcd/cbfc"
)

// link is that of all networks. Its rate and delay matter to timers alone: the explorer lets a
// packet take any time. The round trip of a hop is half a packet.
var link = sluice.Link{Rate: 100 * sluice.Gbps, Delay: 20 * sluice.Nanosecond}

// size of all packets.
const size = 1000

type pyrrhaRole = pyrrha.Role

// protocol makes the machines of a network's nodes, with buffers of a few packets.
type protocol struct {
	name string
	// node makes the machine of a node with so many ports; hosts have one.
	node func(id sluice.SwitchID, ports int, tiers []pyrrha.Role) (kit.Machine, error)
}

var protocols = []protocol{
	{"pfc", func(_ sluice.SwitchID, ports int, _ []pyrrha.Role) (kit.Machine, error) {
		if ports == 1 {
			return kit.WrapNew(pfc.New(pfc.HostConfig(link)))
		}
		c := pfc.Config{Classes: 1, Ports: make([]pfc.PortConfig, ports)}
		for i := range c.Ports {
			c.Ports[i] = pfc.PortConfig{Link: link, Profile: pfc.Profile{
				XOff: size, XOn: size / 2, Headroom: 4 * size,
			}}
		}
		return kit.WrapNew(pfc.New(c))
	}},
	{"bfc", func(_ sluice.SwitchID, ports int, _ []pyrrha.Role) (kit.Machine, error) {
		return bfcMachine(bfc.Config{Queues: 2}, ports)
	}},
	{"ofc", func(_ sluice.SwitchID, ports int, _ []pyrrha.Role) (kit.Machine, error) {
		if ports == 1 {
			return kit.WrapNew(ofc.New(ofc.HostConfig(link)))
		}
		c := ofc.Config{Ports: make([]ofc.PortConfig, ports), Classes: 1, Flows: 4}
		for i := range c.Ports {
			c.Ports[i] = ofc.PortConfig{Link: link, XOff: 2 * size, XOffCongested: size, XOn: size / 2}
		}
		return kit.WrapNew(ofc.New(c))
	}},
	{"cbfc", func(_ sluice.SwitchID, ports int, _ []pyrrha.Role) (kit.Machine, error) {
		c := cbfc.Config{Ports: make([]cbfc.PortConfig, ports), Classes: 1, MTU: size}
		for i := range c.Ports {
			c.Ports[i] = cbfc.PortConfig{Link: link, Buffer: 3 * 1024, PeerBuffer: 3 * 1024}
		}
		return kit.WrapNew(cbfc.New(c))
	}},
	{"pyrrha", func(id sluice.SwitchID, ports int, roles []pyrrha.Role) (kit.Machine, error) {
		if ports == 1 {
			c := pyrrha.HostConfig(link)
			c.Switch, c.Classes, c.IQs, c.Roots, c.MTU, c.Levels = id, 1, 4, 8, size, 4
			return kit.WrapNew(pyrrha.New(c))
		}
		c := pyrrha.Config{
			Switch: id, Ports: make([]pyrrha.PortConfig, ports), Classes: 1, IQs: 4, Roots: 8,
			MTU: size, Levels: 4,
		}
		for i := range c.Ports {
			c.Ports[i] = pyrrha.PortConfig{Link: link, Role: roles[i]}
		}
		return kit.WrapNew(pyrrha.New(c))
	}},
}

func bfcMachine(c bfc.Config, ports int) (kit.Machine, error) {
	c.VFIDs, c.Signalling, c.Assignment, c.Sticky = 8, bfc.Transitions, bfc.StaticHash, bfc.NoSticky
	for range ports {
		c.Ports = append(c.Ports, bfc.PortConfig{Link: link})
	}
	return kit.WrapNew(bfc.New(c))
}

// machines makes nodes of a protocol, by the roles that their ports have: switches, then hosts.
func machines(p protocol, roles [][]pyrrha.Role) *explore.Network {
	n := &explore.Network{Flight: link.Delay + sluice.Microsecond}
	if p.name == "pfc" {
		n.Timers = explore.TimersNever // no pause runs out
	}
	for i, r := range roles {
		name := fmt.Sprint("switch ", i)
		if len(r) == 1 {
			name = fmt.Sprint("host ", i)
		}
		n.Nodes = append(n.Nodes, explore.Node{Name: name, New: func() (kit.Machine, error) {
			return p.node(sluice.SwitchID(i), len(r), r)
		}})
	}
	return n
}

var (
	nic   = []pyrrha.Role{pyrrha.NIC}
	inner = []pyrrha.Role{pyrrha.Host, pyrrha.Down, pyrrha.Down} // of a circle
)

func hop(node, port int) sluice.Hop {
	return sluice.Hop{Switch: sluice.SwitchID(node), Port: sluice.PortID(port)}
}

// flow is packets of a flow that is numbered by its place.
func flow(n *explore.Network, packets int, way ...sluice.Hop) {
	n.Flows = append(n.Flows, explore.Flow{
		Packet: sluice.Packet{Flow: uint64(len(n.Flows)) + 1, Size: size}, Way: way, Packets: packets,
	})
}

// circle is three switches in a circle with a host at each; packets go two switches on.
func circle(p protocol, packets int) *explore.Network {
	n := machines(p, [][]pyrrha.Role{inner, inner, inner, nic, nic, nic})
	for i := range 3 {
		n.Links = append(n.Links, explore.Link{A: hop(i, 0), B: hop(3+i, 0)},
			explore.Link{A: hop(i, 1), B: hop((i+1)%3, 2)})
		flow(n, packets, hop(3+i, 0), hop(i, 1), hop((i+1)%3, 1), hop((i+2)%3, 0))
	}
	return n
}

// pair is two switches, with two hosts at the first and two at the second: both of the first send
// to one, and one of them to the other, which is no part of the congestion.
func pair(p protocol, packets int) *explore.Network {
	outer := []pyrrha.Role{pyrrha.Host, pyrrha.Host, pyrrha.Down}
	n := machines(p, [][]pyrrha.Role{outer, outer, nic, nic, nic, nic})
	n.Links = []explore.Link{
		{A: hop(0, 0), B: hop(2, 0)}, {A: hop(0, 1), B: hop(3, 0)}, {A: hop(0, 2), B: hop(1, 2)},
		{A: hop(1, 0), B: hop(4, 0)}, {A: hop(1, 1), B: hop(5, 0)},
	}
	flow(n, packets, hop(2, 0), hop(0, 2), hop(1, 0))
	flow(n, packets, hop(3, 0), hop(0, 2), hop(1, 0))
	flow(n, 1, hop(3, 0), hop(0, 2), hop(1, 1))
	return n
}

// tree is a switch before two others in a row: two congestion roots, the farther of which takes the
// nearer one in.
func tree(p protocol, packets int) *explore.Network {
	middle := []pyrrha.Role{pyrrha.Host, pyrrha.Down, pyrrha.Down}
	last := []pyrrha.Role{pyrrha.Host, pyrrha.Down, pyrrha.Host}
	n := machines(p, [][]pyrrha.Role{
		{pyrrha.Host, pyrrha.Down}, middle, last, nic, nic, nic, nic,
	})
	n.Links = []explore.Link{
		{A: hop(0, 0), B: hop(3, 0)}, {A: hop(0, 1), B: hop(1, 2)}, {A: hop(1, 0), B: hop(4, 0)},
		{A: hop(1, 1), B: hop(2, 1)}, {A: hop(2, 0), B: hop(5, 0)}, {A: hop(2, 2), B: hop(6, 0)},
	}
	flow(n, packets, hop(3, 0), hop(0, 1), hop(1, 1), hop(2, 0))
	flow(n, packets, hop(4, 0), hop(1, 1), hop(2, 0))
	flow(n, packets, hop(6, 0), hop(2, 0))
	return n
}

// ndc is PortFC's network, in which each node sends to the one that is farthest.
func ndc(t portfc.NDC, packets int) *explore.Network {
	n := &explore.Network{}
	for i := range t.Devices() {
		id := sluice.SwitchID(i)
		n.Nodes = append(n.Nodes, explore.Node{New: func() (kit.Machine, error) {
			c := portfc.SwitchConfig(t, id, link)
			if t.IsNode(id) {
				c = portfc.NodeConfig(t, id, link)
			}
			return kit.WrapNew(portfc.New(c))
		}})
		if t.IsNode(id) {
			for port := range t.Layers() {
				far, _ := t.Peer(hop(i, port))
				n.Links = append(n.Links, explore.Link{A: hop(i, port), B: far})
			}
		}
	}
	for i := range t.Nodes() {
		from, to := sluice.SwitchID(i), sluice.SwitchID(t.Nodes()-1-i)
		path, _ := t.Path(from, to, i%max(t.Orders(from, to), 1))
		if path.Len() > 0 {
			flow(n, packets, path.Hops()...)
		}
	}
	return n
}
