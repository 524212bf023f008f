package pfc

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/conformance"
	"github.com/sluicefc/sluice/internal/machine"
)

func TestConformance(t *testing.T) {
	conformance.Run(t, conformance.Spec{
		Name:  "pfc",
		New:   func(t *rapid.T) func() machine.Machine { return wrapped(drawConfig(t)) },
		Frame: drawHostileFrame,
		Network: &conformance.Network{
			New:   func(t *rapid.T) conformance.Fabric { return drawFabric(t) },
			Lossy: func(t *rapid.T) conformance.Fabric { return drawFabric(t) },
		},
	})
}

func wrapped(config Config) func() machine.Machine {
	return func() machine.Machine {
		s, err := New(config)
		if err != nil {
			panic(err)
		}
		return machine.Wrap[*Switch, *Port, Frame](s)
	}
}

// drawConfig draws a small switch in which everything happens within some tens of packets: every kind
// of threshold, mode and group, and a watchdog that sleeps microseconds.
func drawConfig(t *rapid.T) Config {
	c := Config{
		Lossless: sluice.ClassSet(rapid.OneOf(rapid.Just(0xff), rapid.Just(0x08), rapid.IntRange(0, 0xff)).Draw(t, "lossless")),
		MAC:      [6]byte{0x02, 0, 0, 0, 0, 1},
		Seed:     rapid.Uint64().Draw(t, "seed"),
		Groups:   drawGroups(t),
		Watchdog: drawWatchdog(t),
	}
	for range rapid.IntRange(1, 4).Draw(t, "ports") {
		c.Ports = append(c.Ports, drawPort(t))
	}
	if one := &c.Ports[0]; len(c.Ports) == 1 && rapid.Bool().Draw(t, "card") {
		one.Alpha, one.XOff, one.XOn = sluice.Ratio{}, 0, 0
	}
	c.ReservedClasses = rapid.IntRange(0, c.Lossless.Len()).Draw(t, "reserved classes")
	c.Buffer = 1
	c.Buffer = 1 - c.pool() + sluice.Bytes(rapid.IntRange(1, 60_000).Draw(t, "pool"))
	return c
}

func drawPort(t *rapid.T) PortConfig {
	p := PortConfig{
		Link:     sluice.Link{Rate: rapid.SampledFrom([]sluice.Rate{100 * sluice.Gbps, 10 * sluice.Gbps, 7_777_777_777}).Draw(t, "rate")},
		Reserve:  sluice.Bytes(rapid.SampledFrom([]int{0, 0, 1000, 4096}).Draw(t, "reserve")),
		Headroom: sluice.Bytes(rapid.SampledFrom([]int{0, 3000, 20_000}).Draw(t, "headroom")),
		Pause:    sluice.Quanta(rapid.SampledFrom([]int{0, 1, 2, 100, 4000}).Draw(t, "pause")),
		Mode:     Mode(rapid.SampledFrom([]int{0, 0, 0, 1, 2}).Draw(t, "mode")),
	}
	if rapid.Bool().Draw(t, "static") {
		p.XOn = p.Reserve + sluice.Bytes(rapid.IntRange(0, 6000).Draw(t, "XOn"))
		p.XOff = max(1, p.XOn+sluice.Bytes(rapid.IntRange(0, 9000).Draw(t, "XOff")))
	} else {
		p.Alpha = drawRatio(t, "alpha")
		p.ResumeOffset = sluice.Bytes(rapid.IntRange(0, 4000).Draw(t, "offset"))
	}
	if rapid.Bool().Draw(t, "lossy limit") {
		p.LossyAlpha = drawRatio(t, "lossy alpha")
	}
	for i := range p.ECN {
		if rapid.IntRange(0, 2).Draw(t, "marking") == 0 {
			kMin := sluice.Bytes(rapid.IntRange(0, 5000).Draw(t, "KMin"))
			kMax := kMin + sluice.Bytes(rapid.IntRange(1, 9000).Draw(t, "KMax"))
			p.ECN[i] = sluice.Marking{KMin: kMin, KMax: kMax, PMax: ratio(1, 2)}
		}
	}
	return p
}

