package main

import (
	"fmt"
	"strconv"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/hashpath"
	"github.com/sluicefc/sluice/portfc"
)

// maxPorts is how many ports a switch may have.
const maxPorts = 16

// plan is what is built: places, what their cables lead to, and who sends to whom. Once made it is
// only read.
type plan struct {
	places  []*place // by identity: hosts first, then switches
	flows   []flow
	network portfc.NDC // if hosts forward
}

// place is a switch or host in the plan.
type place struct {
	id    sluice.SwitchID
	name  string
	kind  kind
	peers []peer // by port
}

type kind uint8

const (
	host kind = iota
	fabric
)

// peer is the other end of a port's cable.
type peer struct {
	*place
	port sluice.PortID
}

// flow is a stream of numbered packets. Its number is its index in the plan.
type flow struct {
	name     string
	from, to sluice.SwitchID
}

func (p *plan) hosts(n int) {
	for i := range n {
		p.add(host, "h"+strconv.Itoa(i))
	}
}

func (p *plan) add(k kind, name string) *place {
	added := &place{id: sluice.SwitchID(len(p.places)), name: name, kind: k}
	p.places = append(p.places, added)
	return added
}

// connect lays a cable between new ports of two places.
func (p *plan) connect(a, b *place) {
	aPort, bPort := sluice.PortID(len(a.peers)), sluice.PortID(len(b.peers))
	a.peers = append(a.peers, peer{b, bPort})
	b.peers = append(b.peers, peer{a, aPort})
}

func (p *plan) flow(name string, from, to *place) {
	p.flows = append(p.flows, flow{name, from.id, to.id})
}

// nodeCentric reports whether hosts forward for one another.
func (p *plan) nodeCentric() bool { return p.network.N > 0 }

func (p *plan) named(name string) (*place, error) {
	for _, place := range p.places {
		if place.name == name {
			return place, nil
		}
	}
	return nil, fmt.Errorf("there is no %q", name)
}

// cachedPaths is for how many flows a node keeps the path.
const cachedPaths = 4096

// routes returns the forwarding of the network, which knows where a packet goes from here on.
// Every node has its own, and its own cache of paths: packets belong to few flows, and the hash is
// XXH64, so that most paths are found five to twelve times as fast as they are calculated.
func (p *plan) routes() (*hashpath.Cache, error) {
	b := hashpath.NewBuilder()
	for _, at := range p.places {
		switch {
		case at.kind == fabric:
			b.AddSwitch(at.id)
		case len(at.peers) > 1:
			b.AddForwardingHost(at.id)
		default:
			b.AddHost(at.id)
		}
	}
	for _, at := range p.places {
		for port, peer := range at.peers {
			if at.id < peer.id {
				b.Connect(sluice.Hop{Switch: at.id, Port: sluice.PortID(port)},
					sluice.Hop{Switch: peer.id, Port: peer.port})
			}
		}
	}
	network, err := b.Build(hashpath.Config{Seed: 1})
	if err != nil {
		return nil, err
	}
	return hashpath.NewCache(network, cachedPaths)
}

// mac is the address of a place, locally administered.
func (p *place) mac() [6]byte { return [6]byte{2, 0, 0, 0, 0, byte(p.id)} }

// topologies makes a plan of the settings.
var topologies = map[string]func(s *settings) *plan{
	"star":   star,
	"victim": victim,
	"ndc":    ndc,
}

// star is a switch to which all hosts but the last send to the last.
func star(s *settings) *plan {
	p := &plan{}
	p.hosts(s.hosts)
	hub := p.add(fabric, "s0")
	last := p.places[s.hosts-1]
	for _, h := range p.places[:s.hosts] {
		p.connect(h, hub)
		if h != last {
			p.flow(h.name+"-"+last.name, h, last)
		}
	}
	return p
}

// victim is the network of head-of-line blocking: the cable between two switches carries a flow of
// an incast at the second, and one that goes elsewhere.
//
//	h0 incast ---- s0 ---- s1 ---- h6 receives the incast
//	h1 victim ---/        /  \---- h7 receives the victim
//	h2 to h5, incast ----/
func victim(*settings) *plan {
	p := &plan{}
	p.hosts(8)
	first, second := p.add(fabric, "s0"), p.add(fabric, "s1")
	p.connect(first, second)
	for i, h := range p.places[:8] {
		if i < 2 {
			p.connect(h, first)
		} else {
			p.connect(h, second)
		}
	}
	p.flow("victim", p.places[1], p.places[7])
	for _, i := range []int{0, 2, 3, 4, 5} {
		p.flow("incast", p.places[i], p.places[6])
	}
	return p
}

// ndc is NDC(3,1): nine hosts with two ports each, which forward, and six switches. Hosts
// that share no switch with host 0 send to it.
func ndc(*settings) *plan {
	p := &plan{network: portfc.NDC{N: 3, K: 1}}
	p.addNetwork()
	for _, h := range p.places[:p.network.Nodes()] {
		if p.network.Differing(h.id, 0) == 2 {
			p.flow(h.name+"-h0", h, p.places[0])
		}
	}
	return p
}

// addNetwork adds the places and cables of a node-centric network.
func (p *plan) addNetwork() {
	p.hosts(p.network.Nodes())
	for i := p.network.Nodes(); i < p.network.Devices(); i++ {
		p.add(fabric, "s"+strconv.Itoa(i-p.network.Nodes()))
	}
	for _, place := range p.places { // ports by number, as the network's rule is
		for port := range sluice.PortID(p.network.Ports(place.id)) {
			end, _ := p.network.Peer(sluice.Hop{Switch: place.id, Port: port})
			place.peers = append(place.peers, peer{p.places[end.Switch], end.Port})
		}
	}
}
