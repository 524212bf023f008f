package fabric_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/fabric"
	"github.com/sluicefc/sluice/internal/lab/sim"
	"github.com/sluicefc/sluice/internal/lab/topo"
	"github.com/sluicefc/sluice/internal/lab/workload"
	"github.com/sluicefc/sluice/kit"
	"github.com/sluicefc/sluice/pyrrha"
)

// A failure makes ways longer than any before it: round a ring of seven switches, whose hosts send
// two links clockwise, five links the other way. The congestion root at the end of them is farther
// than any port would isolate for the links as they were; no frame is refused for that.
func TestLevelsAfterAReroute(t *testing.T) {
	ring := link
	ring.Rate *= 4 // so that the root is the receiver's port
	g, err := topo.Ring(topo.RingConfig{
		Switches: 7, HostsPerSwitch: 2, HostLink: link, RingLink: ring,
	})
	require.NoError(t, err)
	const first = sluice.SwitchID(14) // of the switches; hosts 2i and 2i+1 are at switch number i
	r := fabric.Run{Topology: g, Seed: 1}
	for src := range sluice.SwitchID(4) { // at switches 0 and 1, to one at switch 2
		r.Flows = append(r.Flows, workload.Flow{Src: src, Dst: 4, Class: 3, Bytes: sluice.MB})
	}
	cut, ok := g.PortTo(first+1, first+2)
	require.True(t, ok)
	r.Failures = []sim.Failure{
		{At: sluice.Hop{Switch: first + 1, Port: cut}, Down: 20 * sluice.Microsecond},
	}
	for _, r.Protocol = range []string{"pyrrha", "pyrrha-single"} {
		run := func(set string) (refused uint64) {
			var last *sim.Simulator
			r.Inspect = func(s *sim.Simulator) error { last = s; return nil }
			r.Values = values(t, "buffer=8MiB,window=1MB"+set)
			result := do(t, r)
			require.Equal(t, len(r.Flows), result.Completed, "%v %v", result.Notes, result.Timeouts)
			for node := range g.Nodes {
				refused += kit.Unwrap(last.Machine(sluice.SwitchID(node))).(*pyrrha.Switch).Counters().TooFar
			}
			return refused
		}
		require.Zero(t, run(""), r.Protocol)
		require.Positive(
			t, run(",pyrrha.levels=3"), "%s: the most that there is while no link fails", r.Protocol,
		)
	}
}
