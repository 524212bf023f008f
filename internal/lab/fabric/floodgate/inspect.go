package floodgate

import (
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

// Snapshot is the observable state of a switch at a time.
type Snapshot struct {
	Now, Deadline sluice.Time
	Buffered      sluice.Bytes
	Ports         []PortSnapshot
}

// PortSnapshot is the observable state of a port.
type PortSnapshot struct {
	Port         sluice.PortID
	Down         bool         // the link is down
	Due          bool         // a frame
	Output       sluice.Bytes // in the output queue
	Credit       sluice.Bytes // that the port owes its peer
	Destinations []DestinationSnapshot
}

// DestinationSnapshot is the window of a destination at a port.
type DestinationSnapshot struct {
	To                         sluice.Hop
	Bytes, Outstanding, Credit sluice.Bytes // in the VOQ, sent without credit, owed
	Withheld                   bool
}

// Snapshot returns a copy of the observable state. It allocates.
func (s *Switch) Snapshot() Snapshot {
	return Snapshot{
		s.clock.Now(), s.Deadline(), s.Buffered(), chassis.Each(s.ports, (*Port).Snapshot),
	}
}

// Snapshot returns a copy of the port's observable state. It allocates.
func (p *Port) Snapshot() PortSnapshot {
	s, snapshot := p.owner, PortSnapshot{
		Port: p.id, Down: p.Down, Due: p.Owes(), Output: sluice.Bytes(p.bytes),
		Credit: sluice.Bytes(p.sum),
	}
	for d := range s.keys {
		if l := &p.lanes[d]; d > 0 && (l.bytes > 0 || l.outstanding() > 0 || l.owed() > 0) {
			snapshot.Destinations = append(snapshot.Destinations, DestinationSnapshot{
				s.hop(d), sluice.Bytes(l.bytes), sluice.Bytes(l.outstanding()), sluice.Bytes(l.owed()),
				s.withheld(d),
			})
		}
	}
	return snapshot
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
			p.Normalize(c.clock.Now())
		}
	})
}
