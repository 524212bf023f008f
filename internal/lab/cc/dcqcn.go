package cc

import (
	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/params"
)

// DCQCN is DCQCN (SIGCOMM 2015), DCQCNTCD is DCQCN on ternary marks.
var (
	DCQCN = &Kind{
		Name: "dcqcn", Signals: Marks | Notices, Detector: "ecn",
		law: func() law { return new(dcqcn) },
	}
	DCQCNTCD = &Kind{
		Name: "dcqcn+tcd", Signals: DCQCN.Signals | Ternary, Detector: "tcd",
		base: DCQCN, law: DCQCN.law,
	}
)

type dcqcn struct {
	each[dcqcnFlow]
	g, alpha0              sluice.Ratio
	alphaTimer, rateTimer  sluice.Time
	byteCounter            sluice.Bytes
	fastRecovery           int32
	ai, hai, minRate       sluice.Rate
	updateFirst            bool // alpha is updated before the cut, not after it
	clamp                  string
	capTarget, halve, past bool
	window                 bool // the receiver looks once per interval, not at once
	spacing                sluice.Time
	noticeShare            sluice.Ratio

	gain, decay float64 // alpha *= decay; alpha += gain
	recovery    recoveryConstants
}

// dcqcnFlow is DCQCN's reaction point (SIGCOMM 2015, section 3.1), and the receiver.
type dcqcnFlow struct {
	recovery
	receiver
	alpha   float64
	alphaAt sluice.Time
}

func (d *dcqcn) parameters() []params.Field {
	return []params.Field{
		share("dcqcn.g", &d.g, "1/256", "gain of alpha"),
		shareOrZero("dcqcn.alpha0", &d.alpha0, "1", "alpha at the first notice; 1/2 in public code"),
		span("dcqcn.alpha-timer", &d.alphaTimer, "55us",
			"time without a notice after which alpha decays (K)"),
		span("dcqcn.rate-timer", &d.rateTimer, "55us", "timer of increases (T)"),
		amount("dcqcn.byte-counter", &d.byteCounter, "10MB", "bytes of an increase (B)"),
		count("dcqcn.fast-recovery", &d.fastRecovery, "5", "steps of fast recovery (F)"),
		rate("dcqcn.ai", &d.ai, "",
			"additive increase (R_AI); unset: 1/1000 of the line rate, 40Mb/s at 40Gb/s"),
		rate("dcqcn.hai", &d.hai, "",
			"hyper increase (R_HAI); unset: 1/200 of the line rate, 200Mb/s at 40Gb/s"),
		rate("dcqcn.min-rate", &d.minRate, "100Mbps", "least rate"),
		params.Bind("dcqcn.order", &d.updateFirst, "cut-first",
			"cut the rate, then raise alpha; in public code alpha is first").
			Of("cut-first", "update-first"),
		params.Bind("dcqcn.clamp", &d.clamp, "always",
			"whether a notice sets the target to the rate: always, or after a stage").
			Of("always", "byte-stage", "any-stage"),
		params.Bind("dcqcn.cap-target", &d.capTarget, "on",
			"the target is at most the line rate; off in TCD's code"),
		params.Bind("dcqcn.halve-in-hyper", &d.halve, "on",
			"timer and counter are halved in hyper increase"),
		params.Bind("dcqcn.hyper", &d.past, "from-f",
			"hyper increase begins when timer and counter have both had F steps, as in public code, or "+
				"with the next step, as in the paper").Of("from-f", "past-f"),
		params.Bind("dcqcn.np", &d.window, "at-once",
			"a receiver sends a notice at once, or at the end of each dcqcn.cnp").
			Of("at-once", "interval"),
		span("dcqcn.cnp", &d.spacing, "50us", "least time between the notices of a flow (N)"),
		shareOrZero("dcqcn.np-share", &d.noticeShare, "0",
			"with dcqcn.np=interval, the share of an interval's packets that must be marked; PCN has "+
				"19/20"),
	}
}

func (d *dcqcn) prepare() error {
	d.gain = float(d.g)
	d.decay = 1 - d.gain
	d.recovery = recoveryConstants{
		threshold: int64(d.fastRecovery), hyperFrom: int64(d.fastRecovery), timer: int64(d.rateTimer),
		bytes: int64(d.byteCounter), capTarget: d.capTarget,
	}
	if d.past {
		d.recovery.hyperFrom++
	}
	if d.halve {
		d.recovery.halve = inHyper
	}
	return nil
}

