package pfc

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
)

// A paused class waits for packets that came over its link in that class, and for no others.
func TestWaitsFor(t *testing.T) {
	s, err := New(Config{
		Ports: []PortConfig{{Link: sluice.Link{Rate: sluice.Gbps}}}, Classes: sluice.NoClasses,
	})
	require.NoError(t, err)
	p := s.Port(0)
	require.True(t, p.WaitsFor(3, &sluice.Packet{Class: 3}, 3, true))
	require.False(t, p.WaitsFor(3, &sluice.Packet{Class: 4}, 3, true))
	require.False(t, p.WaitsFor(3, &sluice.Packet{Class: 3}, 3, false))
}
