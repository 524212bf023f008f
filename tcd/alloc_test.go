package tcd

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
)

// TestZeroAlloc: no hook of a detector allocates, in any of its states.
func TestZeroAlloc(t *testing.T) {
	config := shipped()
	d, err := New(config)
	require.NoError(t, err)
	e, err := NewECN(ECNConfig{Marking: config.Marking})
	require.NoError(t, err)
	f, err := NewFECN(FECNConfig{Threshold: 50_000})
	require.NoError(t, err)
	var now sluice.Time
	var seen [numStates]int
	require.Zero(t, testing.AllocsPerRun(100, func() {
		now += 5 * config.MaxTon
		d.Resumed(now, 300_000)
		e.Resumed(now, 300_000)
		f.Resumed(now, 300_000)
		for q := sluice.Bytes(300_000); q > 0; q -= 1030 {
			now += us
			d.Dequeue(now, 1030, q, Combine(sluice.ECT1, sluice.NotECT))
			e.Dequeue(now, 1030, q, sluice.ECT1)
			f.Dequeue(now, 1030, q, sluice.ECT1)
			seen[d.State()]++
		}
		d.Dequeue(now, 1030, 300_000, sluice.ECT1)
		seen[d.State()]++
		if d.Counters().Resumes == 0 || e.Marked() == 0 || MaxTonInfiniBand(us, DefaultEpsilon()) == 0 {
			t.Fatal("nothing happened")
		}
	}))
	for s, n := range seen {
		require.NotZero(t, n, "state %v", State(s))
	}
}
