package chip_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice/tofino/chip"
)

// Channels take their queues in order, and the driver's own answer has the same form.
func TestCarvingInOrder(t *testing.T) {
	carving, err := chip.NewCarving([8]int{32, 0, 16, 4, 0, 0, 0, 64})
	require.NoError(t, err)
	assert.Equal(t, [8]int{32, 0, 16, 4, 0, 0, 0, 64}, carving.Counts())
	assert.Equal(t, []int{0, 32, 32, 48, 52},
		[]int{carving.Base(0), carving.Base(1), carving.Base(2), carving.Base(3), carving.Base(7)})

	p, err := chip.NewDevPort(2, 5, 3)
	require.NoError(t, err)
	assert.Equal(t, chip.PortConfig{Group: 5, Channel: 3, Count: 4, IngressQueues: []int{0, 1, 2, 3},
		EgressQueues: []int{48, 49, 50, 51}}, carving.PortConfig(p))

	beyond, err := chip.NewQueue(2, 5, 116)
	require.NoError(t, err)
	_, _, ok := carving.Port(beyond)
	assert.False(t, ok, "116 queues are carved: the next is no port's")
	assert.Zero(t, carving.Count(8), "there is no channel 8")
}

// 128 queues are shared by the ports of a group: 16, 32, 64 or 128 for each.
func TestBreakout(t *testing.T) {
	for ports, channels := range map[int][]int{
		1: {0}, 2: {0, 4}, 4: {0, 2, 4, 6}, 8: {0, 1, 2, 3, 4, 5, 6, 7},
	} {
		carving, err := chip.Breakout(ports)
		require.NoError(t, err)
		for i, channel := range channels {
			assert.Equal(t, chip.QueuesPerGroup/ports, carving.Count(channel))
			assert.Equal(t, chip.QueuesPerGroup/ports*i, carving.Base(channel))
		}
		same, err := chip.NewCarving(carving.Counts())
		require.NoError(t, err)
		assert.Equal(t, carving, same)
	}
	eight, err := chip.Breakout(8)
	require.NoError(t, err)
	assert.Equal(t, chip.DefaultCarving(), eight)
}
