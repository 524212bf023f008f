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
	k := check.Of("pfc")
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
	checkGroups(k, c.Groups, "Groups")
	c.checkRetag(k)
	for i := range c.Ports {
		c.checkPort(k, i)
	}
	if k.Fine() && c.Buffer != 0 {
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
	if groups == nil {
		return
	}
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
	checkGroups(k, p.Groups, fmt.Sprintf("Ports[%d].Groups", i))
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
	k.That(aSecond(p.Pipeline), p.Pipeline, ruleSecond, "Ports[%d].Pipeline", i)
	k.That(aSecond(p.PHY), p.PHY, ruleSecond, "Ports[%d].PHY", i)
	k.That(within(p.MTU), p.MTU, ruleLimit, "Ports[%d].MTU", i)
	k.That(within(p.Overhead), p.Overhead, ruleLimit, "Ports[%d].Overhead", i)
	k.That(areClasses(p.Classes), uint16(p.Classes), ruleClasses, "Ports[%d].Classes", i)
	k.That(areClasses(p.Obeys), uint16(p.Obeys), ruleClasses, "Ports[%d].Obeys", i)
	k.That(areClasses(p.Sends), uint16(p.Sends), ruleClasses, "Ports[%d].Sends", i)
	k.That(p.Mode < numModes, p.Mode, "must be one of the modes", "Ports[%d].Mode", i)
	k.That(p.MAC[0]&1 == 0, p.MAC, "must not be a group address", "Ports[%d].MAC", i)
	k.That(within(p.LossyReserve), p.LossyReserve, ruleLimit, "Ports[%d].LossyReserve", i)
	k.That(!given(p.LossyAlpha) || p.LossyAlpha.Valid(), p.LossyAlpha,
		ruleRatio, "Ports[%d].LossyAlpha", i)
	k.That(!given(p.LossyAlpha) || c.Buffer > 0, p.LossyAlpha, ruleLimited, "Ports[%d].LossyAlpha", i)
	if p.Watchdog != nil {
		p.Watchdog.check(k, fmt.Sprintf("Ports[%d].Watchdog.", i))
	}
	for class := range p.ECN {
		k.Part(p.ECN[class].Check(), "Ports[%d].ECN[%d]", i, class)
	}
	c.checkQoS(k, i)
	if !k.Fine() {
		return
	}
	needed := sluice.ClassSet(0) // classes whose threshold is needed
	if len(c.Ports) > 1 {
		needed = c.accounted(i)
	}
	shared := false
	for class, own := range p.Profiles {
		if own != nil {
			prefix := fmt.Sprintf("Ports[%d].Profiles[%d].", i, class)
			c.checkProfile(k, own, needed.Has(sluice.Class(class)), prefix)
		} else {
			shared = shared || needed.Has(sluice.Class(class))
		}
	}
	c.checkProfile(k, &p.Profile, shared, fmt.Sprintf("Ports[%d].", i))
}

// checkProfile checks a profile, which must have a threshold if it is needed.
func (c *Config) checkProfile(k *check.Config, p *Profile, needed bool, prefix string) {
	k.That(within(p.Reserve), p.Reserve, ruleLimit, prefix+"Reserve")
	k.That(within(p.Headroom), p.Headroom, ruleLimit, prefix+"Headroom")
	k.That(within(p.XOnFloor), p.XOnFloor, ruleLimit, prefix+"XOnFloor")
	k.That(within(p.ResumeOffset) || p.ResumeOffset == ResumeAtThreshold, p.ResumeOffset,
		ruleLimit+", or ResumeAtThreshold", prefix+"ResumeOffset")
	k.That(p.Pool >= 0 && p.Pool <= len(c.Pools), p.Pool,
		"must be 0, or one of Pools from 1 on", prefix+"Pool")
	k.That(!given(p.Alpha) || p.Alpha.Valid(), p.Alpha, ruleRatio, prefix+"Alpha")
	k.That(!given(p.Alpha) || c.Buffer > 0 || p.Pool > 0, p.Alpha, ruleLimited, prefix+"Alpha")
	k.That(!given(p.Alpha) || p.XOff == 0, p.XOff, "must be zero where Alpha is given", prefix+"XOff")
	k.That(!needed || given(p.Alpha) || p.XOff != 0, p.Alpha,
		"must be given, or XOff, where there are lossless classes and several ports", prefix+"Alpha")
	if p.XOff == 0 {
		k.That(p.XOn == 0, p.XOn, "must be zero where XOff is", prefix+"XOn")
		return
	}
	k.That(p.XOff >= p.Reserve && p.XOff <= MaxBuffer, p.XOff,
		"must be at least Reserve and at most 4 TiB", prefix+"XOff")
	k.That(p.XOn >= p.Reserve && p.XOn <= p.XOff, p.XOn, "must be from Reserve to XOff", prefix+"XOn")
	k.That(p.XOff-p.XOn <= maxLimit, p.XOn, "must be less than 2 GiB below XOff", prefix+"XOn")
	k.That(p.ResumeOffset == 0, p.ResumeOffset,
		"must be zero where XOff is given", prefix+"ResumeOffset")
	k.That(p.XOnFloor == 0, p.XOnFloor, "must be zero where XOff is given", prefix+"XOnFloor")
}

func given(r sluice.Ratio) bool { return r != sluice.Ratio{} }

func within(n sluice.Bytes) bool { return n >= 0 && n <= maxLimit }

func aSecond(t sluice.Time) bool { return t >= 0 && t <= sluice.Second }

func areClasses(s sluice.ClassSet) bool { return s <= sluice.AllClasses|sluice.NoClasses }
