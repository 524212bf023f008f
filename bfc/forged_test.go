package bfc

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/wire"
)

// One forged Pause, numbered 65,535 ahead, made all that the peer said stale until its own numbers
// had passed: for ever, in practice. Now three true frames are refused, and the fourth is obeyed.
func TestOneForgedFrameDoesNotFreezeALink(t *testing.T) {
	st := tell(t, 2, Config{Queues: 4, Expiry: NoExpiry})
	port := st.s.Port(1)
	st.hear(1, Pause, 0)
	st.hear(1, Resume, 0)
	forged := Frame{Type: Pause, Sequence: 2 + wire.Reordering - 1, Count: 1}
	port.Receive(st.now, &forged)
	require.False(t, port.Sendable(0))
	for range wire.Persistence - 1 {
		require.Zero(t, st.hear(1, Resume, 0))
	}
	require.Equal(t, sluice.WakePort(1), st.hear(1, Resume, 0))
	require.True(t, port.Sendable(0))
	st.hear(1, Pause, 1)
	require.False(t, port.Sendable(1), "and so is what comes after it")
	c := port.Counters()
	require.EqualValues(t, 1, c.Resynchronised)
	require.EqualValues(t, wire.Persistence-1, c.Stale)
}

// A pause that is not repeated ends, whether forged or not. Otherwise a pause forged in the name of
// a device that never pauses a queue holds its queue for ever, and a pause forged while the
// device's Bitmaps are rare holds it until the next Bitmap.
func TestForgedPauseExpires(t *testing.T) {
	const expiry = 5 * sluice.Microsecond
	st := tell(t, 2, Config{Queues: 4, Expiry: expiry, Assignment: LowestFree})
	port := st.s.Port(1)
	st.in(1, 7, 0, 0)
	require.Equal(t, sluice.WakeDeadline, st.hear(1, Pause, 0, 3))
	require.Equal(t, expiry, st.s.Deadline())
	st.now = expiry - 1
	require.Zero(t, st.s.Expire(st.now))
	require.False(t, port.Sendable(0))
	st.now = expiry
	require.Equal(t, sluice.WakePort(1)|sluice.WakeDeadline, st.s.Expire(st.now))
	require.Equal(t, sluice.QueueID(0), st.out(1))
	require.True(t, port.Sendable(3))
	require.Equal(t, sluice.Never, st.s.Deadline())
	require.EqualValues(t, 2, port.Counters().Expired)
}

// A pause that downstream ended does not expire.
func TestAnEndedPauseDoesNotExpire(t *testing.T) {
	const expiry = 5 * sluice.Microsecond
	st := tell(t, 1, Config{Queues: 4, Expiry: expiry})
	st.hear(0, Pause, 0)
	st.hear(0, Resume, 0)
	require.Equal(t, expiry, st.s.Deadline())
	st.due()
	require.Equal(t, sluice.Never, st.s.Deadline())
	require.Zero(t, st.s.Counters().Expired)
}

// A pause that is repeated holds: the device downstream sends a Bitmap every Config.Period while it
// pauses any queue.
func TestTruePauseDoesNotExpire(t *testing.T) {
	const expiry, period = 3 * sluice.Microsecond, sluice.Microsecond
	st := tell(t, 2, Config{Queues: 4, Expiry: expiry})
	st.hear(1, Pause, 2)
	bitmap := Frame{Type: Bitmap, Count: 4}
	for range 100 {
		st.now += period
		st.s.Expire(st.now)
		require.False(t, st.s.Port(1).Sendable(2))
		st.heard++
		bitmap.Sequence, bitmap.Bits[0] = st.heard, 1<<2
		st.s.Port(1).Receive(st.now, &bitmap)
	}
	require.Zero(t, st.s.Counters().Expired)
	last := st.now
	for st.s.Deadline() != sluice.Never {
		require.False(t, st.s.Port(1).Sendable(2))
		st.due()
	}
	require.Equal(t, last+expiry, st.now, "counted from the last of them")
	require.True(t, st.s.Port(1).Sendable(2))
}

// By default it takes eight Bitmaps, each behind a jumbo frame, so that slow links lose nothing.
func TestDefaultExpiry(t *testing.T) {
	for _, test := range []struct {
		config Config
		want   sluice.Time
	}{
		{Config{}, 8 * (1_000_000 + 782_240)}, // 9,216 and 562 bytes at 100 Gb/s
		{Config{Period: sluice.Millisecond}, 8 * (1_000_000_000 + 782_240)},
		{Config{Expiry: 7 * sluice.Microsecond}, 7 * sluice.Microsecond},
		{Config{Expiry: NoExpiry}, 0},
		{Config{Signalling: Transitions}, 0},
	} {
		st := tell(t, 1, test.config)
		require.Equal(t, test.want, st.s.ports[0].expiry)
	}
}
