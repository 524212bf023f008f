package conformance

import (
	"testing"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/kit"
	"pgregory.net/rapid"
)

// Spec describes a protocol to the suite. Name and New are required.
type Spec struct {
	// Name is the protocol's package name.
	Name string

	// New draws a valid configuration and returns a function that makes machines of it. All
	// machines made by one function are equal: the suite compares them. Draw small
	// configurations (1 to 6 ports, thresholds of a few packets), so that everything
	// happens within some tens of hooks. A machine that has an identity has Self. See Machines.
	New func(t *rapid.T) func() kit.Machine

	// Flow draws what the packets of one flow that leaves by port have in common. Nil: DrawFlow.
	Flow func(t *rapid.T, m kit.Machine, port sluice.PortID) sluice.Packet

	// Packet draws what varies from packet to packet of a flow, which it finds in p. Nil: DrawPacket.
	Packet func(t *rapid.T, m kit.Machine, p *sluice.Packet)

	// Frame draws a well-formed frame of the protocol that an enemy might send to port:
	// unsolicited, of the greatest and smallest values, naming what does not exist. Nil: only frames
	// that the machine itself sent, delivered where they do not belong, and random bytes.
	Frame func(t *rapid.T, m kit.Machine, port sluice.PortID) []byte

	// Describe puts a frame in words, for the list of actions, as the function Describe does for a
	// frame that has String. Nil: its bytes are printed.
	Describe func(frame []byte) string

	// Malformed draws a packet that the protocol must refuse, beyond bad ingress, class and size, and
	// the reason it must give. Nil: none.
	Malformed func(t *rapid.T, m kit.Machine, port sluice.PortID) (sluice.Packet, sluice.Reason)

	// MayDrop reports whether a well-formed packet may be dropped for a reason when neighbours do
	// not obey. Nil: BufferFull, HeadroomExhausted and WatchdogDrop are allowed.
	MayDrop func(p *sluice.Packet, r sluice.Reason) bool

	// Network describes networks of the protocol. Nil: no network is tested.
	Network *Network

	// Silent says that the machines send no frames. Networks of other machines that send none test
	// nothing, which is a fault of the Spec.
	Silent bool
}

// complete returns the Spec with defaults of what draws packets and what allows drops.
func (s Spec) complete() *Spec {
	if s.Flow == nil {
		s.Flow = DrawFlow
	}
	if s.Packet == nil {
		s.Packet = DrawPacket
	}
	if s.MayDrop == nil {
		s.MayDrop = func(_ *sluice.Packet, r sluice.Reason) bool {
			return r == sluice.BufferFull || r == sluice.HeadroomExhausted || r == sluice.WatchdogDrop
		}
	}
	return &s
}

// Network describes networks of one protocol to the suite.
type Network struct {
	// New draws what the nodes of one network have in common.
	New func(t *rapid.T) Fabric

	// Layout draws a network for a protocol that is made for some networks only. Nil, or if it
	// answers nil: the suite draws chains and leaf-spines.
	Layout func(t *rapid.T) *Layout

	// Ring adds rings of switches to the topologies, whose cyclic dependency only some
	// protocols survive.
	Ring bool

	// Lossy draws, like New, a configuration that survives links which lose, double and reorder
	// control frames, and on which frames are forged, by Spec.Frame. Nil: the protocol does not
	// claim to survive them.
	Lossy func(t *rapid.T) Fabric

	// Patience is how long the network may stand still, counted from the last forged frame where
	// there are any, and how long machines may take to become Quiescent after the last packet
	// arrived. 0: 5 ms of simulated time.
	Patience sluice.Time
}

// Layout is a network that a Spec draws itself.
type Layout struct {
	// Name is its name in reports.
	Name string

	// Nodes are the nodes, hosts first. Of a node the suite wants Tier and Ports, and of a port
	// Peer, PeerPort and Link; it fills in the rest. A host has one port, which leads to a switch,
	// unless hosts forward.
	Nodes []Node

	// HostsForward says that hosts pass on packets of others, as in node-centric networks.
	HostsForward bool

	// Path returns a way from one host to another, salt choosing among several: the egress port of
	// every node on it, the source's first.
	Path func(src, dst sluice.SwitchID, salt uint64) sluice.Path
}

// Fabric makes the nodes of one network.
type Fabric struct {
	// Node makes the machine of a node: a switch, or a host's, which is a network card of one port
	// unless hosts forward.
	Node func(n Node) kit.Machine

	// MayDrop reports whether a packet may be dropped although every device obeys. Nil: no packet
	// may. It is not asked when control frames are lost: then any drop is allowed whose reason is
	// BufferFull or HeadroomExhausted.
	MayDrop func(p *sluice.Packet, r sluice.Reason) bool

	// Classes are the classes of the traffic. Nil: all.
	Classes []sluice.Class

	// Operate does to a node's machine what an operator may amid a run, or its host: it calls methods
	// that are no hooks, or restores a snapshot. It returns the machine that is in place then, and the
	// word of what it called. The salt chooses; after each call there is a later one with a salt of 0,
	// which undoes what lasts. Nil: there is nothing to do.
	Operate func(m kit.Machine, now sluice.Time, salt uint64) (kit.Machine, sluice.Wake)

	// HostRoots lets paths end with the port 0 of the host that they lead to, half of them: the host
	// itself may be congested.
	HostRoots bool
}

// Node is a node of a test network.
type Node struct {
	ID    sluice.SwitchID
	Tier  int // 0 a host, 1 a switch with hosts, 2 a spine
	Ports []NodePort
}

