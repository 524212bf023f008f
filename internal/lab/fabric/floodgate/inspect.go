package floodgate

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
	switch {
	case int(q) >= len(p.lanes):
		return 0
	case q == 0:
		return sluice.Bytes(p.bytes)
	}
	return sluice.Bytes(p.lanes[q].bytes)
}

// Sendable reports whether nothing holds queue q: nothing ever holds the output queue, nor a VOQ
// that is empty; else a VOQ is held that was not granted room in its window. False for a queue that
// does not exist.
func (p *Port) Sendable(q sluice.QueueID) bool {
	return int(q) < len(p.lanes) &&
		(q == 0 || p.edge || p.Down || p.lanes[q].bytes == 0 || p.lanes[q].granted)
}

// WaitsFor reports whether queue q, which is held, waits for a packet of the next device: a packet
// for the same destination that came in by this link.
func (p *Port) WaitsFor(q sluice.QueueID, packet *sluice.Packet, _ sluice.QueueID, came bool) bool {
	hop := packet.Path.At(packet.Path.Len() - 1)
	return came && int(q) < len(p.owner.keys) && p.owner.keys[q] == hop.Key()
}

// String describes the port's state in a line: "port 3: 3000 bytes in the output queue, 2 VOQs,
// 1500 of credit waits".
func (p *Port) String() string {
	text := fmt.Sprintf("port %d: %d bytes in the output queue, %d VOQs, %d of credit waits",
		p.id, p.bytes, p.active, p.sum)
	if n := p.silent.Len(); n > 0 {
		text += fmt.Sprintf(", %d destinations wait for credit", n)
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
// one per destination whose window is not open.
func (s *Switch) Dump(w io.Writer) error {
	dump := chassis.NewDump(w, "floodgate", len(s.ports), s.Buffered(), s.clock.Now(),
		s.Deadline())
	for i := range s.ports {
		p := &s.ports[i]
		dump.Line("  %v", p)
		for d := range s.keys {
			if l := &p.lanes[d]; d > 0 && (l.bytes > 0 || l.outstanding() > 0 || l.owed() > 0) {
				dump.Line("    to %v: %d bytes in the VOQ, %d of %d outstanding; credit of %d, withheld %v",
					s.hop(d), l.bytes, l.outstanding(), p.window, l.owed(), s.withheld(d))
			}
		}
	}
	return dump.Err()
}

var form = twin.Form[Switch]{Past: []string{
	"chassis.Clock.Misuses", "wire.Window.resynchronised", "Switch.incoming", "Switch.peak",
	"Switch.delays", "Port.counters", "wire.Peer.Sent",
}}

func (s *Switch) Clone() *Switch { return form.Clone(s) }

// AppendState appends what the answers from now on depend on: see Copies in the documentation of
// package sluice. Counts of bytes stay: they are what the protocol is about.
func (s *Switch) AppendState(dst []byte, now sluice.Time) []byte {
	return form.Append(dst, s, func(c *Switch) {
		c.Rebase(c.clock.Advance(now))
		for i := range c.ports {
			p := &c.ports[i]
			p.Renumber(p.Numbers())
			p.Settle(c.clock.Now())
		}
	})
}
