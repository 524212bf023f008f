package portfc

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
)

// An embedder that forgets Path sees it in a counter, beside drops for a path that is none of the
// network.
func TestPacketsWithoutAPathAreCounted(t *testing.T) {
	network := NDC{4, 1}
	s := mustNew(t, smallConfig(network, 19))
	p := s.Port(0)
	whole := sluice.Packet{Size: 1000, Ingress: 1, Path: anyPath(network, 19, 0, 1)}
	require.Equal(t, sluice.Append, p.Enqueue(0, &whole).Action())
	elsewhere := sluice.Packet{Size: 1000, Ingress: 1}
	require.True(t, elsewhere.Path.Append(sluice.Hop{Switch: 1}))
	require.Equal(t, sluice.BadPath, p.Enqueue(0, &elsewhere).Reason())
	require.Zero(t, p.Counters().Incomplete)
	without := sluice.Packet{Size: 1000, Ingress: 1}
	require.Equal(t, sluice.BadPath, p.Enqueue(0, &without).Reason())
	require.EqualValues(t, 1, p.Counters().Incomplete)
	require.EqualValues(t, 1, s.Counters().Incomplete)
	without.Size = 0
	require.Equal(t, sluice.BadSize, p.Enqueue(0, &without).Reason())
	require.EqualValues(t, 1, p.Counters().Incomplete, "whose path nothing asked for")
}
