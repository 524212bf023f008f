package ofc

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
)

// A paused queue waits for what came over its link in its class; a normal queue only if the class
// is held.
func TestWaitsFor(t *testing.T) {
	p := mustNew(t, HostConfig(link40)).Port(0)
	require.True(t, p.WaitsFor(10, &sluice.Packet{Class: 3}, 0, true))
	require.False(t, p.WaitsFor(10, &sluice.Packet{Class: 4}, 0, true))
	require.False(t, p.WaitsFor(10, &sluice.Packet{Class: 3}, 0, false))
	require.False(t, p.WaitsFor(9, &sluice.Packet{Class: 3}, 0, true))
	require.False(t, p.WaitsFor(99, &sluice.Packet{Class: 3}, 0, true))
	p.Receive(0, &Frame{Type: Pause, Class: 3, All: true})
	require.True(t, p.WaitsFor(9, &sluice.Packet{Class: 3}, 0, true))
}

// The peer pauses flows that come to the normal queue of a class, or the class, until the last of
// them is resumed, though the rotation that begins then goes on: backup queues are not paused.
func TestPausedByPeer(t *testing.T) {
	p := mustNew(t, HostConfig(link40)).Port(0)
	normal := sluice.QueueID(3 * QueuesPerClass)
	paused := func() bool {
		for q := range sluice.QueueID(QueuesPerClass*sluice.Classes + 1) {
			require.False(t, q != normal && p.PausedByPeer(q), q)
		}
		return p.PausedByPeer(normal)
	}
	require.False(t, paused())
	p.Receive(0, &Frame{Type: Pause, Class: 3, All: true, Sequence: 1})
	require.True(t, paused())
	p.Receive(0, &Frame{Type: Resume, Class: 3, All: true, Sequence: 2})
	require.False(t, paused())

	packet := sluice.Packet{Flow: 7, Size: 1000, Class: 3, Ingress: sluice.Local}
	p.Enqueue(0, &packet)
	keys := [MaxListed]uint64{7}
	p.Receive(0, &Frame{Type: Pause, Class: 3, Count: 1, Keys: keys, Sequence: 3})
	require.True(t, paused())
	require.Equal(t, sluice.Append, p.Dequeue(0, normal, &packet).Action(), "to a backup queue")
	p.Receive(0, &Frame{Type: Resume, Class: 3, Count: 1, Keys: keys, Last: true, Sequence: 4})
	require.False(t, paused())
	require.Equal(t, PartialResumed, p.State(3))
}
