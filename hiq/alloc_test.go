package hiq

import (
	"testing"

	"github.com/sluicefc/sluice"
	"github.com/stretchr/testify/require"
)

// TestZeroAlloc covers every method of the hot path, in both organisations, with IQs enough and
// too few.
func TestZeroAlloc(t *testing.T) {
	for _, single := range []bool{false, true} {
		d := newDriver(
			Config{Rate: 8 * sluice.Gbps, Levels: 3, IQs: 4, Roots: 8, SingleTier: single, MTU: 300}, nil,
		)
		p := d.p
		set := []uint16{3, 1, 5}
		places := make([]Place, 0, 64)
		queues := make([]sluice.QueueID, 0, 64)
		round := 0
		now := sluice.Time(0)
		allocs := testing.AllocsPerRun(200, func() {
			round++
			for root := range 6 {
				p.Pause(root, uint64(root+round), 1+root%3)
			}
			places, queues = places[:0], queues[:0]
			for i := range 12 {
				if single {
					n := 1 + i%3
					q, place := p.PutSet(set[:n], 100)
					queues, places = append(queues, q), append(places, place)
				} else {
					q := p.Put(i%6, 100)
					queues, places = append(queues, q), append(places, Place(i%6))
				}
			}
			for root := range 6 {
				p.Resume(root)
			}
			p.Merge(1, 2)
			p.Next(now)
			p.Park(now)
			for i, q := range queues {
				now += sluice.Microsecond
				if single {
					p.TakeSet(q, places[i], 100)
				} else {
					p.Take(now, q, int(places[i]), 100)
				}
				p.PutOutput(100)
				p.TakeOutput(100)
			}
			for root := range 6 {
				p.Free(root)
			}
			_ = p.Sendable(1)
			_ = p.Counters()
		})
		require.Zero(t, allocs, "single tier: %v", single)
		for root := range 6 {
			p.Free(root)
		}
		require.NoError(t, d.check())
		require.Zero(t, p.InUse())
	}
}
