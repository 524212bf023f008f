package hybrid

import (
	"testing"

	"github.com/sluicefc/sluice"
	"github.com/stretchr/testify/require"
)

// TestZeroAlloc covers every hook: a packet in and out, a frame of either machine in and out,
// timers, a link that fails.
func TestZeroAlloc(t *testing.T) {
	h := smallHybrid(t, 2)
	pause := make([]byte, 0, 64)
	p := sluice.Packet{Size: 1500, Class: 3, Ingress: 1}
	peer := smallHybrid(t, 2) // says what a neighbour would
	for range 3 {
		q := p
		peer.Enqueue(0, 0, &q)
	}
	pause, _, sent := peer.PollFrame(0, 1, pause)
	require.True(t, sent)

	now := sluice.Time(0)
	buf := make([]byte, 0, 256)
	frames := 0
	allocs := testing.AllocsPerRun(500, func() {
		for range 3 {
			q := p
			h.Enqueue(now, 0, &q)
		}
		for _, port := range []sluice.PortID{0, 1} {
			if _, _, ok := h.PollFrame(now, port, buf[:0]); ok {
				frames++
			}
		}
		_, _ = h.Receive(now, 0, pause)
		for h.Deadline() <= now {
			h.Expire(now)
		}
		now += 100 * sluice.Microsecond
		for h.Deadline() <= now {
			h.Expire(h.Deadline())
		}
		for q, ok := h.Next(now, 0); ok; q, ok = h.Next(now, 0) {
			out := p
			h.Dequeue(now, 0, q, &out)
		}
		h.LinkDown(now, 1)
		h.LinkUp(now, 1)
	})
	require.Zero(t, allocs)
	require.Positive(t, frames, "PFC paused the neighbour")
	require.Zero(t, h.Buffered())
	require.NoError(t, h.Audit())
}
