package cc

import (
	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/params"
)

// DCQCNHPCC is DCQCN as in the ns-3 code of HPCC, after Mellanox network cards.
var DCQCNHPCC = &Kind{
	Name: "dcqcn-hpcc", Signals: Marks | Echoes, Detector: "ecn",
	law: func() law { return new(dcqcnHPCC) },
}

type dcqcnHPCC struct {
	each[dcqcnHPCCFlow]
	g, firstRate                             sluice.Ratio
	alphaTimer, decreaseTimer, increaseTimer sluice.Time
	fastRecovery                             int32
	ai, hai, minRate                         sluice.Rate
	clamp                                    bool

	gain, decay, first float64
}

// dcqcnHPCCFlow is the reaction point: marks set flags, and timers that run freely from the first
// mark on look at them.
type dcqcnHPCCFlow struct {
	target                          sluice.Rate
	alpha                           float64
	alphaAt, decreaseAt, increaseAt sluice.Time
	stage                           int32
	alphaMarked, decreaseMarked     bool // a mark came since the timer's last end
}

func (k *dcqcnHPCC) parameters() []params.Field {
	return []params.Field{
		share("dcqcn-hpcc.g", &k.g, "1/256", "gain of alpha"),
		span("dcqcn-hpcc.alpha-timer", &k.alphaTimer, "1us",
			"timer of alpha; 50us in the authors' dcqcn_paper"),
		span("dcqcn-hpcc.decrease-timer", &k.decreaseTimer, "4us",
			"timer of decreases; 50us in dcqcn_paper"),
		span("dcqcn-hpcc.increase-timer", &k.increaseTimer, "300us",
			"timer of increases; 55us in dcqcn_paper"),
		count("dcqcn-hpcc.fast-recovery", &k.fastRecovery, "1", "steps of fast recovery (F)"),
		rate("dcqcn-hpcc.ai", &k.ai, "",
			"additive increase; unset: 1/5000 of the line rate, 20Mb/s at 100Gb/s"),
		rate("dcqcn-hpcc.hai", &k.hai, "",
			"hyper increase; unset: 1/500 of the line rate, 200Mb/s at 100Gb/s"),
		rate("dcqcn-hpcc.min-rate", &k.minRate, "", "least rate; unset: 1/100 of the line rate"),
		share("dcqcn-hpcc.first-rate", &k.firstRate, "1",
			"share of the rate that the first mark leaves"),
		params.Bind("dcqcn-hpcc.clamp", &k.clamp, "off",
			"a decrease right after another sets the target to the rate too"),
	}
}

func (k *dcqcnHPCC) prepare() error {
	k.gain, k.first = float(k.g), float(k.firstRate)
	k.decay = 1 - k.gain
	return nil
}

func (k *dcqcnHPCC) class(line sluice.Rate) class {
	return class{
		ai: or(k.ai, line/5000), hai: or(k.hai, line/500), least: or(k.minRate, line/100),
	}
}

func (k *dcqcnHPCC) start(_ sluice.Time, i int32) {
	k.state[i] = dcqcnHPCCFlow{target: k.flows[i].rate}
}

func (k *dcqcnHPCC) ack(now sluice.Time, i int32, s *Sample) {
	if s.Mark != sluice.CE {
		return
	}
	f, d := &k.flows[i], &k.state[i]
	if !f.notified {
		f.notified = true
		f.rate = sluice.Rate(float64(f.rate) * k.first)
		*d = dcqcnHPCCFlow{
			target: f.rate, alpha: 1, increaseAt: sluice.Never, decreaseMarked: true,
			alphaAt: now.Add(k.alphaTimer),
			// After the end of the alpha timer at the same instant.
			decreaseAt: now.Add(k.decreaseTimer + sluice.Nanosecond),
		}
		f.changes = d.decreaseAt
		return
	}
	if now >= f.changes {
		k.advance(now, i)
	}
	d.decay(now, k)
	d.alphaMarked = true
	if late := now - d.decreaseAt; late >= 0 {
		d.decreaseAt += (late/k.decreaseTimer + 1) * k.decreaseTimer
	}
	d.decreaseMarked = true
	f.changes = min(f.changes, d.decreaseAt)
}

// advance applies the ends of the timers up to now, in their order.
func (k *dcqcnHPCC) advance(now sluice.Time, i int32) {
	f, d := &k.flows[i], &k.state[i]
	for f.changes <= now {
		if d.increaseAt <= now && (!d.decreaseMarked || d.increaseAt <= d.decreaseAt) {
			k.increase(now, f, d)
		} else {
			k.decrease(f, d)
		}
		f.changes = d.increaseAt
		if line := k.classes[f.class].line; f.rate == line && d.target == line {
			f.changes = sluice.Never
		}
		if d.decreaseMarked {
			f.changes = min(f.changes, d.decreaseAt)
		}
	}
}

// decrease is the end of the decrease timer after a mark.
func (k *dcqcnHPCC) decrease(f *flow, d *dcqcnHPCCFlow) {
	d.decay(d.decreaseAt, k)
	if k.clamp || d.stage != 0 {
		d.target = f.rate
	}
	k.cut(f, 1-d.alpha/2)
	d.stage, d.decreaseMarked = 0, false
	d.increaseAt = d.decreaseAt.Add(k.increaseTimer)
	d.decreaseAt = d.decreaseAt.Add(k.decreaseTimer)
}

// increase is the end of the increase timer, or all ends up to now if the flow is at line
// rate: they change nothing there but the stage, which the next decrease resets.
func (k *dcqcnHPCC) increase(now sluice.Time, f *flow, d *dcqcnHPCCFlow) {
	class := &k.classes[f.class]
	if f.rate == class.line && d.target == class.line {
		d.increaseAt += ((now-d.increaseAt)/k.increaseTimer + 1) * k.increaseTimer
		return
	}
	switch {
	case d.stage == k.fastRecovery:
		d.target += class.ai
	case d.stage > k.fastRecovery:
		d.target += class.hai
	}
	d.target = min(d.target, class.line)
	f.rate = halfway(f.rate, d.target)
	d.stage = min(d.stage+1, k.fastRecovery+1) // hyper increase from there on
	d.increaseAt = d.increaseAt.Add(k.increaseTimer)
}

// decay applies the ends of alpha's timer up to now.
func (d *dcqcnHPCCFlow) decay(now sluice.Time, k *dcqcnHPCC) {
	if d.alphaMarked && d.alphaAt <= now {
		d.alpha = float64(k.decay*d.alpha) + k.gain
		d.alphaAt = d.alphaAt.Add(k.alphaTimer)
		d.alphaMarked = false
	}
	d.alpha, d.alphaAt = decayed(d.alpha, d.alphaAt, now, k.alphaTimer, k.decay)
}
