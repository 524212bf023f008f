package pfc

import (
	"pgregory.net/rapid"

	"github.com/sluicefc/sluice"
)

// drawConfig draws a small switch in which everything happens within some tens of packets: every
// kind of threshold, mode and group, and a watchdog that sleeps microseconds.
func drawConfig(t *rapid.T) Config {
	c := Config{
		Classes:  drawClasses(t),
		MAC:      sluice.MAC{0x02, 0, 0, 0, 0, 1},
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
	c.ReservedClasses = rapid.IntRange(0, sluice.Classes).Draw(t, "reserved classes")
	c.Pools = []sluice.Bytes{sluice.Bytes(rapid.IntRange(1, 30_000).Draw(t, "other pool"))}
	c.LossyPool = rapid.IntRange(0, 1).Draw(t, "lossy pool")
	c.HeadroomPool = sluice.Bytes(rapid.SampledFrom([]int{0, 0, 25_000}).Draw(t, "headroom pool"))
	c.Retag = drawRetag(t, len(c.Ports))
	c.Buffer = c.SetApart() + sluice.Bytes(rapid.IntRange(1, 60_000).Draw(t, "pool"))
	return c
}

func drawPort(t *rapid.T) PortConfig {
	p := PortConfig{
		Link: sluice.Link{
			Rate: rapid.SampledFrom(
				[]sluice.Rate{100 * sluice.Gbps, 10 * sluice.Gbps, 7_777_777_777},
			).Draw(
				t,
				"rate",
			),
		},
		Pause:   sluice.Quanta(rapid.SampledFrom([]int{0, 1, 2, 100, 4000}).Draw(t, "pause")),
		Mode:    Mode(rapid.SampledFrom([]int{0, 0, 0, 1, 2}).Draw(t, "mode")),
		Profile: drawProfile(t),
	}
	if rapid.IntRange(0, 3).Draw(t, "own classes") == 0 {
		p.Classes = drawClasses(t)
	}
	if rapid.IntRange(0, 3).Draw(t, "asymmetric") == 0 {
		p.Obeys, p.Sends = drawClasses(t), drawClasses(t)
	}
	for i := range p.Profiles {
		if rapid.IntRange(0, 5).Draw(t, "own profile") == 0 {
			profile := drawProfile(t)
			p.Profiles[i] = &profile
		}
	}
	p.LossyReserve = sluice.Bytes(rapid.SampledFrom([]int{0, 0, 2000}).Draw(t, "lossy reserve"))
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

// drawClasses draws all, one, some or no lossless classes.
func drawClasses(t *rapid.T) sluice.ClassSet {
	some := rapid.Map(
		rapid.IntRange(1, 0xff),
		func(n int) sluice.ClassSet { return sluice.ClassSet(n) },
	)
	return rapid.OneOf(
		rapid.Just(sluice.AllClasses),
		rapid.Just(sluice.MakeClassSet(3)),
		some,
		rapid.Just(sluice.NoClasses),
	).Draw(
		t,
		"lossless",
	)
}

func drawProfile(t *rapid.T) Profile {
	p := Profile{
		Reserve:  sluice.Bytes(rapid.SampledFrom([]int{0, 0, 1000, 4096}).Draw(t, "reserve")),
		Headroom: sluice.Bytes(rapid.SampledFrom([]int{0, 3000, 20_000}).Draw(t, "headroom")),
		Pool:     rapid.SampledFrom([]int{0, 0, 1}).Draw(t, "pool"),
	}
	if rapid.Bool().Draw(t, "static") {
		p.XOn = p.Reserve + sluice.Bytes(rapid.IntRange(0, 6000).Draw(t, "XOn"))
		p.XOff = max(1, p.XOn+sluice.Bytes(rapid.IntRange(0, 9000).Draw(t, "XOff")))
		return p
	}
	p.Alpha = drawRatio(t, "alpha")
	p.ResumeOffset = sluice.Bytes(rapid.IntRange(-1, 4000).Draw(t, "offset"))
	p.XOnFloor = sluice.Bytes(rapid.SampledFrom([]int{0, 0, 3000}).Draw(t, "floor"))
	return p
}

func drawRatio(t *rapid.T, what string) sluice.Ratio {
	return rapid.SampledFrom(
		[]sluice.Ratio{ratio(1, 8), ratio(1, 4), ratio(1, 1), ratio(2, 3), ratio(7, 5), ratio(16, 1)},
	).Draw(
		t,
		what,
	)
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

func drawBytes(t *rapid.T) []byte {
	f := Frame{
		Opcode: rapid.SampledFrom([]uint16{OpcodePFC, OpcodePFC, OpcodePause}).Draw(t, "opcode"),
	}
	f.Enabled = sluice.ClassSet(rapid.IntRange(0, 0xff).Draw(t, "enabled"))
	for i := range f.Time {
		f.Time[i] = sluice.Quanta(
			rapid.OneOf(rapid.IntRange(0, 3), rapid.IntRange(0, 0xffff)).Draw(t, "time"),
		)
	}
	return f.AppendTo(nil)
}

// drawRetag draws rules by which classes change, as often as not none.
func drawRetag(t *rapid.T, ports int) (rules []Retag) {
	if rapid.Bool().Draw(t, "no retagging") {
		return nil
	}
	class := rapid.SampledFrom([]sluice.Class{0, 1, 3, 3, 7})
	for range rapid.IntRange(1, 4).Draw(t, "rules") {
		r := Retag{
			Class: class.Draw(t, "from"), To: class.Draw(t, "to"), Ingress: AnyPort, Egress: AnyPort,
		}
		if in := rapid.IntRange(0, 2*ports).Draw(t, "rule's ingress"); in < ports {
			r.Ingress = sluice.PortID(in)
		} else if in == ports {
			r.Ingress = sluice.Local
		}
		if out := rapid.IntRange(0, 2*ports).Draw(t, "rule's egress"); out < ports {
			r.Egress = sluice.PortID(out)
		}
		rules = append(rules, r)
	}
	return rules
}
