package pyrrha

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/run/runtest"
	"github.com/sluicefc/sluice/internal/lab/topo"
	"github.com/sluicefc/sluice/internal/lab/workload"
)

// Flows of the incast from S1 and S2 are there for as long as flows from VS to VR begin, which are
// a Poisson process (section V-B).
func TestFigure9(t *testing.T) {
	s := runtest.Prepared(t, Library, "pyrrha/fig9-webserver", "duration=2ms")
	var offered sluice.Bytes
	for _, f := range s.Flows {
		if f.Group == workload.Vulnerable {
			require.Equal(t, topo.TestbedVS, f.Src)
			require.Equal(t, topo.TestbedVR, f.Dst)
			offered += f.Bytes
		} else {
			require.Equal(t, topo.TestbedR1, f.Dst)
			require.Equal(t, 25*sluice.MB, f.Bytes, "2 ms of 100 Gb/s")
		}
	}
	require.InEpsilon(t, 0.3, float64(offered)/25e6, 0.5)
	outcomes := outcomesOf(t, s, "pfc", "pyrrha-single")
	mean := func(fc string) float64 {
		const what = "mean FCT of vulnerable flows"
		return runtest.Finding(t, s, outcomes, what, fc, "").Measured.Value
	}
	require.Greater(t, mean("pfc"), 1.5*mean("pyrrha-single"))
}

// Of each hop the longest queue is its own: the root holds most under PFC, and under Pyrrha what is
// for it waits before (section III-A).
func TestHops(t *testing.T) {
	s := runtest.Prepared(t, Library, "pyrrha/hops",
		"racks=3,hosts=4,spines=2,incast.degree=60,duration=20us,load=1/5")
	require.Len(t, s.Probes.Ports, 1+3*2+2*3, "root, racks to the core, core to racks")
	outcomes := outcomesOf(t, s, "pfc", "pyrrha")
	longest := func(hop, fc string) float64 {
		return runtest.Finding(t, s, outcomes, "longest queue "+hop, fc, "").Measured.Value
	}
	for _, fc := range []string{"pfc", "pyrrha"} {
		require.Positive(t, longest("of the root", fc))
		require.Positive(t, longest("of a core towards its rack", fc))
		require.Positive(t, longest("of another rack towards the core", fc))
	}
	require.Greater(t, longest("of the root", "pfc"), 2*longest("of the root", "pyrrha"))
	require.Less(t, longest("of another rack towards the core", "pfc"),
		longest("of another rack towards the core", "pyrrha"))
}
