package explore

import (
	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/check"
	"github.com/sluicefc/sluice/kit"
)

// Network is what is explored.
type Network struct {
	Nodes []Node
	Links []Link
	Flows []Flow
	// Room is how many packets and frames are on a link at most, in each direction. Zero: 1.
	Room int
	// Prompt makes frames faster than packets: a port sends no packet while the other end of its link
	// has a frame for it, or one is on its way to it, and no time passes while there are frames. What
	// is received after a pause was due is then no more than what the links hold, so that the buffers
	// that a network needs have a bound.
	Prompt bool
	// Instant makes links take no time, and lets no frame wait: what is sent arrives at once, and each
	// step ends when no frame is due any more. Only the order of packets is open. Networks that are
	// too large without it have far fewer states. No symmetry is used.
	Instant bool
	Timers  Timers
	Faults  Faults
	// Flight is how much time passes after a link came back before anything that is sent by it can
	// arrive: the link's delay and the time of a frame. Machines that tell frames of a link's old
	// life from frames of the new one go by it.
	Flight sluice.Time
	// MayLose says which drops are no violation. Nil: only the drops that a fault brings with it.
	MayLose func(r sluice.Reason) bool
	// Check is a property of the user's own, which every state of a node must have. Nil: none.
	Check func(node int, m kit.Machine) error
	// CheckAll is a property of the whole network, which every state must have in which no frame is
	// due or on a link: every node knows what the others said. The machines are by node; it must leave
	// them as they are. Nil: none.
	CheckAll func(machines []kit.Machine) error
}

// Node makes a machine. Nodes are numbered by their index, which is their SwitchID in paths.
type Node struct {
	Name string
	// New returns the machine of the node in which nothing happened yet. It must be a kit.Stateful.
	New func() (kit.Machine, error)
}

// Link joins two ports.
type Link struct{ A, B sluice.Hop }

// Flow is packets of one way.
type Flow struct {
	// Packet is what the packets have in common. Size must be positive; Ingress and Path are set.
	Packet sluice.Packet
	// Way is the ports by which the packets leave nodes, from the host where they begin.
	Way []sluice.Hop
	// Packets is how many there are, 1 to 255.
	Packets int
	// Late lets the host give its card each packet at any moment. By default it gives all at once, in
	// the order of flows: when the card sends them is open anyway.
	Late bool
}

// Timers say when time may pass.
type Timers uint8

const (
	// TimersLast lets time pass only when nothing is on any link and nothing can be sent: timers are
	// slow beside the network.
	TimersLast Timers = iota
	// TimersAny lets time pass at any moment: links are as slow as can be.
	TimersAny
	// TimersNever lets no time pass.
	TimersNever
)

// Faults are what goes wrong, in any order and at any moment.
type Faults struct {
	Lost     int   // control frames
	Doubled  int   // control frames that come again, at once
	Flaps    []int // links that fail once, and come back some time later
	Restarts []int // nodes that lose all they know, and their packets, once
}

func (n *Network) check() error {
	c := check.Of("explore", "Network")
	c.That(len(n.Flows) <= 256 && max(len(n.Nodes), len(n.Links)) < 1<<packed, "too many",
		"must be fewer than 16384; flows at most 256", "Nodes, Links or Flows")
	ends := map[sluice.Hop]bool{}
	for i, l := range n.Links {
		for _, end := range []sluice.Hop{l.A, l.B} {
			c.That(int(end.Switch) < len(n.Nodes) && end.Port < 1<<packed && !ends[end], end,
				"must join ports of nodes that no other link has", "Links[%d]", i)
			ends[end] = true
		}
	}
	for i, f := range n.Flows {
		check.Within(c, f.Packets, 1, 255, "Flows[%d].Packets", i)
		c.That(len(f.Way) > 0 && len(f.Way) <= sluice.MaxHops, f.Way, "must have 1 to MaxHops ports",
			"Flows[%d].Way", i)
		for k, hop := range f.Way {
			far, ok := n.peer(hop)
			c.That(ok && (k+1 == len(f.Way) || far.Switch == f.Way[k+1].Switch), hop,
				"must lead to the next node", "Flows[%d].Way[%d]", i, k)
		}
	}
	for i, l := range n.Faults.Flaps {
		c.That(l >= 0 && l < len(n.Links), l, "must be a link", "Faults.Flaps[%d]", i)
	}
	for i, id := range n.Faults.Restarts {
		c.That(id >= 0 && id < len(n.Nodes), id, "must be a node", "Faults.Restarts[%d]", i)
	}
	c.That(n.Room >= 0 && n.Faults.Lost >= 0 && n.Faults.Doubled >= 0, "negative",
		"must not be negative", "Room, Faults.Lost or Faults.Doubled")
	c.That(!n.Instant || n.Faults.Lost+n.Faults.Doubled == 0, n.Instant,
		"must be false: no frame is on a link when it could be lost or doubled", "Instant")
	return c.Err()
}

// peer returns the port at the other end of a port's link.
func (n *Network) peer(end sluice.Hop) (sluice.Hop, bool) {
	for _, l := range n.Links {
		switch end {
		case l.A:
			return l.B, true
		case l.B:
			return l.A, true
		}
	}
	return sluice.Hop{}, false
}

func (n *Network) room() int { return max(n.Room, 1) }

// packet returns a packet of a flow as it enters its first node.
func (n *Network) packet(flow, number int) packet {
	f := &n.Flows[flow]
	p := packet{Packet: f.Packet, flow: uint8(flow), number: uint8(number)}
	p.Ingress = sluice.Local
	p.Path = sluice.Path{}
	for _, hop := range f.Way {
		p.Path.Append(hop)
	}
	return p
}
