package hashpath

import (
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
)

// TestReadersSeeWholeStates calculates paths while switches fail and come back, and weights change
// under the race detector's eye. Every path belongs to one of the states between updates.
func TestReadersSeeWholeStates(t *testing.T) {
	const k, updates = 4, 200
	tree := fatTree{k}
	net := buildFatTree(
		t, k, Config{Hash: Hash{Kind: KindCRC32C, Select: Resilient, Buckets: 32}, TierOffset: 4},
	)
	var flows []Flow
	for i := range 64 {
		flows = append(
			flows, FlowBetween(sluice.SwitchID(i%4), sluice.SwitchID(12+i%4), uint16(i), 4791, 17),
		)
	}
	tor := tree.tor(0, 0)
	all := func() []sluice.Path {
		var paths []sluice.Path
		for i := range flows {
			p, s := net.Path(tor, 0, &flows[i])
			require.Equal(t, OK, s)
			paths = append(paths, p)
		}
		return paths
	}
	// Either aggregation switch of the first pod is off.
	require.NoError(t, net.FailNode(tree.agg(0, 0)))
	right := all()
	require.NoError(t, net.RestoreNode(tree.agg(0, 0)))
	both := all()
	require.NoError(t, net.FailNode(tree.agg(0, 1)))
	left := all()
	require.NoError(t, net.RestoreNode(tree.agg(0, 1)))
	require.Equal(t, both, all())

	var stop atomic.Bool
	var readers sync.WaitGroup
	var paths atomic.Int64
	for range 2 {
		readers.Add(1)
		go func() {
			defer readers.Done()
			for i := 0; !stop.Load(); i = (i + 1) % len(flows) {
				p, s := net.Path(tor, 0, &flows[i])
				if s != OK || p != left[i] && p != right[i] && p != both[i] {
					t.Errorf("flow %d: %v, %v", i, p.String(), s)
					return
				}
				port, ok := net.Egress(tor, 0, &flows[i])
				if !ok || port != left[i].At(0).Port && port != right[i].At(0).Port {
					t.Errorf("flow %d: egress %v", i, port)
					return
				}
				paths.Add(1)
			}
		}()
	}
	for i := range updates {
		agg := tree.agg(0, i%2)
		require.NoError(t, net.FailNode(agg))
		require.NoError(t, net.SetWeight(hop(tor, 2), 1+i%3))
		require.NoError(t, net.SetWeight(hop(tor, 2), 1))
		require.NoError(t, net.RestoreNode(agg))
		net.Memory()
		net.Levels()
		net.Snapshot()
		net.IsUp(hop(agg, 0))
	}
	for paths.Load() < 1000 && !t.Failed() {
		require.NoError(t, net.FailNode(tree.agg(0, 0)))
		require.NoError(t, net.RestoreNode(tree.agg(0, 0)))
	}
	stop.Store(true)
	readers.Wait()
}
