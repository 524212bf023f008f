//go:build !sluicedebug

package pfc

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
)

// These tests break the rule of the contract and poll late, which a build with the tag sluicedebug does not
// let pass: frames are built from the state at the moment they are polled.

func lazy(t *testing.T, mode Mode) (*Switch, *sluice.Packet, *sluice.Packet) {
	s, err := New(twoClasses(mode, 1000, g100, g100, g100))
	require.NoError(t, err)
	return s, &sluice.Packet{Size: 1000, Class: 3, Ingress: 1}, &sluice.Packet{Size: 1000, Class: 4, Ingress: 1}
}

func pollOne(t *testing.T, s *Switch) (sluice.PortID, Frame) {
	var f Frame
	port, ok := s.PollFrame(0, &f)
	require.True(t, ok)
	require.NoError(t, s.Audit())
	return port, f
}

// TestPauseAndResumeCancel: the peer was never told, and need not be.
func TestPauseAndResumeCancel(t *testing.T) {
	for _, mode := range []Mode{PriorityPause, ClassicPause} {
		s, p, _ := lazy(t, mode)
		s.Port(0).Enqueue(0, p)
		s.Port(0).Dequeue(0, 3, p)
		var f Frame
		_, ok := s.PollFrame(0, &f)
		require.False(t, ok)
		require.Equal(t, sluice.Never, s.Deadline())
		require.NoError(t, s.Audit())
		require.NoError(t, s.Quiescent())
	}
}

// TestResumeAndPauseCoalesce: one frame, and it pauses.
func TestResumeAndPauseCoalesce(t *testing.T) {
	for _, mode := range []Mode{PriorityPause, ClassicPause} {
		s, p, _ := lazy(t, mode)
		s.Port(0).Enqueue(0, p)
		pollOne(t, s)
		s.Port(0).Dequeue(5, 3, p)
		s.Port(0).Enqueue(9, p)
		_, f := pollOne(t, s)
		require.Equal(t, "pause", f.Kind())
		require.Equal(t, sluice.Time(9+500*5120), s.Deadline())
		_, ok := s.PollFrame(9, &f)
		require.False(t, ok)
	}
}

// TestCancelDoesNotDelayRefresh: a pause that is taken back before it was polled has moved the refresh of
// the other class; so a frame goes.
func TestCancelDoesNotDelayRefresh(t *testing.T) {
	s, p3, p4 := lazy(t, PriorityPause)
	s.Port(0).Enqueue(0, p3)
	pollOne(t, s)
	s.Port(0).Enqueue(100*5120, p4)
	s.Port(0).Dequeue(100*5120, 4, p4)
	_, f := pollOne(t, s)
	require.Equal(t, sluice.MakeClassSet(3, 4), f.Enabled)
	require.Equal(t, [8]sluice.Quanta{3: 1000}, f.Time)
	require.Equal(t, sluice.Time(600*5120), s.Deadline())
}

// TestPollGoesRound: every port with something to say once, and none first for ever.
func TestPollGoesRound(t *testing.T) {
	s, _, _ := lazy(t, PriorityPause)
	packets := [3]sluice.Packet{}
	for i := range packets {
		packets[i] = sluice.Packet{Size: 1000, Class: 3, Ingress: sluice.PortID(i)}
		s.Port(0).Enqueue(0, &packets[i])
	}
	for want := range sluice.PortID(2) {
		port, _ := pollOne(t, s)
		require.Equal(t, want, port)
	}
	s.Port(0).Dequeue(0, 3, &packets[0]) // port 0 has something to say again
	for _, want := range []sluice.PortID{2, 0} {
		port, _ := pollOne(t, s)
		require.Equal(t, want, port)
	}
}
