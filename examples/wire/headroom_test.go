package main

import (
	"testing"
	"time"

	"github.com/sluicefc/sluice"
	"github.com/stretchr/testify/require"
)

// TestHeadroomFollowsTheDelay: four times the delay takes four times the memory, beside the frames
// that are under way.
func TestHeadroomFollowsTheDelay(t *testing.T) {
	s := defaults()
	headroom := func(delay time.Duration) int {
		s.delays = givenDelays(delay)
		return int(s.port().Headroom)
	}
	short, long := headroom(100*time.Millisecond), headroom(400*time.Millisecond)
	require.InDelta(t, 4*short, long, 4*4*maxFrame+4*1000)
	require.GreaterOrEqual(t, short, int(s.rate().BytesIn(225*sluice.Millisecond)))
}

// TestSwitchThatIsNotScheduled: a switch that stands still for 150 ms finds at its ports what came
// meanwhile, and could not pause its neighbours. With headroom for such a delay nothing is lost;
// with headroom for 20 ms, packets are.
func TestSwitchThatIsNotScheduled(t *testing.T) {
	const stall, hub = 150 * time.Millisecond, 3
	standingStill := func(l *lab) {
		for range 4 {
			time.Sleep(300 * time.Millisecond)
			l.nodes[hub].do(func() { time.Sleep(stall) })
		}
	}
	s := defaults()
	s.delay = 2 * stall
	l, all := steadily(t, s, standingStill)
	requireLossless(t, l, all)

	s.delay = 20 * time.Millisecond
	l, all = once(t, s, standingStill)
	require.GreaterOrEqual(t, all[hub].stalls, uint64(4), "it says that it was late")
	lost := l.missing(all, 0) + l.missing(all, 1)
	require.NotZero(t, lost)
	require.EqualValues(t, lost, all[hub].ports[2].Dropped[sluice.HeadroomExhausted])
}
