package portfc

import (
	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/twin"
)

// form says what of a Switch decides nothing.
var form = twin.Form[Switch]{Past: []string{
	"chassis.Clock.Misuses", "wire.Window.resynchronised", "Switch.least", "Switch.incoming",
	"Port.enqueued", "Port.peaks", "Port.counters", "detector.alert", "outbox.sent",
}}

// Clone returns a switch in the same state, which shares no memory with this one. It allocates; the
// time is linear in the memory of the switch.
func (s *Switch) Clone() *Switch { return form.Clone(s) }

// AppendState appends what the answers of the switch to inputs from now on depend on. Times are
// relative to now, or to the latest the switch was told if that is later, sequence numbers to the
// last sent and heard; counters are left out. Two switches that append the same behave alike. It
// allocates.
func (s *Switch) AppendState(dst []byte, now sluice.Time) []byte {
	c := s.Clone()
	c.Rebase(c.clock.Advance(now))
	for i := range c.ports {
		p := &c.ports[i]
		p.Renumber(p.Numbers())
		p.heard.Settle()
		p.settleHeard()
	}
	return form.Append(dst, c)
}

// Numbers returns the sequence number of the last frame sent and of the newest one heard.
func (p *Port) Numbers() (sent, heard uint32) {
	heard, _ = p.heard.Newest()
	return p.out.sent, heard
}

// Renumber moves the origins of sequence numbers: those of frames sent and received are less by so
// much from now on.
func (p *Port) Renumber(sent, heard uint32) {
	p.out.sent -= sent
	p.heard.Renumber(heard)
}

// settleHeard forgets when pauses were heard that hold nothing any more.
func (p *Port) settleHeard() {
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
