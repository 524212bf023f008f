package pcn

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
)

// The first packet starts the timer T (PCN, section 5.2), also where its time is before all times
// that a machine takes: it is taken for the earliest of them.
func TestFirstPacketAtTheEarliestTime(t *testing.T) {
	n, err := NewNotificationPoint(NPConfig{Period: us})
	require.NoError(t, err)
	require.True(t, n.Arrive(math.MinInt64, 1000, sluice.ECT1))
	require.Equal(t, sluice.Time(-1<<61)+us, n.Deadline())
}