// Host reports whether the node is a host, whose own packets have the ingress sluice.Local.
func (n *Node) Host() bool { return n.Tier == 0 }

// NodePort is a port of a node of a test network.
type NodePort struct {
	Peer     sluice.SwitchID
	PeerPort sluice.PortID
	PeerTier int
	// Link is the same at both ends. Packets and frames take its delay or less.
	Link sluice.Link
}

// Machines returns what a Spec.New returns: a function that makes machines of a configuration, by
// the New of a protocol. It panics if New refuses the configuration.
func Machines[
	K any, S kit.Switch[P, F, C, N], P kit.Port[F, C], F any, FP kit.Frame[F], C kit.Common, N any,
](config K, protocol func(K) (S, error)) func() kit.Machine {
	return func() kit.Machine {
		s, err := protocol(config)
		if err != nil {
			panic(err)
		}
		return kit.Wrap[S, P, F, FP, C, N](s)
	}
}

// Describe is a Spec.Describe: what String says of a frame of type F, or why the bytes are none. It
// allocates.
func Describe[F any, P interface {
	*F
	Parse(src []byte) error
	String() string
}](frame []byte) string {
	f := P(new(F))
	if err := f.Parse(frame); err != nil {
		return err.Error()
	}
	return f.String()
}

// DrawSequence draws the sequence number of a forged frame: near the numbers of a young peer,
// up to 70,000 ahead of them, or any number.
func DrawSequence(t *rapid.T) uint32 {
	return rapid.OneOf(rapid.Uint32Range(0, 100), rapid.Uint32Range(0, 70_000),
		rapid.Uint32()).Draw(t, "sequence")
}

// MTU is the size of the largest packet in a network, in bytes.
const MTU = 1500

// Self is the identity, in drawn paths, of a machine that Spec.New makes.
const Self sluice.SwitchID = 1

// Run asserts the invariants of the contract for a protocol.
func Run(t *testing.T, spec Spec) {
	t.Run("hooks", func(t *testing.T) { checkHooks(quiet{t}, &spec) })
	t.Run("clocks", func(t *testing.T) { checkClocks(quiet{t}, &spec) })
	RunStates(t, spec)
	RunNetworks(t, spec)
}

// RunDecisions is Run for machines that may allocate: machines that watch a protocol's machine, and
// whose Audit reports their findings.
func RunDecisions(t *testing.T, spec Spec) {
	t.Run("hooks", func(t *testing.T) {
		checkDecisions(quiet{t}, &spec, func(*driver, *rapid.T) {})
	})
	RunNetworks(t, spec)
}

// RunNetworks is what Run does with networks, for further networks of machines that Run has seen.
func RunNetworks(t *testing.T, spec Spec) {
	if spec.Network == nil {
		return
	}
	part := func(name string, in circumstances) {
		t.Run(name, func(t *testing.T) { checkNetwork(quiet{t}, &spec, in) })
	}
	part("network", circumstances{})
	part("faults", circumstances{mishaps: true})
	if spec.Network.Lossy != nil {
		part("lossy", circumstances{lossy: true})
		part("lossy faults", circumstances{lossy: true, mishaps: true})
	}
}

// DrawFlow is the default of Spec.Flow: any ingress, any class, hashes that sometimes
// collide, a path of one to five hops that begins at this port of Self.
func DrawFlow(t *rapid.T, m kit.Machine, port sluice.PortID) sluice.Packet {
	p := sluice.Packet{
		Flow:  rapid.OneOf(rapid.Uint64Range(0, 3), rapid.Uint64()).Draw(t, "flow hash"),
		Class: sluice.Class(rapid.IntRange(0, sluice.Classes-1).Draw(t, "class")),
		ECN:   sluice.ECN(rapid.IntRange(0, 3).Draw(t, "ECN")),
	}
	p.Ingress = drawIngress(t, m)
	p.Path.Append(sluice.Hop{Switch: Self, Port: port})
	for range rapid.IntRange(0, 4).Draw(t, "hops beyond") {
		p.Path.Append(DrawHop(t))
	}
	return p
}

// drawSizes draws sizes from least to most.
func drawSizes(least, most int64) *rapid.Generator[sluice.Bytes] {
	return rapid.Map(rapid.Int64Range(least, most), func(n int64) sluice.Bytes {
		return sluice.Bytes(n)
	})
}

// DrawPacket is the default of Spec.Packet: a size from 1 to 9,216 bytes, mostly a usual one, and
// an upstream queue from 0 to 3.
func DrawPacket(t *rapid.T, _ kit.Machine, p *sluice.Packet) {
	p.Size = rapid.OneOf(rapid.SampledFrom([]sluice.Bytes{64, 1000, 1500}),
		rapid.SampledFrom([]sluice.Bytes{64, 1000, 1500}), drawSizes(1, 9216)).Draw(t, "size")
	p.UpstreamQueue = sluice.QueueID(rapid.IntRange(0, 3).Draw(t, "upstream queue"))
	p.Stamped = true
}

// DrawHop draws a hop downstream of Self from a few, so that the hops that hostile frames name
// are often on the paths of packets.
func DrawHop(t *rapid.T) sluice.Hop {
	return sluice.Hop{
		Switch: Self + 1 + sluice.SwitchID(rapid.IntRange(0, 2).Draw(t, "switch")),
		Port:   sluice.PortID(rapid.IntRange(0, 2).Draw(t, "port")),
	}
}

func drawIngress(t *rapid.T, m kit.Machine) sluice.PortID {
	i := rapid.IntRange(0, m.Ports()).Draw(t, "ingress")
	if i == m.Ports() {
		return sluice.Local
	}
	return sluice.PortID(i)
}
