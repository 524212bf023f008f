package pyrrha

import (
	"testing"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/hiq"
	"github.com/stretchr/testify/require"
)

// An isolation queue waits for packets of its root: packets that came by its link where the root is
// farther on, packets in the root's output queue where the next device is the root's.
func TestWaitsFor(t *testing.T) {
	root, near := at(50, 3), at(20, 1)
	for _, organisation := range []Organisation{Hierarchical, SingleTier} {
		l := newLab(t, Config{Ports: ports(Down, Down), Organisation: organisation})
		l.pause(0, root, 2)
		l.pause(0, near, 1)
		q := l.enqueue(0, 1, at(20, 7), root)
		p := l.s.Port(0)
		require.False(t, p.Sendable(q))
		waits := func(q, in sluice.QueueID, came bool, path ...sluice.Hop) bool {
			way, _ := sluice.MakePath(path...)
			return p.WaitsFor(q, &sluice.Packet{Path: way}, in, came)
		}
		require.True(t, waits(q, 5, true, at(20, 7), root), "it goes through the root")
		require.False(t, waits(q, 5, false, at(20, 7), root), "the account is of the link")
		require.False(t, waits(q, 5, true, at(20, 7), at(50, 4)), "no root is on its path")
		require.False(t, waits(q, hiq.Output, true, near), "that root holds another queue")
		require.False(t, waits(hiq.Output, 5, true, at(20, 7), root), "the output queue is never held")

		nearest := l.enqueue(0, 1, near)
		require.True(t, waits(nearest, hiq.Output, false, near), "the root is its output queue")
		require.False(t, waits(nearest, 3, true, near), "what waits there for another root")
	}
}

// The peer pauses the isolation queue of a root that it names, and a flow control beneath the
// output queue: not the isolation queues that have no root, nor the queues of other roots.
func TestPausedByPeer(t *testing.T) {
	root := at(50, 3)
	l := newLab(t, Config{Ports: ports(Down, Down)})
	p := l.s.Port(0)
	paused := func() (queues []sluice.QueueID) {
		for q := range sluice.QueueID(l.s.Queues() + 1) {
			if p.PausedByPeer(q) {
				queues = append(queues, q)
			}
		}
		return queues
	}
	require.Empty(t, paused())
	l.pause(0, root, 2)
	q := l.enqueue(0, 1, at(20, 7), root)
	require.Equal(t, []sluice.QueueID{q}, paused())
	p.Hold(0, true)
	require.Equal(t, []sluice.QueueID{hiq.Output, q}, paused())
	p.Hold(0, false)
	require.Equal(t, []sluice.QueueID{q}, paused())
}

// Packets for two roots wait in one queue of a single tier: only the root whose PAUSE is in force
// holds them, also if the other has the lesser key.
func TestPausedForIsOfARootThatIsPaused(t *testing.T) {
	near, far := at(20, 0), at(21, 0)
	l := newLab(t, Config{Organisation: SingleTier, Ports: ports(Up, Host)})
	l.pause(0, near, 1)
	l.pause(0, far, 2)
	q := l.enqueue(0, 1, near, far)
	root, ok := l.s.Port(0).PausedFor(q)
	require.True(t, ok)
	require.Equal(t, near, root, "of several the one with the least key")
	l.resume(0, near)
	root, ok = l.s.Port(0).PausedFor(q)
	require.True(t, ok)
	require.Equal(t, far, root)
}
