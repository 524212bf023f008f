package explore_test

import (
	"bytes"
	"errors"
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

// link is the link of all networks. Its rate and delay matter to timers alone: the explorer lets a
// packet take any time. The round trip of a hop is half a packet.
var link = sluice.Link{Rate: 100 * sluice.Gbps, Delay: 20 * sluice.Nanosecond}

// size of all packets.
const size = 1000

// protocol makes the machines of a network's nodes, with buffers of a few packets.
type protocol struct {
	name    string
	node    func(s site) (kit.Machine, error)
	packets int // of each flow, so that something is paused
	repairs bool
}

// site is where a machine is made for.
type site struct {
	id      sluice.SwitchID
	roles   []pyrrha.Role // of its ports; hosts have one
	repairs bool          // whatever can, repeats what it says
}

func (s site) ports() int { return len(s.roles) }

func (s site) host() bool { return s.ports() == 1 }

// refresh is how often machines that repair repeat what they say.
const refresh = 10 * sluice.Microsecond

var protocols = []protocol{
	{name: "pfc", packets: 1, node: func(s site) (kit.Machine, error) {
		if s.host() {
			return kit.WrapNew(pfc.New(pfc.HostConfig(link)))
		}
		c := pfc.Config{Classes: 1, Ports: make([]pfc.PortConfig, s.ports())}
		for i := range c.Ports {
			c.Ports[i] = pfc.PortConfig{Link: link, Profile: pfc.Profile{
				XOff: size, XOn: size / 2, Headroom: 4 * size,
			}}
		}
		return kit.WrapNew(pfc.New(c))
	}},
	{name: "bfc", packets: 1, node: func(s site) (kit.Machine, error) {
		return bfcMachine(bfc.Config{Queues: 2, CountLonePackets: true}, s)
	}},
	{name: "ofc", packets: 1, node: func(s site) (kit.Machine, error) {
		if s.host() {
			c := ofc.HostConfig(link)
			if s.repairs {
				c.Refresh = refresh
			}
			return kit.WrapNew(ofc.New(c))
		}
		c := ofc.Config{Ports: make([]ofc.PortConfig, s.ports()), Classes: 1, Flows: 4}
		for i := range c.Ports {
			c.Ports[i] = ofc.PortConfig{Link: link, XOff: 2 * size, XOffCongested: size, XOn: size / 2}
		}
		if s.repairs {
			c.Refresh = refresh
		}
		return kit.WrapNew(ofc.New(c))
	}},
	{name: "cbfc", packets: 1, node: func(s site) (kit.Machine, error) {
		c := cbfc.Config{Ports: make([]cbfc.PortConfig, s.ports()), Classes: 1, MTU: size}
		for i := range c.Ports {
			c.Ports[i] = cbfc.PortConfig{Link: link, Buffer: 1024, PeerBuffer: 1024}
		}
		return kit.WrapNew(cbfc.New(c))
	}},
	{name: "pyrrha", packets: 1, node: func(s site) (kit.Machine, error) {
		return pyrrhaMachine(pyrrha.Config{IQs: 4, Roots: 8}, s)
	}},
}

// forgetful is Pyrrha whose machines know one root of others at a time.
var forgetful = protocol{name: "pyrrha", packets: 1, node: func(s site) (kit.Machine, error) {
	return pyrrhaMachine(pyrrha.Config{IQs: 4, Roots: 1}, s)
}}

func pyrrhaMachine(c pyrrha.Config, s site) (kit.Machine, error) {
	c.Switch, c.Classes, c.MTU, c.Levels = s.id, 1, size, 4
	for _, role := range s.roles {
		c.Ports = append(c.Ports, pyrrha.PortConfig{Link: link, Role: role})
	}
	if s.repairs { // the paper's Pyrrha does not
		c.Refresh = refresh
	}
	return kit.WrapNew(pyrrha.New(c))
}

func bfcMachine(c bfc.Config, s site) (kit.Machine, error) {
	c.VFIDs, c.Signalling, c.Assignment, c.Sticky = 8, bfc.Transitions, bfc.StaticHash, bfc.NoSticky
	if s.repairs {
		c.Signalling, c.Period = bfc.TransitionsAndBitmap, refresh
	}
	for range s.roles {
		c.Ports = append(c.Ports, bfc.PortConfig{Link: link})
	}
	return kit.WrapNew(bfc.New(c))
}

// machines makes nodes of a protocol, by the roles that their ports have: switches, then hosts.
func machines(p protocol, roles [][]pyrrha.Role) *explore.Network {
	n := &explore.Network{Flight: link.Delay + sluice.Microsecond}
	if p.name == "pfc" && !p.repairs {
		n.Timers = explore.TimersNever // no pause runs out
	}
	for i, r := range roles {
		name := fmt.Sprint("switch ", i)
		if len(r) == 1 {
			name = fmt.Sprint("host ", i)
		}
		n.Nodes = append(n.Nodes, explore.Node{Name: name, New: func() (kit.Machine, error) {
			return p.node(site{sluice.SwitchID(i), r, p.repairs})
		}})
	}
	return n
}

// leavesNothing makes it a property that a machine at rest is as it was made. It is PFC's alone:
// others remember whose turn it is, or what the other end said last.
func leavesNothing(n *explore.Network) {
	other := n.Check
	state := func(m kit.Machine) []byte {
		s, _ := kit.StatefulOf(m)
		return s.AppendState(nil, 0)
	}
	fresh := make([][]byte, len(n.Nodes))
	for i, node := range n.Nodes {
		m, err := node.New()
		if err != nil {
			panic(err)
		}
		m.Expire(0)
		fresh[i] = state(m)
	}
	n.Check = func(node int, m kit.Machine) error {
		if m.Quiescent() == nil && !bytes.Equal(state(m), fresh[node]) {
			return errors.New("nothing waits or is held, and the machine is not as it was made")
		}
		if other != nil {
			return other(node, m)
		}
		return nil
	}
}

// pressed bounds the packets that wait in each node from first on, where pauses are there before
// the next packet, unless one is lost: a machine that pauses late, or obeys no pause, breaks it.
func pressed(n *explore.Network, first int, most ...int) *explore.Network {
	n.Prompt = true
	n.Check = func(node int, m kit.Machine) error {
		if i := node - first; n.Faults.Lost == 0 && i >= 0 && i < len(most) &&
			m.Buffered() > sluice.Bytes(most[i]*size) {
			return fmt.Errorf("%d bytes wait: pauses leave room for %d packets", m.Buffered(), most[i])
		}
		return nil
	}
	return n
}

// room is how many packets wait at most in the switches of pair: of PFC and of credits one from
// each port, of BFC one from each queue that sends here, and of OFC two from each port.
var room = map[string][]int{
	"pfc": {2, 1}, "cbfc": {2, 1}, "bfc": {3, 2}, "ofc": {4, 2}, "pyrrha": {},
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
func circle(p protocol) *explore.Network {
	n := machines(p, [][]pyrrha.Role{inner, inner, inner, nic, nic, nic})
	for i := range 3 {
		n.Links = append(n.Links, explore.Link{A: hop(i, 0), B: hop(3+i, 0)},
			explore.Link{A: hop(i, 1), B: hop((i+1)%3, 2)})
		flow(n, p.packets, hop(3+i, 0), hop(i, 1), hop((i+1)%3, 1), hop((i+2)%3, 0))
	}
	return n
}

// ring is three switches in a circle with a host at each, which sends to the next one, and one to
// the one before: no way is longer than it must be, so that no circle of buffers waits.
func ring(p protocol) *explore.Network {
	n := circle(p)
	n.Flows = nil
	for i := range 3 {
		flow(n, p.packets, hop(3+i, 0), hop(i, 1), hop((i+1)%3, 0))
	}
	flow(n, 1, hop(3, 0), hop(0, 2), hop(2, 0))
	return n
}

// pair is two switches, with two hosts at the first and two at the second: both of the first send
// to one, and one of them to the other, which is no part of the congestion.
func pair(p protocol) *explore.Network {
	outer := []pyrrha.Role{pyrrha.Host, pyrrha.Host, pyrrha.Down}
	n := machines(p, [][]pyrrha.Role{outer, outer, nic, nic, nic, nic})
	n.Links = []explore.Link{
		{A: hop(0, 0), B: hop(2, 0)}, {A: hop(0, 1), B: hop(3, 0)}, {A: hop(0, 2), B: hop(1, 2)},
		{A: hop(1, 0), B: hop(4, 0)}, {A: hop(1, 1), B: hop(5, 0)},
	}
	flow(n, p.packets, hop(2, 0), hop(0, 2), hop(1, 0))
	flow(n, p.packets, hop(3, 0), hop(0, 2), hop(1, 0))
	flow(n, 1, hop(3, 0), hop(0, 2), hop(1, 1))
	return n
}

// tree is a switch before two others in a row: two congestion roots, the farther of which takes the
// nearer one in.
func tree(p protocol) *explore.Network {
	middle := []pyrrha.Role{pyrrha.Host, pyrrha.Down, pyrrha.Down}
	last := []pyrrha.Role{pyrrha.Host, pyrrha.Down, pyrrha.Host}
	n := machines(p, [][]pyrrha.Role{
		{pyrrha.Host, pyrrha.Down}, middle, last, nic, nic, nic, nic,
	})
	n.Links = []explore.Link{
		{A: hop(0, 0), B: hop(3, 0)}, {A: hop(0, 1), B: hop(1, 2)}, {A: hop(1, 0), B: hop(4, 0)},
		{A: hop(1, 1), B: hop(2, 1)}, {A: hop(2, 0), B: hop(5, 0)}, {A: hop(2, 2), B: hop(6, 0)},
	}
	flow(n, p.packets, hop(3, 0), hop(0, 1), hop(1, 1), hop(2, 0))
	flow(n, p.packets, hop(4, 0), hop(1, 1), hop(2, 0))
	flow(n, p.packets, hop(6, 0), hop(2, 0))
	return n
}

// ndc is PortFC's network, in which the last nodes send to the first.
func ndc(t portfc.NDC, senders, packets int, repairs bool) *explore.Network {
	n := &explore.Network{}
	for i := range t.Devices() {
		id := sluice.SwitchID(i)
		n.Nodes = append(n.Nodes, explore.Node{New: func() (kit.Machine, error) {
			c := portfc.SwitchConfig(t, id, link)
			if t.IsNode(id) {
				c = portfc.NodeConfig(t, id, link)
			}
			if repairs {
				c.Refresh = refresh
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
	for i := range senders {
		from, to := sluice.SwitchID(t.Nodes()-1-i), sluice.SwitchID(0)
		path, _ := t.Path(from, to, i%max(t.Orders(from, to), 1))
		if path.Len() > 0 {
			flow(n, packets, path.Hops()...)
		}
	}
	return n
}
