// Package ideal is the yardstick that flow control is measured by: a queue for every flow, no flow
// control.
package ideal

import (
	"errors"
	"fmt"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/bitset"
	"github.com/sluicefc/sluice/internal/chassis"
	"github.com/sluicefc/sluice/internal/drr"
	"github.com/sluicefc/sluice/internal/table"
)

// Switch is the yardstick: at every port a queue for each flow that has packets there, served
// round robin by bytes, an unlimited buffer, and no flow control, so that no flow ever waits
// for another's congestion (Pyrrha, section II-C: "a dedicated queue to each flow").
type Switch struct {
	ports    []port
	queues   int // of a port
	buffered sluice.Bytes
}

// port is an egress port. A queue belongs to one flow while that has packets there. While no queue
// is free, a flow that comes is a guest of the queue that it hashes to. While that queue has
// guests, every other flow that hashes there and has no queue is a guest as well, so that no flow
// is ever in two queues.
type port struct {
	ring   drr.Ring
	free   bitset.Set
	owners table.Table // the queue of a flow
	queues []queue
}

type queue struct {
	flow  uint64 // of the owner, if it has packets here
	bytes sluice.Bytes
	own   int32 // packets of the owner
	guest int32 // packets of others
}

// MaxFlows is the most flows with queues of their own at a port; further flows share the queue of
// their hash.
const MaxFlows = 2048

// asGuest is the note of a packet of a guest.
const asGuest = 1

// New returns a switch whose queues send quantum bytes a round.
func New(ports int, quantum sluice.Bytes) *Switch { return newSwitch(ports, MaxFlows, quantum) }

func newSwitch(ports, queues int, quantum sluice.Bytes) *Switch {
	s := &Switch{ports: make([]port, ports), queues: queues}
	for i := range s.ports {
		p := &s.ports[i]
		*p = port{
			ring: drr.New(drr.Uniform(queues, int64(quantum))), free: bitset.New(queues),
			owners: table.New(queues, 0), queues: make([]queue, queues),
		}
		for q := range queues {
			p.free.Add(q)
		}
	}
	return s
}

func (s *Switch) Ports() int { return len(s.ports) }

func (s *Switch) Queues() int { return s.queues }

// Enqueue appends to the flow's queue, a free one if it has none. It drops what no machine may
// accept.
func (s *Switch) Enqueue(_ sluice.Time, port sluice.PortID, pkt *sluice.Packet) sluice.Verdict {
	if reason := chassis.Fault(pkt, len(s.ports)); reason != sluice.NoReason {
		return sluice.DropBecause(reason)
	}
	p := &s.ports[port]
	i, owner := p.place(pkt.Flow)
	q := &p.queues[i]
	if owner {
		q.own++
		pkt.Note = 0
	} else {
		q.guest++
		pkt.Note = asGuest
	}
	q.bytes += pkt.Size
	s.buffered += pkt.Size
	p.ring.SetEligible(i, true)
	return sluice.AppendToQueue(sluice.QueueID(i))
}

// place returns the queue of a flow: its own, which it may get now, or the one where it is a guest.
func (p *port) place(flow uint64) (i int, owner bool) {
	if i, owner = p.owners.Find(flow); owner {
		return i, true
	}
	home := int(flow % uint64(len(p.queues)))
	if p.queues[home].guest > 0 {
		return home, false
	}
	if i = p.free.Next(0); i < 0 {
		return home, false
	}
	p.free.Remove(i)
	p.queues[i].flow = flow
	p.owners.Put(flow, i)
	return i, true
}

func (s *Switch) Next(_ sluice.Time, port sluice.PortID) (sluice.QueueID, bool) {
	q := s.ports[port].ring.Next()
	return sluice.QueueID(max(q, 0)), q >= 0
}

// Dequeue sends the packet. A packet that cannot be there is dropped.
func (s *Switch) Dequeue(
	_ sluice.Time, port sluice.PortID, id sluice.QueueID, pkt *sluice.Packet,
) sluice.Verdict {
	p, i := &s.ports[port], int(id)
	if i >= s.queues || pkt.Size <= 0 || p.queues[i].bytes < pkt.Size {
		return sluice.DropBecause(sluice.BadQueue)
	}
	q := &p.queues[i]
	q.bytes -= pkt.Size
	s.buffered -= pkt.Size
	if pkt.Note == asGuest {
		q.guest--
	} else if q.own--; q.own == 0 {
		p.owners.Remove(q.flow)
	}
	if q.own+q.guest > 0 {
		p.ring.Charge(i, int64(pkt.Size))
	} else {
		p.ring.ChargeLast(i, int64(pkt.Size))
		p.free.Add(i)
	}
	return sluice.TransmitMarked(pkt.ECN)
}

