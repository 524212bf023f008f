package ofc

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
)

// A paused queue waits for what came over its link in its class; a normal queue only if the class
// is held.
func TestWaitsFor(t *testing.T) {
	p := mustNew(t, HostConfig(link40)).Port(0)
	require.True(t, p.WaitsFor(10, &sluice.Packet{Class: 3}, 0, true))
	require.False(t, p.WaitsFor(10, &sluice.Packet{Class: 4}, 0, true))
	require.False(t, p.WaitsFor(10, &sluice.Packet{Class: 3}, 0, false))
	require.False(t, p.WaitsFor(9, &sluice.Packet{Class: 3}, 0, true))
	require.False(t, p.WaitsFor(99, &sluice.Packet{Class: 3}, 0, true))
	p.Receive(0, &Frame{Type: Pause, Class: 3, All: true})
	require.True(t, p.WaitsFor(9, &sluice.Packet{Class: 3}, 0, true))
}
