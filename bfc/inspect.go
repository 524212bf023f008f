package bfc

import (
	"fmt"
	"io"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/chassis"
)

// Snapshot is the observable state of a switch at a time.
type Snapshot struct {
	Now      sluice.Time // the latest time told
	Deadline sluice.Time
	Buffered sluice.Bytes
	Ports    []PortSnapshot
}

// PortSnapshot is the observable state of a port.
type PortSnapshot struct {
	Port     sluice.PortID
	Down     bool // the link is down
	Active   int  // N_active
	Paused   int  // data queues that downstream pauses
	Holding  int  // upstream queues that this port holds paused
	Queues   []QueueSnapshot
	Upstream []UpstreamSnapshot // queues that are held, counted or told, lowest first
}

// QueueSnapshot is the observable state of a queue.
type QueueSnapshot struct {
	Bytes   sluice.Bytes
	Packets int
	Paused  bool // by downstream
}

// UpstreamSnapshot is what a port knows of a queue of the device upstream.
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
		Port: p.id, Down: up.Down, Active: int(p.active), Holding: int(up.heldLen),
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

// String describes the port's state in a line: "port 3: 12000B in 2 of 32 queues, 1 paused; holds 4
// upstream queues, frame due".
func (p *Port) String() string {
	bytes, full, paused := sluice.Bytes(0), 0, 0
	for q := range p.queues {
		bytes += p.queues[q].bytes
		if p.queues[q].packets > 0 {
			full++
		}
		if !p.Sendable(sluice.QueueID(q)) {
			paused++
		}
	}
	text := fmt.Sprintf("port %d: %v in %d of %d queues, %d paused; holds %d upstream queues",
		p.id, bytes, full, len(p.queues), paused, p.upstream.heldLen)
	if p.pending() {
		text += ", frame due"
	}
	if p.upstream.Down {
		text += ", link down"
	}
	return text
}

// Dump writes the state of the switch for people to read: a line for the switch and for each port,
// and under it a line for each queue and upstream queue that there is something to say of.
func (s *Switch) Dump(w io.Writer) error {
	d := chassis.NewDump(w, "bfc", len(s.ports), s.Buffered(), s.clock.Now(), s.Deadline())
	for i := range s.ports {
		p := &s.ports[i]
		d.Line("  %v", p)
		snapshot := p.Snapshot()
		for q, state := range snapshot.Queues {
			if state.Packets > 0 || state.Paused {
				d.Line("    queue %d: %v in %d packets%s", q, state.Bytes, state.Packets,
					when(state.Paused, ", paused"))
			}
		}
		for _, u := range snapshot.Upstream {
			d.Line("    upstream queue %d: %d packets counted%s%s", u.Queue, u.Counter,
				when(u.Held, ", held"), when(u.Told, ", told paused"))
		}
	}
	return d.Err()
}

func when(ok bool, text string) string {
	if ok {
		return text
	}
	return ""
}
