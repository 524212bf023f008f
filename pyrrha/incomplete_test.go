package pyrrha

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
)

// An embedder that forgets Path sees it in a counter: the packet passes, and no pause of a root
// ever holds it. Classes that are not under Pyrrha need no path.
func TestPacketsWithoutAPathAreCounted(t *testing.T) {
	s, err := New(Config{
		Buffer: sluice.MiB, Classes: sluice.MakeClassSet(0),
		Ports: []PortConfig{{Link: labLink}, {Link: labLink}},
	})
	require.NoError(t, err)
	p := s.Port(1)
	whole := sluice.Packet{Size: 1000}
	require.True(t, whole.Path.Append(sluice.Hop{Port: 1}))
	for _, pkt := range []sluice.Packet{{Size: 1000}, {Size: 1000, Class: 1}, whole, {Size: 1000}} {
		require.Equal(t, sluice.Append, p.Enqueue(0, &pkt).Action())
	}
	require.EqualValues(t, 2, p.Counters().Incomplete)
	require.EqualValues(t, 2, s.Counters().Incomplete)
}
