package fabric_test

import (
	"testing"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/fabric"
	"github.com/sluicefc/sluice/internal/sim"
	"github.com/stretchr/testify/require"
)

// lossyWire loses, doubles and reorders one control frame in a hundred each.
const lossyWire = "control.loss=1%,control.duplicate=1%,control.reorder=1%"

// settled runs to the end and past every timer, and requires that nothing is held anywhere after
// it.
func settled(t *testing.T, r fabric.Run) *sim.Result {
	var last *sim.Simulator
	r.RunOn = 2 * sluice.Millisecond
	r.Inspect = func(s *sim.Simulator) error { last = s; return nil }
	result := do(t, r)
	require.Equal(t, len(r.Flows), result.Completed, "seed %d: %v", r.Seed, result.Notes)
	require.Zero(t, result.Reordered, "seed %d: packets of a flow came out of order", r.Seed)
	require.Zero(t, result.Dropped, "seed %d", r.Seed)
	for node := range r.Topology.Nodes {
		m := last.Machine(sluice.SwitchID(node))
		require.NoError(t, m.Audit(), "seed %d node %d", r.Seed, node)
		require.NoError(t, m.Quiescent(), "seed %d node %d", r.Seed, node)
	}
	return result
}

// Whatever happens to control frames, a protocol that repeats its state leaves nothing stuck: no
// flow, no queue, no isolation queue.
func TestRepeatedStateRepairsEveryLoss(t *testing.T) {
	seeds := uint64(100)
	if testing.Short() {
		seeds = 10
	}
	for _, p := range []struct{ name, set string }{
		{"pfc", "buffer=2MiB,pfc.quanta=500," + lossyWire},
		{"bfc", "buffer=8MiB," + lossyWire},
		{"bfc", "buffer=8MiB," + lossyWire + ",bfc.signalling=bitmap"},
		{"pyrrha", "buffer=8MiB," + lossyWire + ",pyrrha.refresh=5us"},
		{"pyrrha-single", "buffer=8MiB," + lossyWire + ",pyrrha.refresh=5us"},
	} {
		t.Run(p.name, func(t *testing.T) {
			var frames int64
			for seed := range seeds {
				result := settled(t, fabric.Run{
					Protocol: p.name, Topology: leafSpine(t), Flows: incast(), Values: values(t, p.set), Seed: seed,
				})
				for _, n := range result.ControlFrames {
					frames += n
				}
			}
			require.Greater(t, frames, int64(100*seeds), "too few control frames to lose any")
		})
	}
}

// Without repetition, a lost resume hangs what it should have released. This is why the options
// exist: somewhere in these seeds it must happen.
func TestALostResumeHangsWithoutRepetition(t *testing.T) {
	for _, p := range []struct{ name, set string }{
		{"bfc", "bfc.signalling=transitions,buffer=8MiB,control.loss=10%"},
		{"pyrrha", "pyrrha.refresh=0,buffer=8MiB,control.loss=10%"},
	} {
		t.Run(p.name, func(t *testing.T) {
			hung := 0
			for seed := range uint64(10) {
				result := do(t, fabric.Run{
					Protocol: p.name, Topology: leafSpine(t), Flows: incast(), Values: values(t, p.set), Seed: seed,
				})
				if result.Completed < len(incast()) {
					hung++
					require.Contains(t, result.Notes[0], "flows did not complete")
				}
			}
			require.Positive(t, hung, "of 10 runs with a tenth of all frames lost, none hung")
		})
	}
}
