package pyrrha

import (
	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/hiq"
	"github.com/sluicefc/sluice/internal/states"
	"github.com/sluicefc/sluice/internal/twin"
	"github.com/sluicefc/sluice/internal/wire"
)

var form = twin.Form[Switch]{Past: []string{
	"chassis.Clock.Misuses", "wire.Window.resynchronised", "Switch.scratch", "Switch.mostEver",
	"Port.enqueued", "Port.moved", "Port.sent", "Port.counts", "wire.Peer.Sent", "Port.era",
	"Port.iq", // appends its own
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
	dst = form.Append(dst, s, func(c *Switch) { c.normalize(now) })
	for i := range s.ports {
		dst = states.Of[*hiq.Port]().AppendState(&s.ports[i].iq, dst, s.later(now))
	}
	return dst
}

func (s *Switch) normalize(now sluice.Time) {
	s.Rebase(s.clock.Advance(now))
	for i := range s.ports {
		p := &s.ports[i]
		p.renumber(p.numbers())
		p.normalize()
	}
}

// numbers returns the sequence number of the last frame sent and of the newest one heard.
func (p *Port) numbers() (sent, heard uint32) {
	return p.peer.Numbers()
}

// renumber moves the origins of sequence numbers: the numbers of frames sent and received are less
// by so much from now on.
func (p *Port) renumber(sent, heard uint32) {
	p.peer.Renumber(sent, heard)
	for _, m := range p.marks() {
		m.Renumber(heard)
	}
}

func (p *Port) marks() []*wire.Mark {
	marks := []*wire.Mark{&p.floor}
	for r := range p.heard {
		marks = append(marks, &p.heard[r].mark)
	}
	for r := range p.owner.roots {
		marks = append(marks, &p.owner.upstream(r, p.id).left)
	}
	return marks
}

// normalize forgets what no input to come can bring up again.
func (p *Port) normalize() {
	now := p.owner.clock.Now()
	p.peer.Normalize(now, p.marks()...)
	for r := range p.heard {
		if !p.roots.Has(r) {
			p.heard[r] = heard{}
		} else if !p.paused.Has(r) {
			p.heard[r].at = 0
		}
	}
}
