package main

import (
	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/kit"
	"github.com/sluicefc/sluice/pfc"
	"github.com/sluicefc/sluice/pfc/trigger"
)

// pfcOptions is what all switches of a network have in common.
type pfcOptions struct {
	base     pfc.Config
	port     pfc.PortConfig
	pool     sluice.Bytes
	lossless bool // headroom by HeadroomFor
	limited  bool // Buffer is given
	card     trigger.Kind
}

func drawPFCOptions(r *random) pfcOptions {
	o := pfcOptions{
		pool:     sluice.Bytes(r.between(2, 60)) * mtu,
		lossless: r.below(3) > 0,
		limited:  true,
	}
	o.port.Pause = pick[sluice.Quanta](r, 0, 0, 500, 2000)
	if r.one(2) {
		o.port.XOff = sluice.Bytes(r.between(1, 12)) * 1000
		o.port.XOn = sluice.Bytes(r.between(0, int(o.port.XOff)))
		o.limited = r.below(4) > 0
	} else {
		o.port.Alpha = ratio(pick[int64](r, 1, 1, 2, 8), pick[int64](r, 1, 2, 16))
		o.port.ResumeOffset = pick[sluice.Bytes](r, 0, 1500, pfc.ResumeAtThreshold)
		o.port.XOnFloor = pick[sluice.Bytes](r, 0, 0, 3000)
	}
	if r.one(2) {
		o.port.Reserve = sluice.Bytes(r.below(2000))
		if o.port.XOff > 0 {
			o.port.Reserve = min(o.port.Reserve, o.port.XOn)
		}
	}
	if r.one(4) {
		o.base.Classes = pick[sluice.ClassSet](r, 0x08, 0x18, 0xf0, sluice.NoClasses)
	}
	if r.one(6) {
		o.port.Obeys = sluice.AllClasses
	}
	if r.one(3) {
		o.base.CellSize = pick[sluice.Bytes](r, 1, 64, 80, 208, 256)
	}
	if r.one(3) {
		o.base.Groups = []pfc.Group{{Classes: 0xf0}, {Classes: 0x0f}}
		o.base.Groups[1].Quantum[1] = sluice.Bytes(r.between(1, 9000))
	}
	if r.one(4) {
		o.port.ECN[3] = sluice.Marking{KMin: 1000, KMax: 9000, PMax: ratio(1, 2)}
	}
	o.drawOdd(r)
	return o
}

// drawOdd draws options with which packets may be lost, or that exclude others.
func (o *pfcOptions) drawOdd(r *random) {
	switch r.below(8) {
	case 0:
		o.port.Mode = pick(r, pfc.ClassicPause, pfc.ClassicObey)
		o.lossless = o.lossless && o.port.Mode == pfc.ClassicPause && o.base.Classes == 0
	case 1:
		o.lossless = false
		o.base.Watchdog = pfc.Watchdog{
			Detection:    sluice.Time(r.between(1, 50)) * sluice.Microsecond,
			Restoration:  sluice.Time(r.between(0, 50)) * sluice.Microsecond,
			Poll:         sluice.Time(r.between(1, 20)) * sluice.Microsecond,
			Looks:        r.below(3),
			CountPolls:   r.one(2),
			Action:       pfc.WatchdogAction(r.below(3)),
			BigRedSwitch: r.one(8),
			Events:       r.below(4),
		}
	case 2:
		if o.port.XOff == 0 {
			break
		}
		o.base.Trigger = trigger.Kind(r.between(1, 5))
		o.card = o.base.Trigger
		o.base.Variant.Stop = r.one(2)
		// Their headroom begins beyond guards of their own.
		o.lossless = false
	case 3:
		o.base.ReservedClasses = r.between(1, 7)
		o.lossless = false
	case 4:
		o.base.HeadroomPool = sluice.Bytes(r.between(1, 40)) * mtu
		o.lossless = false
	case 5:
		o.base.Pools = []sluice.Bytes{20 * mtu, 8 * mtu}
		o.base.LossyPool = r.below(3)
		o.port.Pool = r.below(3)
		o.port.LossyReserve = pick[sluice.Bytes](r, 0, 2000)
	case 6:
		o.port.Sends = pick[sluice.ClassSet](r, 0x0f, 0xff, sluice.NoClasses)
		o.lossless = o.lossless && o.port.Sends == 0xff
	}
	if r.one(5) {
		o.base.Retag = []pfc.Retag{{
			Ingress: pfc.AnyPort, Class: sluice.Class(r.below(8)), Egress: pfc.AnyPort,
			To: sluice.Class(r.below(8)),
		}}
		// The peer is told to pause the class that the packet came in with, and it may send others.
		o.lossless = false
	}
}

