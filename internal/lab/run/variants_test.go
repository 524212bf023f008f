package run_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice/internal/lab/papers/portfc"
	"github.com/sluicefc/sluice/internal/lab/run"
)

// A setting without a name is refused: a variant that sets nothing would be taken for set by the
// user, and no variant would run.
func TestEmptySetting(t *testing.T) {
	l := portfc.Library
	s, err := l.Find("portfc/fig8-websearch")
	require.NoError(t, err)
	subject, err := l.Prepare(s, run.Request{Seed: run.DefaultSeed})
	require.NoError(t, err)
	require.NotEmpty(t, subject.Variants)
	for _, empty := range []string{"", " "} {
		_, err := l.Prepare(s, run.Request{Seed: run.DefaultSeed, Set: []string{empty}})
		require.EqualError(t, err,
			"a setting of scenario portfc/fig8-websearch is empty: it must be written name=value")
	}
}
