package fabric

import (
	"fmt"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/bitset"
	"github.com/sluicefc/sluice/internal/drr"
)

// idealSwitch is the yardstick: at every port a queue for each flow that has packets there, served
// round robin by bytes, an unlimited buffer, and no flow control, so that no flow ever waits
// for another's congestion (Pyrrha, section II-C: "a dedicated queue to each flow").
type idealSwitch struct {
	ports    []idealPort
	buffered sluice.Bytes
}

type idealPort struct {
	ring    drr.Ring
	free    bitset.Set
	queueOf map[uint64]sluice.QueueID // by flow hash; looked up, never iterated
	flowOf  []uint64
	backlog []sluice.Bytes
	packets []int32
	shared  int64 // packets that met more flows than queues
}

// idealQueues is the most flows that can be told apart at one port; more share the queue of their
// hash.
const idealQueues = 2048

func newIdealSwitch(ports int, quantum sluice.Bytes) *idealSwitch {
	s := &idealSwitch{ports: make([]idealPort, ports)}
	for i := range s.ports {
		p := &s.ports[i]
		*p = idealPort{
			ring: drr.New(drr.Uniform(idealQueues, int64(quantum))), free: bitset.New(idealQueues),
			queueOf: make(map[uint64]sluice.QueueID), flowOf: make([]uint64, idealQueues),
			backlog: make([]sluice.Bytes, idealQueues), packets: make([]int32, idealQueues),
		}
		for q := range idealQueues {
			p.free.Add(q)
		}
	}
	return s
}

func (s *idealSwitch) Ports() int  { return len(s.ports) }
func (s *idealSwitch) Queues() int { return idealQueues }

func (s *idealSwitch) Enqueue(_ sluice.Time, port sluice.PortID, pkt *sluice.Packet) sluice.Verdict {
	p := &s.ports[port]
	q, known := p.queueOf[pkt.Flow]
	if !known {
		if free := p.free.Next(0); free >= 0 {
			q = sluice.QueueID(free)
			p.free.Remove(free)
			p.queueOf[pkt.Flow] = q
			p.flowOf[q] = pkt.Flow
		} else {
			q = sluice.QueueID(pkt.Flow % idealQueues)
			p.shared++
		}
	}
	p.backlog[q] += sluice.Bytes(pkt.Size)
	p.packets[q]++
	p.ring.SetEligible(int(q), true)
	s.buffered += sluice.Bytes(pkt.Size)
	return sluice.AppendTo(q)
}

func (s *idealSwitch) Next(_ sluice.Time, port sluice.PortID) (sluice.QueueID, bool) {
	q := s.ports[port].ring.Next()
	return sluice.QueueID(max(q, 0)), q >= 0
}

func (s *idealSwitch) Dequeue(_ sluice.Time, port sluice.PortID, q sluice.QueueID, pkt *sluice.Packet) sluice.Verdict {
	p := &s.ports[port]
	p.backlog[q] -= sluice.Bytes(pkt.Size)
	p.packets[q]--
	s.buffered -= sluice.Bytes(pkt.Size)
	p.ring.Charge(int(q), int64(pkt.Size))
	if p.packets[q] == 0 {
		p.ring.Reset(int(q))
		p.free.Add(int(q))
		delete(p.queueOf, p.flowOf[q])
	}
	return sluice.TransmitMarked(pkt.ECN)
}

func (s *idealSwitch) Receive(sluice.Time, sluice.PortID, []byte) (sluice.Wake, error) {
	return 0, fmt.Errorf("ideal: a machine without flow control got a control frame")
}

func (s *idealSwitch) Expire(sluice.Time) sluice.Wake { return 0 }
func (s *idealSwitch) Deadline() sluice.Time          { return sluice.Never }

func (s *idealSwitch) PollFrame(_ sluice.Time, buf []byte) ([]byte, sluice.PortID, string, bool) {
	return buf, 0, "", false
}

func (s *idealSwitch) Backlog(port sluice.PortID, q sluice.QueueID) sluice.Bytes {
	return s.ports[port].backlog[q]
}
func (s *idealSwitch) Sendable(sluice.PortID, sluice.QueueID) bool { return true }
func (s *idealSwitch) Buffered() sluice.Bytes                      { return s.buffered }

func (s *idealSwitch) Audit() error {
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

func (s *idealSwitch) Quiescent() error {
	if s.buffered != 0 {
		return fmt.Errorf("ideal: %d bytes queued", s.buffered)
	}
	return nil
}
