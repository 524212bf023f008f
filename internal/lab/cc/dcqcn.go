package cc

import "github.com/sluicefc/sluice"

// dcqcnFlow is DCQCN's reaction point (SIGCOMM 2015, section 3.1).
type dcqcnFlow struct {
	recovery
	receiver
	alpha   float64
	alphaAt sluice.Time
}

// noticeDCQCN cuts the rate.
func (c *Control) noticeDCQCN(now sluice.Time, i int32) {
	f, d := &c.flows[i], &c.dcqcn[i]
	c.advanceRecovery(now, i, &d.recovery)
	if !f.notified {
		f.notified = true
		d.alpha, d.alphaAt = c.constant.alpha0, sluice.Never
		d.rearm(&c.constant.recovery)
	}
	d.decay(now, c)
	c.clampDCQCN(f, d)
	if c.config.DCQCN.UpdateFirst {
		d.raise(c)
		c.cut(f, 1-d.alpha/2)
	} else {
		c.cut(f, 1-d.alpha/2)
		d.raise(c)
	}
	c.restartDCQCN(now, f, d)
}

// holdDCQCN holds the rate for a few steps, as TCD's sender does where congestion is undetermined:
// the target comes down to the rate, alpha stays, and recovery begins anew. Before the first cut no
// timer runs, and there is nothing to hold.
func (c *Control) holdDCQCN(now sluice.Time, i int32) {
	f, d := &c.flows[i], &c.dcqcn[i]
	if !f.notified {
		return
	}
	c.advanceRecovery(now, i, &d.recovery)
	d.decay(now, c)
	c.clampDCQCN(f, d)
	c.restartDCQCN(now, f, d)
}

// clampDCQCN sets the target to the rate, where the configuration says so.
func (c *Control) clampDCQCN(f *flow, d *dcqcnFlow) {
	k := &c.config.DCQCN
	if k.Clamp || d.byteStage != 0 || k.ClampStages && d.timeStage != 0 {
		d.target = f.rate
		d.rearm(&c.constant.recovery)
	}
}

// restartDCQCN begins fast recovery and restarts both timers.
func (c *Control) restartDCQCN(now sluice.Time, f *flow, d *dcqcnFlow) {
	d.alphaAt = now.Add(c.config.DCQCN.AlphaTimer)
	d.restart(now, &c.constant.recovery)
	c.plan(f, &d.recovery)
}

// raise is alpha's answer to a notice.
func (d *dcqcnFlow) raise(c *Control) {
	d.alpha = float64(c.constant.decay*d.alpha) + c.constant.gain
}

// decay applies the ends of alpha's timer up to now.
func (d *dcqcnFlow) decay(now sluice.Time, c *Control) {
	d.alpha, d.alphaAt = decayed(d.alpha, d.alphaAt, now, c.config.DCQCN.AlphaTimer, c.constant.decay)
}

// decayed applies the ends of a timer that multiplies alpha, from the one at an instant up to now,
// and returns alpha and the next end. An alpha so small that no rate and no later alpha shows it is
// 0, so that the time this takes is bounded.
func decayed(alpha float64, at, now, period sluice.Time, decay float64) (float64, sluice.Time) {
	for ; at <= now; at = at.Add(period) {
		alpha = float64(alpha * decay)
		if alpha < negligible {
			return 0, at + ((now-at)/period+1)*period
		}
	}
	return alpha, at
}

const negligible = 0x1p-200
