// Package runtest has what tests of scenarios and reports share.
package runtest

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice/internal/lab/run"
)

// Settings are settings of a request, without the empty ones: tables of tests have "" for none.
func Settings(set ...string) []string {
	return slices.DeleteFunc(slices.Clone(set), func(s string) bool { return s == "" })
}

func Prepared(t testing.TB, l *run.Library, name string, set ...string) *run.Subject {
	t.Helper()
	s, err := l.Find(name)
	require.NoError(t, err)
	subject, err := l.Prepare(s, run.Request{Set: Settings(set...), Seed: run.DefaultSeed})
	require.NoError(t, err)
	return subject
}

// Alone skips under the race detector what runs one simulation after the other: a simulation is one
// goroutine. TestProtocolsSideBySide and others have the command run several at a time.
func Alone(t testing.TB) {
	t.Helper()
	if raced {
		t.Skip("one simulation after the other: there is nothing to race")
	}
}

func OutcomeOf(t testing.TB, s *run.Subject, fc string) *run.Outcome {
	t.Helper()
	Alone(t)
	o, err := s.Simulate(fc, false, nil)
	require.NoError(t, err)
	return o
}

// TrialsOf runs all protocols and variants of a scenario.
func TrialsOf(
	t *testing.T, l *run.Library, scenario string, set ...string,
) map[string]*run.Outcome {
	outcomes := map[string]*run.Outcome{}
	for _, trial := range Prepared(t, l, scenario, set...).Trials() {
		outcomes[trial.Label] = OutcomeOf(t, trial.Subject, trial.FC)
		outcomes[trial.Label].FC = trial.Label
	}
	return outcomes
}

// VariantOf runs one variant of a scenario under a protocol.
func VariantOf(t testing.TB, l *run.Library, scenario, fc, name string) *run.Outcome {
	t.Helper()
	for _, trial := range Prepared(t, l, scenario).Trials() {
		if trial.FC == fc && strings.HasSuffix(trial.Label, name) {
			o := OutcomeOf(t, trial.Subject, fc)
			o.FC = trial.Label
			return o
		}
	}
	require.Fail(t, "there is no such variant", "%s of %s under %s", name, scenario, fc)
	return nil
}
