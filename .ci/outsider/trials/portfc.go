package main

import (
	"math"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/kit"
	"github.com/sluicefc/sluice/portfc"
)

func drawPortFC(r *random, g *graph) *setup {
	o := portfc.Config{
		HopClasses:  g.ndc.K > 1 || r.one(3),
		XOff:        ratio(int64(r.between(1, 6)), 1),
		RelayInTurn: r.one(3),
		High:        pick(r, 0, 0xc0, sluice.NoClasses),
		Quantum:     pick[sluice.Bytes](r, 0, 0, 500),
		Refresh:     pick(r, 0, 20*sluice.Microsecond, 20*sluice.Microsecond),
		Seed:        r.next(),
	}
	o.XOn = ratio(int64(r.below(int(o.XOff.Num)+1)), 2)
	if r.one(2) {
		o.DirectXOff, o.DirectXOn = ratio(2, 1), ratio(int64(r.below(3)), 1)
	}
	if r.one(2) {
		o.RelayXOff = ratio(int64(r.between(1, 4)), 1)
	}
	if r.one(3) {
		o.Marking = sluice.Marking{KMin: 1000, KMax: 5000, PMax: ratio(1, 2)}
	}
	bounded := g.ndc.K == 1 && o.RelayXOff.Num > 0 && !o.RelayInTurn && o.High == sluice.NoClasses
	if !bounded && r.one(6) {
		o.Buffer = sluice.Bytes(r.between(10, 100)) * mtu
	}
	config := func(id int) portfc.Config {
		c := o
		c.Network, c.Switch = g.ndc, sluice.SwitchID(id)
		for _, e := range g.nodes[id].ports {
			c.Ports = append(c.Ports, portfc.PortConfig{Link: e.link})
		}
		return c
	}
	node := func(id int) (kit.Machine, error) {
		c := config(id)
		if bounded && g.nodes[id].tier > 0 {
			if bound := portfcBound(g, config, id); bound < math.MaxInt64/2 {
				c.Buffer = bound
			}
		}
		return kit.WrapNew(portfc.New(c))
	}
	high := o.High
	if high == 0 {
		high = 0x80
	}
	return &setup{
		text: show("portfc", o),
		node: node,
		forge: func(r *random, id int, port sluice.PortID) []byte {
			return forgePortFC(r, g, port)
		},
		renumber: renumber(func(r *random, f *portfc.Frame) {
			f.Sequence = forgedSequence(r, f.Sequence)
		}),
		mayDrop: whenFull(o.Buffer),
		classes: someClasses(r, sluice.AllClasses),
		repairs: o.Refresh > 0,
		pathOf:  sluice.AllClasses &^ high,
	}
}

// portfcBound is the buffer with which a switch loses nothing.
func portfcBound(g *graph, config func(int) portfc.Config, id int) sluice.Bytes {
	var worst portfc.Relay
	for port, e := range g.nodes[id].ports {
		bound, err := config(e.peer).Headroom(mtu, portfc.Relay{})
		if err != nil {
			return math.MaxInt64
		}
		other := g.nodes[e.peer].ports[1-int(e.peerPort)].link
		if port == 0 || other.Rate < worst.Link.Rate {
			worst.Link.Rate = other.Rate
		}
		worst.Link.Delay = max(worst.Link.Delay, other.Delay)
		worst.Backlog = max(worst.Backlog, bound.Relay)
	}
	bound, err := config(id).Headroom(mtu, worst)
	if err != nil {
		return math.MaxInt64
	}
	return bound.Total
}

func forgePortFC(r *random, g *graph, port sluice.PortID) []byte {
	f := portfc.Frame{
		Type:     portfc.Type(r.between(1, 2)),
		Queue:    sluice.QueueID(r.below(int(g.ndc.DDQ()) + 1)),
		Port:     sluice.PortID(r.below(g.ndc.N + 1)),
		Layer:    uint8(pick(r, int(port), r.below(g.ndc.Layers()+1))),
		Sequence: forgedSequence(r, uint32(r.below(200))),
	}
	if r.one(5) {
		f.Queue, f.Port = g.ndc.RelayQueue(), sluice.PortID(f.Layer)
	}
	return f.AppendTo(nil)
}
