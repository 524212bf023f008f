package sim_test

import (
	"testing"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/sim"
	"github.com/sluicefc/sluice/internal/lab/workload"
	"github.com/sluicefc/sluice/kit"
	"github.com/stretchr/testify/require"
)

// The second stage begins with the last arrival of the first, and completion times count from
// there.
func TestStages(t *testing.T) {
	const us = sluice.Microsecond
	c := config(star(4),
		workload.Flow{Src: 0, Dst: 2, Bytes: 50_000, Stage: 7, Start: 3 * us},
		workload.Flow{Src: 1, Dst: 0, Bytes: 100_000, Stage: 2, Start: 5 * us},
		workload.Flow{Src: 0, Dst: 1, Bytes: 50_000, Stage: 7},
		workload.Flow{Src: 2, Dst: 0, Bytes: 40_000, Stage: 2, Start: 10 * us},
		workload.Flow{Src: 3, Dst: 0, Bytes: 1, Stage: 8})
	r := run(t, c)
	require.Equal(t, 5, r.Completed)
	end := func(i int) sluice.Time { return r.Flows[i].Start + r.Flows[i].FCT }
	require.Equal(t, 5*us, r.Flows[1].Start)
	require.Equal(t, 10*us, r.Flows[3].Start)
	pushed := max(end(1), end(3))
	require.Equal(t, pushed, r.Flows[2].Start)
	require.Equal(t, pushed+3*us, r.Flows[0].Start)
	require.Equal(t, max(end(0), end(2)), r.Flows[4].Start)
	require.InDelta(
		t, float64(r.Flows[4].Ideal), float64(r.Flows[4].FCT), float64(10*sluice.Nanosecond),
		"but for an acknowledgement",
	)

	c.Flows[0].Stage = -1
	_, err := sim.New(c)
	require.EqualError(t, err, "sim: Config.Flows[0].Stage = -1: must not be negative")
}

// A stage that cannot end is a stall, not a wait for ever; its successors never start.
func TestStageThatNeverEnds(t *testing.T) {
	c := config(star(3),
		workload.Flow{Src: 0, Dst: 1, Bytes: 10_000},
		workload.Flow{Src: 1, Dst: 2, Bytes: 10_000, Stage: 1})
	at(&c, 3, func(m kit.Machine) kit.Machine { return &ticking{lost{m}, 0, sluice.Microsecond} })
	c.Inspect = notAfter(sluice.Second)
	r := run(t, c)
	require.Zero(t, r.Completed)
	require.Equal(t, sluice.Never, r.Flows[1].FCT)
}

// lost drops whatever it gets.
type lost struct{ kit.Machine }

func (lost) Enqueue(sluice.Time, sluice.PortID, *sluice.Packet) sluice.Verdict {
	return sluice.DropBecause(sluice.BufferFull)
}

// Flows between the same hosts are one to a protocol if their key is the pair of hosts.
func TestPairKeys(t *testing.T) {
	for pair, want := range map[bool]int{false: 6, true: 4} { // in two directions
		flows := map[uint64]bool{}
		c := config(star(3),
			workload.Flow{Src: 0, Dst: 1, Bytes: 100}, workload.Flow{Src: 0, Dst: 1, Bytes: 100},
			workload.Flow{Src: 2, Dst: 1, Bytes: 100})
		c.PairKeys = pair
		at(&c, 3, func(m kit.Machine) kit.Machine { return listing{m, flows} })
		run(t, c)
		require.Len(t, flows, want)
	}
}

// listing notes the flows that it gets packets of.
type listing struct {
	kit.Machine
	flows map[uint64]bool
}

func (l listing) Enqueue(now sluice.Time, port sluice.PortID, p *sluice.Packet) sluice.Verdict {
	l.flows[p.Flow] = true
	return l.Machine.Enqueue(now, port, p)
}
