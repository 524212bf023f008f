package runtest

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice/internal/lab/run"
)

// Finding returns what was found of a run by the measurement of that What; baseline is "" where the
// run is compared with no other.
func Finding(
	t testing.TB, s *run.Subject, outcomes []*run.Outcome, what, label, baseline string,
) *run.Finding {
	t.Helper()
	findings := run.Findings(s, outcomes)
	i := slices.IndexFunc(findings, func(f run.Finding) bool {
		return f.Measure == what && f.Run == label && f.Baseline == baseline
	})
	require.GreaterOrEqual(t, i, 0, "%s of %s %s", what, label, baseline)
	return &findings[i]
}
