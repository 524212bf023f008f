package cbfc

import (
	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/chassis"
	"github.com/sluicefc/sluice/internal/states"
	"github.com/sluicefc/sluice/internal/twin"
)

// form names the fields of a Switch that decide nothing.
var form = twin.Form[Switch]{Past: []string{
	"chassis.Clock.Misuses", "Switch.peak", "Switch.frame", "Switch.first", "state.counters",
	"state.heldSince", "lane.enqueued", "lane.transmitted", "lane.bytesOut",
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

// normalize takes the origin of time out of a copy, and which of the ticks of a port is noted:
// they are a period apart. The counters of blocks stay: they are what the protocol is about.
func (s *Switch) normalize(now sluice.Time) {
	s.advance(now)
	s.Rebase(s.clock.Now())
	for i := range s.ports {
		t := s.ports[i].state
		t.ticked = s.clock.Now() - chassis.Span(t.ticked, s.clock.Now())%t.period
	}
}
