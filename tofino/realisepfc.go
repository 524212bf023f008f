package tofino

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/pfc"
	"github.com/sluicefc/sluice/pfc/trigger"
	"github.com/sluicefc/sluice/tofino/chip"
)

// RealisePFC returns the nearest configuration that the chip's traffic manager can run, and its
// changes: amounts are whole cells, ports do as the chip's ports do by themselves, and the work of
// the switch's software, such as the watchdog, is off. It refuses, with a [*sluice.ConfigError],
// fields that have nothing near them: an alpha that is not one of nine, classic pauses, triggers
// other than PFC's, more memory than there is. A zero field that means a default stays zero where
// the chip can do the default. It takes as long as making the machine.
func RealisePFC(c pfc.Config) (pfc.Config, []Change, error) {
	if c.Trigger != trigger.AtIngress {
		return pfc.Config{}, nil, refused("Trigger", c.Trigger, "must be the trigger of PFC: the "+
			"traffic manager knows thresholds of the ingress alone")
	}
	return realised(c, pfc.New, func(r *realisation, c *pfc.Config, machine *pfc.Switch) {
		*c = clonePFC(*c)
		p := &pfcRealisation{r, c, machine.Config()}
		p.buffer()
		p.software()
		for port := range c.Ports {
			p.port(port)
		}
		p.groups()
		if r.err != nil {
			return
		}
		if machine, r.err = pfc.New(*c); r.err == nil {
			p.full = machine.Config()
			p.fits(machine)
		}
	})
}

// clonePFC returns a deep copy.
func clonePFC(c pfc.Config) pfc.Config {
	c.Ports, c.Pools, c.Groups = slices.Clone(c.Ports), slices.Clone(c.Pools), slices.Clone(c.Groups)
	for port := range c.Ports {
		for class, own := range c.Ports[port].Profiles {
			if own != nil {
				profile := *own
				c.Ports[port].Profiles[class] = &profile
			}
		}
	}
	return c
}

// pfcRealisation realises a configuration c, whose zeros mean what stands in full.
type pfcRealisation struct {
	*realisation
	c    *pfc.Config
	full pfc.Config
}

// Rules of what is changed.
const (
	ruleCells    = "the traffic manager counts whole cells of 176 B"
	ruleCellSize = "the chip's cells have 176 B"
	ruleBuffer   = "the chip's buffer has 393,216 cells of 176 B, 66 MiB"
	ruleSoftware = "no table of the chip does it: it is the work of the switch's software"
	rulePort     = "the port does it by itself, and no table changes it"
	ruleLossy    = "limits and marking of lossy packets are not emitted: the driver's stay"
	ruleEgress   = "limits, maps, WRED and shapers of the egress are not emitted: the driver's stay"
	ruleAlpha    = "must be one of the traffic manager's nine, 1/64, 1/32 and so on to 4"
	ruleFloor    = "the traffic manager resumes by the threshold alone"
	rulePools    = "must be at most 3: the traffic manager has four pools"
	ruleMode     = "must be priority pause: classic pauses are not emitted"
	ruleQuantum  = "the quanta of a group must be in the ratio of numbers up to 1,023"
)

const cell sluice.Bytes = chip.CellBytes

func cellsUp(b sluice.Bytes) sluice.Bytes   { return (b + cell - 1) / cell * cell }
func cellsDown(b sluice.Bytes) sluice.Bytes { return b / cell * cell }

// buffer realises the memory and its pools.
func (r *pfcRealisation) buffer() {
	c := r.c
	realise(r.realisation, "CellSize", &c.CellSize, cell, ruleCellSize)
	size := cmp.Or(c.Buffer, sluice.Bytes(chip.BufferBytes))
	r.that(size <= sluice.Bytes(chip.BufferBytes), "Buffer", size, ruleBuffer)
	rule := ruleCells
	if c.Buffer == 0 {
		rule = ruleBuffer
	}
	realise(r.realisation, "Buffer", &c.Buffer, cellsDown(size), rule)
	r.that(len(c.Pools) <= 3, "Pools", len(c.Pools), rulePools)
	for at := range c.Pools {
		r.that(c.Pools[at] >= cell, fmt.Sprintf("Pools[%d]", at), c.Pools[at], "must be a cell or more")
		realise(r.realisation, fmt.Sprintf("Pools[%d]", at), &c.Pools[at], cellsDown(c.Pools[at]),
			ruleCells)
	}
	realise(r.realisation, "HeadroomPool", &c.HeadroomPool, cellsUp(c.HeadroomPool), ruleCells)
	without(r.realisation, "LossyPool", &c.LossyPool, ruleLossy)
	for at, one := range c.Retag {
		r.refuse(fmt.Sprintf("Retag[%d]", at), one, "must not be there: in which class and queue a "+
			"packet leaves is the program's to say, and PFC has none")
	}
	for at, size := range c.EgressPools {
		r.refuse(fmt.Sprintf("EgressPools[%d]", at), size, ruleEgress)
	}
}

