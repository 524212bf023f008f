//go:build !sluicedebug

package bfc

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
)

// These tests break the rule of the contract and poll late, which a build with the tag sluicedebug does not
// let pass: frames are built from the state at the moment they are polled.

func lazy(t *testing.T, c Config) *story {
	st := pauser(t, c)
	st.late = true
	return st
}

// Changes between polls coalesce: several queues a frame, of one direction, and nothing for what changed back.
func TestFramesCoalesce(t *testing.T) {
	st := lazy(t, Config{Signalling: Transitions})
	for q := range sluice.QueueID(40) {
		st.in(1, 7, 0, 39-q)
	}
	require.Equal(t, []string{
		"pause 0:[0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16]",
		"pause 0:[17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32 33]",
		"pause 0:[34 35 36 37 38 39]",
	}, st.frames())
	for range 3 {
		st.out(1) // 39, 38, 37
	}
	st.in(1, 7, 0, 38)
	st.in(1, 7, 0, 50)
	require.Equal(t, []string{"resume 0:[37 39]", "pause 0:[50]"}, st.frames())

	single := lazy(t, Config{Signalling: Transitions, QueuesPerFrame: 1})
	single.in(1, 7, 0, 1)
	single.in(1, 7, 0, 2)
	require.Equal(t, []string{"pause 0:[1]", "pause 0:[2]"}, single.frames())
}

// Ports take turns with PollFrame.
func TestPortsTakeTurns(t *testing.T) {
	st := lazy(t, Config{Signalling: Transitions, QueuesPerFrame: 1})
	for q := range sluice.QueueID(3) {
		st.in(1, 7, 0, q)
		st.in(1, 7, 1, q)
	}
	require.Equal(t, []string{"pause 0:[0]", "pause 1:[0]", "pause 0:[1]", "pause 1:[1]", "pause 0:[2]", "pause 1:[2]"}, st.frames())
}

// A due bitmap says all, and leaves no transition to tell.
func TestBitmapSubsumesTransitions(t *testing.T) {
	st := lazy(t, Config{})
	st.in(1, 7, 0, 3)
	st.frames()
	st.due()
	st.in(1, 7, 0, 5)
	require.Equal(t, []string{"bitmap 0:[3 5]"}, st.frames())
}

// A queue that is paused and resumed between two polls makes no frame: the peer was never told.
func TestPauseAndResumeCancel(t *testing.T) {
	for _, signalling := range []Signalling{Transitions, TransitionsAndBitmap, BitmapResumeAtOnce} {
		st := lazy(t, Config{Signalling: signalling})
		st.in(1, 7, 0, 3)
		st.out(1)
		require.Empty(t, st.frames())
		require.NoError(t, st.s.Quiescent())
		require.Equal(t, uint64(1), st.s.Counters().Pauses)
		require.Equal(t, uint64(1), st.s.Counters().Resumes)
	}
}
