package cc

import "github.com/sluicefc/sluice"

// dcqcnHPCCFlow is the reaction point of DCQCN as in the ns-3 code of HPCC: marks set flags, and
// timers that run freely from the first mark on look at them.
type dcqcnHPCCFlow struct {
	target                          sluice.Rate
	alpha                           float64
	alphaAt, decreaseAt, increaseAt sluice.Time
	stage                           int32
	alphaMarked, decreaseMarked     bool // since the timer's last end
}

// noticeDCQCNHPCC takes a mark.
func (c *Control) noticeDCQCNHPCC(now sluice.Time, i int32) {
	f, d, k := &c.flows[i], &c.dcqcnHPCC[i], &c.config.DCQCNHPCC
	if !f.notified {
		f.notified = true
		f.rate = sluice.Rate(float64(f.rate) * c.constant.cut)
		*d = dcqcnHPCCFlow{
			target: f.rate, alpha: 1, increaseAt: sluice.Never, decreaseMarked: true,
			alphaAt: now.Add(k.AlphaTimer),
			// After the end of the alpha timer at the same instant.
			decreaseAt: now.Add(k.DecreaseTimer + sluice.Nanosecond),
		}
		f.changes = d.decreaseAt
		return
	}
	if now >= f.changes {
		c.advanceDCQCNHPCC(now, i)
	}
	d.decay(now, c)
	d.alphaMarked = true
	if late := now - d.decreaseAt; late >= 0 {
		d.decreaseAt += (late/k.DecreaseTimer + 1) * k.DecreaseTimer
	}
	d.decreaseMarked = true
	f.changes = min(f.changes, d.decreaseAt)
}

// advanceDCQCNHPCC applies the ends of the timers up to now, in their order.
func (c *Control) advanceDCQCNHPCC(now sluice.Time, i int32) {
	f, d := &c.flows[i], &c.dcqcnHPCC[i]
	for f.changes <= now {
		if d.increaseAt <= now && (!d.decreaseMarked || d.increaseAt <= d.decreaseAt) {
			c.increaseDCQCNHPCC(now, f, d)
		} else {
			c.decreaseDCQCNHPCC(f, d)
		}
		f.changes = d.increaseAt
		if line := c.classes[f.class].line; f.rate == line && d.target == line {
			f.changes = sluice.Never
		}
		if d.decreaseMarked {
			f.changes = min(f.changes, d.decreaseAt)
		}
	}
}

// decreaseDCQCNHPCC is the end of the decrease timer after a mark.
func (c *Control) decreaseDCQCNHPCC(f *flow, d *dcqcnHPCCFlow) {
	k := &c.config.DCQCNHPCC
	d.decay(d.decreaseAt, c)
	if k.Clamp || d.stage != 0 {
		d.target = f.rate
	}
	c.cut(f, 1-d.alpha/2)
	d.stage, d.decreaseMarked = 0, false
	d.increaseAt = d.decreaseAt.Add(k.IncreaseTimer)
	d.decreaseAt = d.decreaseAt.Add(k.DecreaseTimer)
}

// increaseDCQCNHPCC is the end of the increase timer, or all ends up to now if the flow is at line
// rate: they change nothing there but the stage, which the next decrease resets.
func (c *Control) increaseDCQCNHPCC(now sluice.Time, f *flow, d *dcqcnHPCCFlow) {
	k, class := &c.config.DCQCNHPCC, &c.classes[f.class]
	if f.rate == class.line && d.target == class.line {
		d.increaseAt += ((now-d.increaseAt)/k.IncreaseTimer + 1) * k.IncreaseTimer
		return
	}
	switch {
	case d.stage == k.FastRecovery:
		d.target += class.ai
	case d.stage > k.FastRecovery:
		d.target += class.hai
	}
	d.target = min(d.target, class.line)
	f.rate = halfway(f.rate, d.target)
	d.stage = min(d.stage+1, k.FastRecovery+1) // hyper increase from there on
	d.increaseAt = d.increaseAt.Add(k.IncreaseTimer)
}

// decay applies the ends of alpha's timer up to now.
func (d *dcqcnHPCCFlow) decay(now sluice.Time, c *Control) {
	period := c.config.DCQCNHPCC.AlphaTimer
	if d.alphaMarked && d.alphaAt <= now {
		d.alpha = float64(c.constant.decay*d.alpha) + c.constant.gain
		d.alphaAt = d.alphaAt.Add(period)
		d.alphaMarked = false
	}
	d.alpha, d.alphaAt = decayed(d.alpha, d.alphaAt, now, period, c.constant.decay)
}
