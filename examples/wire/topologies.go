package main

import (
	"strconv"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/portfc"
)

// topologies makes a plan of the settings.
var topologies = map[string]func(s *settings) *plan{
	"star":   star,
	"victim": victim,
	"ndc":    ndc,
}

// star is a switch with hosts, all of which send to the last.
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
// an incast at the second, and a flow that goes elsewhere.
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
