package cc

import (
	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/check"
)

// MaxRate is the largest rate of a [Config], MaxSpan its longest time and MaxAmount its most bytes.
const (
	MaxRate   = 10 * sluice.Tbps
	MaxSpan   = 1000 * sluice.Second
	MaxAmount = 1000 * sluice.GB
)

// rules are those that several fields share.
type rules struct{ *check.Config }

func (r rules) share(field string, v sluice.Ratio) {
	r.That(v.Den > 0 && 0 < v.Num && v.Num <= v.Den, v, "must be above 0 and at most 1", field)
}

// exactShare is the share of a rule that reckons with whole numbers.
func (r rules) exactShare(field string, v sluice.Ratio) {
	r.share(field, v)
	r.That(v.Valid(), v, "must have terms of at most 2^20", field)
}

func (r rules) shareOrZero(field string, v sluice.Ratio) {
	r.That(v.Den > 0 && 0 <= v.Num && v.Num <= v.Den, v, "must be 0 to 1", field)
}

func (r rules) belowOne(field string, v sluice.Ratio) {
	r.That(v.Den > 0 && 0 <= v.Num && v.Num < v.Den, v, "must be at least 0 and below 1", field)
}

func (r rules) span(field string, v sluice.Time) {
	r.That(sluice.Nanosecond <= v && v <= MaxSpan, v, "must be 1ns to 1000s", field)
}

func (r rules) spanOrZero(field string, v sluice.Time) {
	r.That(0 <= v && v <= MaxSpan, v, "must be 0 to 1000s", field)
}

func (r rules) amount(field string, v sluice.Bytes) {
	r.That(0 < v && v <= MaxAmount, v, "must be positive and at most 1000 GB", field)
}

func (r rules) amountOrZero(field string, v sluice.Bytes) {
	r.That(0 <= v && v <= MaxAmount, v, "must be 0 to 1000 GB", field)
}

func (r rules) rate(field string, v sluice.Rate) {
	r.That(0 <= v && v <= MaxRate, v, "must be 0 to 10 Tb/s", field)
}

func (r rules) count(field string, v int32) {
	r.That(0 <= v && v <= 1<<16, v, "must be 0 to 65536", field)
}

// check returns the first error of the configuration.
func (c *Config) check() error {
	r := rules{check.Of("cc")}
	r.That(c.Kind < numKinds, c.Kind, "must be one of the kinds", "Kind")
	r.amountOrZero("Window", c.Window)
	r.spanOrZero("BaseRTT", c.BaseRTT)
	r.amountOrZero("Packet", c.Packet)
	switch c.Kind.family() {
	case DCQCN:
		c.DCQCN.check(r)
	case DCQCNHPCC:
		c.DCQCNHPCC.check(r)
	case Timely:
		c.Timely.check(r)
	case TimelyPCN:
		c.TimelyPCN.check(r)
	case HPCC:
		c.HPCC.check(r)
		r.That(c.BaseRTT > 0 || c.HPCC.RTT > 0, c.BaseRTT, "must be positive under hpcc", "BaseRTT")
	case QCN:
		c.QCN.check(r)
	case DCTCP:
		r.share("DCTCP.G", c.DCTCP.G)
		r.shareOrZero("DCTCP.Alpha0", c.DCTCP.Alpha0)
		r.rate("DCTCP.AI", c.DCTCP.AI)
		r.rate("DCTCP.MinRate", c.DCTCP.MinRate)
	case IBCC:
		c.IBCC.check(r)
	case PCN:
		c.PCN.check(r)
	}
	return r.Err()
}

func (c *DCQCNConfig) check(r rules) {
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
	r.shareOrZero("DCQCN.NoticeShare", c.NoticeShare)
}

