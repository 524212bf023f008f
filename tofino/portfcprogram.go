package tofino

import (
	"github.com/sluicefc/sluice/portfc"
	"github.com/sluicefc/sluice/tofino/ir"
)

// portfcBuilder is a program under construction.
type portfcBuilder struct {
	builder
	full      portfc.Config
	network   portfc.NDC
	layer     int
	addresses DigitLayout
}

// hq and ddq return the number of the high-priority queue, which signals take too, and that of the
// queue of packets for the next node itself.
func (b *portfcBuilder) hq() int  { return int(b.network.HQ(b.full.Switch)) }
func (b *portfcBuilder) ddq() int { return int(b.network.DDQ()) }

// program makes the program of programs/portfc.txt.
func (b *portfcBuilder) program() error {
	err := b.read("portfc", map[string]int{
		"pause": int(portfc.Pause), "resume": int(portfc.Resume), "layer": b.layer,
		"ddq_queue": b.ddq(), "high_queue": b.hq(), "high_classes": b.full.High.Len()})
	if err == nil {
		b.parsers()
	}
	return err
}

// parsers make the parsers.
func (b *portfcBuilder) parsers() {
	round := &ir.State{Name: "round", Select: ir.Peek(8), Refuse: true, Cases: []ir.Case{
		b.ofKind("NOTICE", b.state("notice", "bridge", "cut")),
		b.ofKind("SIGNAL", b.state("order", "order", "cut"))}}
	bridged, ordered := b.state("bridged", "bridge"), b.state("ordered", "order")
	b.parse(round, b.packets(b.frameStates(), b.state("ip", "ipv4")), b.ofKind("DATA", bridged),
		b.ofKind("NOTICE", bridged), b.ofKind("SIGNAL", ordered), b.ofKind("REPLICA", ordered))
}

// frameStates parse a frame to the octet: what the machine would refuse is refused.
func (b *portfcBuilder) frameStates() *ir.State {
	known := b.wanted("frame", b.zeros(nil, "padding"), want{"signal.length", b.number("body")})
	return frames(b.frameOf("PAUSE", known), b.frameOf("RESUME", known))
}
