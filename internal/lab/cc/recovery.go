package cc

import (
	"math/bits"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/prng"
)

// recovery is how DCQCN and QCN raise a rate again. The first few events of a timer and of a byte
// counter halve the distance to the target (fast recovery); later events raise the target as well
// (active increase), by more once timer and counter have both had their few (hyper increase).
type recovery struct {
	target    sluice.Rate
	timerAt   sluice.Time
	left      int64 // bytes to the next event of the counter
	byteStage int64
	timeStage int64
	stream    uint64 // of the jitter
	draws     uint64
}

// recoveryConstants are the constants of a recovery that do not depend on the line rate.
type recoveryConstants struct {
	threshold    int64 // stages of fast recovery
	hyperFrom    int64 // stages of both kinds from which on there is hyper increase
	timer, bytes int64 // periods
	capTarget    bool
	halve        halving
	jitter       uint64 // periods vary by this much of 2^32, up and down
	seed         uint64
}

// halving is when a period is half as long.
type halving uint8

const (
	never    halving = iota
	inHyper          // in hyper increase, as of the event before
	ownStage         // after the stages of fast recovery of its own kind
)

func newRecovery(line sluice.Rate, stream uint64) recovery {
	return recovery{target: line, timerAt: sluice.Never, stream: stream}
}

// restart begins fast recovery: the timer runs anew.
func (r *recovery) restart(now sluice.Time, k *recoveryConstants) {
	r.byteStage, r.timeStage = 0, 0
	r.timerAt = now.Add(sluice.Time(r.period(k.timer, k)))
}

func (r *recovery) rearm(k *recoveryConstants) { r.left = r.period(k.bytes, k) }

// hyper reports whether both kinds of events are past fast recovery, by one stage more if so
// wanted.
func (r *recovery) hyper(k *recoveryConstants) bool {
	return min(r.byteStage, r.timeStage) >= k.hyperFrom
}

// period returns the length of a period with its jitter: full*(1-j) to full*(1+j).
func (r *recovery) period(full int64, k *recoveryConstants) int64 {
	if k.jitter == 0 {
		return full
	}
	r.draws++
	return jittered(full, k.jitter, prng.Mix(prng.Mix(k.seed+r.stream)+r.draws))
}

// jittered returns full times a number from 1-jitter to 1+jitter, by 64 random bits. jitter is in
// units of 2^-32.
func jittered(full int64, jitter, random uint64) int64 {
	source := prng.New(random)
	factor := 1<<32 - jitter + source.Below(2*jitter+1)
	hi, lo := bits.Mul64(uint64(full), factor)
	return int64(hi<<32 | lo>>32)
}

// increase raises the rate of a flow after an event that was counted.
func (r *recovery) increase(f *flow, class *class, k *recoveryConstants) {
	add := sluice.Rate(0)
	switch {
	case r.hyper(k):
		add = class.hai * sluice.Rate(min(r.byteStage, r.timeStage)-k.hyperFrom+1)
	case max(r.byteStage, r.timeStage) >= k.threshold:
		add = class.ai
	}
	if (r.byteStage == 1 || r.timeStage == 1) && r.target > 10*f.rate {
		r.target /= 8
	} else {
		r.target = min(r.target+add, maxTarget)
	}
	if k.capTarget {
		r.target = min(r.target, class.line)
	}
	f.rate = min(class.line, halfway(f.rate, r.target))
}

// maxTarget bounds a target that is not capped at the line rate. maxStage bounds a stage, so that a
// hyper increase stays within 64 bits: no rate of a Config is above MaxRate.
const (
	maxTarget sluice.Rate = 1 << 60
	maxStage  int64       = 1 << 18
)

func halfway(rate, target sluice.Rate) sluice.Rate { return (rate + target + 1) / 2 }

// recover applies the events of the timer of flow i up to now.
func (c *Control) recover(now sluice.Time, i int32, r *recovery, k *recoveryConstants) {
	f := &c.flows[i]
	class := &c.classes[f.class]
	for r.timerAt <= now {
		hyper := r.hyper(k)
		r.timeStage = min(r.timeStage+1, maxStage)
		r.increase(f, class, k)
		period := k.timer
		if k.halve == inHyper && hyper || k.halve == ownStage && r.timeStage >= k.threshold {
			period /= 2
		}
		r.timerAt = r.timerAt.Add(sluice.Time(max(1, r.period(period, k))))
		if f.rate == class.line && r.full(class, k) && k.jitter == 0 {
			r.skip(now, period)
		}
	}
	c.plan(f, r)
}

// full reports whether the target is as high as it gets.
func (r *recovery) full(class *class, k *recoveryConstants) bool {
	return r.target == maxTarget || k.capTarget && r.target == class.line
}

// skip passes over events of the timer that change nothing but their count. They may enter hyper
// increase, and be nearer to each other then; the next notice, which alone can lower the rate,
// restarts the timer.
func (r *recovery) skip(now sluice.Time, period int64) {
	if late := now - r.timerAt; late >= 0 {
		n := int64(late)/period + 1
		r.timerAt += sluice.Time(n * period)
		r.timeStage = min(r.timeStage+n, maxStage)
	}
}

// plan notes when the rate changes next by itself.
func (c *Control) plan(f *flow, r *recovery) {
	f.changes = r.timerAt
	if f.rate == c.classes[f.class].line {
		f.changes = sluice.Never
	}
}

// countBytes counts bytes of flow i that are sent; the counter may end.
func (c *Control) countBytes(
	now sluice.Time, i int32, r *recovery, k *recoveryConstants, size int64,
) {
	r.left -= size
	if r.left >= 0 {
		return
	}
	c.recover(now, i, r, k)
	f := &c.flows[i]
	hyper := r.hyper(k)
	r.byteStage = min(r.byteStage+1, maxStage)
	r.increase(f, &c.classes[f.class], k)
	period := k.bytes
	if k.halve == inHyper && hyper || k.halve == ownStage && r.byteStage >= k.threshold {
		period /= 2
	}
	r.left = r.period(period, k)
	c.plan(f, r)
}
