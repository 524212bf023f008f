package fabric_test

import (
	"testing"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/fabric"
	"github.com/sluicefc/sluice/internal/lab/sim"
	"github.com/sluicefc/sluice/internal/lab/topo"
	"github.com/sluicefc/sluice/internal/lab/workload"
	"github.com/stretchr/testify/require"
)

// A congested host, by its PCIe bus for one, pauses its senders (Pyrrha, section IV-D): packets of
// a host that takes a tenth of its link's rate wait at its senders and not in its card, and flows
// to its neighbours, by the same spine and ToR, are as fast as if it took all.
func TestCongestedHost(t *testing.T) {
	for _, protocol := range []string{"pyrrha", "pyrrha-single"} {
		run := func(set string) (slow, beside sluice.Time, r *sim.Result) {
			g, err := topo.LeafSpine(topo.LeafSpineConfig{
				Racks: 2, HostsPerRack: 4, Spines: 1, HostLink: link, Uplink: link,
			})
			require.NoError(t, err)
			flows := []workload.Flow{
				{Src: 4, Dst: 0, Bytes: 200_000, DstPort: 1}, {Src: 5, Dst: 1, Bytes: 200_000, DstPort: 2},
			}
			r = do(
				t, fabric.Run{Protocol: protocol, Topology: g, Flows: flows, Values: values(t, set), Seed: 7},
			)
			return r.Flows[0].FCT, r.Flows[1].FCT, r
		}
		_, beside, _ := run("buffer=1MiB")
		slow, besideSlow, r := run("buffer=1MiB,drain=1/10")
		require.Positive(t, r.ControlFrames["pause"], protocol)
		require.LessOrEqual(t, besideSlow, beside+beside/50, protocol)
		require.Greater(t, slow, link.Rate.TimeOf(10*200_000), "%s: a tenth of the rate", protocol)
		require.Less(t, r.MaxDrainBytes, sluice.Bytes(60_000), "%s: the card holds little", protocol)
		require.Less(t, r.MaxSwitchBytes, sluice.Bytes(150_000), "%s: most waits at the sender", protocol)
	}
}

// Switches of Pyrrha run PFC too towards legacy switches (Pyrrha, section IV-E): nothing is lost
// with any tier legacy, and without legacy switches the run is as without PFC.
func TestLegacySwitches(t *testing.T) {
	frames := map[string]int64{}
	for _, set := range []string{
		"legacy=none", "legacy=tors", "legacy=spines", "legacy=spines,legacy.count=1", "legacy=20",
		"legacy=16+20",
	} {
		r := with(t, "pyrrha+pfc", "buffer=2MiB,"+set)
		require.Equal(t, len(r.Flows), r.Completed, set)
		require.Zero(t, r.Dropped, set)
		require.Zero(t, r.Reordered, set)
		frames[set] = r.ControlFrames["dealloc"]
	}
	require.Positive(t, frames["legacy=none"])
	require.Zero(
		t, frames["legacy=tors"],
		"every host's and every spine's neighbours are legacy: no two devices speak Pyrrha",
	)
	require.Positive(t, frames["legacy=spines,legacy.count=1"], "by the other spine they do")
	require.Equal(
		t, frames["legacy=spines,legacy.count=1"], frames["legacy=20"], "which is the first spine",
	)
	require.Positive(t, frames["legacy=16+20"])

	for _, number := range []string{"3", "22"} {
		r := fabric.Run{
			Protocol: "pyrrha+pfc", Topology: leafSpine(t), Flows: incast(),
			Values: values(t, "legacy="+number),
		}
		require.ErrorContains(t, r.Check(), "parameter legacy: "+number+" is no switch of leaf-spine")
	}
}
