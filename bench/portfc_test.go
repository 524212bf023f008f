package main

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// "When loop-producing flows generate CBD and cause a deadlock without any mitigation mechanism, the
// network throughput of PFC drops to zero ... PortFC guarantees deadlock-free operation" (PortFC,
// section V-F).
func TestNodeRing(t *testing.T) {
	s := prepared(t, "portfc/deadlock")
	portfc, pfc := outcomeOf(t, s, "portfc"), outcomeOf(t, s, "pfc")
	require.Empty(t, portfc.result.Deadlock)
	require.Contains(t, pfc.result.Deadlock, "waits for")
	claims := claimBackground(s, []*outcome{portfc, pfc})
	require.Equal(t, claims[0].ours, claims[2].ours, "before the circle closes they are alike")
	require.NotEqual(t, "0.0", claims[1].ours)
	require.Equal(t, "0", claims[3].published)
	require.Equal(t, "0.0", claims[3].ours)
}

// A node's queue of one port is shared by flows that part at the next switch: the victim is slower
// than with a queue per flow. PortFC is not free of head-of-line blocking there.
func TestNodeVictim(t *testing.T) {
	s := prepared(t, "portfc/hol", "duration=1ms")
	portfc, ideal := outcomeOf(t, s, "portfc"), outcomeOf(t, s, "ideal")
	for _, o := range []*outcome{portfc, ideal} {
		require.Equal(t, len(s.flows), o.result.Completed)
		require.Zero(t, o.result.Dropped)
	}
	victim := 0
	require.Equal(t, "vulnerable", s.groups[victim].String())
	slower := float64(portfc.result.Flows[victim].FCT) / float64(ideal.result.Flows[victim].FCT)
	require.Greater(t, slower, 1.2)
}
