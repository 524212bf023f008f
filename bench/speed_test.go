package main

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
)

// Every network has the hosts it says, one flow each, and runs to its end.
func TestSpeedNetworks(t *testing.T) {
	alone(t)
	for _, network := range speedNetworks {
		o := options{protocols: list{"pfc"}}
		s, err := o.speedSubject(network.k, 8*sluice.KiB)
		require.NoError(t, err)
		require.Len(t, s.graph.Hosts(), network.hosts)
		require.Len(t, s.flows, network.hosts)
		require.Equal(t, 4096*sluice.Byte, s.values.Bytes("payload"))
		if network.hosts > 128 && testing.Short() {
			continue
		}
		best, err := fastest(s, "pfc", 2)
		require.NoError(t, err)
		require.Equal(t, network.hosts, best.result.Completed)
	}
	require.Positive(t, yardstick())
}
