package cc

import (
	"math"

	"github.com/sluicefc/sluice"
)

// MaxRate is the largest rate of a [Config], MaxSpan its longest time and MaxAmount its most bytes.
const (
	MaxRate   = 10 * sluice.Tbps
	MaxSpan   = 1000 * sluice.Second
	MaxAmount = 1000 * sluice.GB
)

func configError(field string, value any, rule string) error {
	return &sluice.ConfigError{Package: "cc", Field: field, Value: value, Rule: rule}
}

// rules collects the first error.
type rules struct{ err error }

func (r *rules) must(ok bool, field string, value any, rule string) {
	if !ok && r.err == nil {
		r.err = configError(field, value, rule)
	}
}

func (r *rules) share(field string, v sluice.Ratio) {
	r.must(v.Den > 0 && 0 < v.Num && v.Num <= v.Den, field, v, "must be above 0 and at most 1")
}

func (r *rules) shareOrZero(field string, v sluice.Ratio) {
	r.must(v.Den > 0 && 0 <= v.Num && v.Num <= v.Den, field, v, "must be 0 to 1")
}

func (r *rules) span(field string, v sluice.Time) {
	r.must(sluice.Nanosecond <= v && v <= MaxSpan, field, v, "must be 1ns to 1000s")
}

func (r *rules) amount(field string, v sluice.Bytes) {
	r.must(0 < v && v <= MaxAmount, field, v, "must be positive and at most 1000 GB")
}

func (r *rules) rate(field string, v sluice.Rate) {
	r.must(0 <= v && v <= MaxRate, field, v, "must be 0 to 10 Tb/s")
}

func (r *rules) count(field string, v int32) {
	r.must(0 <= v && v <= 1<<16, field, v, "must be 0 to 65536")
}

// check returns the first error of the configuration.
func (c *Config) check() error {
	var r rules
	r.must(c.Kind < numKinds, "Kind", c.Kind, "must be one of the kinds")
	r.must(0 <= c.Window && c.Window <= MaxAmount, "Window", c.Window, "must be 0 to 1000 GB")
	r.must(0 <= c.BaseRTT && c.BaseRTT <= MaxSpan, "BaseRTT", c.BaseRTT, "must be 0 to 1000s")
	r.must(0 <= c.Packet && c.Packet <= MaxAmount, "Packet", c.Packet, "must be 0 to 1000 GB")
	switch c.Kind {
	case DCQCN:
		c.DCQCN.check(&r)
	case DCQCNHPCC:
		c.DCQCNHPCC.check(&r)
	case Timely:
		c.Timely.check(&r)
	case TimelyPCN:
		c.TimelyPCN.check(&r)
	case HPCC:
		c.HPCC.check(&r)
		r.must(c.BaseRTT > 0 || c.HPCC.RTT > 0, "BaseRTT", c.BaseRTT, "must be positive under hpcc")
	case QCN:
		c.QCN.check(&r)
	case DCTCP:
		r.share("DCTCP.G", c.DCTCP.G)
		r.shareOrZero("DCTCP.Alpha0", c.DCTCP.Alpha0)
		r.rate("DCTCP.AI", c.DCTCP.AI)
		r.rate("DCTCP.MinRate", c.DCTCP.MinRate)
	}
	return r.err
}

func (c *DCQCNConfig) check(r *rules) {
	r.share("DCQCN.G", c.G)
	r.shareOrZero("DCQCN.Alpha0", c.Alpha0)
	r.span("DCQCN.AlphaTimer", c.AlphaTimer)
	r.span("DCQCN.RateTimer", c.RateTimer)
	r.amount("DCQCN.ByteCounter", c.ByteCounter)
	r.count("DCQCN.FastRecovery", c.FastRecovery)
	r.rate("DCQCN.AI", c.AI)
	r.rate("DCQCN.HAI", c.HAI)
	r.rate("DCQCN.MinRate", c.MinRate)
	r.span("DCQCN.NoticeSpacing", c.NoticeSpacing)
}

