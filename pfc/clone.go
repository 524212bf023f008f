package pfc

import (
	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/twin"
	"github.com/sluicefc/sluice/pfc/trigger"
)

// form says what of a Switch decides nothing.
var form = twin.Form[Switch]{Past: []string{
	"chassis.Clock.Misuses", "Switch.peak", "Switch.poolPeak", "Switch.headroomPeak", "Switch.scratch",
	"queue.peak", "state.counters", "state.pausedSince", "state.heldSince",
	"account.peak", "account.sharedPeak", "account.packets", "account.received",
	"account.margin", "account.alert", "queue.bytesIn", "queue.bytesOut", "watchdog.events",
	"watch.txDrop", "watch.rxDrop", "watch.begin", "watch.last", "watch.all", "egressPools.peak",
}}

// Clone returns a switch in the same state, which shares no memory with this one. It allocates; the
// time is linear in the memory of the switch.
func (s *Switch) Clone() *Switch { return form.Clone(s) }

// AppendState appends what the answers of the switch to inputs from now on depend on. Times are
// relative to now, or to the latest the switch was told if that is later; counters are left out.
// Two switches that append the same behave alike. It allocates.
func (s *Switch) AppendState(dst []byte, now sluice.Time) []byte {
	c := s.Clone()
	c.Rebase(c.clock.Advance(now))
	for i := range c.ports {
		c.ports[i].settleState()
	}
	if c.variant.kind != trigger.PPFCDerivative {
		for i := range c.variant.of {
			c.variant.of[i].Settle()
		}
	}
	return form.Append(dst, c)
}

// settleState forgets what no input to come can bring up again: of counters that are compared, all
// but their differences.
func (p *Port) settleState() {
	t := p.state
	for class := range sluice.Class(sluice.Classes) {
		q, w := &p.queues[class], &t.watch[class]
		left := q.transmitted + t.gone[class]
		q.enqueued += t.restored[class] - left
		q.transmitted, t.gone[class], t.restored[class] = 0, 0, 0
		if p.owner.changing {
			t.before[class] -= min(left, t.before[class])
			t.lastBefore[class] -= min(left, t.lastBefore[class])
		} else {
			t.before[class], t.lastBefore[class] = 0, 0
		}
		t.pacer.Settle(class)
		if !t.slow.Has(class) {
			t.ready[class] = 0
		}
		if t.rules != nil {
			t.rules.shapers[class].Settle(0)
			t.rules.shaper.Settle(0)
		}
		if p.owner.watchdog.pollAt == sluice.Never {
			*w = watch{}
			continue
		}
		w.frames, w.lastFrames = min(w.frames-w.lastFrames, 1), 0
		w.releases, w.lastReleases = min(w.releases-w.lastReleases, 1), 0
		if !t.held.Has(class) {
			w.frameAt = 0
		}
	}
}
