package tofino

import (
	"math/bits"
)

const limitBits = 19 // bits of a threshold in cells

// program makes the program of programs/bfc.p4.
func (b *bfcBuilder) program() error {
	most := 1
	for at := range b.full.Ports {
		most = max(most, b.full.Ports[at].UpstreamQueues)
	}
	b.queueBits = bits.Len(uint(b.full.Queues - 1))
	return b.read("bfc", "ROUTES", max(1, len(b.Routes)), "DATA_QUEUES", b.full.Queues,
		"QUEUE_BITS", b.queueBits, "VFID_BITS", bits.Len(uint(b.full.VFIDs-1)),
		"UPSTREAM_BITS", width(most), "THRESHOLDS", 1, "WITHHELD_PAIRS", len(b.full.Withhold),
		"COUNT_LONE", bit(b.full.CountLonePackets))
}
