package marking

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/sluicefc/sluice"
)

// TestWaitingCountsPackets: bytes decide as a count of packets does, packet for packet, in a queue
// of any sizes.
func TestWaitingCountsPackets(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var w Waiting
		var queue []sluice.Bytes
		var backlog sluice.Bytes
		waiting := 0 // packets
		for _, action := range rapid.SliceOf(rapid.IntRange(0, 5)).Draw(t, "actions") {
			switch {
			case action < 3:
				size := rapid.Int32Range(1, 9000).Draw(t, "size")
				queue = append(queue, sluice.Bytes(size))
				backlog += sluice.Bytes(size)
			case action == 3:
				w.Resumed(backlog)
				waiting = len(queue)
			case len(queue) > 0:
				require.Equal(t, waiting > 0, w.Leaves(queue[0]))
				backlog -= queue[0]
				queue = queue[1:]
				waiting = max(waiting-1, 0)
			}
			require.Equal(t, waiting == 0, w.Bytes() == 0)
		}
	})
}

// TestWaitingOfNonsense: a negative backlog is none, and a size that is not positive takes nothing
// away.
func TestWaitingOfNonsense(t *testing.T) {
	var w Waiting
	w.Resumed(-5)
	require.False(t, w.Leaves(10))
	w.Resumed(10)
	require.True(t, w.Leaves(-1))
	require.True(t, w.Leaves(0))
	require.EqualValues(t, 10, w.Bytes())
}

// TestUnpaused: a packet is marked that did not wait and leaves more than the threshold behind.
func TestUnpaused(t *testing.T) {
	u := Unpaused{Threshold: 5000}
	require.Equal(t, sluice.ECT0, u.Mark(1000, 5000, sluice.ECT0))
	require.Equal(t, sluice.CE, u.Mark(1000, 5001, sluice.ECT0))
	require.Equal(t, sluice.CE, u.Mark(1000, 5001, sluice.ECT1))
	require.Equal(t, sluice.NotECT, u.Mark(1000, 5001, sluice.NotECT))
	require.Equal(t, sluice.CE, u.Mark(1000, 5001, sluice.CE))
	require.EqualValues(t, 2, u.Marked)
	u.Waiting.Resumed(1500)
	require.Equal(t, sluice.ECT0, u.Mark(1000, 9000, sluice.ECT0))
	require.Equal(t, sluice.ECT0, u.Mark(500, 9000, sluice.ECT0), "the last that waited")
	require.Equal(t, sluice.CE, u.Mark(1000, 9000, sluice.ECT0))
}
