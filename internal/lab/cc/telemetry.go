package cc

import "github.com/sluicefc/sluice"

// MaxINTHops is the most hops whose telemetry a packet carries, and INTBytes what it adds to a
// packet and to its acknowledgement: 2 bytes, and 8 a hop.
const (
	MaxINTHops = 5
	INTBytes   = 2 + 8*MaxINTHops
)

// INTHop is what a switch writes when it dequeues a packet.
type INTHop struct {
	Time  sluice.Time
	Sent  sluice.Bytes // by that port, ever, this packet included
	Queue sluice.Bytes // that the packet leaves behind
	Rate  sluice.Rate  // of the link
}

// INT is the telemetry of a packet, in the order of its hops.
type INT struct {
	Hops [MaxINTHops]INTHop
	N    int8 // how many; more than MaxINTHops: it is of no use
}

// Stamp adds a hop.
func (t *INT) Stamp(h INTHop) {
	if t.N >= 0 && t.N < MaxINTHops {
		t.Hops[t.N] = h
	}
	if t.N <= MaxINTHops {
		t.N++
	}
}
