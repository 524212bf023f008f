package pyrrha

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// The level of an IQ is the distance to its root (section IV-C). A MERGE makes the IQ of the new
// root, which keeps that level. So the MERGE has the distance that is known when it goes to the
// wire, which the next PAUSE has too, and not the distance that was known when the trees merged.

// A host is in no tree, so the distance may grow: the MERGE that goes on to it came from a switch
// that is near the new root, of which by then this one is a leaf.
func TestMergeSaysTheDistanceThatGrew(t *testing.T) {
	for _, o := range []Organisation{Hierarchical, SingleTier} {
		l := newLab(t, Config{Ports: ports(Host, Down, Down, Down), Organisation: o})
		old, root := at(20, 1), at(30, 1)
		l.pause(1, old, 1)
		l.pause(2, old, 1)
		l.enqueueMany(31, 2, 0, old)
		require.Equal(t, []string{"port 0: pause 20:1 hop 2"}, l.sent())
		l.pause(3, root, 2)
		l.merge(1, old, root, 1)
		require.Equal(
			t, []string{"port 0: merge 20:1 into 30:1 hop 3", "port 1: dealloc 30:1"}, l.sent(),
		)
		l.enqueueMany(31, 3, 0, root)
		require.Equal(t, []string{"port 0: pause 30:1 hop 3"}, l.sent())
	}
}

// For a switch, which is in the tree, the distance may shrink: a PAUSE with a smaller distance to
// the new root came before our transmitter was free. With four hops, an upstream that knows the
// root at three by another port would take this way for a detour, and pause no upstream for its
// packets.
func TestMergeSaysTheDistanceThatShrank(t *testing.T) {
	for _, o := range []Organisation{Hierarchical, SingleTier} {
		l := newLab(t, Config{Ports: ports(Down, Down, Down), Organisation: o})
		upstream := newLab(t, Config{Ports: ports(Down, Down, Down), Organisation: o})
		old, root := at(20, 1), at(30, 1)
		l.pause(0, old, 1)
		l.enqueueMany(31, 0, 1, old)
		require.Equal(t, []string{"port 1: pause 20:1 hop 2"}, l.sent())
		upstream.pause(0, old, 2)
		upstream.enqueue(0, 2, old, root) // so the new root's IQ is kept for the old one's packets
		upstream.pause(1, root, 3)

		merge := Frame{Type: Merge, Old: old, Root: root, Hop: 3, Sequence: 2}
		l.s.Port(0).Receive(l.now, &merge)
		nearer := Frame{Type: Pause, Root: root, Hop: 1, Sequence: 1}
		l.s.Port(2).Receive(l.now, &nearer)
		var told Frame
		require.True(t, l.s.Port(1).PollFrame(l.now, &told))
		require.Equal(t, "merge 20:1 into 30:1 hop 2", told.String())
		l.enqueueMany(31, 2, 1, root)
		require.Equal(t, []string{"port 1: pause 30:1 hop 2"}, l.sent())

		upstream.receive(0, told)
		upstream.pause(0, root, 2)
		upstream.enqueueMany(31, 0, 2, root)
		require.Equal(t, []string{"port 2: pause 30:1 hop 3"}, upstream.sent())
	}
}

// Seven hops are the most that a frame can say, and a host whose card refused the MERGE would go
// on holding what passes the old root.
func TestMergeSaysNoMoreThanSevenHops(t *testing.T) {
	l := newLab(t, Config{Ports: ports(Host, Down, Down, Down)})
	old, root := at(20, 1), at(30, 1)
	l.pause(1, old, 1)
	l.pause(2, old, 1)
	l.enqueueMany(31, 2, 0, old)
	l.pause(3, root, 7)
	l.sent()
	l.merge(1, old, root, 1)
	require.Equal(
		t, []string{"port 0: merge 20:1 into 30:1 hop 7", "port 1: dealloc 30:1"}, l.sent(),
	)
}
