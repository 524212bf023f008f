package bfc

import "github.com/sluicefc/sluice"

// Counters counts what happened in a switch since New, but for the last three fields, which say how
// things stand.
type Counters struct {
	Enqueued uint64 // packets
	Dequeued uint64 // packets
	Drops    [sluice.NumReasons]uint64

	Assignments     uint64 // a flow got a queue
	Reassignments   uint64 // of those, the entry had another queue before
	NoFreeQueue     uint64 // of those, no queue was free
	QueueCollisions uint64 // of those, the queue held packets of another entry
	VFIDCollisions  uint64 // packets that met an entry which another flow's packets occupied
	TableOverflows  uint64 // of those, with Config.Ideal, because the table had no room
	StickyEvictions uint64 // with Config.Ideal, entries reused before their sticky time was over, for lack of room
	FirstPackets    uint64 // packets that took the first-packet queue
	Controls        uint64 // packets that took the control queue

	OverThreshold    uint64 // packets that found their queue above the pause threshold: counted against their upstream queue, but for the next three
	Exemptions       uint64 // not counted: the only packet of its flow here
	Withheld         uint64 // not counted: between a pair of Config.Withhold
	Unpausable       uint64 // not counted: from the first-packet queue of the upstream device
	BadUpstreamQueue uint64 // packets stamped with a queue that the upstream device does not have; never counted, nor in OverThreshold
	Pauses           uint64 // upstream queues that became paused
	Resumes          uint64 // upstream queues that became resumed
	ResumesDelayed   uint64 // resumes that waited for Config.ResumeLimit
	PauseFrames      uint64 // sent
	ResumeFrames     uint64 // sent
	BitmapFrames     uint64 // sent
	PausesReceived   uint64 // frames
	ResumesReceived  uint64 // frames
	BitmapsReceived  uint64 // frames
	StaleFrames      uint64 // received and not obeyed: a newer one came before
	BadFrames        uint64 // received and obeyed only as far as it made sense: a type or a queue that does not exist
	QueuesPaused     uint64 // our queues that downstream paused
	QueuesResumed    uint64 // our queues that downstream resumed
	Misuse           uint64 // Dequeues of a queue or packet that is not there
	ActiveQueues     int    // data queues that have packets and are not paused, now
	PausesHeld       int    // upstream queues that are paused by us, now
	PausedQueues     int    // our queues that downstream holds paused, now
}
