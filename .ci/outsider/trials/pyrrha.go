package main

import (
	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/hiq"
	"github.com/sluicefc/sluice/kit"
	"github.com/sluicefc/sluice/kit/hybrid"
	"github.com/sluicefc/sluice/pfc"
	"github.com/sluicefc/sluice/pyrrha"
)

func drawPyrrhaOptions(r *random, g *graph) pyrrha.Config {
	c := pyrrha.Config{
		Organisation: pick(r, pyrrha.Hierarchical, pyrrha.Hierarchical, pyrrha.SingleTier),
		FreeMerged:   r.one(3),
		KeepPaused:   r.one(3),
		Child:        pyrrha.ChildRule(r.below(2)),
		UpPorts:      pyrrha.UpRule(r.below(3)),
		Imbalance:    pick(r, ratio(0, 0), ratio(1, 1)),
		AbdicateUp:   r.one(2),
		Merge: pick(r, pyrrha.MergeAlways, pyrrha.MergeAlways, pyrrha.MergeIfCalm,
			pyrrha.MergeNever),
		IQs:       pick(r, 100, 100, 20, 7),
		Roots:     pick(r, 64, 64, 8, 2, 1),
		Levels:    pick(r, 0, 0, 3),
		MTU:       mtu,
		Scheduler: hiq.Scheduler(r.below(2)),
		Speedup:   pick(r, 0, 0, 2),
		Refresh:   pick(r, 0, 20*sluice.Microsecond, 20*sluice.Microsecond, 50*sluice.Microsecond),
	}
	if r.one(3) {
		c.Pause, c.Resume = ratio(1, 2), ratio(1, 4)
	}
	if c.Organisation == pyrrha.SingleTier {
		c.Unordered = r.one(6)
		c.IQs = pick(r, 100, 100, 20, 2)
	}
	if r.one(4) {
		c.Classes = pick[sluice.ClassSet](r, 0x0f, 0x3c)
	}
	if g.loops { // every root needs an IQ of its own
		c.IQs, c.Roots, c.Levels = 150, 64, 0
	}
	if c.Refresh > 0 && r.one(3) {
		c.Expiry = 3 * c.Refresh
	}
	return c
}

func pyrrhaPorts(g *graph, id int) (ports []pyrrha.PortConfig) {
	v := g.nodes[id]
	for _, e := range v.ports {
		p := pyrrha.PortConfig{Link: e.link, Role: pyrrha.Down}
		switch peer := g.nodes[e.peer].tier; {
		case peer == 0: // also back to back: a role says what is at the other end
			p.Role = pyrrha.Host
		case v.tier == 0:
			p.Role = pyrrha.NIC
		case peer > v.tier:
			p.Role = pyrrha.Up
		}
		ports = append(ports, p)
	}
	return ports
}

func drawPyrrha(r *random, g *graph) *setup {
	o := drawPyrrhaOptions(r, g)
	if r.one(5) {
		o.Buffer = sluice.Bytes(r.between(10, 100)) * mtu
	}
	s := pyrrhaSetup(r, g, &o)
	s.text = show("pyrrha", o)
	s.node = func(id int) (kit.Machine, error) {
		c := o
		c.Switch, c.Ports = sluice.SwitchID(id), pyrrhaPorts(g, id)
		return kit.WrapNew(pyrrha.New(c))
	}
	s.mayDrop = whenFull(o.Buffer)
	return s
}

func pyrrhaSetup(r *random, g *graph, o *pyrrha.Config) *setup {
	return &setup{
		forge: func(r *random, _ int, _ sluice.PortID) []byte { return forgePyrrha(r, g) },
		renumber: renumber(func(r *random, f *pyrrha.Frame) {
			f.Sequence = forgedSequence(r, f.Sequence)
		}),
		classes: someClasses(r, sluice.AllClasses),
		repairs: o.Refresh > 0,
		circles: !o.KeepPaused || o.Organisation == pyrrha.Hierarchical, // what KeepPaused costs
		reorder: o.Unordered,
		pathOf:  sluice.AllClasses,
		pulled:  true,
	}
}

func forgePyrrha(r *random, g *graph) []byte {
	f := pyrrha.Frame{
		Type: pyrrha.FrameType(r.between(1, 4)), Root: g.somewhere(r),
		Sequence: forgedSequence(r, uint32(r.below(200))), Hop: uint8(r.between(1, 7)),
	}
	if f.Type == pyrrha.Merge {
		f.Old = g.somewhere(r)
	}
	return f.AppendTo(nil)
}

// drawHybrid draws Pyrrha over PFC. PFC's classes share one output queue, so that circles of routes
// can deadlock as they do under PFC.
func drawHybrid(r *random, g *graph) *setup {
	above := drawPyrrhaOptions(r, g)
	above.Classes = 0
	below := drawPFCOptions(r)
	below.base.Groups = nil
	s := pyrrhaSetup(r, g, &above)
	s.text = show("pyrrha", above) + " over " + show("pfc", below)
	s.circles = false
	s.cellOf = func(m kit.Machine) sluice.Bytes {
		if _, plain := kit.Unwrap(m).(*pfc.Switch); plain {
			return below.base.CellSize
		}
		return 1
	}
	s.pathOf = 0 // a neighbour that speaks PFC alone reads no path
	held := below.base.Classes.Or(sluice.AllClasses)
	s.mayDrop = func(p *sluice.Packet, why sluice.Reason) bool {
		return !below.lossless || !held.Has(p.Class) && why == sluice.BufferFull
	}
	forge := s.forge
	s.forge = func(r *random, id int, port sluice.PortID) []byte {
		if r.one(2) {
			return forgePFC(r, id, port)
		}
		return forge(r, id, port)
	}
	legacy := make([]bool, len(g.nodes)) // nodes that speak PFC alone
	if r.one(3) {
		for i := range legacy {
			legacy[i] = r.one(3)
		}
		s.text += show(" legacy", legacy)
	}
	s.node = func(id int) (kit.Machine, error) {
		if legacy[id] {
			return kit.WrapNew(pfc.New(below.config(g, id)))
		}
		b, err := pfc.New(below.config(g, id))
		if err != nil {
			return nil, err
		}
		c := above
		c.Switch, c.Ports = sluice.SwitchID(id), pyrrhaPorts(g, id)
		for i := range c.Ports {
			if legacy[g.nodes[id].ports[i].peer] {
				c.Ports[i].Role = pyrrha.Legacy
			}
		}
		a, err := pyrrha.New(c)
		if err != nil {
			return nil, err
		}
		return hybrid.New(b, a)
	}
	return s
}
