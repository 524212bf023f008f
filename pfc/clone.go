package pfc

import (
	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/states"
	"github.com/sluicefc/sluice/internal/twin"
	"github.com/sluicefc/sluice/pfc/trigger"
)

// form names the fields of a Switch that decide nothing.
var form = twin.Form[Switch]{Past: []string{
	"chassis.Clock.Misuses", "Switch.peak", "Switch.poolPeak", "Switch.headroomPeak", "Switch.scratch",
	"Switch.troubled", "queue.peak", "record.counters", "record.pausedSince",
	"account.peak", "account.sharedPeak", "account.packets", "account.received",
	"account.margin", "account.alert", "queue.bytesIn", "queue.bytesOut", "watchdog.events",
	"watch.txDrop", "watch.rxDrop", "watch.begin", "watch.last", "watch.all", "egressPools.peak",
}}

// Clone returns a switch in the same state: see Copies in package sluice.
func (s *Switch) Clone() *Switch { return form.Clone(s) }

func init() {
	states.Register(states.Methods[*Switch]{
		AppendState: (*Switch).appendState,
	})
}

// appendState appends what the answers from now on depend on: see kit.Stateful.
func (s *Switch) appendState(dst []byte, now sluice.Time) []byte {
	return form.Append(dst, s, func(c *Switch) { c.normalize(now) })
}

// normalize removes the past from a copy: the origin of time, and values that no input to come
// can bring up again.
func (s *Switch) normalize(now sluice.Time) {
	s.Rebase(s.clock.Advance(now))
	for i := range s.ports {
		s.ports[i].normalize()
	}
	if s.variant.kind != trigger.PPFCDerivative {
		for i := range s.variant.of {
			s.variant.of[i].Normalize()
		}
	}
}

// normalize forgets what no input to come can bring up again. Of counters that are compared it
// leaves their differences.
func (p *Port) normalize() {
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
		t.pacer.Normalize(class, 0)
		if !t.slow.Has(class) {
			t.ready[class] = 0
		}
		if t.rules != nil {
			t.rules.shapers[class].Normalize(0)
			t.rules.shaper.Normalize(0)
		}
		if p.owner.watchdog.pollAt == sluice.Never {
			*w, t.heldSince[class] = watch{}, 0
			continue
		}
		w.frames, w.lastFrames = min(w.frames-w.lastFrames, 1), 0
		w.releases, w.lastReleases = min(w.releases-w.lastReleases, 1), 0
		// A frame longer ago than the watchdog asks for was long enough ago.
		w.frameAt = max(w.frameAt, -t.guard.Restoration)
		if !(t.held | t.storming).Has(class) {
			w.frameAt = 0
		}
		if t.heldSince[class] = max(t.heldSince[class], -t.guard.Detection); !t.held.Has(class) {
			t.heldSince[class] = 0
		}
	}
}
