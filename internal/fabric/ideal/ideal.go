// Package ideal is the yardstick that flow control is measured by: a queue for every flow, no flow control.
package ideal

import (
	"fmt"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/bitset"
	"github.com/sluicefc/sluice/internal/drr"
)

// Switch is the yardstick: at every port a queue for each flow that has packets there, served
// round robin by bytes, an unlimited buffer, and no flow control, so that no flow ever waits
// for another's congestion (Pyrrha, section II-C: "a dedicated queue to each flow").
type Switch struct {
	ports    []port
	buffered sluice.Bytes
}

type port struct {
	ring    drr.Ring
	free    bitset.Set
	flows   map[uint64]entry // by flow hash; looked up, never iterated
	backlog []sluice.Bytes
	packets []int32
}

// entry is a flow with packets at a port.
type entry struct {
	queue   sluice.QueueID
	packets int32
}

// MaxFlows is the most flows that can be told apart at one port; those beyond share the queue
// of their hash.
const MaxFlows = 2048

// New returns a switch whose queues send quantum bytes a round.
func New(ports int, quantum sluice.Bytes) *Switch {
	s := &Switch{ports: make([]port, ports)}
	for i := range s.ports {
		p := &s.ports[i]
		*p = port{
			ring: drr.New(drr.Uniform(MaxFlows, int64(quantum))), free: bitset.New(MaxFlows),
			flows: make(map[uint64]entry), backlog: make([]sluice.Bytes, MaxFlows), packets: make([]int32, MaxFlows),
		}
		for q := range MaxFlows {
			p.free.Add(q)
		}
	}
	return s
}

// Ports returns the number of ports.
func (s *Switch) Ports() int { return len(s.ports) }

// Queues returns MaxFlows.
func (s *Switch) Queues() int { return MaxFlows }

// Enqueue appends to the flow's queue, a free one if it has none.
func (s *Switch) Enqueue(_ sluice.Time, port sluice.PortID, pkt *sluice.Packet) sluice.Verdict {
	p := &s.ports[port]
	e := p.flows[pkt.Flow]
	if e.packets == 0 {
		if free := p.free.Next(0); free >= 0 {
			e.queue = sluice.QueueID(free)
			p.free.Remove(free)
		} else {
			e.queue = sluice.QueueID(pkt.Flow % MaxFlows)
		}
	}
	e.packets++
	p.flows[pkt.Flow] = e
	p.backlog[e.queue] += sluice.Bytes(pkt.Size)
	p.packets[e.queue]++
	p.ring.SetEligible(int(e.queue), true)
	s.buffered += sluice.Bytes(pkt.Size)
	return sluice.AppendTo(e.queue)
}

// Next serves the queues that have packets in turn.
func (s *Switch) Next(_ sluice.Time, port sluice.PortID) (sluice.QueueID, bool) {
	q := s.ports[port].ring.Next()
	return sluice.QueueID(max(q, 0)), q >= 0
}

// Dequeue sends the packet.
func (s *Switch) Dequeue(_ sluice.Time, port sluice.PortID, q sluice.QueueID, pkt *sluice.Packet) sluice.Verdict {
	p := &s.ports[port]
	p.backlog[q] -= sluice.Bytes(pkt.Size)
	p.packets[q]--
	s.buffered -= sluice.Bytes(pkt.Size)
	p.ring.Charge(int(q), int64(pkt.Size))
	if e := p.flows[pkt.Flow]; e.packets > 1 {
		e.packets--
		p.flows[pkt.Flow] = e
	} else {
		delete(p.flows, pkt.Flow)
	}
	if p.packets[q] == 0 {
		p.ring.Reset(int(q))
		p.free.Add(int(q))
	}
	return sluice.TransmitMarked(pkt.ECN)
}

// Receive refuses: nobody has a frame to send.
func (s *Switch) Receive(sluice.Time, sluice.PortID, []byte) (sluice.Wake, error) {
	return 0, fmt.Errorf("ideal: a machine without flow control got a control frame")
}

// Expire does nothing.
func (s *Switch) Expire(sluice.Time) sluice.Wake { return 0 }

// Deadline returns Never.
func (s *Switch) Deadline() sluice.Time { return sluice.Never }

// PollFrame has none.
func (s *Switch) PollFrame(_ sluice.Time, buf []byte) ([]byte, sluice.PortID, string, bool) {
	return buf, 0, "", false
}

// Backlog returns the bytes in a queue.
func (s *Switch) Backlog(port sluice.PortID, q sluice.QueueID) sluice.Bytes {
	return s.ports[port].backlog[q]
}

// Sendable returns true: nothing holds a queue.
func (s *Switch) Sendable(sluice.PortID, sluice.QueueID) bool { return true }

// Buffered returns the bytes in all queues.
func (s *Switch) Buffered() sluice.Bytes { return s.buffered }

// Audit compares the total with the queues.
func (s *Switch) Audit() error {
	var sum sluice.Bytes
	for i := range s.ports {
		for _, b := range s.ports[i].backlog {
			sum += b
		}
	}
	if sum != s.buffered {
		return fmt.Errorf("ideal: invariant 1: queues hold %d bytes, the counter says %d", sum, s.buffered)
	}
	return nil
}

// Quiescent says whether a packet is left.
func (s *Switch) Quiescent() error {
	if s.buffered != 0 {
		return fmt.Errorf("ideal: %d bytes queued", s.buffered)
	}
	return nil
}
