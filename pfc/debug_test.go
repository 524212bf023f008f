//go:build sluicedebug

package pfc

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
)

// TestInputBeforeDrain: every input hook panics while a frame is pending.
func TestInputBeforeDrain(t *testing.T) {
	s, err := New(twoClasses(PriorityPause, 1000, g100))
	require.NoError(t, err)
	p := sluice.Packet{Size: 1000, Class: 3, Ingress: 0}
	s.Port(0).Enqueue(0, &p)
	f := pauseOf(1, 3)
	require.PanicsWithValue(t, "pfc: Enqueue before PollFrame was drained", func() { s.Port(0).Enqueue(0, &p) })
	require.Panics(t, func() { s.Port(0).Dequeue(0, 3, &p) })
	require.Panics(t, func() { s.Port(0).Receive(0, &f) })
	require.Panics(t, func() { s.Expire(0) })
	require.Panics(t, func() { s.BigRedSwitch(0, true) })
	s.PollFrame(0, &f)
	require.NotPanics(t, func() { s.Port(0).Dequeue(0, 3, &p) })
}
