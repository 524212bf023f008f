package main

import (
	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/kit"
	"github.com/sluicefc/sluice/ofc"
)

func drawOFC(r *random, g *graph) *setup {
	o := ofc.Config{
		Flows:            pick(r, 1, 2, 8, 64),
		TwoChoices:       r.one(3),
		Seed:             r.next(),
		Undistinguished:  r.one(3),
		MaxFlowsPerFrame: pick(r, 0, 1, 2, 20),
		Refresh:          pick(r, 0, 5*sluice.Microsecond, 20*sluice.Microsecond),
		IdleRefreshes:    pick(r, 0, 1, 3),
		Speedup:          pick(r, 0, 0, 1, 2),
		MTU:              mtu,
		Quantum:          pick[sluice.Bytes](r, 0, 0, 64, 3000),
	}
	if r.one(4) {
		o.Classes = pick[sluice.ClassSet](r, 0x0f, 0x18)
	}
	if r.one(6) {
		o.Buffer = sluice.Bytes(r.between(10, 100)) * mtu
	}
	if o.Refresh > 0 {
		o.Expiry = pick(r, 0, 0, ofc.NoExpiry, 100*sluice.Microsecond)
	}
	off := sluice.Bytes(r.between(2, 20)) * 1000
	congested := pick(r, 0, 0, off, off*3/4)
	on := pick(r, 0, 0, 1, off/4)
	headroom := r.one(2)
	node := func(id int) (kit.Machine, error) {
		c := o
		for _, e := range g.nodes[id].ports {
			c.Ports = append(c.Ports, ofc.PortConfig{
				Link: e.link, XOff: off, XOffCongested: congested, XOn: on,
			})
		}
		for i := range c.Ports {
			if headroom {
				c.Ports[i].Headroom = c.HeadroomFor(sluice.PortID(i), mtu)
			}
		}
		return kit.WrapNew(ofc.New(c))
	}
	return &setup{
		text:  show("ofc", o) + show(" XOff, XOffCongested, XOn", []sluice.Bytes{off, congested, on}),
		node:  node,
		forge: func(r *random, _ int, _ sluice.PortID) []byte { return forgeOFC(r) },
		renumber: renumber(func(r *random, f *ofc.Frame) {
			f.Sequence = forgedSequence(r, f.Sequence)
			if f.Type == ofc.Refresh && r.one(2) {
				f.Generation = uint32(r.next())
			}
		}),
		mayDrop: whenFull(o.Buffer),
		classes: someClasses(r, sluice.AllClasses),
		repairs: o.Refresh > 0 && o.Expiry != ofc.NoExpiry,
	}
}

func forgeOFC(r *random) []byte {
	f := ofc.Frame{
		Type: ofc.Type(r.between(1, 3)), Sequence: forgedSequence(r, uint32(r.below(200))),
		Class: sluice.Class(r.below(8)), All: r.one(3),
	}
	if !f.All || f.Type == ofc.Refresh {
		f.Count = uint16(r.between(1, 6))
		for i := range f.Flows() {
			f.Keys[i] = flowHash(r.below(40))
		}
	}
	switch f.Type {
	case ofc.Resume:
		f.Last = !f.All && r.one(2)
	case ofc.Refresh:
		f.Generation = uint32(pick(r, r.below(9), int(uint32(r.next()))))
		f.Parts = uint16(r.between(1, 3))
		f.Part = uint16(r.below(int(f.Parts)))
	}
	return f.AppendTo(nil)
}
