// Package testnet is a small network of real machines for tests that look into them while packets
// and control frames are under way: the tests decide which frames are lost, when links fail, and
// what must hold at each node. Frames pass as bytes, before packets. A network of one seed always
// does the same.
package testnet

import (
	"testing"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/agenda"
	"github.com/sluicefc/sluice/internal/prng"
	"github.com/sluicefc/sluice/kit"
)

// Network is nodes with links between them. Use New, Connect, Start and Send, then Run.
type Network struct {
	testing.TB
	Now    sluice.Time
	Random prng.Source
	Nodes  []*Node // in the order in which Connect named them
	Flows  []*Flow
	Store  *kit.Store[Cargo]

	// Lost, Doubled and Late are percentages of control frames: those that are lost, that come twice,
	// and that come up to 5 us late, so that others pass them.
	Lost, Doubled, Late uint64
	// Lose says which frames are lost besides, by what their kind does: "pause". Nil: none.
	Lose func(from *Node, kind string) bool
	// Saw learns of each frame that a node sends. Nil: no function does.
	Saw func(from *Node, port sluice.PortID, frame []byte, lost bool)
	// MayDrop is a reason for which machines may drop packets, besides LinkDown.
	MayDrop sluice.Reason
	// Route writes the path of a packet that came to a node; false if it is discarded there. Nil:
	// packets keep the path that they had at their source.
	Route func(v *Node, h kit.Handle) bool
	// Look checks a node after each frame that it received, and after every event whose number Every
	// divides. Nil: no function does.
	Look  func(v *Node)
	Every int
	// Overtaken counts packets that arrived after a later packet of their flow, Frames control frames
	// that were sent, Vanished frames that were lost.
	Overtaken, Frames, Vanished int

	nodes  map[sluice.SwitchID]*Node
	agenda agenda.Agenda[func()]
}

// Cargo is what the network knows of a packet.
type Cargo struct {
	Flow   *Flow
	Number int // from 1
}

// Flow is packets of one way. One of them is in its host's card at a time.
type Flow struct {
	Packet   sluice.Packet // what they have in common
	Count    int
	Sent     int // to the card
	Received int
	Lost     int // dropped, or lost with links that failed, nodes that restarted, routes that ended
	// Ready says whether the card may get the next packet; it is asked when anything happens at the
	// card. Nil: it always may.
	Ready func() bool

	source *Node
	last   int // the number of the last packet received
	inCard bool
}

// New returns a network without nodes.
func New(t testing.TB, seed uint64) *Network {
	store, err := kit.NewStore[Cargo](1 << 14)
	if err != nil {
		t.Fatal(err)
	}
	return &Network{
		TB: t, nodes: map[sluice.SwitchID]*Node{}, Random: prng.New(seed), Store: store,
	}
}

// Connect links two nodes, which it makes if they are new. The link takes the next port of each.
func (n *Network) Connect(a, b sluice.SwitchID, link sluice.Link) (sluice.PortID, sluice.PortID) {
	from, to := n.node(a), n.node(b)
	pa, pb := sluice.PortID(len(from.Links)), sluice.PortID(len(to.Links))
	from.Links = append(from.Links, &Link{Link: link, Peer: to, Port: pb})
	to.Links = append(to.Links, &Link{Link: link, Peer: from, Port: pa})
	return pa, pb
}

func (n *Network) node(id sluice.SwitchID) *Node {
	if n.nodes[id] == nil {
		n.nodes[id] = &Node{network: n, ID: id, timer: sluice.Never}
		n.Nodes = append(n.Nodes, n.nodes[id])
	}
	return n.nodes[id]
}

// Start gives a node, all of whose links are there, its machine. A node that is not started takes
// what comes.
func (n *Network) Start(id sluice.SwitchID, machine func() kit.Machine) {
	v := n.nodes[id]
	v.make = machine
	v.renew()
}

// Node returns a node.
func (n *Network) Node(id sluice.SwitchID) *Node { return n.nodes[id] }

// Send starts a flow of count packets, whose Path begins at a port of its host and may end with the
// receiving host's own.
func (n *Network) Send(p sluice.Packet, count int, start sluice.Time) *Flow {
	p.Ingress = sluice.Local
	f := &Flow{Packet: p, Count: count, source: n.nodes[p.Path.At(0).Switch]}
	n.Flows = append(n.Flows, f)
	n.At(start, func() { n.refill(f) })
	return f
}

// At has a function called at a time.
func (n *Network) At(at sluice.Time, do func()) { n.agenda.Plan(at, do) }

// Run goes on until nothing is left to happen, or until a time.
func (n *Network) Run(until sluice.Time) {
	for n.agenda.Due(until) {
		n.step()
	}
}

// Finish runs until Done is nil, or until a time, and returns Done's error. Machines that send
// frames for ever need it in place of Run.
func (n *Network) Finish(until sluice.Time) error {
	for steps := 0; n.agenda.Due(until); steps++ {
		if steps%64 == 0 && n.Done() == nil {
			return nil
		}
		n.step()
	}
	return n.Done()
}

func (n *Network) step() {
	at, do := n.agenda.Take()
	n.Now = at
	do()
}

// Idle reports whether nothing will ever happen again.
func (n *Network) Idle() bool { return n.agenda.Empty() }
