package bfc

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
)

// pauser is a switch that pauses upstream queues at will: any two packets to the port's one queue
// pause the second's.
func pauser(t *testing.T, c Config) *story {
	c.Queues = 1
	c.VFIDs = 1
	c.CountLonePackets = true
	c.Factor = sluice.Ratio{Num: 1, Den: 100}
	for range 2 {
		c.Ports = append(
			c.Ports, PortConfig{Link: sluice.Link{Rate: 1, Delay: sluice.Microsecond}, UpstreamQueues: 100},
		)
	}
	return tellOf(t, c)
}

// Pause on 0 to 1, resume on 1 to 0, sent at once, and a periodic bitmap of paused queues beside.
func TestTransitionsAndBitmap(t *testing.T) {
	st := pauser(t, Config{})
	require.Equal(t, sluice.Never, st.s.Deadline(), "no upstream queue is paused: no bitmaps")
	st.now = 300 * sluice.Nanosecond
	st.in(1, 7, 0, 3)
	require.Equal(t, []string{"pause 0:[3]"}, st.frames())
	require.Equal(t, sluice.Microsecond, st.s.Deadline(), "multiples of the period")
	st.now = st.s.Deadline()
	require.Equal(t, sluice.WakePort(0)|sluice.WakeDeadline, st.s.Expire(st.now))
	require.Equal(t, []string{"bitmap 0:[3]"}, st.frames())
	require.Equal(t, 2*sluice.Microsecond, st.s.Deadline())
	st.out(1)
	require.Equal(t, []string{"resume 0:[3]"}, st.frames())
}

// After the last resume the bitmaps go on for a while, ever more rarely.
func TestIdleBitmaps(t *testing.T) {
	st := pauser(t, Config{IdleBitmaps: 3})
	st.in(1, 7, 0, 3)
	st.out(1)
	st.frames()
	var at []int64
	for len(at) < 7 {
		st.due()
		require.Equal(t, []string{"bitmap 0:[]"}, st.frames())
		at = append(at, int64(st.now/sluice.Microsecond))
	}
	require.Equal(t, []int64{1, 2, 3, 5, 9, 17, 33}, at)

	st.in(1, 7, 0, 3)
	st.frames()
	for i := range sluice.Time(20) {
		require.Equal(
			t, (34+i)*sluice.Microsecond, st.s.Deadline(), "a pause brings them back, as long as it lasts",
		)
		st.due()
		require.Equal(t, []string{"bitmap 0:[3]"}, st.frames())
	}
	st.out(1)
	st.frames()
	for at = at[:0]; len(at) < 5; {
		st.due()
		st.frames()
		at = append(at, int64(st.now/sluice.Microsecond))
	}
	require.Equal(t, []int64{54, 55, 56, 58, 62}, at)
	for st.s.Deadline() != sluice.Never {
		st.due()
		st.frames()
	}
	require.Less(t, st.s.Counters().BitmapsSent, uint64(700), "they come to an end with time itself")
}

// Every port sends its full bitmap each tau (the authors' code): from the start, and for ever.
func TestEndlessBitmaps(t *testing.T) {
	st := pauser(
		t, Config{IdleBitmaps: -1, Signalling: PeriodicBitmap, Period: 5 * sluice.Microsecond},
	)
	for i := range 20 {
		require.Equal(t, sluice.Time(i+1)*5*sluice.Microsecond, st.s.Deadline())
		st.due()
		require.Equal(t, []string{"bitmap 0:[]", "bitmap 1:[]"}, st.frames())
	}
}

// Late service skips periods, and sends once.
func TestLateExpire(t *testing.T) {
	st := pauser(t, Config{})
	st.in(1, 7, 0, 3)
	st.frames()
	st.now = 7500 * sluice.Nanosecond
	st.s.Expire(st.now)
	require.Equal(t, []string{"bitmap 0:[3]"}, st.frames())
	require.Equal(t, 8*sluice.Microsecond, st.s.Deadline())
}

// The bitmap is sent immediately when a counter reaches 0; a pause waits for the next tick (the
// authors' code).
func TestBitmapResumeAtOnce(t *testing.T) {
	st := pauser(t, Config{Signalling: BitmapResumeAtOnce})
	st.in(1, 7, 0, 3)
	require.Empty(t, st.frames())
	st.now = st.s.Deadline()
	require.Equal(t, sluice.Microsecond, st.now)
	st.s.Expire(st.now)
	require.Equal(t, []string{"bitmap 0:[3]"}, st.frames())
	st.in(1, 7, 0, 4)
	require.Empty(t, st.frames())
	st.out(1)
	require.Equal(t, []string{"bitmap 0:[4]"}, st.frames(), "full state: the pause goes along")
}

func TestPeriodicBitmap(t *testing.T) {
	st := pauser(t, Config{Signalling: PeriodicBitmap})
	st.in(1, 7, 0, 99)
	require.Empty(t, st.frames())
	st.due()
	require.Equal(t, []string{"bitmap 0:[99]"}, st.frames())
	st.out(1)
	require.Empty(t, st.frames())
	require.ErrorContains(t, st.s.Quiescent(), "has not announced 1 resumes")
	st.due()
	require.Equal(t, []string{"bitmap 0:[]"}, st.frames())
	require.NoError(t, st.s.Quiescent())
}

