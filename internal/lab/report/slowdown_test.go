package report

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/run"
)

// Twenty parts of ten flows each; nine of each ten completed: percentile p of the nine is the flow
// that 9 p others precede.
func TestSlowdownsBySize(t *testing.T) {
	_, outcomes := sized(t)
	var b strings.Builder
	require.NoError(t, WriteSlowdowns(&b, outcomes))
	lines := strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n")
	require.Len(t, lines, 20)
	require.Equal(t, "0.000 300\t5.000 9.000 9.000", lines[0])
	require.Equal(t, "0.950 5000\t195.000 199.000 199.000", lines[19])
	require.Len(t, slowdowns(outcomes), 3)
	// A part without a completed flow is named, and has no number.
	for i := range 10 {
		outcomes[0].Result.Flows[i].FCT = sluice.Never
	}
	b.Reset()
	require.NoError(t, WriteSlowdowns(&b, outcomes))
	require.True(t, strings.HasPrefix(b.String(), "0.000 300\tNaN NaN NaN\n"), b.String())
	require.Equal(t, []string{"pfc: no flow completed in 1 of 20 parts"}, slowdowns(outcomes)[0].Notes)
	// Too few flows are said.
	few := *outcomes[0]
	result := *few.Result
	result.Flows = result.Flows[:19]
	few.Result = &result
	require.EqualError(t, WriteSlowdowns(&b, []*run.Outcome{&few}),
		"slowdowns by size need at least 20 flows")
	// Flows of one size have no panel.
	for i := range outcomes[0].Result.Flows {
		outcomes[0].Result.Flows[i].Bytes = 1000
	}
	require.Empty(t, slowdowns(outcomes))
}