// software turns off what no table does.
func (r *pfcRealisation) software() {
	c := r.c
	without(r.realisation, "MAC", &c.MAC, rulePort)
	without(r.realisation, "Watchdog.Detection", &c.Watchdog.Detection, ruleSoftware)
	without(r.realisation, "Watchdog.BigRedSwitch", &c.Watchdog.BigRedSwitch, ruleSoftware)
}

// port realises one port.
func (r *pfcRealisation) port(at int) {
	p, full := &r.c.Ports[at], &r.full.Ports[at]
	name := func(field string) string { return fmt.Sprintf("Ports[%d].%s", at, field) }
	without(r.realisation, name("Watchdog"), &p.Watchdog, ruleSoftware)
	r.that(p.QoS == nil, name("QoS"), p.QoS, ruleEgress)
	for i, group := range p.Groups {
		r.refuse(name(fmt.Sprintf("Groups[%d]", i)), group, "must not be there: all ports have one order")
	}
	r.rate(at, p.Link.Rate)
	r.that(p.Mode == pfc.PriorityPause, name("Mode"), p.Mode, ruleMode)
	pause := full.Pause
	if realise(r.realisation, name("Pause"), &pause, pfc.DefaultPause, rulePort); pause != full.Pause {
		p.Pause = pause
	}
	without(r.realisation, name("MAC"), &p.MAC, rulePort)
	without(r.realisation, name("Strict"), &p.Strict, rulePort)
	without(r.realisation, name("LossyAlpha"), &p.LossyAlpha, ruleLossy)
	without(r.realisation, name("LossyReserve"), &p.LossyReserve, ruleLossy)
	for class := range p.ECN {
		without(r.realisation, name(fmt.Sprintf("ECN[%d]", class)), &p.ECN[class], ruleLossy)
	}
	r.profile(&p.Profile, &full.Profile, fmt.Sprintf("Ports[%d].", at), r.usesOwn(full))
	for class, own := range p.Profiles {
		if own != nil {
			needed := full.Classes.Has(sluice.Class(class))
			r.profile(own, full.Profiles[class], fmt.Sprintf("Ports[%d].Profiles[%d].", at, class), needed)
		}
	}
}

// usesOwn reports whether a lossless class has the profile of the port.
func (r *pfcRealisation) usesOwn(p *pfc.PortConfig) bool {
	for class, own := range p.Profiles {
		if own == nil && p.Classes.Has(sluice.Class(class)) {
			return true
		}
	}
	return false
}

// profile realises what an ingress may hold of a class, which must have a threshold if it is
// needed.
func (r *pfcRealisation) profile(p, full *pfc.Profile, prefix string, needed bool) {
	cells := func(field string, value *sluice.Bytes, to sluice.Bytes) {
		realise(r.realisation, prefix+field, value, to, ruleCells)
	}
	cells("Reserve", &p.Reserve, cellsUp(p.Reserve))
	cells("Headroom", &p.Headroom, cellsUp(p.Headroom))
	without(r.realisation, prefix+"XOnFloor", &p.XOnFloor, ruleFloor)
	switch {
	case p.XOff != 0:
		apart := cellsUp(p.XOff - p.XOn)
		cells("XOff", &p.XOff, max(cellsDown(p.XOff), p.Reserve+cell))
		cells("XOn", &p.XOn, max(p.XOff-apart, p.Reserve))
	case p.Alpha != (sluice.Ratio{}):
		share, below, above := shareOf(p.Alpha)
		r.that(share != "", prefix+"Alpha", p.Alpha, fmt.Sprintf("%s (the next are %s)", ruleAlpha,
			neighbours(below, above)))
		if offset := full.ResumeOffset; offset > 0 && offset != cellsUp(offset) {
			r.changes = append(r.changes, Change{prefix + "ResumeOffset", offset, cellsUp(offset),
				ruleCells})
			p.ResumeOffset = cellsUp(offset)
		}
	default:
		r.that(!needed, prefix+"Alpha", p.Alpha, "must be given, or XOff: a priority group has a limit")
	}
}

// groups refuses ratios of quanta that the weights of queues cannot have.
func (r *pfcRealisation) groups() {
	for at := range r.full.Groups {
		weights, class := weightsOf(&r.full.Groups[at])
		if most := slices.Max(weights[:]); most > maxWeight {
			r.refuse(fmt.Sprintf("Groups[%d].Quantum[%d]", at, class), r.full.Groups[at].Quantum[class],
				ruleQuantum)
		}
	}
}