func (c *DCQCNHPCCConfig) check(r *rules) {
	r.share("DCQCNHPCC.G", c.G)
	r.span("DCQCNHPCC.AlphaTimer", c.AlphaTimer)
	r.span("DCQCNHPCC.DecreaseTimer", c.DecreaseTimer)
	r.span("DCQCNHPCC.IncreaseTimer", c.IncreaseTimer)
	r.count("DCQCNHPCC.FastRecovery", c.FastRecovery)
	r.rate("DCQCNHPCC.AI", c.AI)
	r.rate("DCQCNHPCC.HAI", c.HAI)
	r.rate("DCQCNHPCC.MinRate", c.MinRate)
	r.share("DCQCNHPCC.FirstRate", c.FirstRate)
}

func (c *TimelyConfig) check(r *rules) {
	r.share("Timely.EWMA", c.EWMA)
	r.share("Timely.Beta", c.Beta)
	r.span("Timely.Low", c.Low)
	r.span("Timely.High", c.High)
	r.must(c.Low <= c.High, "Timely.High", c.High, "must be at least Low")
	r.span("Timely.MinRTT", c.MinRTT)
	r.rate("Timely.AI", c.AI)
	r.rate("Timely.HAI", c.HAI)
	r.count("Timely.HAIAfter", c.HAIAfter)
	r.rate("Timely.MinRate", c.MinRate)
}

func (c *TimelyPCNConfig) check(r *rules) {
	r.share("TimelyPCN.EWMA", c.EWMA)
	r.share("TimelyPCN.Beta", c.Beta)
	r.span("TimelyPCN.Low", c.Low)
	r.span("TimelyPCN.High", c.High)
	r.must(c.Low <= c.High, "TimelyPCN.High", c.High, "must be at least Low")
	r.span("TimelyPCN.MinRTT", c.MinRTT)
	r.rate("TimelyPCN.Delta", c.Delta)
	r.count("TimelyPCN.HAIFactor", c.HAIFactor)
	r.count("TimelyPCN.HAIAfter", c.HAIAfter)
	r.rate("TimelyPCN.MinRate", c.MinRate)
	r.count("TimelyPCN.Every", c.Every)
	r.must(0 <= c.Burst && c.Burst <= MaxAmount, "TimelyPCN.Burst", c.Burst, "must be 0 to 1000 GB")
}

func (c *HPCCConfig) check(r *rules) {
	r.share("HPCC.Eta", c.Eta)
	r.rate("HPCC.AI", c.AI)
	r.count("HPCC.MaxStage", c.MaxStage)
	r.rate("HPCC.MinRate", c.MinRate)
	r.must(0 <= c.RTT && c.RTT <= MaxSpan, "HPCC.RTT", c.RTT, "must be 0 to 1000s")
	r.must(0 <= c.INTUnit && c.INTUnit <= 1<<16, "HPCC.INTUnit", c.INTUnit, "must be 0 to 65536")
}

func (c *QCNConfig) check(r *rules) {
	r.share("QCN.Gd", c.Gd)
	r.shareOrZero("QCN.MinDecrease", c.MinDecrease)
	r.span("QCN.Timer", c.Timer)
	r.amount("QCN.ByteCounter", c.ByteCounter)
	r.count("QCN.FastRecovery", c.FastRecovery)
	r.rate("QCN.AI", c.AI)
	r.rate("QCN.HAI", c.HAI)
	r.rate("QCN.MinRate", c.MinRate)
	r.must(c.Jitter.Num < c.Jitter.Den || c.Jitter.Num == 0, "QCN.Jitter", c.Jitter, "must be below 1")
	r.shareOrZero("QCN.Jitter", c.Jitter)
}

// check checks the constants of a congestion point; prefix names them.
func (c *PointConfig) check(prefix string) error {
	var r rules
	r.amount(prefix+"Setpoint", c.Setpoint)
	w := c.Weight
	r.must(0 < w.Den && 0 <= w.Num && w.Num <= min(64*w.Den, sluice.MaxRatio),
		prefix+"Weight", w, "must be 0 to 64, with a numerator of at most 2^20")
	r.amount(prefix+"Base", c.Base)
	r.must(c.Jitter.Num < c.Jitter.Den, prefix+"Jitter", c.Jitter, "must be below 1")
	r.shareOrZero(prefix+"Jitter", c.Jitter)
	return r.err
}

