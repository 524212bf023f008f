package sim

import (
	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/hashpath"
	"github.com/sluicefc/sluice/internal/enum"
	"github.com/sluicefc/sluice/internal/prng"
)

// Balancing is how load is balanced over equally short ways.
type Balancing uint8

// Ways of balancing load.
const (
	ECMP  Balancing = iota // the hash of a flow chooses, for all its packets alike
	Spray                  // every switch draws a way for every packet
	DRILL                  // every switch sends every packet where the queue is short
	PLB                    // as ECMP, by a flow label that a sender of marked packets draws anew
)

var balancings = [...]string{"ecmp", "spray", "drill", "plb"}

// String names it.
func (b Balancing) String() string { return enum.Name(b, "Balancing", balancings[:]...) }

// Balance configures how load is balanced over equally short ways. The zero value is ECMP.
//
// Under Spray and DRILL (Ghorbani et al., SIGCOMM 2017) the way of a packet is unknown before the
// packet takes it. Packet.Path has what is certain of it: at a switch the port that was chosen, the
// hops up to the next switch with a choice, and the last hop, which every choice leads to. So
// Pyrrha isolates what goes to a congested host's port at every hop, the sender's card included,
// and what goes through a root farther up only from the last choice before it on: at switches
// before that, and at the sender, packets do not wait for it, as some of them will not pass it.
//
// # Deviations from DRILL
//
//   - A switch is one forwarding engine: the paper has one for each group of ports, which choose
//     without knowing of one another's choices.
//   - A queue's length is all that the port holds, in any queue, and what is on its way into the
//     queue is in it at once.
//   - The remembered ports are one list for a switch; the ports on a shortest way of the packet at
//     hand count.
//   - Asymmetric networks are not decomposed into symmetric components (section 3.4 there): all
//     shortest ways are equal, also where links have failed.
type Balance struct {
	Kind Balancing
	// Samples and Memory are d and m of DRILL(d, m): the ports that are drawn for a packet, and the
	// remembered ports, the least loaded of the ports looked at before. 1 to MaxLooks in all, at
	// least one of them drawn.
	Samples, Memory int
	PLB             PLBConfig
}

// MaxLooks is how many ports DRILL may look at for a packet.
const MaxLooks = 32

func (b *Balance) validate(fail func(field string, value any, rule string) error) error {
	switch {
	case b.Kind > PLB:
		return fail("Balance.Kind", b.Kind, "must be one of the kinds")
	case b.Kind == DRILL && (b.Samples < 1 || b.Samples > MaxLooks):
		return fail("Balance.Samples", b.Samples, "must be 1 to 32")
	case b.Kind == DRILL && (b.Memory < 0 || b.Samples+b.Memory > MaxLooks):
		return fail("Balance.Memory", b.Memory, "must be 0 to 32, with Samples")
	case b.Kind == PLB:
		return b.PLB.validate(fail)
	}
	return nil
}

// choosing is what Routes are besides, among whose ways packets are spread.
type choosing interface {
	Choice(at sluice.SwitchID, f *hashpath.Flow) hashpath.Choice
	Certain(
		at sluice.SwitchID, ingress sluice.PortID, f *hashpath.Flow,
	) (sluice.Path, hashpath.Status)
}

// spread is the choice of a way for every packet, at every node.
type spread struct {
	choosing
	samples  int
	remember int
	streams  []prng.Source   // by node
	memory   []sluice.PortID // of each node, the least loaded first; Local for none
}

// buildSpread prepares the nodes' choices, if they choose for every packet.
func (s *Simulator) buildSpread() error {
	b := &s.config.Balance
	if b.Kind != Spray && b.Kind != DRILL {
		return nil
	}
	network, ok := s.config.Network.(choosing)
	if !ok {
		return &sluice.ConfigError{Package: "sim", Type: "Config", Field: "Balance.Kind", Value: b.Kind,
			Rule: "must be ecmp: this Network has one way for each packet"}
	}
	s.spread = &spread{choosing: network, samples: 1}
	if b.Kind == DRILL {
		s.spread.samples, s.spread.remember = b.Samples, b.Memory
	}
	for node := range s.config.Topology.Nodes {
		const places = 0x64_72_69_6c_6c // so that no other stream of the seed is alike
		s.spread.streams = append(s.spread.streams,
			prng.New(prng.Mix(prng.Mix(s.config.Seed+places)+uint64(node))))
		for range s.spread.remember {
			s.spread.memory = append(s.spread.memory, sluice.Local)
		}
	}
	return nil
}

// spreadFrom chooses the next hop of a packet, and returns what is certain of its way from there.
func (s *part) spreadFrom(
	at sluice.SwitchID, ingress sluice.PortID, key *hashpath.Flow,
) (path sluice.Path, status hashpath.Status) {
	choice := s.spread.Choice(at, key)
	if choice.Len() == 0 {
		return s.spread.Certain(at, ingress, key)
	}
	hop := sluice.Hop{Switch: at, Port: s.pick(at, &choice)}
	path.Append(hop)
	peer := &s.ports[s.nodes[at].own[hop.Port].peer]
	rest, status := s.spread.Certain(peer.nodeID(), peer.id, key)
	for i := range rest.Len() {
		path.Append(rest.At(i))
	}
	return path, status
}

// look is a port that DRILL looks at.
type look struct {
	port sluice.PortID
	held sluice.Bytes
}

// pick returns, of d ports that are drawn and m that are remembered, the port with the least in its
// queues, of several the first, and remembers the m least loaded (DRILL, section 3.2). The d ports
// differ, where the packet may take d.
func (s *part) pick(at sluice.SwitchID, choice *hashpath.Choice) sluice.PortID {
	b, own := s.spread, s.nodes[at].own
	var drawn [MaxLooks]uint64 // places, ascending
	var looks [MaxLooks]look   // the least first
	n := 0
	add := func(port sluice.PortID) {
		l, i := look{port, own[port].held}, n
		for j := range n {
			if looks[j].port == port {
				return
			}
		}
		for ; i > 0 && looks[i-1].held > l.held; i-- {
			looks[i] = looks[i-1]
		}
		looks[i] = l
		n++
	}
	for k := range min(b.samples, choice.Len()) {
		place, i := b.streams[at].Below(uint64(choice.Len()-k)), 0
		for ; i < k && drawn[i] <= place; i++ { // of the ports that were not drawn yet
			place++
		}
		copy(drawn[i+1:k+1], drawn[i:k])
		drawn[i] = place
		add(choice.Port(int(place)))
	}
	memory := b.memory[int(at)*b.remember:][:b.remember]
	for _, port := range memory {
		if port != sluice.Local && choice.Has(port) {
			add(port)
		}
	}
	for i := range min(n, len(memory)) {
		memory[i] = looks[i].port
	}
	return looks[0].port
}
