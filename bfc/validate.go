package bfc

import (
	"strconv"

	"github.com/sluicefc/sluice"
)

// withDefaults returns a copy of c in which every zero has its meaning, or the first rule that c breaks.
// It aliases nothing of c.
func (c Config) withDefaults() (Config, error) {
	for _, check := range [...]func(*Config) error{
		(*Config).checkPorts, (*Config).checkTable, (*Config).checkPause, (*Config).checkSignalling, (*Config).checkService,
	} {
		if err := check(&c); err != nil {
			return Config{}, err
		}
	}
	return c, nil
}

func fault(field string, value any, rule string) error {
	return &sluice.ConfigError{Package: "bfc", Field: field, Value: value, Rule: rule}
}

// span checks that *value is in [low, high], after zero was given its meaning.
func span[T ~int | ~int64](field string, value *T, zero, low, high T, rule string) error {
	if *value == 0 {
		*value = zero
	}
	if *value < low || *value > high {
		return fault(field, *value, rule)
	}
	return nil
}

func (c *Config) checkPorts() error {
	if err := span("Queues", &c.Queues, DefaultQueues, 1, MaxQueues, "must be 1 to 4095"); err != nil {
		return err
	}
	if len(c.Ports) < 1 || len(c.Ports) > MaxPorts {
		return fault("Ports", len(c.Ports), "must be 1 to 4096 ports")
	}
	c.Ports = append([]PortConfig(nil), c.Ports...)
	for i := range c.Ports {
		p := &c.Ports[i]
		name := "Ports[" + strconv.Itoa(i) + "]."
		if p.Link.Rate <= 0 {
			return fault(name+"Link.Rate", p.Link.Rate, "must be positive")
		}
		if p.Link.Delay < 0 || p.Link.Delay > MaxPeriod {
			return fault(name+"Link.Delay", p.Link.Delay, "must be 0 to 1s")
		}
		if err := span(name+"HRTT", &p.HRTT, p.Link.RoundTrip(), 0, 2*MaxPeriod, "must be 0 to 2s"); err != nil {
			return err
		}
		if err := span(name+"UpstreamQueues", &p.UpstreamQueues, c.Queues, 1, MaxUpstreamQueues, "must be 1 to 4096"); err != nil {
			return err
		}
	}
	return nil
}

func (c *Config) checkTable() error {
	if err := span("VFIDs", &c.VFIDs, VFIDsPerQueue*c.Queues, 1, MaxVFIDs, "must be 1 to 16777216"); err != nil {
		return err
	}
	if c.Assignment >= numAssignments {
		return fault("Assignment", c.Assignment, "must be RandomScan, LowestFree or StaticHash")
	}
	if c.Overflow >= numOverflows {
		return fault("Overflow", c.Overflow, "must be RandomQueue or HashQueue")
	}
	if c.Sticky != NoSticky && (c.Sticky < 0 || c.Sticky > MaxPeriod) {
		return fault("Sticky", c.Sticky, "must be 0 to 1s, or NoSticky")
	}
	return nil
}

func (c *Config) checkPause() error {
	if c.Factor == (sluice.Ratio{}) {
		c.Factor = sluice.Ratio{Num: 1, Den: 1}
	}
	if !c.Factor.Valid() {
		return fault("Factor", c.Factor, "both terms must be 1 to 2^20")
	}
	if c.Classes == 0 {
		c.Classes = sluice.AllClasses
	}
	c.Withhold = append([]Pair(nil), c.Withhold...)
	for i, pair := range c.Withhold {
		name := "Withhold[" + strconv.Itoa(i) + "]."
		if int(pair.Ingress) >= len(c.Ports) {
			return fault(name+"Ingress", pair.Ingress, "must be a port of the switch")
		}
		if int(pair.Egress) >= len(c.Ports) {
			return fault(name+"Egress", pair.Egress, "must be a port of the switch")
		}
	}
	const most = 1 << 30
	if err := span("ResumeLimit", &c.ResumeLimit, 0, 0, most, "must be 0 to 1073741824"); err != nil {
		return err
	}
	if c.ResumeLimit > 0 && len(c.Ports)*c.Queues > maxResumeWindows {
		return fault("ResumeLimit", c.ResumeLimit, "needs at most 1048576 queues in all")
	}
	return span("ResumePeriod", &c.ResumePeriod, 0, 0, MaxPeriod, "must be 0 to 1s")
}

func (c *Config) checkSignalling() error {
	if c.Signalling >= numSignallings {
		return fault("Signalling", c.Signalling, "must be TransitionsAndBitmap, Transitions, PeriodicBitmap or BitmapResumeAtOnce")
	}
	if err := span("Period", &c.Period, DefaultPeriod, 1, MaxPeriod, "must be 0 to 1s"); err != nil {
		return err
	}
	if c.IdleBitmaps == 0 {
		c.IdleBitmaps = DefaultIdleBitmaps
	}
	return span("QueuesPerFrame", &c.QueuesPerFrame, MaxListed, 1, MaxListed, "must be 0 to 17")
}

func (c *Config) checkService() error {
	if c.Scheduler >= numSchedulers {
		return fault("Scheduler", c.Scheduler, "must be DeficitRoundRobin or PacketRoundRobin")
	}
	if err := span("Quantum", &c.Quantum, DefaultQuantum, 1, maxQuantum, "must be 0 to 1073741824"); err != nil {
		return err
	}
	return span("Buffer", &c.Buffer, 0, 0, maxBuffer, "must be 0 to 2^50-1")
}
