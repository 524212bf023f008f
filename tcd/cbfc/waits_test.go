package cbfc

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
)

// A VL without credit waits for packets that came over its link on that VL, and for no others.
func TestWaitsFor(t *testing.T) {
	p := newSwitch(t, Config{Ports: []PortConfig{{Link: sluice.Link{Rate: 40 * g}}}}).Port(0)
	require.True(t, p.WaitsFor(3, &sluice.Packet{Class: 3}, 3, true))
	require.False(t, p.WaitsFor(3, &sluice.Packet{Class: 4}, 3, true))
	require.False(t, p.WaitsFor(3, &sluice.Packet{Class: 3}, 3, false))
}
