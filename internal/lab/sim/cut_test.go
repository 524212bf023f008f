package sim

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice/internal/lab/schedule"
)

// TestMayCut: where links fail, a network is not cut if nodes choose ways for every packet, if
// hosts hear of a first loss, or if jobs ask for ways; it is cut without failures.
func TestMayCut(t *testing.T) {
	for name, c := range map[string]Config{
		"spray":                {Balance: Balance{Kind: Spray}},
		"DRILL":                {Balance: Balance{Kind: DRILL}},
		"retransmit from loss": {RetransmitFromLoss: true},
		"jobs":                 {Jobs: make([]schedule.Job, 1)},
	} {
		require.True(t, (&Simulator{config: c}).mayCut(), name)
		c.Failures = make([]Failure, 1)
		require.False(t, (&Simulator{config: c}).mayCut(), name)
	}
	require.True(t, (&Simulator{config: Config{Failures: make([]Failure, 1)}}).mayCut())
}
