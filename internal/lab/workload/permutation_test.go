package workload_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/topo"
	"github.com/sluicefc/sluice/internal/lab/workload"
)

// Every host sends once and receives once, never from itself; another seed gives another
// permutation.
func TestPermutation(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 40).Draw(t, "hosts")
		g, err := topo.SingleSwitch(topo.SingleSwitchConfig{
			Hosts: n, Link: sluice.Link{Rate: sluice.Gbps},
		})
		require.NoError(t, err)
		flows, err := workload.Permutation(g, rapid.Uint64().Draw(t, "seed"), 1000)
		require.NoError(t, err)
		require.Len(t, flows, n)
		require.NoError(t, workload.CheckFlows(g, flows))
		received := map[sluice.SwitchID]bool{}
		for i := range flows {
			require.EqualValues(t, i, flows[i].Src)
			received[flows[i].Dst] = true
		}
		require.Len(t, received, n)
	})
	g, err := topo.SingleSwitch(topo.SingleSwitchConfig{
		Hosts: 50, Link: sluice.Link{Rate: sluice.Gbps},
	})
	require.NoError(t, err)
	first, err := workload.Permutation(g, 1, 1000)
	require.NoError(t, err)
	second, err := workload.Permutation(g, 2, 1000)
	require.NoError(t, err)
	require.NotEqual(t, first, second)
	_, err = workload.Permutation(g, 1, 0)
	require.ErrorContains(t, err, "needs 2 hosts and 1 byte")
}
