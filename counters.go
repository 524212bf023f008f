package sluice

import "github.com/sluicefc/sluice/internal/fields"

// Counters is what every machine counts at each of its ports since New. Every protocol's
// PortCounters begins with it.
type Counters struct {
	// Packets, at their egress port.

	Enqueued    uint64             // appended to a queue by Enqueue
	Moved       uint64             // moved from one queue to another by Dequeue
	Transmitted uint64             // sent
	Dropped     [NumReasons]uint64 // discarded, by reason: at Enqueue, or later at Dequeue

	// Incomplete counts packets without a field that the protocol needs of its driver: a Path under
	// pyrrha, which lets such a packet pass as if no root were on its way, and under portfc, which
	// drops it; the stamp of the upstream device under bfc, which counts such a packet against
	// queue 0 of the device. If it is not 0, the embedder forgot something.
	Incomplete uint64
	// Outside counts packets of classes that the configuration leaves out (Config.Classes of bfc, ofc,
	// pfc and pyrrha): no upstream is paused for them, and a full buffer drops them. If that was not
	// meant, a class is missing there.
	Outside uint64

	// Control frames, at the port that they came in by or left by.

	FramesSent     uint64 // polled
	FramesReceived uint64 // handed to Receive
	Malformed      uint64 // handed to ReceiveWire and no frame, or a frame that says what cannot be
	Stale          uint64 // frames not obeyed because a later one was, or the link is down
	Ignored        uint64 // frames not obeyed because they do not concern this port
	// Resynchronised counts frames that were obeyed though their sequence number had been passed,
	// because three before them said the same of where the peer is: a forged number was believed.
	Resynchronised uint64

	// Misuse counts calls that make no sense and change nothing: a Dequeue of a packet that is not
	// there, a now of Never.
	Misuse uint64
}

// Common returns c: of the counters of any protocol, which begin with Counters, what all have.
func (c Counters) Common() Counters { return c }

// Add adds the counters of another port. It allocates.
func (c *Counters) Add(o *Counters) { fields.Add(c, o) }

// Drops returns the number of packets discarded, for whatever reason.
func (c *Counters) Drops() uint64 {
	sum := uint64(0)
	for _, n := range c.Dropped {
		sum += n
	}
	return sum
}
