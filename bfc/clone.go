package bfc

import (
	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/twin"
)

// form says what of a Switch decides nothing.
var form = twin.Form[Switch]{Past: []string{
	"chassis.Clock.Misuses", "wire.Window.resynchronised", "Switch.incoming",
	"Port.enqueued", "Port.counters", "upstream.sent",
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
		p.settleState()
	}
	c.phase = ((c.phase % c.config.Period) + c.config.Period) % c.config.Period
	for i := range c.resumes.windows {
		w := &c.resumes.windows[i]
		w.end = max(w.end, c.clock.Now())
	}
	return form.Append(dst, c)
}

// Numbers returns the sequence number of the last frame sent and of the newest one heard.
func (p *Port) Numbers() (sent, heard uint32) {
	heard, _ = p.upstream.heard.Newest()
	return p.upstream.sent, heard
}

// Renumber moves the origins of sequence numbers: those of frames sent and received are less by so
// much from now on.
func (p *Port) Renumber(sent, heard uint32) {
	up := &p.upstream
	up.sent -= sent
	up.heard.Renumber(heard)
	up.past.Renumber(heard)
}

// settleState forgets what no input to come can bring up again: when packets left that were the
// last of their flow longer ago than any sticky threshold, and of which flow they were.
func (p *Port) settleState() {
	now := p.owner.clock.Now()
	p.upstream.past.Settle(now)
	p.upstream.heard.Settle()
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
