package replay_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/depth"
	"github.com/sluicefc/sluice/tofino"
	"github.com/sluicefc/sluice/tofino/chip"
	"github.com/sluicefc/sluice/tofino/replay"
)

// With ghost as the source of depths decisions differ: a depth is of before the packet, in units of
// two cells, and late. What depths do not decide is the same still: queues, gates, departures. A
// notice that is late lets flows and queues rest later too. The log is a table of how many frames
// differ, and of the deepest queue where neighbours obey the program's frames.
func TestBFCGhostDiffers(t *testing.T) {
	inputs := depth.Choose[uint64](5_000, 5_000, 20_000)
	if *longReplay > 1_000_000 {
		inputs = 200_000
	}
	for _, c := range []struct {
		depth          tofino.DepthSource
		unit           chip.DepthUnit
		report, notice sluice.Time
	}{
		{tofino.Notices, 0, 0, 0}, {tofino.Notices, 0, 0, sluice.Microsecond},
		{tofino.Ghost, 1, 0, 0}, {tofino.Ghost, 2, 0, 0}, {tofino.Ghost, 2, 500 * sluice.Nanosecond, 0},
		{tofino.Ghost, 2, sluice.Microsecond, 0},
		{tofino.Ghost, 2, sluice.Microsecond, sluice.Microsecond},
		{tofino.Ghost, 2, 4 * sluice.Microsecond, sluice.Microsecond},
	} {
		machine := realisedBFC(8, 16)
		machine.VFIDs = 4096
		made, routes, err := programOf(machine, c.depth, c.unit)
		require.NoError(t, err)
		run := func(lead bool) (replay.Stats, sluice.Bytes) {
			config, err := replay.BFC(made, routes)
			require.NoError(t, err)
			config.Count, config.Lead = true, lead
			config.Latency = replay.Latency{Report: c.report, Notice: c.notice}
			tap, err := replay.New(config)
			require.NoError(t, err)
			n := newIncast(tap, 1)
			for n.inputs < inputs {
				n.step()
			}
			return tap.Stats(), n.deepest
		}
		stats, _ := run(false)
		_, deepest := run(true)
		t.Logf("source %d, unit %d, report %v, notice %v: %d frames of the machine, %d packets; "+
			"differ: %v; "+
			"deepest %v", c.depth, c.unit, c.report, c.notice, stats.Frames, stats.Packets,
			stats.Differences,
			deepest)
		assert.Empty(t, stats.LeftOut)
		ideal := c.depth == tofino.Notices && c.notice == 0
		assert.Equal(t, ideal, len(stats.Differences) == 0)
		for kind := range stats.Differences {
			if c.notice == 0 {
				assert.Equal(t, "frame", kind, "depths decide of frames alone")
			}
		}
	}
}

// source is where a program knows depths from, and how late.
type source struct {
	depth  tofino.DepthSource
	unit   chip.DepthUnit
	report sluice.Time
}

var ghostSources = []source{
	{tofino.Notices, 0, 0}, {tofino.Ghost, 1, 0}, {tofino.Ghost, 2, 0},
	{tofino.Ghost, 2, 500 * sluice.Nanosecond}, {tofino.Ghost, 2, sluice.Microsecond},
	{tofino.Ghost, 2, 4 * sluice.Microsecond},
}

// logged logs what differed, and fails if that is something without ghost, nothing with it, or
// anything but frames.
func (c source) logged(t *testing.T, stats replay.Stats) {
	t.Logf("source %d, unit %d, report %v: %d frames of the machine, %d packets; differ: %v",
		c.depth, c.unit, c.report, stats.Frames, stats.Packets, stats.Differences)
	assert.Empty(t, stats.LeftOut)
	assert.Equal(t, c.depth == tofino.Notices, len(stats.Differences) == 0)
	for kind := range stats.Differences {
		assert.Equal(t, "frame", kind)
	}
}
