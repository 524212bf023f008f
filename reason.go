package sluice

import "github.com/sluicefc/sluice/internal/enum"

// Reason says why a machine dropped a packet. Every machine counts its drops by reason.
type Reason uint8

// Reasons.
const (
	NoReason          Reason = iota
	BadIngress               // the ingress is neither a port of the switch nor Local
	BadClass                 // the class is above 7
	BadSize                  // the size is not positive
	BadPath                  // the path begins elsewhere, or its next hops are not in the network
	BufferFull               // a lossy packet met a full share of the buffer
	HeadroomExhausted        // a lossless packet met a full headroom: the peer did not obey in time
	WatchdogDrop             // the queue is in a pause storm and its watchdog discards
	BadQueue                 // Dequeue named a queue that there is not, or that cannot hold the packet
	LinkDown                 // the link of the port failed, and its queues were flushed
	numReasons
)

// NumReasons is the number of reasons, for counters indexed by Reason.
const NumReasons = int(numReasons)

// String describes the reason.
func (r Reason) String() string {
	return enum.Name(r, "Reason", "no reason", "bad ingress", "bad class", "bad size", "bad path",
		"buffer full", "headroom exhausted", "watchdog", "bad queue", "link down")
}
