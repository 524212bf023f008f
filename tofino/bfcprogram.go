package tofino

import (
	"math/bits"

	"github.com/sluicefc/sluice/bfc"
	"github.com/sluicefc/sluice/tofino/ir"
)

const limitBits = 19 // of a threshold in cells

// program makes the program of programs/bfc.txt.
func (b *bfcBuilder) program() error {
	most, ports := 1, len(b.full.Ports)
	for at := range b.full.Ports {
		most = max(most, b.full.Ports[at].UpstreamQueues)
	}
	b.queueBits = bits.Len(uint(b.full.Queues - 1))
	vfidBits := bits.Len(uint(b.full.VFIDs - 1))
	err := b.read("bfc", map[string]int{
		"pause": int(bfc.Pause), "resume": int(bfc.Resume), "queue_bits": b.queueBits,
		"vfid_bits": vfidBits, "upstream_bits": width(most), "data_queues": b.full.Queues,
		"flows": ports << vfidBits, "queues": ports << b.queueBits,
		"withheld_pairs": len(b.full.Withhold), "count_lone": bit(b.full.CountLonePackets)})
	if err == nil {
		b.parsers()
	}
	return err
}

// parsers make the parsers.
func (b *bfcBuilder) parsers() {
	kind := b.selects(b.state("kind", "ether_type"), "ether_type.value",
		sameAs(internetType, 16, b.ipState()))
	shim := b.selects(b.state("shim", "shim"), "shim.version", sameAs(1, 8, kind))
	shim.Refuse = true
	ethernet := b.forNearestBridge(b.frameStates(), &ir.State{Name: "packet",
		Select: ir.Peek(16), Cases: []ir.Case{sameAs(shimType, 16, shim)}, Default: kind})
	round := b.state("round", "bridge")
	packet := b.state("packet", "bridge", "ethernet")
	packet.Select = ir.Peek(16)
	packet.Cases = []ir.Case{sameAs(shimType, 16, b.state("stamped", "shim"))}
	b.parse(round, ethernet, b.ofKind("DATA", packet), b.ofKind("NOTICE", round),
		b.ofKind("FREED", round), b.ofKind("SIGNAL", b.state("order", "order", "cut")))
}

// frameStates parse a frame of one queue to the octet: what the machine would refuse is refused.
func (b *bfcBuilder) frameStates() *ir.State {
	known := b.wanted("frame", b.zeros(nil, "padding"), want{"signal.length", 4},
		want{"signal.count", 1})
	return frames(b.frameOf("PAUSE", known), b.frameOf("RESUME", known))
}