func (c *DCQCNHPCCConfig) check(r rules) {
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

func (c *TimelyConfig) check(r rules) {
	r.share("Timely.EWMA", c.EWMA)
	r.share("Timely.Beta", c.Beta)
	r.span("Timely.Low", c.Low)
	r.span("Timely.High", c.High)
	r.That(c.Low <= c.High, c.High, "must be at least Low", "Timely.High")
	r.span("Timely.MinRTT", c.MinRTT)
	r.rate("Timely.AI", c.AI)
	r.rate("Timely.HAI", c.HAI)
	r.count("Timely.HAIAfter", c.HAIAfter)
	r.rate("Timely.MinRate", c.MinRate)
}

func (c *TimelyPCNConfig) check(r rules) {
	r.share("TimelyPCN.EWMA", c.EWMA)
	r.share("TimelyPCN.Beta", c.Beta)
	r.span("TimelyPCN.Low", c.Low)
	r.span("TimelyPCN.High", c.High)
	r.That(c.Low <= c.High, c.High, "must be at least Low", "TimelyPCN.High")
	r.span("TimelyPCN.MinRTT", c.MinRTT)
	r.rate("TimelyPCN.Delta", c.Delta)
	r.count("TimelyPCN.HAIFactor", c.HAIFactor)
	r.count("TimelyPCN.HAIAfter", c.HAIAfter)
	r.rate("TimelyPCN.MinRate", c.MinRate)
	r.count("TimelyPCN.Every", c.Every)
	r.amountOrZero("TimelyPCN.Burst", c.Burst)
}

func (c *HPCCConfig) check(r rules) {
	r.share("HPCC.Eta", c.Eta)
	r.rate("HPCC.AI", c.AI)
	r.count("HPCC.MaxStage", c.MaxStage)
	r.rate("HPCC.MinRate", c.MinRate)
	r.spanOrZero("HPCC.RTT", c.RTT)
	r.count("HPCC.INTUnit", c.INTUnit)
}

func (c *QCNConfig) check(r rules) {
	r.share("QCN.Gd", c.Gd)
	r.shareOrZero("QCN.MinDecrease", c.MinDecrease)
	r.span("QCN.Timer", c.Timer)
	r.amount("QCN.ByteCounter", c.ByteCounter)
	r.count("QCN.FastRecovery", c.FastRecovery)
	r.rate("QCN.AI", c.AI)
	r.rate("QCN.HAI", c.HAI)
	r.rate("QCN.MinRate", c.MinRate)
	r.belowOne("QCN.Jitter", c.Jitter)
}

func (c *IBCCConfig) check(r rules) {
	r.count("IBCC.Increase", c.Increase)
	r.count("IBCC.Limit", c.Limit)
	r.count("IBCC.Min", c.Min)
	r.That(c.Min <= c.Limit, c.Min, "must be at most Limit", "IBCC.Min")
	r.span("IBCC.Timer", c.Timer)
	r.exactShare("IBCC.Step", c.Step)
	r.spanOrZero("IBCC.NoticeSpacing", c.NoticeSpacing)
}

func (c *PCNConfig) check(r rules) {
	r.span("PCN.Period", c.Period)
	r.exactShare("PCN.Share", c.Share)
	r.exactShare("PCN.WMin", c.WMin)
	r.exactShare("PCN.WMax", c.WMax)
	r.rate("PCN.MinRate", c.MinRate)
	r.That(c.WMin.Num*c.WMax.Den <= c.WMax.Num*c.WMin.Den, c.WMin, "must be at most WMax", "PCN.WMin")
}

// check checks the constants of a congestion point.
func (c *PointConfig) check() error {
	r := rules{check.Of("cc")}
	r.amount("QCN.Point.Setpoint", c.Setpoint)
	w := c.Weight
	r.That(0 < w.Den && 0 <= w.Num && w.Num <= min(64*w.Den, sluice.MaxRatio), w,
		"must be 0 to 64, with a numerator of at most 2^20", "QCN.Point.Weight")
	r.amount("QCN.Point.Base", c.Base)
	r.belowOne("QCN.Point.Jitter", c.Jitter)
	return r.Err()
}
