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

// program makes the program of programs/ofc.txt.
func (b *ofcBuilder) program() error {
	return b.read("ofc", map[string]int{
		"pause": int(ofc.Pause), "resume": int(ofc.Resume), "signal_queue": b.signals(),
		"cell_bits":       bits.Len(uint(b.full.Flows/(2*sluice.Classes) - 1)),
		"undistinguished": bit(b.full.Undistinguished), "round_port": int(b.roundPort())})
}
