package bfc

import (
	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/states"
	"github.com/sluicefc/sluice/internal/twin"
)

var form = twin.Form[Switch]{Past: []string{
	"chassis.Clock.Misuses", "wire.Window.resynchronised", "Switch.incoming",
	"Port.enqueued", "Port.counters", "wire.Peer.Sent",
}}

// Clone returns a switch in the same state: see Copies in the documentation of package sluice.
func (s *Switch) Clone() *Switch { return form.Clone(s) }

func init() {
	states.Register(states.ByPort(
		(*Switch).appendState, (*Switch).Port, (*Port).numbers, (*Port).renumber,
	))
}

// appendState appends what the answers from now on depend on: see kit.Stateful.
func (s *Switch) appendState(dst []byte, now sluice.Time) []byte {
	return form.Append(dst, s, func(c *Switch) { c.normalize(now) })
}

func (s *Switch) normalize(now sluice.Time) {
	s.advance(now)
	s.Rebase(s.clock.Now())
	for i := range s.ports {
		p := &s.ports[i]
		p.renumber(p.numbers())
		p.normalize()
	}
	s.phase = ((s.phase % s.config.Period) + s.config.Period) % s.config.Period
	for i := range s.resumes.windows {
		w := &s.resumes.windows[i]
		w.end = max(w.end, s.clock.Now())
	}
}

// numbers returns the sequence number of the last frame sent and of the newest one heard.
func (p *Port) numbers() (sent, heard uint32) { return p.upstream.Numbers() }

// renumber moves the origins of sequence numbers: the numbers of frames sent and received are less
// by so much from now on.
func (p *Port) renumber(sent, heard uint32) { p.upstream.Renumber(sent, heard) }

// normalize forgets what no input to come can bring up again: when, longer ago than any sticky
// threshold, the last packet of a flow left, and which flow it was.
func (p *Port) normalize() {
	now := p.owner.clock.Now()
	p.upstream.Normalize(now)
	if ones(p.paused) == 0 {
		p.told = 0
	}
	sticky := p.from[0].sticky
	for _, from := range p.from {
		sticky = max(sticky, from.sticky)
	}
	for i := range p.entries {
		switch e := &p.entries[i]; {
		case e.size > 0:
			e.last = 0
		case !e.used:
			e.last = 0
		case e.idle(now, sticky):
			e.last, e.flow = now-sticky-1, 0
		}
	}
}