func drawRatio(t *rapid.T, what string) sluice.Ratio {
	return rapid.SampledFrom([]sluice.Ratio{ratio(1, 8), ratio(1, 4), ratio(1, 1), ratio(2, 3), ratio(7, 5), ratio(16, 1)}).Draw(t, what)
}

func drawGroups(t *rapid.T) []Group {
	if rapid.Bool().Draw(t, "strict") {
		return nil
	}
	groups := make([]Group, rapid.IntRange(1, 3).Draw(t, "groups"))
	for c := range sluice.Classes {
		g := &groups[rapid.IntRange(0, len(groups)-1).Draw(t, "group")]
		g.Classes |= 1 << c
		g.Quantum[c] = sluice.Bytes(rapid.SampledFrom([]int{0, 1, 500, 3000}).Draw(t, "quantum"))
	}
	full := groups[:0]
	for _, g := range groups {
		if g.Classes != 0 {
			full = append(full, g)
		}
	}
	return full
}

func drawWatchdog(t *rapid.T) Watchdog {
	if rapid.Bool().Draw(t, "no watchdog") {
		return Watchdog{}
	}
	return Watchdog{
		Detection:   10 * sluice.Microsecond,
		Restoration: sluice.Time(rapid.IntRange(0, 30).Draw(t, "restoration")) * sluice.Microsecond,
		Poll:        5 * sluice.Microsecond,
		Action:      WatchdogAction(rapid.IntRange(0, 2).Draw(t, "action")),
	}
}

func drawHostileFrame(t *rapid.T, _ machine.Machine, _ sluice.PortID) []byte {
	f := Frame{Opcode: rapid.SampledFrom([]uint16{OpcodePFC, OpcodePFC, OpcodePause}).Draw(t, "opcode")}
	f.Enabled = sluice.ClassSet(rapid.IntRange(0, 0xff).Draw(t, "enabled"))
	for i := range f.Time {
		f.Time[i] = sluice.Quanta(rapid.OneOf(rapid.IntRange(0, 3), rapid.IntRange(0, 0xffff)).Draw(t, "time"))
	}
	return f.AppendTo(nil)
}

// drawFabric draws networks that lose nothing while everyone obeys: headroom by Headroom for the
// suite's links, whose peers react at once, and room for the frames of other classes that may go first. The
// watchdog is off: its drops are losses.
func drawFabric(t *rapid.T) conformance.Fabric {
	static := rapid.Bool().Draw(t, "static")
	alpha := drawRatio(t, "alpha")
	pool := sluice.Bytes(rapid.IntRange(2, 40).Draw(t, "pool of packets")) * conformance.MTU
	pause := sluice.Quanta(rapid.SampledFrom([]int{0, 2000}).Draw(t, "pause"))
	groups := drawGroups(t)
	mode := Mode(rapid.IntRange(0, 1).Draw(t, "mode"))
	lossless := sluice.ClassSet(rapid.SampledFrom([]int{0xff, 0x0a}).Draw(t, "lossless"))
	node := func(n conformance.Node) machine.Machine {
		if n.Host() {
			card := HostConfig(n.Ports[0].Link)
			card.Lossless, card.Groups, card.Ports[0].Mode = lossless, groups, mode
			return wrapped(card)()
		}
		c := Config{Lossless: lossless, Groups: groups}
		for _, port := range n.Ports {
			p := PortConfig{
				Link: port.Link, Pause: pause, Mode: mode, Reserve: 1000,
				Headroom: Headroom(port.Link.Rate, port.Link.Delay, conformance.MTU, 0) + 32*WireLength,
			}
			if static {
				p.XOff, p.XOn = 6000, 3000
			} else {
				p.Alpha, p.ResumeOffset = alpha, 1500
			}
			c.Ports = append(c.Ports, p)
		}
		c.Buffer = 1
		c.Buffer = 1 - c.pool() + pool
		return wrapped(c)()
	}
	classes := []sluice.Class{0, 1, 2, 3, 4, 5, 6, 7}
	if lossless != 0xff {
		classes = []sluice.Class{1, 3}
	}
	return conformance.Fabric{Node: node, Classes: classes}
}
