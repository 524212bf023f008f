package sim_test

import (
	"testing"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/workload"
	"github.com/stretchr/testify/require"
)

// A flow that did not start before the end of the run has its ideal time all the same.
func TestIdealOfAFlowThatNeverStarted(t *testing.T) {
	c := config(
		star(2), workload.Flow{Src: 0, Dst: 1, Bytes: 5000},
		workload.Flow{Src: 0, Dst: 1, Bytes: 5000, Start: sluice.Millisecond},
	)
	c.Until = 100 * sluice.Microsecond
	result := run(t, c)
	require.Equal(t, result.Flows[0].FCT, result.Flows[0].Ideal)
	require.Equal(t, result.Flows[0].Ideal, result.Flows[1].Ideal)
	require.Equal(t, sluice.Never, result.Flows[1].FCT)
	require.Zero(t, result.Flows[1].Slowdown())
}

// The way has more hops than a sluice.Path can hold; every one of them counts.
func TestIdealOfAWayLongerThanAPath(t *testing.T) {
	const switches = 3 * sluice.MaxHops
	result := run(t, config(chain(switches), workload.Flow{Src: 0, Dst: 1, Bytes: 1460}))
	require.Equal(t, (switches+1)*(122080*sluice.Picosecond+delay), result.Flows[0].FCT)
	require.Equal(t, result.Flows[0].FCT, result.Flows[0].Ideal)
}

// A run that ends before the flow starts knows no way to its destination: no ideal time.
func TestNoWayHasNoIdealTime(t *testing.T) {
	c := config(star(2), workload.Flow{Src: 0, Dst: 1, Bytes: 1, Start: sluice.Millisecond})
	c.Network = network(star(1))
	c.Until = sluice.Microsecond
	require.Zero(t, run(t, c).Flows[0].Ideal)
}