func (o *pfcOptions) config(g *graph, id int) pfc.Config {
	v := g.nodes[id]
	if v.tier == 0 && len(v.ports) == 1 {
		c := pfc.HostConfig(v.ports[0].link)
		c.Ports[0].Mode, c.Groups, c.Classes = o.port.Mode, o.base.Groups, o.base.Classes
		if o.card != trigger.AtIngress {
			c.Trigger, c.Variant = o.card, o.base.Variant
			c.Ports[0].XOff, c.Ports[0].XOn = o.port.XOff, o.port.XOn
		}
		return c
	}
	c := o.base
	lossless := c.Classes.Or(sluice.AllClasses).Len()
	c.Buffer = o.pool + c.HeadroomPool
	for _, size := range c.Pools {
		c.Buffer += size
	}
	for _, e := range v.ports {
		p := o.port
		p.Link = e.link
		if o.lossless {
			p.Headroom = p.HeadroomFor(mtu, c.CellSize).Total
		} else {
			p.Headroom = sluice.Bytes(int(e.link.Delay)%7) * mtu
		}
		c.Ports = append(c.Ports, p)
		c.Buffer += sluice.Bytes(lossless)*(p.Reserve+p.Headroom) + sluice.Classes*p.LossyReserve
	}
	if !o.limited {
		c.Buffer = 0
	}
	return c
}

func drawPFC(r *random, g *graph) *setup {
	o := drawPFCOptions(r)
	held := o.base.Classes.Or(sluice.AllClasses)
	s := &setup{
		text: show("pfc", o),
		node: func(id int) (kit.Machine, error) { return kit.WrapNew(pfc.New(o.config(g, id))) },
		mayDrop: func(p *sluice.Packet, why sluice.Reason) bool {
			return !o.lossless || !held.Has(p.Class) && why == sluice.BufferFull
		},
		forge:    forgePFC,
		renumber: func(*random, []byte) []byte { return nil },
		classes:  someClasses(r, sluice.AllClasses),
		repairs:  true,
		cellOf:   func(kit.Machine) sluice.Bytes { return o.base.CellSize },
		operate: func(
			r *random, id int, m kit.Machine, now sluice.Time,
		) (kit.Machine, sluice.Wake) {
			return o.operate(r, g, id, m, now)
		},
	}
	return s
}

// operate reconfigures a switch, restores it from a snapshot, or turns the big red switch.
func (o *pfcOptions) operate(
	r *random, g *graph, id int, m kit.Machine, now sluice.Time,
) (kit.Machine, sluice.Wake) {
	s, ok := kit.Unwrap(m).(*pfc.Switch)
	if !ok {
		return m, 0
	}
	switch r.below(6) {
	case 0:
		return m, s.BigRedSwitch(now, true)
	case 1:
		return m, s.BigRedSwitch(now, false)
	case 2:
		snapshot := s.Snapshot()
		restored, err := pfc.Restore(s.Config(), &snapshot)
		if err != nil {
			return m, 0
		}
		return kit.Wrap(restored), 0
	}
	other := drawPFCOptions(r)
	other.base.CellSize, other.base.Retag, other.port.Mode = o.base.CellSize, o.base.Retag, o.port.Mode
	other.base.Pools, other.base.LossyPool = o.base.Pools, o.base.LossyPool
	other.port.Pool = o.port.Pool
	other.base.Trigger, other.card = o.base.Trigger, o.card
	wake, _ := s.Reconfigure(now, other.config(g, id)) // what is refused changes nothing
	return m, wake
}

func forgePFC(r *random, _ int, _ sluice.PortID) []byte {
	f := pfc.Frame{Opcode: pick(r, pfc.OpcodePFC, pfc.OpcodePFC, pfc.OpcodePause)}
	f.Enabled = sluice.ClassSet(r.below(256))
	for i := range f.Time {
		f.Time[i] = pick(r, 0, sluice.Quanta(r.below(100)), sluice.Quanta(r.below(1<<16)))
	}
	return f.AppendTo(nil)
}
