package bfc

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/depth"
	"github.com/sluicefc/sluice/internal/wire"
)

// While the link is down a port polls no frame, obeys none, and no pause of the peer holds a queue:
// the packets there can be taken out.
func TestLinkDown(t *testing.T) {
	st := pauser(t, Config{})
	st.in(1, 7, 0, 3)
	st.frames()
	st.in(1, 7, 0, 4)
	st.hear(1, Pause, 0)
	_, ok := st.s.Port(1).Next(st.now)
	require.False(t, ok)

	wake := st.s.Port(1).LinkDown(st.now)
	port, ok := wake.Port()
	require.True(t, ok && port == 1, "a queue is sendable again: %v", wake)
	require.True(t, st.s.Port(1).Sendable(0))
	st.hear(1, Pause, 0)
	require.True(t, st.s.Port(1).Sendable(0), "the frame was on the wire when the link failed")
	require.Equal(t, uint64(1), st.s.Port(1).Counters().Stale)

	st.s.Port(0).LinkDown(st.now)
	require.NoError(t, st.s.Audit())
	st.frames()
	st.in(1, 7, 0, 5)
	st.out(1)
	st.due()
	require.Empty(t, st.frames(), "port 0 has changes to report, but its link is down")
	require.True(t, st.s.Port(0).Snapshot().Down)

	require.NotZero(t, st.s.Port(0).LinkUp(st.now))
	require.Equal(
		t, []string{"bitmap 0:[4 5]"}, st.frames(), "all held queues, whatever was sent before",
	)
	require.NoError(t, st.s.Audit())
}

// LinkDown voids the frames that a peer got before: a switch whose packets have left is quiescent.
func TestAFailedLinkLeavesNothingBehind(t *testing.T) {
	st := pauser(t, Config{Signalling: Transitions})
	st.in(1, 7, 0, 3)
	require.Equal(t, []string{"pause 0:[3]"}, st.frames())
	st.s.Port(0).LinkDown(st.now)
	st.out(1)
	require.NoError(t, st.s.Quiescent())
	require.Equal(t, sluice.Never, st.s.Deadline())
	st.s.Port(0).LinkUp(st.now)
	require.Empty(t, st.frames())
}

// While the link is down nothing is due at its port; when it comes up a port with Bitmaps sends one
// at once and the next with its period, held queues or not, and pauses expire again.
func TestTimersOfALinkThatFails(t *testing.T) {
	for _, signalling := range []Signalling{Transitions, TransitionsAndBitmap} {
		st := pauser(t, Config{Signalling: signalling})
		st.in(1, 7, 0, 3)
		st.out(1)
		st.hear(0, Pause, 0)
		st.frames()
		port := st.s.Port(0)
		port.LinkDown(st.now)
		require.Equal(t, sluice.Never, st.s.Deadline())
		st.now = 1500 * sluice.Nanosecond
		port.LinkUp(st.now)
		if signalling == Transitions {
			require.Empty(t, st.frames())
			require.Equal(t, sluice.Never, st.s.Deadline())
			continue
		}
		require.Equal(t, []string{"bitmap 0:[]"}, st.frames())
		require.Equal(t, 2*sluice.Microsecond, st.s.Deadline())
		st.now = port.upstream.Past.Until + 1
		st.s.Expire(st.now)
		st.hear(0, Pause, 0)
		for !port.Sendable(0) {
			require.NotEqual(t, sluice.Never, st.s.Deadline())
			st.due()
		}
		require.EqualValues(t, 1, port.Counters().Expired)
	}
}

// A switch that restarts empty amid an incast loses its own packets and no others: no device stays
// paused by a frame of the old one, and none pauses for the lost packets.
func TestSwitchesRestart(t *testing.T) {
	seeds := depth.Choose[uint64](2, 10)
	for _, signalling := range []Signalling{
		TransitionsAndBitmap, Transitions, PeriodicBitmap, BitmapResumeAtOnce,
	} {
		for seed := range seeds {
			n := incast(t, seed, Config{Queues: 8, Signalling: signalling})
			for i := range sluice.Time(6) {
				n.At((5+17*i)*sluice.Microsecond, n.Nodes[n.Random.Below(2)].Restart)
			}
			require.NoError(
				t, n.Finish(100*sluice.Millisecond), "signalling %d, seed %d", signalling, seed,
			)
			require.NotZero(t, n.Missing, "a switch held something")
			require.Zero(t, n.orphans())
			n.audit()
		}
	}
}

// A pause that was on the link when it failed, and comes in when it is up again, is not obeyed, or
// it would hold until the next Bitmap, and without Bitmaps for ever. A frame of the peer's new life
// is obeyed, however soon it comes.
func TestFramesFromBeforeTheFailure(t *testing.T) {
	st := pauser(t, Config{Signalling: Transitions})
	port := st.s.Port(1)
	pause := func(sequence uint32) {
		port.Receive(st.now, &Frame{Type: Pause, Sequence: sequence, Count: 1})
	}
	pause(100)
	require.False(t, port.Sendable(0))
	port.LinkDown(st.now)
	pause(101)
	port.LinkUp(st.now)
	pause(102)
	require.True(t, port.Sendable(0))
	require.EqualValues(t, 2, port.Counters().Stale)
	pause(102 + wire.Reordering) // as numbers go on after LinkUp
	require.False(t, port.Sendable(0))

	port.LinkUp(st.now)
	st.now = port.upstream.Past.Until
	pause(102 + wire.Reordering + 1)
	require.True(t, port.Sendable(0))
	st.now++ // a frame that comes now cannot be from before
	pause(102 + wire.Reordering + 2)
	require.False(t, port.Sendable(0))
}

// The numbers of a port's frames jump when its link comes up.
func TestNumbersJump(t *testing.T) {
	st := pauser(t, Config{Signalling: Transitions})
	st.late = true
	var f Frame
	st.in(1, 7, 0, 3)
	require.True(t, st.s.Port(0).PollFrame(st.now, &f))
	before := f.Sequence
	st.s.Port(0).LinkUp(st.now)
	require.True(t, st.s.Port(0).PollFrame(st.now, &f))
	require.Equal(t, before+1+wire.Reordering, f.Sequence)
}

// TestEndlessBitmapsFromAnyOrigin: Bitmaps that come without a pause leave every Config.Period from
// the clock's first time, also where time begins below zero.
func TestEndlessBitmapsFromAnyOrigin(t *testing.T) {
	for _, origin := range []sluice.Time{-1 << 61, -3600 * sluice.Second, -1, 0, 5, 1 << 62} {
		c := HostConfig(sluice.Link{Rate: 100 * sluice.Gbps, Delay: sluice.Microsecond})
		c.IdleBitmaps, c.Period = -1, 5*sluice.Microsecond
		s, err := New(c)
		require.NoError(t, err)
		p := s.Port(0)
		v := p.Enqueue(origin, &sluice.Packet{Size: 1000, Ingress: sluice.Local})
		require.Equal(t, sluice.Append, v.Action())
		for range 3 {
			require.LessOrEqual(t, s.Deadline(), max(origin, s.clock.Now())+c.Period, "from %v", origin)
			s.Expire(max(origin, s.Deadline()))
			var f Frame
			require.True(t, p.PollFrame(s.clock.Now(), &f))
			require.Equal(t, Bitmap, f.Type)
		}
	}
}
