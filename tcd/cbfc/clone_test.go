package cbfc

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
)

// TestStateForgetsTicks: a port's next step does not depend on its number of ticks, so that a
// switch on which nothing happens is soon in a state in which it was before.
func TestStateForgetsTicks(t *testing.T) {
	link := sluice.Link{Rate: 100 * sluice.Gbps}
	s, err := New(Config{Classes: 1, MTU: 1000, Ports: []PortConfig{
		{Link: link, Buffer: 4096, PeerBuffer: 4096}, {Link: link, Buffer: 4096, PeerBuffer: 4096},
	}})
	require.NoError(t, err)
	seen := map[string]bool{}
	var frame Frame
	for range 100 {
		now := s.Deadline()
		s.Expire(now)
		for i := range sluice.PortID(2) {
			for s.Port(i).PollFrame(now, &frame) {
			}
		}
		seen[string(s.appendState(nil, now))] = true
	}
	require.Less(t, len(seen), 10)
	require.NotEqual(t, 1, len(seen), "the two ports tick in turn")
}
