package voq

import (
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

// Snapshot is the observable state of a switch at a time.
type Snapshot struct {
	Now      sluice.Time
	Buffered sluice.Bytes
	Ports    []PortSnapshot
}

// PortSnapshot is the observable state of a port.
type PortSnapshot struct {
	Port    sluice.PortID
	Down    bool // the link is down
	Stopped bool // all queues, with the rest
	Due     bool // a frame
	Queues  []QueueSnapshot
}

// QueueSnapshot is the observable state of a queue; of the rest, queue 0, To is zero.
type QueueSnapshot struct {
	To    sluice.Hop
	Bytes sluice.Bytes
	Held  bool
}

// Snapshot returns a copy of the observable state. It allocates.
func (s *Switch) Snapshot() Snapshot {
	return Snapshot{s.clock.Now(), s.Buffered(), chassis.Each(s.ports, (*Port).Snapshot)}
}

// Snapshot returns a copy of the port's observable state. It allocates.
func (p *Port) Snapshot() PortSnapshot {
	snapshot := PortSnapshot{Port: p.id, Down: p.Down, Stopped: p.stopped, Due: p.Owes()}
	for q, bytes := range p.bytes {
		state := QueueSnapshot{Bytes: sluice.Bytes(bytes), Held: p.heldFor(q)}
		if state != (QueueSnapshot{}) {
			state.To = p.owner.slots[q].hop()
		}
		snapshot.Queues = append(snapshot.Queues, state)
	}
	return snapshot
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
			p.Normalize(c.clock.Now())
		}
		for i := c.free.Next(0); i >= 0; i = c.free.Next(i + 1) {
			c.slots[i].key = 0
		}
	})
}
