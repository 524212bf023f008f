package bfc

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
)

// These tests poll late, as a transmitter that is busy does: frames are built from the state at the
// moment they are polled, so that none is stale when it leaves.

func lazy(t *testing.T, c Config) *story {
	st := pauser(t, c)
	st.late = true
	return st
}

// Changes between polls coalesce: several queues in a frame, of one direction, and nothing for what
// changed back.
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

// A due bitmap reports all queues, and leaves no transition to report.
func TestBitmapSubsumesTransitions(t *testing.T) {
	st := lazy(t, Config{})
	st.in(1, 7, 0, 3)
	st.frames()
	st.due()
	st.in(1, 7, 0, 5)
	require.Equal(t, []string{"bitmap 0:[3 5]"}, st.frames())
}

// A queue that is paused and resumed between two polls makes no frame.
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

// However often a queue is paused and resumed while the transmitter is busy, one frame is pending,
// and it says what holds when it leaves. The hook that makes it pending wakes the port, and no
// other does.
func TestOneFrameIsPendingHoweverOftenAQueueFlaps(t *testing.T) {
	st := lazy(t, Config{Signalling: Transitions})
	woken := 0
	st.woken = func(w sluice.Wake) {
		if port, ok := w.Port(); ok {
			require.Equal(t, sluice.PortID(0), port)
			woken++
		}
	}
	st.in(1, 7, 0, 3)
	st.in(1, 7, 0, 4)
	require.Equal(t, 1, woken, "the second pause found a frame pending")
	require.Equal(t, []string{"pause 0:[3 4]"}, st.frames())
	for range 1000 {
		st.out(1) // resumes 3, then 4, then 3 and so on
		st.in(1, 7, 0, 3+sluice.QueueID(st.s.Port(0).Counter(3)))
	}
	require.LessOrEqual(t, len(st.frames()), 1)
	require.Equal(t, uint64(1002), st.s.Counters().Pauses)
	require.LessOrEqual(t, st.s.Counters().FramesSent, uint64(2))
}

// A Bitmap that falls due while a frame is pending causes no second wake: the first wake already
// has the transmitter poll the port when it is free.
func TestAPendingPortIsNotWokenAgain(t *testing.T) {
	st := lazy(t, Config{})
	st.in(1, 7, 0, 3)
	require.Equal(t, sluice.WakeDeadline, st.due())
	require.Equal(t, []string{"bitmap 0:[3]"}, st.frames())
	require.Equal(t, sluice.WakePort(0)|sluice.WakeDeadline, st.due(), "none was pending")
}
