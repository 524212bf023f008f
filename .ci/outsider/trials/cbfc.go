package main

import (
	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/kit"
	"github.com/sluicefc/sluice/tcd/cbfc"
)

func drawCBFC(r *random, g *graph) *setup {
	o := cbfc.Config{MTU: mtu, Classes: pick[sluice.ClassSet](r, 0, 0, 0x0f, 0x08)}
	if r.one(3) {
		o.Quantum[r.below(8)] = sluice.Bytes(r.between(1, 9000))
	}
	buffer := pick[sluice.Bytes](r, 1536, 3072, 12_000, 0, 200_000)
	period := pick(r, 0, 0, sluice.Microsecond, 5*sluice.Microsecond)
	keep := pick(r, 0, 0, 60*sluice.Microsecond)
	up := r.one(2)
	node := func(id int) (kit.Machine, error) {
		c := o
		for _, e := range g.nodes[id].ports {
			p := cbfc.PortConfig{Link: e.link, Buffer: buffer, Period: period, KeepAlive: keep}
			if up {
				p.PeerBuffer = buffer
				if buffer == 0 {
					p.PeerBuffer = cbfc.MaxAnnounced
				}
			}
			c.Ports = append(c.Ports, p)
		}
		return kit.WrapNew(cbfc.New(c))
	}
	return &setup{
		text: show("cbfc", o) + show(" buffer", buffer) + show(" period", period) +
			show(" keep-alive", keep) + show(" up", up),
		node: node,
		forge: func(r *random, _ int, _ sluice.PortID) []byte {
			f := cbfc.Frame{
				Op: cbfc.Op(r.below(2)), VL: uint8(r.below(16)),
				FCTBS: uint16(r.below(4096)), FCCL: uint16(r.below(4096)),
			}
			return f.AppendTo(nil)
		},
		renumber: func(*random, []byte) []byte { return nil },
		classes:  someClasses(r, o.Classes.Or(sluice.AllClasses)),
		repairs:  true,
	}
}
