package hiq

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
)

// The time that Take received paces a move, even if Next was not called with it.
func TestTakeTellsTheTime(t *testing.T) {
	p := smallPort(t) // 1 ns a byte
	require.True(t, p.Adopt(0, 1, 1))
	for range 4 {
		p.Put(0, 1000)
	}
	q := p.Queue(0)
	require.True(t, p.Take(0, q, 0, 1000))
	later := 10 * sluice.Microsecond
	require.True(t, p.Take(later, q, 0, 1000), "the MTU that may move at once")
	require.True(t, p.Take(later, q, 0, 1000))
	_, ok := p.Next(later)
	require.False(t, ok, "2,000 bytes moved just now")
	require.EqualValues(t, 3, p.Counters().Moved)
}

// A Put behind other packets changes nothing that Park looks at; a first packet does. Park has
// something to do while the OQ is empty and the level with a packet that may move has moved its
// share, or a level is parked.
func TestReady(t *testing.T) {
	p := smallPort(t)
	require.True(t, p.Adopt(0, 1, 1))
	requireReady := func(want, wantParked uint8, waits bool) {
		t.Helper()
		levels, parked := p.Ready()
		require.Equal(t, want, levels)
		require.Equal(t, wantParked, parked)
		require.Equal(t, want != 0, p.MayMove())
		require.Equal(t, waits, p.Waits())
	}
	requireReady(0, 0, false)
	p.Put(0, 1000)
	requireReady(1<<1, 0, false)
	p.Put(0, 1000)
	p.Put(0, 1000)
	requireReady(1<<1, 0, false)
	p.PutOutput(1000)
	requireReady(1<<1, 0, false)
	require.True(t, p.TakeOutput(1000))
	require.True(t, p.Take(0, p.Queue(0), 0, 1000))
	require.True(t, p.Take(0, p.Queue(0), 0, 1000))
	requireReady(1<<1, 0, true)
	due, _ := p.Park(0)
	require.Less(t, due, sluice.Never)
	requireReady(1<<1, 1<<1, true)
	p.PutOutput(1000)
	requireReady(1<<1, 1<<1, true)
	require.True(t, p.Pause(0, 1, 1))
	p.Park(0)
	requireReady(0, 0, false)

	s := newTier(t, Config{IQs: 2})
	require.True(t, s.p.Adopt(1, 1, 1))
	s.put("a", 1)
	require.True(t, s.p.MayMove())
	require.False(t, s.p.Waits(), "a single tier moves nothing")
}

// Waits looks at the farthest level that has a packet to move, and compares the instant from which
// it may move with the time of the last Next or Take.
func TestFarthestLevelWaits(t *testing.T) {
	p := smallPort(t)
	require.True(t, p.Adopt(0, 1, 1))
	require.True(t, p.Adopt(1, 2, 2))
	for range 3 {
		p.Put(1, 1000)
	}
	p.Put(0, 1000)
	require.False(t, p.Waits())
	require.True(t, p.Take(0, p.Queue(1), 1, 1000))
	require.True(t, p.Take(0, p.Queue(1), 1, 1000))
	require.True(t, p.Waits(), "level 2 moved its share, and Park finds that level 1 may go")
	due, _ := p.Park(0)
	require.Equal(t, sluice.Never, due)
	p.PutOutput(1000)
	require.False(t, p.Waits(), "the OQ goes")
	require.True(t, p.TakeOutput(1000))
	p.Next(1000*sluice.Nanosecond - 1)
	require.True(t, p.Waits())
	p.Next(1000 * sluice.Nanosecond)
	require.False(t, p.Waits())
}

// A port without a packet has nothing to wait for, though its farthest level moved its share.
func TestEmptyPortWaitsNot(t *testing.T) {
	p := mustNew(t, Config{Rate: 8 * sluice.Gbps, MTU: 1000})
	require.True(t, p.Adopt(0, 1, MaxLevels))
	for range 3 {
		p.Put(0, 1000)
	}
	for range 2 {
		require.True(t, p.Take(0, p.Queue(0), 0, 1000))
	}
	require.True(t, p.Waits())
	require.True(t, p.Take(0, p.Queue(0), 0, 1000))
	require.False(t, p.Waits())
}

// However much a level moved, the time comes when it may move again.
func TestLevelWaitsNotForEver(t *testing.T) {
	p := mustNew(t, Config{Rate: 1})
	require.True(t, p.Adopt(0, 1, 1))
	const size = sluice.MaxPacket // takes longer than times can say
	for range 9 {
		p.Put(0, size)
	}
	for range 8 {
		require.True(t, p.Take(0, p.Queue(0), 0, size))
	}
	due, _ := p.Park(0)
	require.Equal(t, sluice.Never-1, due)
}

// A port whose time has another origin goes on as before: its levels move no sooner and no later.
func TestRebase(t *testing.T) {
	for _, by := range []sluice.Time{sluice.Second, -sluice.Second} {
		p := smallPort(t)
		require.True(t, p.Adopt(0, 1, 1))
		for range 5 {
			p.Put(0, 1000)
		}
		const now = 5 * sluice.Microsecond
		require.True(t, p.Take(now, p.Queue(0), 0, 1000))
		require.True(t, p.Take(now, p.Queue(0), 0, 1000))
		p.Rebase(by)
		_, ok := p.Next(now - by)
		require.False(t, ok)
		due, _ := p.Park(now - by)
		require.Equal(t, now+1000*sluice.Nanosecond-by, due)
	}
}

// No method that is asked about a queue panics where there is none of that number.
func TestNoSuchQueue(t *testing.T) {
	p := smallPort(t)
	for _, q := range []sluice.QueueID{5, 6, 0xffff} {
		require.False(t, p.Sendable(q))
		require.False(t, p.Paused(q))
		require.Zero(t, p.Backlog(q))
		require.Zero(t, p.Packets(q))
	}
}

// Times before 0 pass as others do, and Never is no time.
func TestTimesBeforeZeroAndNever(t *testing.T) {
	p := smallPort(t) // 1 ns a byte
	require.True(t, p.Adopt(0, 1, 1))
	for range 4 {
		p.Put(0, 1000)
	}
	q, before := p.Queue(0), -100*sluice.Microsecond
	require.True(t, p.Take(before, q, 0, 1000), "the MTU that may move at once")
	require.True(t, p.Take(before, q, 0, 1000))
	_, ok := p.Next(before)
	require.False(t, ok, "2,000 bytes moved just now")
	_, ok = p.Next(sluice.Never)
	require.False(t, ok)
	_, ok = p.Next(before + 10*sluice.Microsecond)
	require.True(t, ok)
}

// What the OQ cannot hold is not taken from it, also where it takes turns with IQs.
func TestTakeOutputOfWhatIsNotThere(t *testing.T) {
	for _, single := range []bool{false, true} {
		p, err := New(Config{Rate: sluice.Gbps, SingleTier: single})
		require.NoError(t, err)
		require.False(t, p.TakeOutput(100))
		p.PutOutput(100)
		for _, size := range []sluice.Bytes{99, 101, 0, -1} {
			require.False(t, p.TakeOutput(size))
		}
		p.PutOutput(50)
		require.False(t, p.TakeOutput(150))
		require.NoError(t, p.Audit())
		require.True(t, p.TakeOutput(100))
		require.True(t, p.TakeOutput(50))
		require.NoError(t, p.Audit())
	}
}
