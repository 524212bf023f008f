package fabric_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/fabric"
	"github.com/sluicefc/sluice/internal/lab/probe"
	"github.com/sluicefc/sluice/internal/lab/workload"
)

// TestConstantRate: a flow with a rate of its own sends at it, headers included, under any control
// and without one.
func TestConstantRate(t *testing.T) {
	for _, control := range []string{"none", "dcqcn", "pcn"} {
		r := fabric.Run{Protocol: "pfc", Topology: leafSpine(t), Seed: 1}
		r.Flows = []workload.Flow{
			{Src: 0, Dst: 15, Class: 3, Bytes: 1_000_000, Rate: 10 * sluice.Gbps},
			{Src: 1, Dst: 15, Class: 3, Bytes: 1_000_000},
		}
		r.Values = values(t, "window=1GiB,payload=1000B,header=250B,cc="+control)
		result := do(t, r)
		require.InEpsilon(
			t, float64(1000*sluice.Microsecond), float64(result.Flows[0].FCT), 0.03, control,
		)
		require.Less(t, result.Flows[1].FCT, 400*sluice.Microsecond)
	}
}

// TestStaticThreshold: an ingress pauses above pfc.xoff, whatever the rest of the buffer holds.
func TestStaticThreshold(t *testing.T) {
	r := fabric.Run{Protocol: "pfc", Topology: leafSpine(t), Flows: incast(), Seed: 7}
	for _, c := range []struct {
		set    string
		pauses bool
	}{{"pfc.xoff=20KB", true}, {"pfc.xoff=10MB", false}, {"pfc.xoff-bdp=2", true}} {
		r.Values = values(t, "window=1GiB,buffer=20MiB,"+c.set)
		r.Observer = probe.New(probe.Config{Graph: r.Topology, Pauses: true})
		result := do(t, r)
		require.Equal(t, c.pauses, len(result.Seen.Pauses) > 0)
		require.Zero(t, result.Dropped)
	}
}
