package hiq

import (
	"testing"

	"github.com/sluicefc/sluice"
	"github.com/stretchr/testify/require"
)

// Due answers only if nothing else would make the owner ask: not while the OQ has a packet, whose end
// of transmission asks, nor when Next has an answer.
func TestDue(t *testing.T) {
	const ns = sluice.Nanosecond
	p := smallPort(t) // 1 ns a byte, an MTU of 1,000 bytes, two levels
	require.False(t, p.Waits())
	require.Equal(t, sluice.Never, p.Due(0), "nothing waits")
	require.True(t, p.Adopt(0, 0, 1))
	require.True(t, p.Adopt(1, 1, 2))
	take := func(now sluice.Time, root int, size sluice.Bytes) {
		require.True(t, p.Take(now, p.Queue(root), root, size))
	}
	for range 3 {
		p.Put(0, 1000)
		p.Put(1, 600)
	}
	take(0, 1, 600)
	take(0, 1, 600)
	take(0, 0, 1000)
	take(0, 0, 1000) // of level 1, now 2,000 bytes moved at once: the next waits for 1,000 ns
	require.True(t, p.Waits())
	require.Equal(t, 200*ns, p.Due(0), "level 2 moved 1,200 bytes, and is the first")
	_, ok := p.Next(200*ns - 1)
	require.False(t, ok)
	require.Equal(t, 200*ns, p.Due(0), "though asked at an earlier time than Next")
	q, ok := p.Next(200 * ns)
	require.True(t, ok)
	require.Equal(t, p.Queue(1), q)
	require.Equal(t, sluice.Never, p.Due(200*ns), "Next has an answer")
	require.Equal(t, sluice.Never, p.Due(0), "and had it at the latest time told")
	take(200*ns, 1, 600)
	require.Equal(t, 1000*ns, p.Due(200*ns))

	p.PutOutput(100)
	require.False(t, p.Waits())
	require.Equal(t, sluice.Never, p.Due(200*ns), "the OQ has a packet")
	require.True(t, p.TakeOutput(100))
	require.True(t, p.Pause(0, 0, 1))
	require.False(t, p.Waits())
	require.Equal(t, sluice.Never, p.Due(200*ns), "what waits is paused")
}

// A level that was idle has an MTU of credit and no more, and time that goes back gives it none.
func TestIdleLevelSavesAnMTU(t *testing.T) {
	const us = sluice.Microsecond
	p := smallPort(t)
	require.True(t, p.Adopt(0, 0, 1))
	moves := func(now sluice.Time) (n int) {
		for {
			q, ok := p.Next(now)
			if !ok {
				return n
			}
			require.True(t, p.Take(now, q, 0, 1000))
			n++
		}
	}
	for range 20 {
		p.Put(0, 1000)
	}
	require.Equal(t, 2, moves(0), "the MTU saved, and a packet")
	require.Equal(t, 1, moves(us))
	require.Zero(t, moves(us))
	require.Zero(t, moves(0), "a time that went back")
	require.Equal(t, 2, moves(100*us), "idle for 99 packet times")
}

// A queue that does not exist has nothing; neither has one that is unused.
func TestQueuesThatAreNot(t *testing.T) {
	p := smallPort(t)
	p.Next(sluice.Microsecond)
	require.True(t, p.Sendable(Output))
	for _, q := range []sluice.QueueID{1, 4, 5, 6, 0xffff} {
		require.False(t, p.Sendable(q), q)
		require.Zero(t, p.Backlog(q), q)
		require.Zero(t, p.Packets(q), q)
	}
	require.True(t, p.Adopt(0, 0, 1))
	require.True(t, p.Sendable(1))
	require.False(t, p.Sendable(2))
}

// What a rate of one bit per second cannot move in any time that can be told is due in the far future,
// not in the past.
func TestSlowestRate(t *testing.T) {
	p := mustNew(t, Config{Rate: 1, Levels: 1, IQs: 1, Roots: 1, MTU: 1})
	require.Equal(t, 8*sluice.Second, p.lasts(1))
	require.Equal(t, sluice.Never/4, p.lasts(1<<40))
	require.Greater(t, p.lasts(200_000), 1_500_000*sluice.Second)
	require.LessOrEqual(t, p.lasts(200_000), sluice.Never/4)
}