var errFrame = errors.New("ideal: a machine without flow control got a control frame")

// Receive refuses: no machine of this kind sends a frame.
func (s *Switch) Receive(sluice.Time, sluice.PortID, []byte) (sluice.Wake, error) {
	return 0, errFrame
}

func (s *Switch) Expire(sluice.Time) sluice.Wake { return 0 }

func (s *Switch) Deadline() sluice.Time { return sluice.Never }

func (s *Switch) PollFrame(_ sluice.Time, _ sluice.PortID, buf []byte) ([]byte, string, bool) {
	return buf, "", false
}

// PollPort has none: only Enqueue makes a port have something to send.
func (s *Switch) PollPort() (sluice.PortID, bool) { return 0, false }

// LinkDown changes nothing, because the machine sends no frames.
func (s *Switch) LinkDown(sluice.Time, sluice.PortID) sluice.Wake { return 0 }

func (s *Switch) LinkUp(sluice.Time, sluice.PortID) sluice.Wake { return 0 }

func (s *Switch) Rebase(sluice.Time) {}

// Counters returns nothing: the yardstick counts nothing.
func (s *Switch) Counters(sluice.PortID) sluice.Counters { return sluice.Counters{} }

// Snapshot is what the queues hold.
type Snapshot struct {
	Buffered sluice.Bytes
	Ports    []PortSnapshot
}

// PortSnapshot is what the queues of a port hold.
type PortSnapshot struct{ Queues []QueueSnapshot }

// QueueSnapshot is what a queue holds, and the flow that owns it.
type QueueSnapshot struct {
	Flow  uint64
	Bytes sluice.Bytes
}

// Snapshot implements kit.Machine: it returns a Snapshot.
func (s *Switch) Snapshot() any {
	return Snapshot{s.buffered, chassis.Each(s.ports, func(p *port) PortSnapshot {
		return PortSnapshot{chassis.Each(p.queues, func(q *queue) QueueSnapshot {
			return QueueSnapshot{q.flow, q.bytes}
		})}
	})}
}

func (s *Switch) Backlog(port sluice.PortID, q sluice.QueueID) sluice.Bytes {
	if int(q) >= s.queues {
		return 0
	}
	return s.ports[port].queues[q].bytes
}

func (s *Switch) Sendable(_ sluice.PortID, q sluice.QueueID) bool { return int(q) < s.queues }

// WaitsFor reports false, as no queue is ever held.
func (s *Switch) WaitsFor(
	sluice.PortID, sluice.QueueID, *sluice.Packet, sluice.QueueID, bool,
) bool {
	return false
}

func (s *Switch) Buffered() sluice.Bytes { return s.buffered }

// Audit compares the total with the queues, and each queue's bytes with its packets and with who
// may have it.
func (s *Switch) Audit() error {
	var sum sluice.Bytes
	for i := range s.ports {
		for j := range s.ports[i].queues {
			q := &s.ports[i].queues[j]
			sum += q.bytes
			packets := sluice.Bytes(q.own) + sluice.Bytes(q.guest)
			if q.own < 0 || q.guest < 0 || q.bytes < packets || packets == 0 && q.bytes != 0 ||
				s.ports[i].free.Has(j) != (packets == 0) {
				return fmt.Errorf(
					"ideal: invariant 1: queue %d of port %d holds %d bytes in %d and %d packets", j, i, q.bytes,
					q.own, q.guest,
				)
			}
		}
	}
	if sum != s.buffered {
		return fmt.Errorf("ideal: invariant 1: queues hold %d bytes, the counter says %d", sum,
			s.buffered)
	}
	return nil
}

func (s *Switch) Quiescent() error {
	if s.buffered != 0 {
		return fmt.Errorf("ideal: %d bytes queued", s.buffered)
	}
	return nil
}
