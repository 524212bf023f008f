package pyrrha

import (
	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/fields"
)

// PortCounters counts what happened at a port since New. Arrays are indexed by FrameType.
type PortCounters struct {
	// Ignored counts frames that name our own port, a root too far away, or one root too many; about a
	// root that is not known here; about an upstream that is not in its tree, or is paused; and at a
	// port of role Legacy. Stale are frames that are not newer than the last about their root.
	sluice.Counters

	Sent     [Dealloc + 1]uint64 // frames that PollFrame gave
	Received [Dealloc + 1]uint64 // frames that Receive was given

	OwnRoot    uint64 // frames that name this port as the root
	TooFar     uint64 // frames that name a root beyond Levels; pauses not sent for the same reason
	TableFull  uint64 // frames that name one root more than there is room for
	Unanswered uint64 // frames of roots not known here, for whose answer there was no room

	Abdications uint64 // claims to be a root that were given up
	Refreshed   uint64 // states sent again
	Expired     uint64 // pauses that were not repeated in time
	Queues      QueueCounters
}

// QueueCounters is hiq.Counters of a port; of a switch, its sums over the ports.
type QueueCounters struct {
	Assigned  uint64 // IQs assigned
	Shared    uint64 // roots or packets' sets that had to share an IQ
	Refused   uint64 // state transitions that Figure 6 does not have
	InUse     int    // IQs assigned now
	InUsePeak int    `sum:"max"` // most IQs assigned at once at one port
	// Overtakes counts packets that Config.Unordered let go before others of their flow might.
	Overtakes uint64
}

// Counters counts what happened at a switch since New: the sums over its ports.
type Counters struct {
	PortCounters
	RootsPeak int `sum:"max"` // most roots of other switches known at once
}

// Counters returns a copy of the port's counters.
func (p *Port) Counters() PortCounters {
	c := p.counts
	c.Counters = p.common()
	q := p.iq.Counters()
	c.Queues = QueueCounters{q.Assigned, q.Shared, q.Refused, q.InUse, q.InUsePeak, q.Overtakes}
	return c
}

// common returns what every protocol counts.
func (p *Port) common() sluice.Counters {
	c := p.counts.Counters
	c.Enqueued, c.Moved, c.Transmitted = p.enqueued, p.moved, p.sent
	c.Resynchronised = p.peer.Heard.Resynchronised()
	return c
}

// Counters returns the sums over all ports, of peaks the highest. A now of Never is misuse, which
// is counted here and at no port. It allocates. O(ports).
func (s *Switch) Counters() Counters {
	c := Counters{fields.Total(s.ports, (*Port).Counters), s.mostEver}
	c.Misuse += s.clock.Misuses
	return c
}
