package pfc

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
)

// A frame is built from the state at its poll, so earlier changes coalesce into it (package
// sluice). In these tests the transmitters are busy for a while.

func lazy(t *testing.T, mode Mode) *bench {
	k := newBench(t, twoClasses(mode, 999, g100, g100, g100))
	k.busy = true
	return k
}

// TestPauseAndResumeCancel: a pause that ends before the poll makes no frame.
func TestPauseAndResumeCancel(t *testing.T) {
	for _, mode := range []Mode{PriorityPause, ClassicPause} {
		k := lazy(t, mode)
		k.enqueue(0, 1, 3, 1000)
		k.send(0)
		k.free()
		require.Empty(t, k.take())
		require.Equal(t, sluice.Never, k.s.Deadline())
		require.NoError(t, k.s.Quiescent())
	}
}

// TestResumeAndPauseCoalesce: one frame, and it pauses.
func TestResumeAndPauseCoalesce(t *testing.T) {
	for _, mode := range []Mode{PriorityPause, ClassicPause} {
		k := lazy(t, mode)
		k.enqueue(0, 1, 3, 1000)
		k.free()
		require.Len(t, k.take(), 1)
		k.busy, k.now = true, 5
		k.send(0)
		k.now = 9
		k.enqueue(0, 1, 3, 1000)
		k.free()
		frames := k.take()
		require.Len(t, frames, 1)
		require.Equal(t, "pause", frames[0].Kind())
		require.Equal(t, sluice.Time(9+333*5120), k.s.Deadline(), "the refresh counts from the decision")
	}
}

// TestCancelDoesNotDelayRefresh: a pause that is taken back before it was polled has moved the
// refresh of the other class; so a frame goes.
func TestCancelDoesNotDelayRefresh(t *testing.T) {
	k := lazy(t, PriorityPause)
	k.enqueue(0, 1, 3, 1000)
	k.free()
	k.take()
	k.busy, k.now = true, 100*5120
	k.enqueue(0, 1, 4, 1000)
	k.send(0) // class 4 goes first
	k.free()
	frames := k.take()
	require.Len(t, frames, 1)
	require.Equal(t, sluice.MakeClassSet(3, 4), frames[0].Enabled)
	require.Equal(t, [8]sluice.Quanta{3: 999}, frames[0].Time)
	require.Equal(t, sluice.Time(433*5120), k.s.Deadline())
}

// TestLatePollRefreshes: a refresh that falls due while the frame waits goes with it.
func TestLatePollRefreshes(t *testing.T) {
	k := lazy(t, PriorityPause)
	k.enqueue(0, 1, 3, 1000)
	k.at(334 * 5120)
	k.free()
	require.Len(t, k.take(), 1, "one frame at most")
	require.Equal(t, sluice.Time(666*5120), k.s.Deadline())
}
