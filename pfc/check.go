package pfc

import (
	"fmt"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/check"
)

// check returns the first error of the configuration.
func (c *Config) check() error {
	k := check.Of("pfc")
	classes := c.Classes.OrAll()
	k.That(len(c.Ports) >= 1 && len(c.Ports) <= MaxPorts, len(c.Ports), fmt.Sprintf("must be 1 to %d ports", MaxPorts), "Ports")
	k.That(c.Buffer >= 0 && c.Buffer <= MaxBuffer, c.Buffer, "must be 0, for no limit, to 4 TiB", "Buffer")
	k.That(c.Classes <= sluice.AllClasses || c.Classes == sluice.NoClasses, c.Classes, "must be classes, or NoClasses alone", "Classes")
	k.That(c.ReservedClasses >= 0 && c.ReservedClasses <= classes.Len(), c.ReservedClasses,
		"must be 0 to the number of lossless classes", "ReservedClasses")
	k.That(c.MAC[0]&1 == 0, c.MAC, "must not be a group address", "MAC")
	c.checkGroups(k)
	for i := range c.Ports {
		c.Ports[i].check(k, i)
		c.checkThreshold(k, i, classes != 0 && len(c.Ports) > 1)
	}
	if k.Fine() {
		k.That(c.pool() >= 0, c.Buffer, fmt.Sprintf("must hold the reserves and headrooms, %d bytes", c.Buffer-c.pool()), "Buffer")
	}
	c.Watchdog.check(k)
	return k.Err()
}

func (c *Config) checkGroups(k *check.Config) {
	if c.Groups == nil {
		return
	}
	var seen sluice.ClassSet
	for i := range c.Groups {
		g := &c.Groups[i]
		k.That(g.Classes != 0 && g.Classes&seen == 0, g.Classes, "must not be empty or repeat a class", "Groups[%d].Classes", i)
		k.That(g.Classes <= sluice.AllClasses, uint16(g.Classes), "must be a set of classes 0 to 7", "Groups[%d].Classes", i)
		seen |= g.Classes
		for class, q := range g.Quantum {
			k.That(q >= 0 && q <= maxLimit, q, "must be 0 to 2^31-1", "Groups[%d].Quantum[%d]", i, class)
			k.That(q == 0 || g.Classes.Has(sluice.Class(class)), q, "must be zero: the class is not in the group",
				"Groups[%d].Quantum[%d]", i, class)
		}
	}
	k.That(seen == sluice.AllClasses, seen, "must cover every class", "Groups")
}

// check checks what one port says on its own.
func (p *PortConfig) check(k *check.Config, i int) {
	const limit = "must be 0 to 2^31-1"
	within := func(n sluice.Bytes) bool { return n >= 0 && n <= maxLimit }
	k.That(p.Link.Rate > 0, p.Link.Rate, "must be positive", "Ports[%d].Link.Rate", i)
	k.That(p.Link.Delay >= 0 && p.Link.Delay <= sluice.Second, p.Link.Delay, "must be 0 to 1s", "Ports[%d].Link.Delay", i)
	k.That(within(p.ResumeOffset), p.ResumeOffset, limit, "Ports[%d].ResumeOffset", i)
	k.That(within(p.Reserve), p.Reserve, limit, "Ports[%d].Reserve", i)
	k.That(within(p.Headroom), p.Headroom, limit, "Ports[%d].Headroom", i)
	k.That(p.Mode < numModes, p.Mode, "must be one of the modes", "Ports[%d].Mode", i)
	k.That(p.MAC[0]&1 == 0, p.MAC, "must not be a group address", "Ports[%d].MAC", i)
	for class := range p.ECN {
		if err := p.ECN[class].Check(); err != nil {
			k.That(false, err.Value, err.Rule, "Ports[%d].ECN[%d]."+err.Field, i, class)
		}
	}
}

// checkThreshold checks the thresholds of a port. It accounts if there are lossless packets to account to it.
func (c *Config) checkThreshold(k *check.Config, i int, accounts bool) {
	p := &c.Ports[i]
	const ratio = "both terms must be 1 to 2^20"
	const limited = "must be left out where Buffer is 0, no limit"
	k.That(!given(p.LossyAlpha) || p.LossyAlpha.Valid(), p.LossyAlpha, ratio, "Ports[%d].LossyAlpha", i)
	k.That(!given(p.LossyAlpha) || c.Buffer > 0, p.LossyAlpha, limited, "Ports[%d].LossyAlpha", i)
	k.That(!given(p.Alpha) || p.Alpha.Valid(), p.Alpha, ratio, "Ports[%d].Alpha", i)
	k.That(!given(p.Alpha) || c.Buffer > 0, p.Alpha, limited, "Ports[%d].Alpha", i)
	k.That(!given(p.Alpha) || p.XOff == 0, p.XOff, "must be zero where Alpha is given", "Ports[%d].XOff", i)
	k.That(!accounts || given(p.Alpha) || p.XOff != 0, p.Alpha,
		"must be given, or XOff, where there are lossless classes and several ports", "Ports[%d].Alpha", i)
	if p.XOff == 0 {
		k.That(p.XOn == 0, p.XOn, "must be zero where XOff is", "Ports[%d].XOn", i)
		return
	}
	k.That(p.XOff >= p.Reserve && p.XOff <= MaxBuffer, p.XOff, "must be at least Reserve and at most 4 TiB", "Ports[%d].XOff", i)
	k.That(p.XOn >= p.Reserve && p.XOn <= p.XOff, p.XOn, "must be from Reserve to XOff", "Ports[%d].XOn", i)
	k.That(p.ResumeOffset == 0, p.ResumeOffset, "must be zero where XOff is given", "Ports[%d].ResumeOffset", i)
	k.That(p.XOff-p.XOn <= maxLimit, p.XOn, "must be less than 2 GiB below XOff", "Ports[%d].XOn", i)
}

// given reports whether r is not the zero Ratio.
func given(r sluice.Ratio) bool { return r != sluice.Ratio{} }
