package portfc

import (
	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/states"
	"github.com/sluicefc/sluice/internal/twin"
)

// form says what of a Switch decides nothing.
var form = twin.Form[Switch]{Past: []string{
	"chassis.Clock.Misuses", "wire.Window.resynchronised", "Switch.least", "Switch.incoming",
	"Port.enqueued", "Port.peaks", "Port.counters", "detector.alert", "outbox.sent",
}}

// Clone returns a switch in the same state: see Copies in package sluice.
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

// normalize takes what tells of the past out of a copy: the origins of time and of sequence
// numbers, and what no input to come can bring up again.
func (s *Switch) normalize(now sluice.Time) {
	s.Rebase(s.clock.Advance(now))
	for i := range s.ports {
		p := &s.ports[i]
		p.renumber(p.numbers())
		p.heard.Normalize()
		p.normalizeHeard()
	}
}

// numbers returns the sequence number of the last frame sent and of the newest one heard.
func (p *Port) numbers() (sent, heard uint32) {
	heard, _ = p.heard.Newest()
	return p.out.sent, heard
}

// renumber moves the origins of sequence numbers: the numbers of frames sent and received are less
// by so much from now on.
func (p *Port) renumber(sent, heard uint32) {
	p.out.sent -= sent
	p.heard.Renumber(heard)
}

// normalizeHeard forgets when pauses were heard that hold nothing any more.
func (p *Port) normalizeHeard() {
	for i := range p.heardAt {
		q, reason := i%p.owner.queues, i/p.owner.queues
		if q == p.owner.queues-1 { // noted there of all queues: see heardOf
			q, reason = 0, reason+relayHold
		}
		if p.queue(q).holds>>reason&1 == 0 {
			p.heardAt[i] = 0
		}
	}
}
