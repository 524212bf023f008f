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

// Where the next move would be beyond the end of time, there is none.
func TestMovesEndWithTime(t *testing.T) {
	p := smallPort(t)
	require.True(t, p.Adopt(0, 1, 1))
	for range 4 {
		p.Put(0, 1000)
	}
	end := sluice.Never - 1
	for range 3 {
		require.True(t, p.Take(end, p.Queue(0), 0, 1000))
	}
	_, ok := p.Next(end)
	require.False(t, ok)
}

// A Put behind other packets changes nothing that Park looks at; a first packet does.
func TestReady(t *testing.T) {
	p := smallPort(t)
	require.True(t, p.Adopt(0, 1, 1))
	requireReady := func(want, wantParked uint8) {
		t.Helper()
		levels, parked := p.Ready()
		require.Equal(t, want, levels)
		require.Equal(t, wantParked, parked)
	}
	requireReady(0, 0)
	p.Put(0, 1000)
	requireReady(1<<1, 0)
	p.Put(0, 1000)
	p.Put(0, 1000)
	requireReady(1<<1, 0)
	require.True(t, p.Take(0, p.Queue(0), 0, 1000))
	require.True(t, p.Take(0, p.Queue(0), 0, 1000))
	due, _ := p.Park(0)
	require.Less(t, due, sluice.Never)
	requireReady(1<<1, 1<<1)
	require.True(t, p.Pause(0, 1, 1))
	p.Park(0)
	requireReady(0, 0)
}
