package fabric_test

import (
	"strings"
	"testing"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/depth"
	"github.com/sluicefc/sluice/internal/lab/fabric"
	"github.com/sluicefc/sluice/internal/lab/sim"
	"github.com/sluicefc/sluice/internal/lab/topo"
	"github.com/sluicefc/sluice/internal/lab/workload"
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
	seeds := depth.Choose[uint64](2, 2, 100)
	for _, p := range []struct{ name, set string }{
		{"pfc", "buffer=2MiB,pfc.quanta=500," + lossyWire},
		{"bfc", "buffer=8MiB," + lossyWire},
		{"bfc", "buffer=8MiB," + lossyWire + ",bfc.signalling=periodic-bitmap"},
		{"pyrrha", "buffer=8MiB," + lossyWire + ",pyrrha.refresh=5us"},
		{"pyrrha-single", "buffer=8MiB," + lossyWire + ",pyrrha.refresh=5us"},
	} {
		t.Run(p.name, func(t *testing.T) {
			var frames int64
			for seed := range seeds {
				result := settled(t, fabric.Run{
					Protocol: p.name, Topology: leafSpine(t), Flows: incast(), Values: values(t, p.set),
					Seed: seed,
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
					Protocol: p.name, Topology: leafSpine(t), Flows: incast(), Values: values(t, p.set),
					Seed: seed,
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

// Pyrrha can lose packets (Pyrrha, section IV-D), and so can BFC: where the buffer is too small,
// senders repair losses by their timers, and the result says so. Without their timers flows would
// wait for ever.
func TestLossesAreRepairedByDefault(t *testing.T) {
	g, err := topo.LeafSpine(topo.LeafSpineConfig{
		Racks: 4, HostsPerRack: 8, Spines: 2, HostLink: link, Uplink: link,
	})
	require.NoError(t, err)
	var flows []workload.Flow // from every rack into every other one, over uplinks 4:1 oversubscribed
	for src := range sluice.SwitchID(32) {
		for n := range sluice.SwitchID(6) {
			flows = append(flows, workload.Flow{
				Src: src, Dst: (src + 8 + 5*n) % 32, Class: 3, Bytes: 60_000, SrcPort: 1000 + uint16(n),
			})
		}
	}
	for _, c := range []struct{ protocol, buffer string }{
		{"bfc", "128KiB"}, {"pyrrha", "1MiB"}, {"pyrrha-single", "1MiB"},
	}[:depth.Choose(1, 1, 3)] {
		r := fabric.Run{
			Protocol: c.protocol, Topology: g, Flows: flows, Seed: 1,
			Values: values(t, "rto=0,buffer="+c.buffer),
		}
		hung := do(t, r)
		require.Positive(t, hung.Dropped, c.protocol)
		require.Less(t, hung.Completed, len(flows), c.protocol)

		r.Values = values(t, "buffer="+c.buffer)
		repaired := do(t, r)
		require.Positive(t, repaired.Dropped, c.protocol)
		require.Equal(t, len(flows), repaired.Completed, "%s: %v", c.protocol, repaired.Notes)
		require.Positive(t, repaired.Timeouts, c.protocol)
		require.Contains(
			t, strings.Join(repaired.Notes, "\n"), "what was lost was sent again: from the first loss on",
			c.protocol,
		)
	}
}

// An egress queue of a lossy switch keeps to its share of the free buffer (Choudhury and Hahne):
// q <= alpha (B - q) if it is alone.
func TestLossyQueuesKeepToTheirShare(t *testing.T) {
	longest := func(set string) sluice.Bytes {
		result := do(t, fabric.Run{
			Protocol: "none", Topology: leafSpine(t), Flows: incast(), Seed: 1,
			Values: values(t, "buffer=1MB,window=1MB"+set),
		})
		require.Equal(t, len(incast()), result.Completed)
		require.Positive(t, result.Dropped)
		return result.MaxPortBytes
	}
	require.Greater(t, longest(""), 900*sluice.KB)
	const most = sluice.MB / 9 // of a queue; a port's others hold a few acknowledgements
	require.InEpsilon(t, int64(most), int64(longest(",none.alpha=1/8")), 0.02)
}
