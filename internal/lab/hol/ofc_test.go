package hol_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/hol"
)

// OFC pauses congested flows only (section IV-C3): in the steady state no queue blocks a flow
// without a congested port ahead. Flows of two congested ports share the paused queue, and block
// each other. A class that is paused as a whole, or whose normal queue waits for a rotation, is
// PFC: the first flow is blocked as well.
func TestOFCBlocks(t *testing.T) {
	path := func(last sluice.PortID) []sluice.Hop {
		return []sluice.Hop{{Switch: 1, Port: 0}, {Switch: 2, Port: 0}, {Switch: 3, Port: last}}
	}
	flows := []hol.Flow{{ID: 1, Path: path(1)}, {ID: 2, Path: path(2)}, {ID: 3, Path: path(3)}}
	first, second := path(2)[2], path(3)[2]
	blocked := func(strategy hol.Strategy, congested ...sluice.Hop) map[int]bool {
		s, err := hol.New(flows, congested)
		require.NoError(t, err)
		blocked := map[int]bool{}
		for _, w := range strategy(s).Blocked() {
			blocked[w.Flow] = true
		}
		return blocked
	}
	require.Empty(t, blocked(hol.OFC, first))
	require.Equal(t, map[int]bool{1: true, 2: true}, blocked(hol.OFC, first, second))
	require.Equal(t, map[int]bool{0: true, 2: true}, blocked(hol.PFC, first))
	require.Equal(t, map[int]bool{0: true, 1: true, 2: true}, blocked(hol.PFC, first, second))
}
