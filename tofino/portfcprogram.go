package tofino

import (
	"github.com/sluicefc/sluice/portfc"
)

// portfcBuilder is a program under construction.
type portfcBuilder struct {
	builder
	full      portfc.Config
	network   portfc.NDC
	layer     int
	addresses DigitLayout
}

// hq returns the number of the high-priority queue, which signals take too, ddq the number of the
// queue of packets for the next node itself.
func (b *portfcBuilder) hq() int  { return int(b.network.HQ(b.full.Switch)) }
func (b *portfcBuilder) ddq() int { return int(b.network.DDQ()) }

// program makes the program of programs/portfc.p4.
func (b *portfcBuilder) program() error {
	return b.read("portfc", "LAYER", b.layer, "DDQ", b.ddq(), "HQ", b.hq(),
		"HIGH_CLASSES", b.full.High.Len())
}
