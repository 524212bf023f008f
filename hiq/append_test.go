package hiq

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
)

// A level may be ahead by an MTU, so that it matters when it last moved, up to that long ago: of
// two ports whose levels may both move now, one moves two packets and the other one.
func TestStateHasTheCreditOfALevel(t *testing.T) {
	const mtu = 1000 // a microsecond
	movedAt := func(at sluice.Time) *Port {
		p := mustNew(t, Config{Rate: 8 * sluice.Gbps, IQs: 3, Roots: 1, Levels: 2, MTU: mtu})
		p.Adopt(0, 10, 1)
		for range 4 {
			p.Put(0, mtu)
		}
		require.True(t, p.Take(at, 1, 0, mtu))
		return p
	}
	const now = 1500 * sluice.Nanosecond
	moves := func(p *Port) (n int) {
		for q, ok := p.Next(now); ok && q != Output; q, ok = p.Next(now) {
			require.True(t, p.Take(now, q, 0, mtu))
			n++
		}
		return n
	}
	recent, old := movedAt(1000*sluice.Nanosecond), movedAt(0)
	older := movedAt(-sluice.Second)
	state := old.appendState(nil, now)
	require.NotEqual(t, recent.appendState(nil, now), state)
	require.Equal(t, older.appendState(nil, now), state, "more than an MTU is not credited")
	require.Equal(t, movedAt(0), old, "to write a state down changes nothing")
	require.Equal(t, 1, moves(recent))
	require.Equal(t, 2, moves(old))
	require.Equal(t, 2, moves(older))
}

// Which IQ of a level got its packet first is no part of the state: they take the same turns.
func TestStateDoesNotTellWhoCameFirst(t *testing.T) {
	state := func(roots ...int) []byte {
		p := smallPort(t)
		require.True(t, p.Adopt(0, 1, 1))
		require.True(t, p.Adopt(1, 2, 1))
		for _, root := range roots {
			p.Put(root, 1000)
		}
		return p.appendState(nil, 0)
	}
	require.Equal(t, state(0, 1), state(1, 0))
}
