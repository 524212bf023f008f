package ofc

import (
	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/states"
	"github.com/sluicefc/sluice/internal/twin"
)

var form = twin.Form[Switch]{Past: []string{
	"chassis.Clock.Misuses", "wire.Window.resynchronised", "Switch.incoming",
	"Port.enqueued", "Port.transmitted", "account.peak", "state.counters", "wire.Peer.Sent",
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
	s.Rebase(s.clock.Advance(now))
	for i := range s.ports {
		p := &s.ports[i]
		p.renumber(p.numbers())
		p.normalize()
	}
}

// numbers returns the sequence number of the last frame sent and of the newest one heard.
func (p *Port) numbers() (sent, heard uint32) { return p.state.Numbers() }

// renumber moves the origins of sequence numbers: the numbers of frames sent and received are less
// by so much from now on. Entries that no flow has are used in ascending order then.
func (p *Port) renumber(sent, heard uint32) {
	p.state.Renumber(sent, heard)
	p.sortFree()
}

// normalize forgets what no input to come can bring up again.
func (p *Port) normalize() {
	s, t := p.owner, p.state
	now := s.clock.Now()
	t.Normalize(now)
	for class := range p.classes {
		if k := &p.classes[class]; k.serving == normal {
			t.rotating[class] = 0
		}
		t.moving[class] = max(t.moving[class], now-p.ahead())
		if t.said[class] = max(t.said[class], now-t.expiry); !p.classes[class].obeys() {
			t.said[class] = 0
		}
	}
}

// sortFree brings the free entries into ascending order: no answer depends on the entry that
// a flow gets.
func (p *Port) sortFree() {
	unused := make([]bool, p.fresh+1)
	for i := p.free; i != 0; i = p.owner.entries[i].next {
		unused[i-p.base()] = true
	}
	for ; unused[p.fresh]; p.fresh-- {
		p.owner.entries[p.base()+p.fresh] = entry{}
	}
	p.free = 0
	for i := p.fresh; i > 0; i-- {
		if unused[i] {
			p.owner.entries[p.base()+i] = entry{next: p.free}
			p.free = p.base() + i
		}
	}
}
