package voq

import (
	"fmt"
	"io"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/chassis"
	"github.com/sluicefc/sluice/internal/twin"
)

func (p *Port) ID() sluice.PortID { return p.id }

func (s *Switch) Buffered() sluice.Bytes { return sluice.Bytes(s.buffered) }

func (p *Port) Backlog(q sluice.QueueID) sluice.Bytes {
	if int(q) >= len(p.bytes) {
		return 0
	}
	return sluice.Bytes(p.bytes[q])
}

func (p *Port) Sendable(q sluice.QueueID) bool {
	return int(q) < len(p.bytes) && !p.stopped && !p.heldFor(int(q))
}

// PausedByPeer reports whether the peer pauses queue q; the pause of the rest, which holds all
// queues, is one of queue 0.
func (p *Port) PausedByPeer(q sluice.QueueID) bool {
	return int(q) < len(p.bytes) && (p.heldFor(int(q)) || q == 0 && p.stopped)
}

// String describes the port's state in a line: "port 3: 2 queues with packets, 1 held, frame due".
func (p *Port) String() string {
	text := fmt.Sprintf("port %d: %d queues with packets, %d held", p.id, p.active, p.paused.Len())
	if p.guests > 0 {
		text += ", and the rest"
	}
	if p.stopped {
		text += ", and all with the rest"
	}
	if p.Owes() {
		text += ", frame due"
	}
	if p.Down {
		text += ", link down"
	}
	return text
}

// Dump writes the state of the switch for people to read: a line for the switch, one per port, and
// one per queue that has packets or is held.
func (s *Switch) Dump(w io.Writer) error {
	d := chassis.NewDump(w, "voq", len(s.ports), s.Buffered(), s.clock.Now(), sluice.Never)
	for i := range s.ports {
		p := &s.ports[i]
		d.Line("  %v", p)
		for q := range p.bytes {
			if p.bytes[q] > 0 || p.heldFor(q) {
				d.Line("    queue %d to %v: %d bytes, held %v", q, s.slots[q].hop(), p.bytes[q], p.heldFor(q))
			}
		}
	}
	return d.Err()
}

var form = twin.Form[Switch]{Past: []string{
	"chassis.Clock.Misuses", "wire.Window.resynchronised", "Switch.incoming", "Switch.peak",
	"Port.counters", "wire.Peer.Sent",
}}

func (s *Switch) Clone() *Switch { return form.Clone(s) }

func (s *Switch) AppendState(dst []byte, now sluice.Time) []byte {
	return form.Append(dst, s, func(c *Switch) {
		c.Rebase(c.clock.Advance(now))
		for i := range c.ports {
			p := &c.ports[i]
			p.Renumber(p.Numbers())
			p.Settle(c.clock.Now())
		}
		for i := c.free.Next(0); i >= 0; i = c.free.Next(i + 1) {
			c.slots[i].key = 0
		}
	})
}
