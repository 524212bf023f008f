package main

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/run/runtest"
)

// Every network has the hosts it says, one flow each, and runs to its end.
func TestSpeedNetworks(t *testing.T) {
	runtest.Alone(t)
	for _, network := range speedNetworks[:lastSpeed+1] {
		o := options{protocols: []string{"pfc"}}
		s, err := o.speedSubject(network.k, 8*sluice.KiB)
		require.NoError(t, err)
		require.Len(t, s.Graph.Hosts(), network.hosts)
		require.Len(t, s.Flows, network.hosts)
		require.Equal(t, 4096*sluice.Byte, s.Values.Bytes("payload"))
		if network.hosts > 128 && testing.Short() {
			continue
		}
		s.Threads = 2
		best, err := s.Simulate("pfc", false, nil)
		require.NoError(t, err)
		require.Equal(t, network.hosts, best.Result.Completed)
	}
	require.Positive(t, yardstick())
}
