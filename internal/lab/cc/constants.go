package cc

import (
	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/pcn"
)

// constants returns the configuration in the form in which it is used.
func (c *Config) constants() (k constants) {
	switch c.Kind.family() {
	case DCQCN:
		k.gain, k.alpha0 = float(c.DCQCN.G), float(c.DCQCN.Alpha0)
		k.recovery = recoveryConstants{
			threshold: int64(c.DCQCN.FastRecovery), hyperFrom: int64(c.DCQCN.FastRecovery),
			timer: int64(c.DCQCN.RateTimer),
			bytes: int64(c.DCQCN.ByteCounter), capTarget: c.DCQCN.CapTarget,
		}
		if c.DCQCN.HyperPastF {
			k.recovery.hyperFrom++
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
		k.rtt = float64(or(c.HPCC.RTT, c.BaseRTT))
		k.perEta, k.perRTT = 1/float(c.HPCC.Eta), 1/k.rtt
	case QCN:
		k.cut, k.least = float(c.QCN.Gd), float(c.QCN.MinDecrease)
		k.recovery = recoveryConstants{
			threshold: int64(c.QCN.FastRecovery), hyperFrom: int64(c.QCN.FastRecovery),
			timer: int64(c.QCN.Timer),
			bytes: int64(c.QCN.ByteCounter), capTarget: true, halve: ownStage,
			jitter: fixed32(c.QCN.Jitter), seed: c.Seed,
		}
	case DCTCP:
		k.gain, k.alpha0 = float(c.DCTCP.G), float(c.DCTCP.Alpha0)
	case PCN:
		k.notification = c.PCN.notification()
	}
	k.decay, k.keep = 1-k.gain, 1-k.weight
	return k
}

// classOf returns the constants of a line rate.
func (c *Control) classOf(line sluice.Rate) uint32 {
	for i := range c.classes {
		if c.classes[i].line == line {
			return uint32(i)
		}
	}
	c.classes = append(c.classes, c.config.class(line))
	return uint32(len(c.classes) - 1)
}

// class returns the constants of a line rate: those that are given, or published ones scaled to it.
func (c *Config) class(line sluice.Rate) class {
	k := class{line: line, packet: line.TimeOf(c.Packet)}
	switch c.Kind.family() {
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
		window := or(c.Window, line.BDP(or(c.HPCC.RTT, c.BaseRTT)))
		k.drain = float64(line) / float64(window)
	case QCN:
		k.ai, k.hai, k.least = c.QCN.AI, c.QCN.HAI, c.QCN.MinRate
	case DCTCP:
		k.ai, k.least = or(c.DCTCP.AI, line/100_000*615), or(c.DCTCP.MinRate, line/100)
	case PCN:
		k.least = or(c.PCN.MinRate, pcn.DefaultMinRate)
		k.reaction = c.PCN.reaction(line, max(1, min(k.least, line)))
	}
	k.least = max(1, min(k.least, line))
	return k
}

// or returns v, or otherwise if v is 0, which means that it is not given.
func or[T sluice.Rate | sluice.Bytes | sluice.Time](v, otherwise T) T {
	if v != 0 {
		return v
	}
	return max(1, otherwise)
}

func float(r sluice.Ratio) float64 { return float64(r.Num) / float64(r.Den) }

// fixed32 returns r, which is below 1, in units of 2^-32.
func fixed32(r sluice.Ratio) uint64 { return uint64(float64(float(r) * (1 << 32))) }
