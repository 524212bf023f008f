package pyrrha

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/hiq"
	"github.com/sluicefc/sluice/internal/wire"
)

// One forged RESUME, numbered 65,535 ahead, let go what the peer pauses, and made all that the peer
// said of that root stale until its own numbers had passed. Now three refreshes of the true PAUSE
// are refused, and the fourth is obeyed.
func TestOneForgedFrameDoesNotFreezeALink(t *testing.T) {
	const refresh = 20 * sluice.Microsecond
	l := newLab(t, Config{Ports: ports(Down, Down), Refresh: refresh, Expiry: sluice.Second})
	root := at(20, 1)
	l.pause(0, root, 1)
	q := l.enqueueMany(3, 0, 1, root)
	require.False(t, l.s.Port(0).Sendable(q))
	l.deliver(0, Frame{Type: Resume, Root: root, Sequence: l.sequence[0] + wire.Reordering - 1})
	require.True(t, l.s.Port(0).Sendable(q), "the forged frame is believed")
	require.True(t, l.woken[0])

	for range wire.Persistence - 1 {
		l.now += refresh
		l.pause(0, root, 1)
		require.True(t, l.s.Port(0).Sendable(q))
	}
	l.now += refresh
	l.pause(0, root, 1)
	require.Equal(t, hiq.Paused, l.state(0, root))
	require.False(t, l.s.Port(0).Sendable(q))
	l.resume(0, root)
	require.True(t, l.s.Port(0).Sendable(q), "and so is what comes after it")
	c := l.s.Counters()
	require.EqualValues(t, 1, c.Resynchronised)
	require.EqualValues(t, wire.Persistence-1, c.Stale)

	l.serve(0, 3)
	l.deliver(0, Frame{Type: Resume, Root: root, Sequence: l.sequence[0] + 1})
	require.NoError(t, l.s.Audit())
}

// A PAUSE of a root that nobody repeats ends, whoever made it, and what waited for it goes.
func TestForgedPauseExpires(t *testing.T) {
	const refresh, expiry = 20 * sluice.Microsecond, 60 * sluice.Microsecond
	for _, sequence := range []uint32{1, wire.Reordering - 1, 1 << 31} {
		l := newLab(t, Config{Ports: ports(Down, Down), Refresh: refresh, Expiry: expiry})
		root := at(20, 1)
		l.deliver(0, Frame{Type: Pause, Root: root, Hop: 1, Sequence: sequence})
		q := l.enqueueMany(3, 0, 1, root)
		for l.s.Deadline() < expiry {
			l.expire()
			require.False(t, l.s.Port(0).Sendable(q), "%v", l.now)
		}
		l.expire()
		require.Equal(t, expiry, l.now)
		require.True(t, l.s.Port(0).Sendable(q))
		require.True(t, l.woken[0])
		l.serve(0, 3)
		require.EqualValues(t, 1, l.s.Counters().Expired)
		for l.s.Deadline() != sluice.Never {
			l.expire()
		}
		require.NoError(t, l.s.Quiescent())
	}
}
