package pfc

import (
	"fmt"

	"github.com/sluicefc/sluice"
)

// check returns the first error of the configuration.
func (c *Config) check() error {
	switch {
	case len(c.Ports) == 0 || len(c.Ports) > MaxPorts:
		return configError("Ports", len(c.Ports), fmt.Sprintf("must be 1 to %d ports", MaxPorts))
	case c.Buffer <= 0 || c.Buffer > MaxBuffer:
		return configError("Buffer", c.Buffer, "must be positive and at most 4 TiB")
	case c.ReservedClasses < 0 || c.ReservedClasses > c.Lossless.Len():
		return configError("ReservedClasses", c.ReservedClasses, "must be 0 to the number of lossless classes")
	case c.MAC[0]&1 != 0:
		return configError("MAC", c.MAC, "must not be a group address")
	}
	if err := c.checkGroups(); err != nil {
		return err
	}
	for i := range c.Ports {
		if err := c.Ports[i].check(fmt.Sprintf("Ports[%d].", i), c.Lossless != 0 && len(c.Ports) > 1); err != nil {
			return err
		}
	}
	if c.pool() < 0 {
		return configError("Buffer", c.Buffer, fmt.Sprintf("must hold the reserves and headrooms, %d bytes", c.Buffer-c.pool()))
	}
	return c.Watchdog.check()
}

func (c *Config) checkGroups() error {
	if c.Groups == nil {
		return nil
	}
	var seen sluice.ClassSet
	for i := range c.Groups {
		g := &c.Groups[i]
		field := fmt.Sprintf("Groups[%d].", i)
		if g.Classes == 0 || g.Classes&seen != 0 {
			return configError(field+"Classes", g.Classes, "must not be empty or repeat a class")
		}
		seen |= g.Classes
		for class, q := range g.Quantum {
			name := fmt.Sprintf("%sQuantum[%d]", field, class)
			switch {
			case q < 0 || q > maxLimit:
				return configError(name, q, "must be 0 to 2^31-1")
			case q != 0 && g.Classes>>class&1 == 0:
				return configError(name, q, "must be zero: the class is not in the group")
			}
		}
	}
	if seen != 0xff {
		return configError("Groups", seen, "must cover every class")
	}
	return nil
}

// pool returns the bytes of the buffer that are shared.
func (c *Config) pool() sluice.Bytes {
	classes := c.ReservedClasses
	if classes == 0 {
		classes = c.Lossless.Len()
	}
	pool := c.Buffer
	for i := range c.Ports {
		pool -= sluice.Bytes(classes) * (c.Ports[i].Reserve + c.Ports[i].Headroom)
	}
	return pool
}

// check checks one port; accounts says that there are lossless packets to account to it.
func (p *PortConfig) check(prefix string, accounts bool) error {
	switch {
	case p.Link.Rate <= 0:
		return configError(prefix+"Link.Rate", p.Link.Rate, "must be positive")
	case p.Link.Delay < 0 || p.Link.Delay > sluice.Second:
		return configError(prefix+"Link.Delay", p.Link.Delay, "must be 0 to 1s")
	case p.ResumeOffset < 0 || p.ResumeOffset > maxLimit:
		return configError(prefix+"ResumeOffset", p.ResumeOffset, "must be 0 to 2^31-1")
	case p.Reserve < 0 || p.Reserve > maxLimit:
		return configError(prefix+"Reserve", p.Reserve, "must be 0 to 2^31-1")
	case p.Headroom < 0 || p.Headroom > maxLimit:
		return configError(prefix+"Headroom", p.Headroom, "must be 0 to 2^31-1")
	case p.Mode >= numModes:
		return configError(prefix+"Mode", p.Mode, "must be one of the modes")
	case p.MAC[0]&1 != 0:
		return configError(prefix+"MAC", p.MAC, "must not be a group address")
	case given(p.LossyAlpha) && !p.LossyAlpha.Valid():
		return configError(prefix+"LossyAlpha", p.LossyAlpha, "both terms must be 1 to 2^20")
	}
	for class := range p.ECN {
		if err := p.ECN[class].Check(); err != nil {
			return configError(fmt.Sprintf("%sECN[%d].%s", prefix, class, err.Field), err.Value, err.Rule)
		}
	}
	return p.checkThreshold(prefix, accounts)
}

func (p *PortConfig) checkThreshold(prefix string, accounts bool) error {
	switch {
	case given(p.Alpha) && !p.Alpha.Valid():
		return configError(prefix+"Alpha", p.Alpha, "both terms must be 1 to 2^20")
	case given(p.Alpha) && p.XOff != 0:
		return configError(prefix+"XOff", p.XOff, "must be zero where Alpha is given")
	case accounts && !given(p.Alpha) && p.XOff == 0:
		return configError(prefix+"Alpha", p.Alpha, "must be given, or XOff, where there are lossless classes and several ports")
	case p.XOff == 0 && p.XOn != 0:
		return configError(prefix+"XOn", p.XOn, "must be zero where XOff is")
	case p.XOff == 0:
		return nil
	case p.XOff < p.Reserve || p.XOff > MaxBuffer:
		return configError(prefix+"XOff", p.XOff, "must be at least Reserve and at most 4 TiB")
	case p.XOn < p.Reserve || p.XOn > p.XOff:
		return configError(prefix+"XOn", p.XOn, "must be from Reserve to XOff")
	case p.ResumeOffset != 0:
		return configError(prefix+"ResumeOffset", p.ResumeOffset, "must be zero where XOff is given")
	case p.XOff-p.XOn > maxLimit:
		return configError(prefix+"XOn", p.XOn, "must be less than 2 GiB below XOff")
	}
	return nil
}

func configError(field string, value any, rule string) error {
	return &sluice.ConfigError{Package: "pfc", Field: field, Value: value, Rule: rule}
}

// given reports whether r is not the zero Ratio.
func given(r sluice.Ratio) bool { return r != sluice.Ratio{} }
