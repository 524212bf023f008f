package pfc

import (
	"fmt"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/check"
	"github.com/sluicefc/sluice/pfc/trigger"
)

const (
	ruleLimit   = "must be 0 to 2^31-1"
	ruleSecond  = "must be 0 to 1s"
	ruleRatio   = "both terms must be 1 to 2^20"
	ruleLimited = "must be left out where Buffer is 0, no limit"
	ruleClasses = "must be classes of 0 to 7, or NoClasses"
)

func (c *Config) check() error {
	k := check.Of("pfc", "Config")
	check.Within(k, len(c.Ports), 1, MaxPorts, "Ports")
	k.That(c.Buffer >= 0 && c.Buffer <= MaxBuffer, c.Buffer,
		"must be 0, for no limit, to 4 TiB", "Buffer")
	k.That(c.CellSize == 0 || c.CellSize == 1 || c.CellSize >= 64 && c.CellSize <= 1<<16, c.CellSize,
		"must be 0 or 1, for bytes, or 64 to 65,536", "CellSize")
	k.That(areClasses(c.Classes), uint16(c.Classes), ruleClasses, "Classes")
	check.Within(k, c.ReservedClasses, 0, sluice.Classes, "ReservedClasses")
	check.Within(k, c.HeadroomPool, 0, MaxBuffer, "HeadroomPool")
	check.Within(k, len(c.Pools), 0, maxPools-1, "Pools")
	for i, size := range c.Pools {
		check.Within(k, size, 1, MaxBuffer, "Pools[%d]", i)
	}
	k.That(c.LossyPool >= 0 && c.LossyPool <= len(c.Pools), c.LossyPool,
		"must be 0, or one of Pools from 1 on", "LossyPool")
	k.That(c.MAC[0]&1 == 0, c.MAC, "must not be a group address", "MAC")
	check.Within(k, len(c.EgressPools), 0, maxPools, "EgressPools")
	for i, size := range c.EgressPools {
		check.Within(k, size, 1, MaxBuffer, "EgressPools[%d]", i)
	}
	if c.Groups != nil {
		checkGroups(k, c.Groups, "Groups")
	}
	c.checkRetag(k)
	for i := range c.Ports {
		c.checkPort(k, i)
	}
	if c.Buffer != 0 {
		k.That(c.Buffer >= c.SetApart(), c.Buffer,
			fmt.Sprintf("must hold the reserves, headrooms and pools, %d bytes", c.SetApart()), "Buffer")
	}
	c.Watchdog.check(k)
	if k.Fine() {
		c.checkTrigger(k)
	}
	return k.Err()
}

func checkGroups(k *check.Config, groups []Group, field string) {
	var seen sluice.ClassSet
	for i := range groups {
		g := &groups[i]
		k.That(g.Classes != 0 && g.Classes&seen == 0, g.Classes,
			"must not be empty or repeat a class", field+"[%d].Classes", i)
		k.That(g.Classes <= sluice.AllClasses, uint16(g.Classes),
			"must be a set of classes 0 to 7", field+"[%d].Classes", i)
		seen |= g.Classes
		for class, q := range g.Quantum {
			k.That(q >= 0 && q <= maxLimit, q, ruleLimit, field+"[%d].Quantum[%d]", i, class)
			k.That(q == 0 || g.Classes.Has(sluice.Class(class)), q,
				"must be zero: the class is not in the group", field+"[%d].Quantum[%d]", i, class)
		}
	}
	k.That(seen == sluice.AllClasses, seen, "must cover every class", field)
}

func (c *Config) checkQoS(k *check.Config, i int) {
	p := &c.Ports[i]
	if p.Groups != nil {
		checkGroups(k, p.Groups, fmt.Sprintf("Ports[%d].Groups", i))
	}
	if p.QoS == nil {
		return
	}
	k.Part(p.QoS.Check(len(c.Pools)+1, len(c.EgressPools)), "Ports[%d].QoS", i)
	k.That(c.Trigger == trigger.AtIngress, c.Trigger, "must be AtIngress where a port has QoS",
		"Trigger")
	k.That(p.QoS.Lossy&c.lossless(i) == 0, p.QoS.Lossy, "must not be lossless",
		"Ports[%d].QoS.Lossy", i)
	for class := range sluice.Class(sluice.Classes) {
		k.That(!p.QoS.Lossy.Has(class) || p.profile(class).Headroom == 0, p.profile(class).Headroom,
			"must be zero where QoS.Lossy has the group", "Ports[%d].Profiles[%d].Headroom", i, class)
		k.That(p.QoS.WRED[class] == nil || p.ECN[class] == sluice.Marking{}, p.ECN[class].KMin,
			"must be left out where QoS.WRED is given", "Ports[%d].ECN[%d]", i, class)
	}
}