// fits refuses more memory than the chip has: the reserves of classes beyond
// Config.ReservedClasses, which the machine takes for granted, must be there.
func (r *pfcRealisation) fits(machine *pfc.Switch) {
	sum := machine.Pool() + r.c.HeadroomPool
	for _, size := range r.c.Pools {
		sum += size
	}
	for at := range r.full.Ports {
		p := &r.full.Ports[at]
		for class := range sluice.Class(sluice.Classes) {
			if profile := profileOf(p, class); p.Classes.Has(class) {
				sum += profile.Reserve
				if r.c.HeadroomPool == 0 {
					sum += profile.Headroom
				}
			}
		}
	}
	rule := fmt.Sprintf("the pools and what all lossless classes have of their own, %d bytes, must "+
		"fit the chip's %d", sum, chip.BufferBytes)
	r.that(sum <= sluice.Bytes(chip.BufferBytes), "Buffer", r.c.Buffer, rule)
}

// profileOf returns the profile of a class of a port.
func profileOf(p *pfc.PortConfig, class sluice.Class) *pfc.Profile {
	if own := p.Profiles[class]; own != nil {
		return own
	}
	return &p.Profile
}

// shares are the traffic manager's names of its nine alphas: alpha/(1+alpha), a share of the free
// and the held cells together.
var shares = [...]struct {
	alpha sluice.Ratio
	share string
}{
	{sluice.Ratio{Num: 1, Den: 64}, "1.5%"}, {sluice.Ratio{Num: 1, Den: 32}, "3%"},
	{sluice.Ratio{Num: 1, Den: 16}, "6%"}, {sluice.Ratio{Num: 1, Den: 8}, "11%"},
	{sluice.Ratio{Num: 1, Den: 4}, "20%"}, {sluice.Ratio{Num: 1, Den: 2}, "33%"},
	{sluice.Ratio{Num: 1, Den: 1}, "50%"}, {sluice.Ratio{Num: 2, Den: 1}, "66%"},
	{sluice.Ratio{Num: 4, Den: 1}, "80%"},
}

// shareOf returns the name of an alpha, or "" and the alphas next to it.
func shareOf(alpha sluice.Ratio) (share string, below, above sluice.Ratio) {
	for _, one := range shares {
		left, right := one.alpha.Num*alpha.Den, alpha.Num*one.alpha.Den
		switch {
		case left == right:
			return one.share, alpha, alpha
		case left < right:
			below = one.alpha
		case above == sluice.Ratio{}:
			above = one.alpha
		}
	}
	return "", below, above
}

// neighbours names the alphas next to one; there is none beyond the ends.
func neighbours(below, above sluice.Ratio) string {
	switch {
	case below == sluice.Ratio{}:
		return fmt.Sprint("from ", above)
	case above == sluice.Ratio{}:
		return fmt.Sprint("up to ", below)
	}
	return fmt.Sprint(below, " and ", above)
}

// maxWeight is the largest weight of a queue.
const maxWeight = 1023

// weightsOf returns the weights of a group's classes, the least numbers in the ratio of the quanta,
// and the class with the largest weight. The class of a group of one has the weight 1.
func weightsOf(g *pfc.Group) (weights [sluice.Classes]sluice.Bytes, class sluice.Class) {
	divisor := sluice.Bytes(0)
	for _, quantum := range g.Quantum {
		for a, b := divisor, quantum; ; a, b = b, a%b {
			if b == 0 {
				divisor = a
				break
			}
		}
	}
	for at, quantum := range g.Quantum {
		if divisor > 0 {
			weights[at] = quantum / divisor
		}
		if weights[at] > weights[class] {
			class = sluice.Class(at)
		}
	}
	return weights, class
}

// speeds are the names of the rates of ports, and of the forward error correction of each.
var speeds = map[sluice.Rate]struct{ speed, fec string }{
	10 * sluice.Gbps:  {"BF_SPEED_10G", "BF_FEC_TYP_NONE"},
	25 * sluice.Gbps:  {"BF_SPEED_25G", "BF_FEC_TYP_NONE"},
	40 * sluice.Gbps:  {"BF_SPEED_40G", "BF_FEC_TYP_NONE"},
	50 * sluice.Gbps:  {"BF_SPEED_50G", "BF_FEC_TYP_NONE"},
	100 * sluice.Gbps: {"BF_SPEED_100G", "BF_FEC_TYP_REED_SOLOMON"},
	200 * sluice.Gbps: {"BF_SPEED_200G", "BF_FEC_TYP_REED_SOLOMON"},
	400 * sluice.Gbps: {"BF_SPEED_400G", "BF_FEC_TYP_REED_SOLOMON"},
}
