package tofino

import (
	"math/bits"

	"github.com/sluicefc/sluice/bfc"
)

const limitBits = 19 // bits of a threshold in cells

// program makes the program of programs/bfc.txt.
func (b *bfcBuilder) program() error {
	most, ports := 1, len(b.full.Ports)
	for at := range b.full.Ports {
		most = max(most, b.full.Ports[at].UpstreamQueues)
	}
	b.queueBits = bits.Len(uint(b.full.Queues - 1))
	vfidBits := bits.Len(uint(b.full.VFIDs - 1))
	return b.read("bfc", map[string]int{
		"pause": int(bfc.Pause), "resume": int(bfc.Resume), "queue_bits": b.queueBits,
		"vfid_bits": vfidBits, "upstream_bits": width(most), "data_queues": b.full.Queues,
		"flows": ports << vfidBits, "queues": ports << b.queueBits,
		"withheld_pairs": len(b.full.Withhold), "count_lone": bit(b.full.CountLonePackets)})
}
