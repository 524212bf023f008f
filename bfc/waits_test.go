package bfc

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
)

// A paused queue waits for packets that came from it, whatever queue they are in now.
func TestWaitsFor(t *testing.T) {
	s, err := New(Config{Ports: []PortConfig{{Link: sluice.Link{Rate: sluice.Gbps}}}})
	require.NoError(t, err)
	p := s.Port(0)
	require.True(t, p.WaitsFor(7, &sluice.Packet{UpstreamQueue: 7}, 2, true))
	require.False(t, p.WaitsFor(7, &sluice.Packet{UpstreamQueue: 8}, 7, true))
	require.False(t, p.WaitsFor(7, &sluice.Packet{UpstreamQueue: 7}, 7, false))
}