func (c *Config) checkPort(k *check.Config, i int) {
	p := &c.Ports[i]
	k.Link(p.Link, "Ports[%d].Link", i)
	if field, value, rule := p.fault(c); rule != "" {
		k.That(false, value, rule, "Ports[%d]."+field, i)
	}
	if p.Watchdog != nil {
		p.Watchdog.check(k, fmt.Sprintf("Ports[%d].Watchdog.", i))
	}
	for class := range p.ECN {
		if err := p.ECN[class].Check(); err != nil {
			k.Part(err, "Ports[%d].ECN[%d]", i, class)
		}
	}
	c.checkQoS(k, i)
	needed := sluice.ClassSet(0) // classes whose threshold is needed
	if len(c.Ports) > 1 {
		needed = c.accounted(i)
	}
	shared := false
	for class, own := range p.Profiles {
		if own == nil {
			shared = shared || needed.Has(sluice.Class(class))
		} else if field, value, rule := own.fault(c, needed.Has(sluice.Class(class))); rule != "" {
			k.That(false, value, rule, "Ports[%d].Profiles[%d]."+field, i, class)
		}
	}
	if field, value, rule := p.Profile.fault(c, shared); rule != "" {
		k.That(false, value, rule, "Ports[%d]."+field, i)
	}
}

// fault returns the first field that breaks a rule by itself, its value and the rule; no rule if
// none does. It makes nothing where all is well, as most ports of many switches are.
func (p *PortConfig) fault(c *Config) (field string, value any, rule string) {
	switch {
	case !aSecond(p.Pipeline):
		return "Pipeline", p.Pipeline, ruleSecond
	case !aSecond(p.PHY):
		return "PHY", p.PHY, ruleSecond
	case !within(p.MTU):
		return "MTU", p.MTU, ruleLimit
	case !within(p.Overhead):
		return "Overhead", p.Overhead, ruleLimit
	case !areClasses(p.Classes):
		return "Classes", uint16(p.Classes), ruleClasses
	case !areClasses(p.Obeys):
		return "Obeys", uint16(p.Obeys), ruleClasses
	case !areClasses(p.Sends):
		return "Sends", uint16(p.Sends), ruleClasses
	case p.Mode >= numModes:
		return "Mode", p.Mode, "must be one of the modes"
	case p.MAC[0]&1 != 0:
		return "MAC", p.MAC, "must not be a group address"
	case !within(p.LossyReserve):
		return "LossyReserve", p.LossyReserve, ruleLimit
	case given(p.LossyAlpha) && !p.LossyAlpha.Valid():
		return "LossyAlpha", p.LossyAlpha, ruleRatio
	case given(p.LossyAlpha) && c.Buffer <= 0:
		return "LossyAlpha", p.LossyAlpha, ruleLimited
	}
	return "", nil, ""
}

// fault returns the first field of a profile that breaks a rule, its value and the rule; no rule if
// none does. The profile must have a threshold if it is needed.
func (p *Profile) fault(c *Config, needed bool) (field string, value any, rule string) {
	switch {
	case !within(p.Reserve):
		return "Reserve", p.Reserve, ruleLimit
	case !within(p.Headroom):
		return "Headroom", p.Headroom, ruleLimit
	case !within(p.XOnFloor):
		return "XOnFloor", p.XOnFloor, ruleLimit
	case !within(p.ResumeOffset) && p.ResumeOffset != ResumeAtThreshold:
		return "ResumeOffset", p.ResumeOffset, ruleLimit + ", or ResumeAtThreshold"
	case p.Pool < 0 || p.Pool > len(c.Pools):
		return "Pool", p.Pool, "must be 0, or one of Pools from 1 on"
	case given(p.Alpha) && !p.Alpha.Valid():
		return "Alpha", p.Alpha, ruleRatio
	case given(p.Alpha) && c.Buffer <= 0 && p.Pool <= 0:
		return "Alpha", p.Alpha, ruleLimited
	case given(p.Alpha) && p.XOff != 0:
		return "XOff", p.XOff, "must be zero where Alpha is given"
	case needed && !given(p.Alpha) && p.XOff == 0:
		return "Alpha", p.Alpha,
			"must be given, or XOff, where there are lossless classes and several ports"
	case p.XOff == 0 && p.XOn != 0:
		return "XOn", p.XOn, "must be zero where XOff is"
	case p.XOff == 0: // and the rest is about it
	case p.XOff < p.Reserve || p.XOff > MaxBuffer:
		return "XOff", p.XOff, "must be at least Reserve and at most 4 TiB"
	case p.XOn < p.Reserve || p.XOn > p.XOff:
		return "XOn", p.XOn, "must be from Reserve to XOff"
	case p.XOff-p.XOn > maxLimit:
		return "XOn", p.XOn, "must be less than 2 GiB below XOff"
	case p.ResumeOffset != 0:
		return "ResumeOffset", p.ResumeOffset, "must be zero where XOff is given"
	case p.XOnFloor != 0:
		return "XOnFloor", p.XOnFloor, "must be zero where XOff is given"
	}
	return "", nil, ""
}

func given(r sluice.Ratio) bool { return r != sluice.Ratio{} }

func within(n sluice.Bytes) bool { return n >= 0 && n <= maxLimit }

func aSecond(t sluice.Time) bool { return t >= 0 && t <= sluice.Second }

func areClasses(s sluice.ClassSet) bool { return s <= sluice.AllClasses|sluice.NoClasses }
