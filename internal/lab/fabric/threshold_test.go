package fabric

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/params"
	"github.com/sluicefc/sluice/internal/lab/topo"
	"github.com/sluicefc/sluice/pfc/trigger"
)

// Thresholds of 6 and 4 bandwidth-delay products of one hop, for PortFC, PFC and PFC* alike
// (PortFC, section V-A): a port's thresholds follow its rate. Those that pfc.xoff sets do not.
func TestThresholdsInProductsFollowTheRate(t *testing.T) {
	registry, err := params.NewRegistry(Definitions())
	require.NoError(t, err)
	for _, test := range []struct {
		set       string
		rate      sluice.Rate
		xoff, xon sluice.Bytes
	}{
		{"pfc.xoff-bdp=6,pfc.xon-bdp=4", 100 * sluice.Gbps, 75_000, 50_000},
		{"pfc.xoff-bdp=6,pfc.xon-bdp=4", 160 * sluice.Gbps, 120_000, 80_000},
		{"pfc.xoff=75KB,pfc.xon=50KB", 160 * sluice.Gbps, 75_000, 50_000},
		{"pfc.xoff=75KB,pfc.xon=50KB,pfc.xoff-bdp=6", 160 * sluice.Gbps, 75_000, 50_000},
	} {
		values, err := registry.Parse(test.set)
		require.NoError(t, err)
		f := newPFCFleet(&plan{values: values, graph: &topo.Graph{}}, trigger.AtIngress)
		port := f.portOf(sluice.Link{Rate: test.rate, Delay: sluice.Microsecond})
		require.Equal(t, test.xoff, port.XOff, test.set)
		require.Equal(t, test.xon, port.XOn, test.set)
	}
}
