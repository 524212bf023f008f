package hashpath

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// Tiers are counted from the switches that have hosts. A host that does not forward is in none, and
// neither is a switch that no host can reach.
func TestTiersAreOfWhatForwardsForHosts(t *testing.T) {
	b := clos(2, 3)
	b.AddSwitch(99)
	net, err := b.Build(Config{})
	require.NoError(t, err)
	tiers := map[int]int{}
	for _, x := range net.Snapshot().Nodes {
		tiers[int(x.Name)] = x.Tier
	}
	require.Equal(t, map[int]int{0: -1, 1: -1, 2: 0, 3: 0, 4: 1, 5: 1, 6: 0, 7: 0, 99: -1}, tiers)
}
