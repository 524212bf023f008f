package bfc

import (
	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/fields"
)

// PortCounters counts what happened at a port since New.
type PortCounters struct {
	sluice.Counters

	// Flows and queues, at the egress port.

	Assignments     uint64 // a flow got a queue
	Reassignments   uint64 // assignments to an entry that had another queue before
	NoFreeQueue     uint64 // assignments when no queue was free
	QueueCollisions uint64 // an entry without packets here joined a queue with packets of others
	VFIDCollisions  uint64 // packets that met an entry which another flow's packets occupied
	TableOverflows  uint64 // Config.Ideal: packets that joined a shared entry, for lack of room
	StickyEvictions uint64 // Config.Ideal: queues taken from a flow before its sticky time was over
	FirstPackets    uint64 // packets that took the first-packet queue

	// Packets, at the egress port. Those over the threshold are counted against their upstream
	// queue, except those that the next three count.

	OverThreshold    uint64 // found their queue above the pause threshold
	Exemptions       uint64 // not counted: the only packet of its flow here
	Withheld         uint64 // not counted: between a pair of Config.Withhold
	Unpausable       uint64 // not counted: from the first-packet or control queue upstream
	BadUpstreamQueue uint64 // stamped with a queue that the upstream device cannot have

	// Upstream queues, at the ingress port.

	Pauses         uint64 // became paused
	Resumes        uint64 // became resumed
	ResumesDelayed uint64 // resumes that waited for Config.ResumeLimit
	PausesSent     uint64 // frames
	ResumesSent    uint64 // frames
	BitmapsSent    uint64 // frames

	// Data queues of the port that downstream pauses.

	PausesReceived  uint64 // frames
	ResumesReceived uint64 // frames
	BitmapsReceived uint64 // frames
	Expired         uint64 // queues whose pause was not repeated: Config.Expiry
	QueuesPaused    uint64 // queues that became paused
	QueuesResumed   uint64 // queues that became resumed
}

// Counters is the sum of what the ports counted, and what no port counts.
type Counters struct{ PortCounters }

// Counters returns a copy of the port's counters. O(queues).
func (p *Port) Counters() PortCounters {
	c := p.counters
	c.Enqueued = p.enqueued
	c.Transmitted = p.enqueued - uint64(p.packets())
	c.Resynchronised = p.upstream.Heard.Resynchronised()
	return c
}

// Counters returns the sums over all ports. A now of Never is misuse, which is counted here and at
// no port. It allocates. O(ports x queues).
func (s *Switch) Counters() Counters {
	sum := Counters{fields.Total(s.ports, (*Port).Counters)}
	sum.Misuse += s.clock.Misuses
	return sum
}

func (p *Port) packets() (n int64) {
	for i := range p.queues {
		n += p.queues[i].packets
	}
	return n
}
