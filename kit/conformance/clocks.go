package conformance

import (
	"math"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/kit"
	"pgregory.net/rapid"
)

// instants are times of hostile clocks: the least and the largest Time, the bounds of a machine's
// times (package sluice, Time), and steps between.
var instants = []sluice.Time{
	math.MinInt64, math.MinInt64 + 1, -1 << 62, -1<<61 - 1, -1 << 61, -1 << 60, -sluice.Second, -1,
	0, 1, sluice.Microsecond, sluice.Second, 1 << 60, 1 << 61, 1 << 62, 1<<62 + 1<<61,
	1<<62 + 1<<61 + 1<<60, math.MaxInt64 - 1<<55 + 1, math.MaxInt64 - 1<<40, math.MaxInt64 - 1,
	sluice.Never,
}

// checkClocks drives one machine by clocks that show anything, forwards and backwards: every hook
// returns, nothing is due after Expire, and Audit finds nothing. A hook that does not return ends
// the test when go test's -timeout does, with the stack of the hook.
func checkClocks(tb rapid.TB, spec *Spec) {
	c := &coverage{}
	rapid.Check(c.watch(tb), func(t *rapid.T) {
		d := newDriver(t, spec, c)
		d.twin = nil
		d.report(t)
		actions := d.clockActions()
		for range rapid.IntRange(1, 60).Draw(t, "hooks") {
			d.t = t
			d.actAt(rapid.SampledFrom(instants).Draw(t, "clock"),
				rapid.SampledFrom(actions).Draw(t, "hook"))
			d.report(t)
		}
	})
}

// clockActions are the hooks, each at the time that the driver's clock shows.
func (d *driver) clockActions() []func() {
	return []func(){
		func() {
			f := rapid.IntRange(0, len(d.flows)-1).Draw(d.t, "flow")
			for range rapid.SampledFrom([]int{1, 8}).Draw(d.t, "packets") {
				d.enqueue(d.flows[f].port, f, d.drawPacket(&d.flows[f]))
				d.service()
			}
		},
		d.onceTold(d.enqueueMalformed),
		d.onceTold(d.dequeueNothing),
		d.transmitted,
		d.transmittedMuch,
		d.receiveFrame,
		d.receiveGarbage,
		d.changeLinkOnly,
		d.consumeIfCounted,
		d.expireAtAnyTime,
		d.expireAtDeadline,
		d.rebaseByAnything,
	}
}

func (d *driver) actAt(now sluice.Time, action func()) {
	d.guard(func() {
		d.now = now
		action()
		d.service()
		d.checkAll()
	})
}

// onceTold returns an action that is to change nothing, for machines whose clock has a time: the
// first one may move timers.
func (d *driver) onceTold(action func()) func() {
	return func() {
		if d.seen != math.MinInt64 {
			action()
		}
	}
}

func (d *driver) changeLinkOnly() {
	at := d.drawPort()
	if d.ports[at].down {
		d.link(at, stepLinkUp)
	} else {
		d.link(at, stepLinkDown)
	}
}

func (d *driver) consumeIfCounted() {
	if kit.Consumes(d.m) {
		p := d.drawPacket(&d.flows[0])
		p.Ingress = d.drawPort()
		d.consume(p.Ingress, p)
	}
}

// expireAtAnyTime is Expire at a time that need not be a deadline, and that may be none.
func (d *driver) expireAtAnyTime() {
	if d.now != sluice.Never {
		d.expire()
		return
	}
	d.checkStep(d.do(step{kind: stepExpire}))
}

// expireAtDeadline serves a few timers one by one, as a driver does whose clock goes on.
func (d *driver) expireAtDeadline() {
	for range 4 {
		deadline := d.deadline()
		if deadline == sluice.Never {
			return
		}
		d.now = deadline
		d.expire()
		d.service()
	}
}

// rebaseByAnything moves the origin of time, also farther than a clock may show.
func (d *driver) rebaseByAnything() {
	by := rapid.SampledFrom(instants).Draw(d.t, "by")
	d.do(step{kind: stepRebase, by: by})
	d.checkAll()
}
