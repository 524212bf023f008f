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
