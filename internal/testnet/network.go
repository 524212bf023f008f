// Package testnet is a small network of real machines, for the conformance suite and for tests that
// look into them while packets and control frames are under way: the tests decide which frames are
// lost, when links fail, and what must hold at each node. Frames pass as bytes, before packets. A
// network of one seed always does the same.
package testnet

import (
	"fmt"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/agenda"
	"github.com/sluicefc/sluice/internal/prng"
	"github.com/sluicefc/sluice/kit"
	"pgregory.net/rapid"
)

// Network is nodes with links between them. Use New, Connect, Start and Send, then Run.
type Network struct {
	rapid.TB
	Now    sluice.Time
	Random prng.Source
	Nodes  []*Node // in the order in which Node or Connect named them
	Flows  []*Flow
	Store  *kit.Store[Cargo]
	Faults

	// Saw learns of each frame that a node sends.
	Saw func(from *Node, port sluice.PortID, frame []byte, lost bool)
	// Got learns of each packet that its receiver has, before its flow counts it.
	Got func(v *Node, h kit.Handle)
	// MayDrop is a reason for which machines may drop packets, besides LinkDown.
	MayDrop sluice.Reason
	// Route writes the path of a packet that came to a node; false if it is discarded there. New has
	// packets keep the path that they had at their source.
	Route func(v *Node, h kit.Handle) bool
	// Look checks a node after each frame that it received, and after every event whose number Every
	// divides.
	Look  func(v *Node)
	Every int
	// Left counts packets that have neither arrived nor been lost, Missing packets that were lost:
	// dropped, or on links, in nodes that restarted, at the end of routes. Overtaken counts packets
	// that arrived after a later packet of their flow.
	Left, Missing, Overtaken int
	Counts
	// Moved is when Progress was last called, Still the steps since.
	Moved sluice.Time
	Still int

	nodes   map[sluice.SwitchID]*Node
	started []*Node
	agenda  agenda.Agenda[func()]
}

// New returns a network without nodes.
func New(t rapid.TB, seed uint64) *Network {
	store, _ := kit.NewStore[Cargo](storeStep)
	return &Network{
		TB: t, nodes: map[sluice.SwitchID]*Node{}, Random: prng.New(seed), Store: store,
		Faults: Faults{Lose: func(*Node, string) bool { return false }},
		Saw:    func(*Node, sluice.PortID, []byte, bool) {},
		Got:    func(*Node, kit.Handle) {},
		Route:  func(*Node, kit.Handle) bool { return true },
		Look:   func(*Node) {},
	}
}

// Node returns a node, which it makes if it is new.
func (n *Network) Node(id sluice.SwitchID) *Node {
	if n.nodes[id] == nil {
		n.nodes[id] = &Node{network: n, ID: id}
		n.Nodes = append(n.Nodes, n.nodes[id])
	}
	return n.nodes[id]
}

// Connect links two nodes, which it makes if they are new. The link takes the next port of each.
func (n *Network) Connect(a, b sluice.SwitchID, link sluice.Link) (sluice.PortID, sluice.PortID) {
	from, to := n.Node(a), n.Node(b)
	pa, pb := sluice.PortID(len(from.Links)), sluice.PortID(len(to.Links))
	from.Links = append(from.Links, &Link{Link: link, Peer: to, Port: pb})
	to.Links = append(to.Links, &Link{Link: link, Peer: from, Port: pa})
	return pa, pb
}

// Start gives a node, all of whose links are there, its machine. A node that is not started takes
// what comes.
func (n *Network) Start(id sluice.SwitchID, machine func() kit.Machine) {
	n.Embed(id, func(v *Node) Driver { return kit.NewDriver(machine(), n.Store, v) })
}

// Embed is Start with a driver of the caller's own.
func (n *Network) Embed(id sluice.SwitchID, driver func(v *Node) Driver) {
	v := n.Node(id)
	v.embed = driver
	v.Renew()
	n.started = append(n.started, v)
}

// At has a function called at a time.
func (n *Network) At(at sluice.Time, do func()) { n.agenda.Plan(at, do) }

// Run goes on until nothing is left to happen, or until a time.
func (n *Network) Run(until sluice.Time) {
	for n.Step(until) {
	}
}

// Finish runs until Done is nil, or until a time, and returns Done's error. Machines that send
// frames for ever need it in place of Run.
func (n *Network) Finish(until sluice.Time) error {
	for steps := 0; steps%64 > 0 || n.Done() != nil; steps++ {
		if !n.Step(until) {
			break
		}
	}
	return n.Done()
}

// Step lets the next thing happen; false if nothing will until a time. What is planned comes before
// timers of its time.
func (n *Network) Step(until sluice.Time) bool {
	v, timer := n.timer()
	planned := n.agenda.Next()
	at := min(timer, planned)
	if at > until || at == sluice.Never {
		return false
	}
	n.Now = max(n.Now, at)
	n.Still++
	if planned <= timer {
		_, do := n.agenda.Take()
		do()
		return true
	}
	v.Driver.Expire(n.Now)
	v.Acted()
	return true
}

// timer returns the node whose timer is served next, and when.
func (n *Network) timer() (first *Node, at sluice.Time) {
	at = sluice.Never
	for _, v := range n.started {
		if d := v.Driver.Deadline(); d != sluice.Never && d.Add(n.Overdue) < at {
			first, at = v, d.Add(n.Overdue)
		}
	}
	return first, at
}

// Progress notes that a packet moves, that a link fails or is repaired, or what a test calls so.
func (n *Network) Progress() { n.Moved, n.Still = n.Now, 0 }

// Last returns when the last of what is planned happens, but no time before the present.
func (n *Network) Last() sluice.Time { return max(n.Now, n.agenda.Last()) }

// Done returns what is left: packets that have not arrived and were not lost, or what a machine is
// not quiescent for. It is nil if nothing is.
func (n *Network) Done() error {
	if n.Left > 0 {
		return fmt.Errorf("%v: %d packets have not arrived, %d were lost", n.Now, n.Left, n.Missing)
	}
	for _, v := range n.started {
		if err := v.Machine().Quiescent(); err != nil {
			return fmt.Errorf("%v: node %d: %w", n.Now, v.ID, err)
		}
	}
	return nil
}

// Audit asserts the invariants of every machine, and that it kept the contract.
func (n *Network) Audit() {
	for _, v := range n.started {
		if err := v.Machine().Audit(); err != nil {
			n.Fatalf("%v: node %d: %v", n.Now, v.ID, err)
		}
		if err := v.Kit().Err(); err != nil {
			n.Fatalf("%v: node %d: %v", n.Now, v.ID, err)
		}
	}
}
