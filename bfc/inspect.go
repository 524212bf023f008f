package bfc

import (
	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/chassis"
)

// Snapshot is the observable state of a switch at a time.
type Snapshot struct {
	Now      sluice.Time // the latest time of a hook
	Deadline sluice.Time
	Buffered sluice.Bytes
	Ports    []PortSnapshot
}

// PortSnapshot is the observable state of a port.
type PortSnapshot struct {
	Port     sluice.PortID
	Down     bool // the link is down
	Due      bool // a frame waits for the transmitter
	Active   int  // N_active
	Paused   int  // data queues that downstream pauses
	Holding  int  // upstream queues that this port holds paused
	Queues   []QueueSnapshot
	Upstream []UpstreamSnapshot // queues held, counted or in the last frame, lowest first
}

// QueueSnapshot is the observable state of a queue.
type QueueSnapshot struct {
	Bytes   sluice.Bytes
	Packets int
	Paused  bool // by downstream
}

// UpstreamSnapshot is a port's state of a queue of the device upstream.
type UpstreamSnapshot struct {
	Queue   sluice.QueueID
	Counter int  // packets held that came from it and were counted
	Held    bool // it is to be paused
	Told    bool // the last frame that named it said paused
}

// Snapshot returns a copy of the observable state. It allocates.
func (s *Switch) Snapshot() Snapshot {
	return Snapshot{
		s.clock.Now(), s.Deadline(), s.Buffered(), chassis.Each(s.ports, (*Port).Snapshot),
	}
}

// Snapshot returns a copy of the port's observable state. It allocates.
func (p *Port) Snapshot() PortSnapshot {
	up := &p.upstream
	snapshot := PortSnapshot{
		Port: p.id, Down: up.Down, Due: p.Owes(), Active: int(p.active), Holding: int(up.heldLen),
		Queues: make([]QueueSnapshot, len(p.queues)),
	}
	for q := range p.queues {
		paused := !p.Sendable(sluice.QueueID(q))
		if paused {
			snapshot.Paused++
		}
		queue := &p.queues[q]
		snapshot.Queues[q] = QueueSnapshot{queue.bytes, int(queue.packets), paused}
	}
	for q, n := range up.counters {
		if held, told := up.held.Has(q), up.told(q); n > 0 || held || told {
			u := UpstreamSnapshot{sluice.QueueID(q), int(n), held, told}
			snapshot.Upstream = append(snapshot.Upstream, u)
		}
	}
	return snapshot
}
