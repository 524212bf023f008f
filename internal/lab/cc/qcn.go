package cc

import (
	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/params"
)

// QCN is QCN (IEEE 802.1Q, clause 30): notices of switches, see [CongestionPoint].
var QCN = &Kind{Name: "qcn", Signals: Feedback, law: func() law { return new(qcn) }}

type qcn struct {
	each[recovery]
	gd, minDecrease, jitter sluice.Ratio
	timer                   sluice.Time
	byteCounter             sluice.Bytes
	fastRecovery            int32
	ai, hai, minRate        sluice.Rate
	point                   PointConfig

	recovery recoveryConstants
}

func (k *qcn) parameters() []params.Field {
	return append(params.Checked(&k.point, k.point.check,
		params.Bind("qcn.setpoint", &k.point.Setpoint, "26000B",
			"queue at which a switch sends no notices (cpQSp)"),
		params.Bind("qcn.weight", &k.point.Weight, "2", "weight of the change of the queue (w)"),
		params.Bind("qcn.base", &k.point.Base, "150kB",
			"bytes between samples at least congestion (cpSampleBase)")),
		share("qcn.gd", &k.gd, "1/128",
			"share of the rate that a unit of feedback takes (rpgGd)"),
		shareOrZero("qcn.min-decrease", &k.minDecrease, "1/2",
			"share of the rate that a notice leaves at least (rpgMinDecFac)"),
		span("qcn.timer", &k.timer, "15ms", "timer of increases (rpgTimeReset)"),
		amount("qcn.byte-counter", &k.byteCounter, "150kB", "bytes of an increase (rpgByteReset)"),
		count("qcn.fast-recovery", &k.fastRecovery, "5", "steps of fast recovery (rpgThreshold)"),
		rate("qcn.ai", &k.ai, "5Mbps", "additive increase (rpgAiRate)"),
		rate("qcn.hai", &k.hai, "50Mbps", "hyper increase (rpgHaiRate)"),
		rate("qcn.min-rate", &k.minRate, "10Mbps", "least rate (rpgMinRate)"),
		params.Bind("qcn.jitter", &k.jitter, "15%",
			"share by which timer, counter and sampling vary").Range("", "<1"),
	)
}

func (k *qcn) prepare() error {
	k.recovery = recoveryConstants{
		threshold: int64(k.fastRecovery), hyperFrom: int64(k.fastRecovery), timer: int64(k.timer),
		bytes: int64(k.byteCounter), capTarget: true, halve: ownStage, jitter: fixed32(k.jitter),
		seed: k.config.Seed,
	}
	k.point.Jitter = k.jitter
	return k.config.Values.Explain(k.point.check(), k.parameters())
}

func (k *qcn) class(sluice.Rate) class { return class{ai: k.ai, hai: k.hai, least: k.minRate} }

func (k *qcn) start(_ sluice.Time, i int32) {
	k.state[i] = newRecovery(k.flows[i].rate, k.stream)
}

func (k *qcn) sent(now sluice.Time, i int32, size int64) {
	k.countBytes(now, i, &k.state[i], &k.recovery, size)
}

func (k *qcn) advance(now sluice.Time, i int32) { k.recover(now, i, &k.state[i], &k.recovery) }

// notice cuts the rate of flow i by the feedback of a switch (IEEE 802.1Q, clause 30.2).
func (k *qcn) notice(now sluice.Time, i int32, n Notice) bool {
	if n.Feedback == 0 {
		return false
	}
	f, r := &k.flows[i], &k.state[i]
	k.advance(now, i)
	if !f.notified {
		f.notified = true
		r.rearm(&k.recovery)
	}
	if r.byteStage != 0 { // several notices in a row keep the target
		r.target = f.rate
		r.rearm(&k.recovery)
	}
	k.cut(f, max(float(k.minDecrease),
		1-float64(float(k.gd)*float64(min(n.Feedback, MaxFeedback)))))
	r.restart(now, &k.recovery)
	k.plan(f, r)
	return true
}
