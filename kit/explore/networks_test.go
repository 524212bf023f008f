package explore_test

import (
	"fmt"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/bfc"
	"github.com/sluicefc/sluice/kit"
	"github.com/sluicefc/sluice/kit/explore"
	"github.com/sluicefc/sluice/ofc"
	"github.com/sluicefc/sluice/pfc"
	"github.com/sluicefc/sluice/pyrrha"
	"github.com/sluicefc/sluice/tcd/cbfc"
)

// link is that of all networks. Its rate and delay matter to timers alone: the explorer lets a
// packet take any time. The round trip of a hop is half a packet.
var link = sluice.Link{Rate: 100 * sluice.Gbps, Delay: 20 * sluice.Nanosecond}

// size of all packets.
const size = 1000

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
		c := bfc.Config{
			Ports: make([]bfc.PortConfig, ports), Queues: 2, VFIDs: 8, Signalling: bfc.Transitions,
			Assignment: bfc.StaticHash, Sticky: bfc.NoSticky,
		}
		for i := range c.Ports {
			c.Ports[i] = bfc.PortConfig{Link: link}
		}
		return kit.WrapNew(bfc.New(c))
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
			Switch: id, Ports: make([]pyrrha.PortConfig, ports), Classes: 1, IQs: 4, Roots: 8, MTU: size, Levels: 4,
		}
		for i := range c.Ports {
			c.Ports[i] = pyrrha.PortConfig{Link: link, Role: roles[i]}
		}
		return kit.WrapNew(pyrrha.New(c))
	}},
}

// ring is n switches in a circle with a host at each; packets go two switches on.
func ring(p protocol, n, flows, packets int) *explore.Network {
	network := &explore.Network{}
	if p.name == "pfc" {
		network.Timers = explore.TimersNever // no pause runs out
	}
	for i := range 2 * n {
		id, ports := sluice.SwitchID(i), 3
		name := fmt.Sprint("switch ", i)
		if i >= n {
			ports, name = 1, fmt.Sprint("host ", i)
		}
		network.Nodes = append(network.Nodes, explore.Node{Name: name, New: func() (kit.Machine, error) {
			return p.node(id, ports, []pyrrha.Role{pyrrha.Host, pyrrha.Down, pyrrha.Down})
		}})
	}
	hop := func(node, port int) sluice.Hop {
		return sluice.Hop{Switch: sluice.SwitchID(node), Port: sluice.PortID(port)}
	}
	for i := range n {
		network.Links = append(network.Links,
			explore.Link{A: hop(i, 0), B: hop(n+i, 0)},
			explore.Link{A: hop(i, 1), B: hop((i+1)%n, 2)})
	}
	for i := range flows {
		network.Flows = append(network.Flows, explore.Flow{
			Packet:  sluice.Packet{Flow: uint64(i) + 1, Size: size},
			Way:     []sluice.Hop{hop(n+i, 0), hop(i, 1), hop((i+1)%n, 1), hop((i+2)%n, 0)},
			Packets: packets,
		})
	}
	return network
}
