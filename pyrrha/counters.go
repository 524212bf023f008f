package pyrrha

import "github.com/sluicefc/sluice"

// Counters counts what happened since New. Frames are indexed by FrameType.
type Counters struct {
	Enqueued    uint64 // packets accepted
	Transmitted uint64 // packets that went to the wire
	Moved       uint64 // moves from an IQ
	Dropped     [sluice.NumReasons]uint64
	Misuse      uint64 // Dequeue of what was not there, Congested at a port that is no NIC

	Sent     [Dealloc + 1]uint64 // frames that PollFrame gave
	Received [Dealloc + 1]uint64
	// Frames received and not obeyed.
	Stale     uint64 // not newer than the last about that root
	OwnRoot   uint64 // naming the port they came in by as the root
	TooFar    uint64 // naming a root beyond Levels; and pauses not sent as the root would be beyond hiq.MaxLevels
	TableFull uint64 // naming one root more than there is room for
	Ignored   uint64 // about a root that is not known here, or an upstream that is not in its tree or is paused; at a port of role Legacy
	Malformed uint64 // of no type, or merging a root into itself

	Abdications uint64 // claims to be a root that were given up
	Refreshed   uint64 // states sent again
	Expired     uint64 // pauses that were not repeated in time
	MaxRoots    int    // most roots of other switches known at once
	Queues      QueueCounters
}

// QueueCounters sums hiq.Counters over the ports.
type QueueCounters struct {
	Assigned uint64 // IQs assigned
	Shared   uint64 // roots or packets' sets that had to share an IQ
	Refused  uint64 // state transitions that Figure 6 does not have
	InUse    int    // IQs assigned now
	MaxInUse int    // most IQs assigned at once at one port
}
