package cc

import "github.com/sluicefc/sluice"

// noticeQCN cuts the rate of flow i by the feedback of a switch (IEEE 802.1Q, clause 30.2).
func (c *Control) noticeQCN(now sluice.Time, i int32, feedback uint8) {
	f, r, k := &c.flows[i], &c.qcn[i], &c.constant
	c.advanceRecovery(now, i, r)
	if !f.notified {
		f.notified = true
		r.rearm(&k.recovery)
	}
	if r.byteStage != 0 { // several notices in a row keep the target
		r.target = f.rate
		r.rearm(&k.recovery)
	}
	c.cut(f, max(k.least, 1-float64(k.cut*float64(min(feedback, MaxFeedback)))))
	r.restart(now, &k.recovery)
	c.plan(f, r)
}
