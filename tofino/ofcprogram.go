package tofino

import (
	"math/bits"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/ofc"
)

// ofcBridgeOctets is the length of the header that data has inside the chip.
const ofcBridgeOctets = 22

// ofcBuilder is a program under construction.
type ofcBuilder struct {
	builder
	full ofc.Config
}

// program makes the program of programs/ofc.p4.
func (b *ofcBuilder) program() error {
	return b.read("ofc", "ROUTES", max(1, len(b.Routes)), "SIGNAL_QUEUE", b.signals(),
		"CELL_BITS", bits.Len(uint(b.full.Flows/(2*sluice.Classes)-1)),
		"UNDISTINGUISHED", bit(b.full.Undistinguished), "ROUND_PORT", b.roundPort())
}
