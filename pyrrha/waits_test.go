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
		p.Hold(0, true)
		require.False(t, waits(q, 5, true, at(20, 7), root), "a flow control beneath holds it")
	}
}

// A child whose measure is the length of its queue pauses its upstreams for any packet there,
// whatever link it came in by.
func TestWaitsForAnyPacketOfTheQueue(t *testing.T) {
	root := at(50, 3)
	l := newLab(t, Config{Ports: ports(Down, Down), Child: ByQueue})
	l.pause(0, root, 2)
	q := l.enqueue(0, 1, at(20, 7), root)
	way, _ := sluice.MakePath(at(20, 7), root)
	require.True(t, l.s.Port(0).WaitsFor(q, &sluice.Packet{Path: way}, 5, false))
}

// Of two roots that share a queue, only the one that is paused holds it; a queue that no
// set has any more is held for none.
func TestQueuesOfSeveralRoots(t *testing.T) {
	a, b := at(20, 1), at(20, 2)
	for name, c := range map[string]struct {
		config        Config
		first, second sluice.Hop
	}{
		"the one IQ of a level":     {Config{Levels: 2, IQs: 2}, a, b},
		"the same, the other first": {Config{Levels: 2, IQs: 2}, b, a},
		"a set":                     {Config{Organisation: SingleTier}, a, b},
		"a set, the other first":    {Config{Organisation: SingleTier}, b, a},
	} {
		c.config.Ports = ports(Down, Down)
		l := newLab(t, c.config)
		p := l.s.Port(0)
		l.pause(0, at(1, 1), 2) // has another queue
		l.pause(0, c.first, 1)
		l.pause(0, c.second, 1)
		q := l.enqueue(0, 1, a, b)
		pausedFor := func() []sluice.Hop {
			if root, ok := p.PausedFor(q); ok {
				return []sluice.Hop{root}
			}
			return nil
		}
		waits := func(root sluice.Hop) bool {
			way, _ := sluice.MakePath(at(30, 1), root)
			return p.WaitsFor(q, &sluice.Packet{Path: way}, 5, true)
		}
		require.Equal(t, []sluice.Hop{a}, pausedFor(), "%s: the least key", name)
		l.resume(0, a)
		require.Equal(t, []sluice.Hop{b}, pausedFor(), name)
		require.Equal(t, []bool{false, true}, []bool{waits(a), waits(b)}, name)
		l.pause(0, a, 1)
		l.resume(0, b)
		require.Equal(t, []sluice.Hop{a}, pausedFor(), name)
		require.Equal(t, []bool{true, false}, []bool{waits(a), waits(b)}, name)
		l.resume(0, a)
		require.Empty(t, pausedFor(), name)
		l.serve(0, 1)
		l.pause(0, a, 1)
		require.Equal(t, !l.s.single, len(pausedFor()) == 1, "%s: no set has it any more", name)
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

// In a single tier a set of roots has the queue. The sets for which none is left share the last
// one, whose roots are not known.
func TestSetsOfASingleTier(t *testing.T) {
	a, b := at(20, 1), at(30, 1)
	l := newLab(t, Config{Organisation: SingleTier, Ports: ports(Down, Down), IQs: 3})
	l.pause(0, a, 1)
	l.pause(0, b, 2)
	require.Empty(t, l.s.Port(0).Snapshot().Sets)
	l.enqueue(0, 1, a)
	l.enqueueMany(2, 0, 1, b, a)
	l.enqueueMany(3, 0, 1, b)
	l.enqueueMany(4, 0, 1)
	require.Equal(t, []SetInfo{
		{Queue: 1, Roots: []sluice.Hop{a}, Bytes: 1000},
		{Queue: 2, Roots: []sluice.Hop{a, b}, Bytes: 2000},
		{Queue: 3, Bytes: 3000},
	}, l.s.Port(0).Snapshot().Sets)
	require.Equal(t, 3, l.s.Port(0).Snapshot().IQs)

	l = newLab(t, Config{Ports: ports(Down, Down)})
	l.pause(0, a, 1)
	l.enqueue(0, 1, a)
	require.Nil(t, l.s.Port(0).Snapshot().Sets, "hierarchical queues have no sets")
}
