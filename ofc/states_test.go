package ofc

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
)

// With Config.Speedup a class may be ahead by an MTU, so that it matters until when its last moves
// took, up to that long ago.
func TestStateHasTheCreditOfAClass(t *testing.T) {
	const us = sluice.Microsecond
	link := sluice.Link{Rate: sluice.Gbps} // a packet is 8 us
	type waiting struct {
		*Switch
		packets []sluice.Packet // of the normal queue
	}
	// moved returns how many packets a port moves at once.
	moved := func(s *waiting, now sluice.Time) (n int) {
		for _, ok := s.Port(0).Next(now); ok && len(s.packets) > 0; _, ok = s.Port(0).Next(now) {
			q, _ := s.Port(0).Next(now)
			require.Equal(t, sluice.Append, s.Port(0).Dequeue(now, q, &s.packets[0]).Action())
			s.packets = s.packets[1:]
			n++
		}
		return n
	}
	movedAt := func(at sluice.Time) *waiting {
		s := &waiting{Switch: mustNew(t, Config{
			Ports: []PortConfig{{Link: link}, {Link: link}}, Speedup: 1, MTU: 1000,
		})}
		for range 6 {
			p := sluice.Packet{Flow: 7, Class: 3, Size: 1000, Ingress: 1}
			require.Equal(t, sluice.Append, s.Port(0).Enqueue(at, &p).Action())
			s.packets = append(s.packets, p)
		}
		hear(s.Switch, at, Pause, 1)
		require.Equal(t, 2, moved(s, at))
		s.Expire(at + 8*us)
		return s
	}
	recent, old, older := movedAt(4*us), movedAt(0), movedAt(-sluice.Second)
	const now = 16 * us
	state := old.appendState(nil, now)
	require.NotEqual(t, recent.appendState(nil, now), state)
	require.Equal(t, older.appendState(nil, now), state, "more than an MTU is not credited")
	require.Equal(t, 1, moved(recent, now))
	require.Equal(t, 2, moved(old, now))
	require.Equal(t, 2, moved(older, now))
}