// constants returns the configuration in the form in which it is used.
func (c *Config) constants() (k constants) {
	k.burst = 0
	switch c.Kind {
	case DCQCN:
		k.gain, k.alpha0 = float(c.DCQCN.G), float(c.DCQCN.Alpha0)
		k.recovery = recoveryConstants{
			threshold: int64(c.DCQCN.FastRecovery), timer: int64(c.DCQCN.RateTimer),
			bytes: int64(c.DCQCN.ByteCounter), capTarget: c.DCQCN.CapTarget,
		}
		if c.DCQCN.HalveInHyper {
			k.recovery.halve = inHyper
		}
	case DCQCNHPCC:
		k.gain, k.cut = float(c.DCQCNHPCC.G), float(c.DCQCNHPCC.FirstRate)
	case Timely:
		k.weight, k.beta = float(c.Timely.EWMA), float(c.Timely.Beta)
		k.minRTT = float64(c.Timely.MinRTT)
	case TimelyPCN:
		k.weight, k.beta = float(c.TimelyPCN.EWMA), float(c.TimelyPCN.Beta)
		k.minRTT, k.burst = float64(c.TimelyPCN.MinRTT), int64(c.TimelyPCN.Burst)
	case HPCC:
		k.eta, k.rtt = float(c.HPCC.Eta), float64(c.HPCC.RTT)
		if c.HPCC.RTT == 0 {
			k.rtt = float64(c.BaseRTT)
		}
	case QCN:
		k.cut, k.least = float(c.QCN.Gd), float(c.QCN.MinDecrease)
		k.recovery = recoveryConstants{
			threshold: int64(c.QCN.FastRecovery), timer: int64(c.QCN.Timer),
			bytes: int64(c.QCN.ByteCounter), capTarget: true, halve: ownStage,
			jitter: fixed32(c.QCN.Jitter), seed: c.Seed,
		}
	case DCTCP:
		k.gain, k.alpha0 = float(c.DCTCP.G), float(c.DCTCP.Alpha0)
	}
	k.decay, k.keep = 1-k.gain, 1-k.weight
	return k
}

// classOf returns the constants of a line rate.
func (c *Control) classOf(line sluice.Rate) uint16 {
	for i := range c.classes {
		if c.classes[i].line == line {
			return uint16(i)
		}
	}
	if len(c.classes) > math.MaxUint16 {
		return 0
	}
	c.classes = append(c.classes, c.config.class(line))
	return uint16(len(c.classes) - 1)
}

// class returns the constants of a line rate: those that are given, or published ones scaled to it.
func (c *Config) class(line sluice.Rate) class {
	k := class{line: line, packet: line.TimeOf(c.Packet)}
	switch c.Kind {
	case DCQCN:
		k.ai, k.hai, k.least = or(c.DCQCN.AI, line/1000), or(c.DCQCN.HAI, line/200), c.DCQCN.MinRate
	case DCQCNHPCC:
		d := &c.DCQCNHPCC
		k.ai, k.hai, k.least = or(d.AI, line/5000), or(d.HAI, line/500), or(d.MinRate, line/100)
	case Timely:
		t := &c.Timely
		k.ai, k.hai, k.least = or(t.AI, line/1000), or(t.HAI, line/200), or(t.MinRate, line/100)
	case TimelyPCN:
		k.ai = or(c.TimelyPCN.Delta, line/1000)
		k.hai = k.ai * sluice.Rate(c.TimelyPCN.HAIFactor)
		k.least = or(c.TimelyPCN.MinRate, line/100)
	case HPCC:
		k.ai, k.least = or(c.HPCC.AI, line/2500), or(c.HPCC.MinRate, line/100)
		rtt := c.HPCC.RTT
		if rtt == 0 {
			rtt = c.BaseRTT
		}
		k.drain = float64(line) / float64(or(c.Window, line.BDP(rtt)))
	case QCN:
		k.ai, k.hai, k.least = c.QCN.AI, c.QCN.HAI, c.QCN.MinRate
	case DCTCP:
		k.ai, k.least = or(c.DCTCP.AI, line/100_000*615), or(c.DCTCP.MinRate, line/100)
	}
	k.least = max(1, min(k.least, line))
	return k
}

// or returns v, or otherwise if v is 0, which means that it is not given.
func or[T sluice.Rate | sluice.Bytes](v, otherwise T) T {
	if v != 0 {
		return v
	}
	return max(1, otherwise)
}

func float(r sluice.Ratio) float64 { return float64(r.Num) / float64(r.Den) }

// fixed32 returns r, which is below 1, in units of 2^-32.
func fixed32(r sluice.Ratio) uint64 { return uint64(float64(float(r) * (1 << 32))) }
