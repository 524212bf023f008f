package tofino_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/sluicefc/sluice/tofino"
	"github.com/sluicefc/sluice/tofino/fit"
	"github.com/sluicefc/sluice/tofino/ir"
)

// indexedByRoot lays the registers of a program out by egress port and root, without slots, and
// compares what that takes with the program's own layout and with the paper.
//
// The paper's queue manager (section V-A) has the IsAssigned table, the QueueId stack in segments
// and the QueueId record table, in 8.64 MB of SRAM: 553 blocks. It gives neither index nor width of
// the tables.
func indexedByRoot(t *testing.T, made *tofino.Pyrrha) {
	t.Helper()
	ports, roots := len(made.Ports), 0
	var numbers [4]int
	for level := range numbers {
		numbers[level] = made.Paths.Numbers(level + 1)
		roots += numbers[level]
	}
	blocks := func(r ir.Register, size int) int {
		r.Size = size
		return fit.OfRegister(&r).Blocks
	}
	bySlot, byRoot := 0, 0
	for _, r := range made.Program.Registers {
		level := int(r.Name[len(r.Name)-1] - '1')
		switch r.Name {
		case "iq1", "iq2", "iq3", "iq4", "up1", "up2", "up3", "up4":
			bySlot, byRoot = bySlot+blocks(*r, r.Size), byRoot+blocks(*r, ports*numbers[level])
		case "iqs", "tree", "identity":
			bySlot, byRoot = bySlot+blocks(*r, r.Size), byRoot+blocks(*r, roots)
		case "slot_top", "slot_id": // no slots
			bySlot += blocks(*r, r.Size)
		}
	}
	assert.Equal(t, 34_956, roots)
	assert.Equal(t, 50, bySlot)
	assert.Equal(t, 1003, byRoot, "so that the program would take 1,119 blocks, 70 % of a pipe")

	// The paper's own two tables by egress port and root: a bit that says whether the pair has a
	// queue, and eight bits that name it. Its queue manager has room for 57 bits of each pair.
	least := blocks(ir.Register{Bits: 1}, ports*roots) + blocks(ir.Register{Bits: 8}, ports*roots)
	assert.Equal(t, 92, least)
	assert.Equal(t, 57, 553*16*1024*8/(ports*roots))
}
