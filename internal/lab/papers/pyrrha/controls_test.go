package pyrrha

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice/internal/depth"
	"github.com/sluicefc/sluice/internal/lab/run"
	"github.com/sluicefc/sluice/internal/lab/run/runtest"
)

// With congestion control Pyrrha shortens flows of less than 100 KB by up to 32.7 times (section
// VIII-B). With HPCC it does; larger flows that pass a port where packets are held for a root
// elsewhere slow down if telemetry reports those packets too.
func TestControlSeesThePacketsQueue(t *testing.T) {
	depth.From(t, depth.Thorough, "three runs of the reference")
	pyrrha := runtest.VariantOf(t, Library, "pyrrha/cc", "pyrrha", " hpcc")
	pfc := runtest.VariantOf(t, Library, "pyrrha/cc", "pfc", " hpcc")
	require.Greater(t, smallUncongested(pfc)/smallUncongested(pyrrha), 20.0)

	s := runtest.Prepared(t, Library, "pyrrha/cc", "cc=hpcc,cc.queue=port")
	require.Empty(t, s.Variants)
	byPort := runtest.OutcomeOf(t, s, "pyrrha")
	require.Less(t, pyrrha.FCT.Vulnerable.Mean, 20.0)
	require.Greater(t, byPort.FCT.Vulnerable.Mean, 10*pyrrha.FCT.Vulnerable.Mean)

	less := runtest.Finding(t, s, []*run.Outcome{pfc, pyrrha}, "mean FCT of small uncongested flows",
		"pyrrha hpcc", "pfc hpcc")
	require.Equal(t, smallUncongested(pfc)/smallUncongested(pyrrha), less.Measured.Value)
	require.Equal(t, run.UpTo(32.7), *less.Published)
}
