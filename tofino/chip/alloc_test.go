package chip_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice/tofino/chip"
)

// What is in range costs no allocation: a replay makes and reads a word for every pause.
func TestZeroAlloc(t *testing.T) {
	carving := chip.DefaultCarving()
	var unit chip.DepthUnit
	var sum int64
	require.Zero(t, testing.AllocsPerRun(100, func() {
		port, _ := chip.NewDevPort(1, 1, 1)
		queue, _ := carving.Queue(port, 3)
		again, _, _ := chip.Decode(chip.Pause(queue))
		ghost, _ := chip.GhostQueue(again.Pipe(), again.Ghost())
		carving.Port(ghost)
		limit, _ := unit.Limit(chip.Above, chip.Cells(70_000))
		down, up := unit.Round(chip.Below, 101)
		sum += limit + down + up
	}))
	require.NotZero(t, sum)
}
