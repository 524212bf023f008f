package replay_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/depth"
	"github.com/sluicefc/sluice/tofino"
)

// With ghost as the source of the OQs' lengths decisions differ: a length is of before the packet,
// in units of two cells, and late. So do they where notices are late. The log is a table of how
// many decisions differ, of all switches of a network.
func TestPyrrhaGhostDiffers(t *testing.T) {
	depth.From(t, depth.Thorough, "a network for each kind of chip")
	const half, one = 500 * sluice.Nanosecond, sluice.Microsecond
	for _, c := range []pyrrhaChip{
		{depth: tofino.Notices}, {depth: tofino.Ghost, unit: 1}, {depth: tofino.Ghost, unit: 2},
		{depth: tofino.Ghost, unit: 2, report: half}, {depth: tofino.Ghost, unit: 2, report: one},
		{depth: tofino.Notices, notice: one}, {depth: tofino.Ghost, unit: 2, report: one, notice: one},
	} {
		c.count = true
		n := faultyNetwork(t, 0, nil, c)
		_, err := n.run.Do()
		require.NoError(t, err)
		packets, frames, differ := uint64(0), uint64(0), map[string]uint64{}
		for _, tap := range n.taps {
			stats := tap.Stats()
			packets, frames = packets+stats.Packets, frames+stats.Frames
			for kind, count := range stats.Differences {
				differ[kind] += count
			}
		}
		t.Logf("source %d, unit %d, report %v, notice %v: %d packets, %d frames of the machine; "+
			"differ: %v",
			c.depth, c.unit, c.report, c.notice, packets, frames, differ)
		ideal := c.depth == tofino.Notices && c.notice == 0
		assert.Equal(t, ideal, len(differ) == 0)
	}
}