// A frame that is not newer than one before it is not obeyed; of a peer that started anew it is.
func TestStaleFrames(t *testing.T) {
	st := tell(t, 1, Config{Queues: 4})
	port := st.s.Port(0)
	say := func(sequence uint32, kind Type) bool {
		before := port.Sendable(2)
		f := Frame{Type: kind, Sequence: sequence, Count: 1, Queues: [MaxListed]sluice.QueueID{2}}
		port.Receive(0, &f)
		return port.Sendable(2) != before
	}
	require.True(t, say(0xffff_fff0, Pause), "the first, whatever its number")
	require.True(t, say(0xffff_fff1, Resume))
	require.False(t, say(0xffff_fff0, Pause), "a duplicate")
	require.False(t, say(0xffff_fff1, Pause), "the same number")
	require.True(t, say(3, Pause), "numbers wrap")
	require.False(t, say(0xffff_fff2, Resume))
	require.Equal(t, uint64(3), st.s.Counters().Stale)
	require.True(t, say(200_000, Resume))
	require.False(t, say(200_000-65535, Pause))
	require.True(t, say(200_000-65536, Pause), "so far behind it is a new beginning")
	require.True(t, say(200_000-65535, Resume))
}

// Queues that a frame names and that do not exist are skipped, and queues beyond the end of a
// bitmap are not paused.
func TestFramesThatNameTooMuchOrTooLittle(t *testing.T) {
	st := tell(t, 1, Config{Queues: 70})
	port := st.s.Port(0)
	f := Frame{Type: Bitmap, Sequence: 1, Count: 4096}
	for i := range f.Bits {
		f.Bits[i] = ^uint64(0)
	}
	port.Receive(0, &f)
	require.Equal(t, 70, ones(st.s.ports[0].paused))
	require.Equal(t, uint64(1), st.s.Counters().Malformed)

	f.Sequence, f.Count = 2, 65
	port.Receive(0, &f)
	require.Equal(t, 65, ones(st.s.ports[0].paused))
	require.Equal(t, uint64(1), st.s.Counters().Malformed)

	f = Frame{Type: Resume, Sequence: 3, Count: 0xffff, Queues: [MaxListed]sluice.QueueID{0, 70, 1}}
	port.Receive(0, &f)
	require.Equal(t, 63, ones(st.s.ports[0].paused))
	require.Equal(t, uint64(2), st.s.Counters().Malformed)

	f = Frame{Type: 9, Sequence: 4}
	port.Receive(0, &f)
	require.Equal(t, uint64(3), st.s.Counters().Malformed)
	require.NoError(t, st.s.Audit())
}

// Receive names the port if a queue was resumed, whether it has packets or not: the embedder may be
// about to hand it one.
func TestReceiveWakes(t *testing.T) {
	st := tell(t, 2, Config{Queues: 4, Assignment: LowestFree})
	require.Equal(t, sluice.WakeDeadline, st.hear(1, Pause, 0, 1), "the pause expires")
	require.Equal(t, sluice.WakePort(1), st.hear(1, Resume, 1))
	q := st.in(1, 7, 0, 0)
	require.Equal(t, sluice.QueueID(1), q)
	require.Equal(t, sluice.Wake(0), st.hear(1, Pause, 1))
	require.Equal(t, sluice.WakePort(1), st.hear(1, Resume, 0), "queue 0, empty")
	require.Equal(t, sluice.WakePort(1), st.hear(1, Resume, 1))
	require.Equal(t, sluice.Wake(0), st.hear(1, Resume, 1), "it was not paused")
}

// A pause does not outlive the device that asked for it, and a device that started anew gets a
// Bitmap of the held queues.
func TestLinkUp(t *testing.T) {
	for _, test := range []struct {
		signalling Signalling
		want       []string
	}{
		{Transitions, []string{"bitmap 0:[3 99]"}},
		{TransitionsAndBitmap, []string{"bitmap 0:[3 99]"}},
		{PeriodicBitmap, []string{"bitmap 0:[3 99]"}},
		{BitmapResumeAtOnce, []string{"bitmap 0:[3 99]"}},
	} {
		st := pauser(t, Config{Signalling: test.signalling})
		for _, q := range []sluice.QueueID{3, 4, 99} {
			st.in(1, 7, 0, q)
		}
		st.hear(0, Pause, 0)
		st.hear(1, Pause, 0)
		st.frames()
		st.outOf(1, 0)
		st.in(1, 7, 0, 3)
		st.outOf(1, 0)
		st.frames()

		wake := st.s.Port(0).LinkUp(st.now)
		port, ok := wake.Port()
		require.True(t, ok && port == 0, "%v", wake)
		require.NoError(t, st.s.Audit())
		require.Equal(t, test.want, st.frames())
		require.True(t, st.s.Port(0).Sendable(0))
		require.False(t, st.s.Port(1).Sendable(0), "another link")

		wake = st.s.Port(1).LinkUp(st.now)
		port, ok = wake.Port()
		require.True(t, ok && port == 1, "%v", wake)
		st.frames()
		st.now = st.s.Port(1).upstream.Past.Until + 1
		f := Frame{Type: Pause, Sequence: 1, Count: 1}
		st.s.Port(1).Receive(st.now, &f)
		require.False(t, st.s.Port(1).Sendable(0), "the first number of a new peer is taken")
	}
}