func (d *dcqcn) class(line sluice.Rate) class {
	return class{ai: or(d.ai, line/1000), hai: or(d.hai, line/200), least: d.minRate}
}

func (d *dcqcn) start(_ sluice.Time, i int32) {
	d.state[i] = dcqcnFlow{
		recovery: newRecovery(d.flows[i].rate, d.stream), receiver: newReceiver(),
	}
}

func (d *dcqcn) sent(now sluice.Time, i int32, size int64) {
	d.countBytes(now, i, &d.state[i].recovery, &d.recovery, size)
}

func (d *dcqcn) advance(now sluice.Time, i int32) {
	d.recover(now, i, &d.state[i].recovery, &d.recovery)
}

func (d *dcqcn) notice(now sluice.Time, i int32, n Notice) bool {
	switch {
	case n.Mark == sluice.CE:
		d.cutFor(now, i)
	case n.Mark == sluice.UE && d.ternary():
		d.hold(now, i)
	default:
		return false
	}
	return true
}

func (d *dcqcn) cutFor(now sluice.Time, i int32) {
	f, s := &d.flows[i], &d.state[i]
	d.advance(now, i)
	if !f.notified {
		f.notified = true
		s.alpha, s.alphaAt = float(d.alpha0), sluice.Never
		s.rearm(&d.recovery)
	}
	s.decay(now, d)
	d.clampTarget(f, s)
	if d.updateFirst {
		s.raise(d)
		d.cut(f, 1-s.alpha/2)
	} else {
		d.cut(f, 1-s.alpha/2)
		s.raise(d)
	}
	d.restart(now, f, s)
}

// hold holds the rate for a few steps, as TCD's sender does where congestion is undetermined: the
// target comes down to the rate, alpha stays, and recovery begins anew. Before the first cut no
// timer runs, and there is nothing to hold.
func (d *dcqcn) hold(now sluice.Time, i int32) {
	f, s := &d.flows[i], &d.state[i]
	if !f.notified {
		return
	}
	d.advance(now, i)
	s.decay(now, d)
	d.clampTarget(f, s)
	d.restart(now, f, s)
}

// clampTarget sets the target to the rate, where dcqcn.clamp says so.
func (d *dcqcn) clampTarget(f *flow, s *dcqcnFlow) {
	if d.clamp == "always" || s.byteStage != 0 || d.clamp == "any-stage" && s.timeStage != 0 {
		s.target = f.rate
		s.rearm(&d.recovery)
	}
}

// restart begins fast recovery and restarts both timers.
func (d *dcqcn) restart(now sluice.Time, f *flow, s *dcqcnFlow) {
	s.alphaAt = now.Add(d.alphaTimer)
	s.recovery.restart(now, &d.recovery)
	d.plan(f, &s.recovery)
}

// raise is alpha's answer to a notice.
func (s *dcqcnFlow) raise(d *dcqcn) { s.alpha = float64(d.decay*s.alpha) + d.gain }

// decay applies the ends of alpha's timer up to now.
func (s *dcqcnFlow) decay(now sluice.Time, d *dcqcn) {
	s.alpha, s.alphaAt = decayed(s.alpha, s.alphaAt, now, d.alphaTimer, d.decay)
}

func (d *dcqcn) arrive(now sluice.Time, i int32, _ sluice.Bytes, _, mark sluice.ECN) (n Notice) {
	r := &d.state[i].receiver
	if d.window {
		r.inInterval(now, d.spacing, mark, d.noticeShare.Num > 0)
		return n
	}
	return d.atOnce(now, r, mark, d.spacing)
}

func (d *dcqcn) noticeDue(i int32) sluice.Time {
	if !d.window {
		return sluice.Never
	}
	return d.state[i].next
}

func (d *dcqcn) takeNotice(_ sluice.Time, i int32) (Notice, bool) {
	return d.state[i].take(d.noticeShare)
}

// decayed applies the ends of a timer that multiplies alpha, from the next end up to now, and
// returns alpha and the end after that. An alpha so small that no rate and no later alpha shows it
// becomes 0, so that the work is bounded.
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
