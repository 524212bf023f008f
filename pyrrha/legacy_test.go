package pyrrha

import (
	"testing"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/hiq"
	"github.com/stretchr/testify/require"
)

// A neighbour that does not speak Pyrrha gets no frame, from a root or a child (section IV-E), and
// no leaf waits for its DEALLOC.
func TestLegacyNeighbour(t *testing.T) {
	for _, child := range []ChildRule{ByIngress, ByQueue} {
		l := newLab(t, Config{Ports: ports(Legacy, Down, Down), Child: child})
		l.enqueueMany(31, 2, 0)
		require.Empty(t, l.sent(), "a root without an upstream to pause")
		l.enqueue(2, 1)
		require.Equal(
			t, []string{"port 1: pause 10:2 hop 1"}, l.sent(), "who does speak it is paused by the same OQ",
		)
		l.serve(2, 32)
		require.Equal(t, []string{"port 1: resume 10:2"}, l.sent())
		l.dealloc(1, at(10, 2))
		require.NoError(t, l.s.Quiescent())

		root := at(20, 7)
		l.pause(2, root, 1)
		require.NotEqual(t, hiq.Output, l.enqueueMany(31, 2, 0, root), "its packets are isolated as any")
		require.Empty(t, l.sent(), "a child without an upstream to pause")
		require.Equal(t, hiq.Output, l.enqueue(2, 0, at(20, 8)))
		l.enqueueMany(31, 2, 1, root)
		require.Equal(t, []string{"port 1: pause 20:7 hop 2"}, l.sent())
		l.serve(2, 1)
		l.resume(2, root)
		l.serve(2, 62)
		require.Equal(t, []string{"port 1: resume 20:7"}, l.sent())
		l.dealloc(1, root)
		require.Equal(
			t, []string{"port 2: dealloc 20:7"}, l.sent(), "a leaf, though the legacy neighbour never left",
		)
		require.NoError(t, l.s.Quiescent())

		// No Pyrrha device sends the frames that come in there.
		l.enqueue(0, 1, root)
		l.pause(0, root, 1)
		l.merge(0, root, at(20, 8), 1)
		l.resume(0, root)
		l.dealloc(0, at(10, 2))
		require.Empty(t, l.sent())
		require.Empty(t, l.s.Snapshot().Roots)
		require.EqualValues(t, 4, l.s.Counters().Ignored)
		l.serve(0, 1)
		require.NoError(t, l.s.Quiescent())
	}
}

// Pyrrha runs over PFC beside legacy switches (section IV-E): a flow control beneath holds the
// port.
func TestHold(t *testing.T) {
	l := newLab(t, Config{Ports: ports(Down, Down), Classes: 0x0f})
	l.enqueue(0, 1)
	require.Zero(t, l.s.Port(0).Hold(0, false), "it was not held")
	l.act(l.s.Port(0).Hold(0, true))
	require.Zero(t, l.s.Port(0).Hold(0, true), "it was held before")
	require.False(t, l.transmit(0))
	require.False(t, l.s.Port(0).Sendable(hiq.Output))
	require.Error(t, l.s.Quiescent())
	l.act(l.s.Port(0).Hold(0, false))
	require.Equal(t, sluice.WakePort(0), l.wake)
	require.True(t, l.transmit(0))
	require.NoError(t, l.s.Quiescent())

	// A level that waited for time while the port was held, and waits no longer, goes with it.
	root := at(20, 1)
	l.pause(0, root, 1)
	l.enqueueMany(3, 0, 1, root)
	l.resume(0, root)
	for l.s.Deadline() == sluice.Never {
		require.True(t, l.transmit(0))
	}
	l.act(l.s.Port(0).Hold(l.now, true))
	l.now = l.s.Deadline()
	l.act(l.s.Port(0).Hold(l.now, false))
	require.True(t, l.transmit(0))
}
