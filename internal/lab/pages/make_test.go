package pages

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice/internal/lab/papers/pyrrha"
	"github.com/sluicefc/sluice/internal/lab/params"
	"github.com/sluicefc/sluice/internal/lab/run"
	"github.com/sluicefc/sluice/internal/lab/topo"
	"github.com/sluicefc/sluice/internal/lab/workload"
)

// small is a library of one scenario, with a claim of what the paper gives for PFC.
func small(t *testing.T, published run.Range) *run.Library {
	s, err := pyrrha.Library.Find("pyrrha/host")
	require.NoError(t, err)
	one := *s
	one.Claims = func(*run.Subject) []run.Claim {
		return []run.Claim{{
			Statement: "flows to other hosts are fast", Place: "section 9", Source: run.Given,
			Note: "a cause, and the run that confirms it",
			Measures: []run.Measurement{{
				What: "mean FCT of vulnerable flows", Unit: "us", Value: run.MeanFCT(workload.Vulnerable),
				Published: run.Ranges{"pfc": published},
			}},
		}}
	}
	return &run.Library{
		Scenarios: []run.Scenario{one}, Parameters: pyrrha.Library.Parameters,
		Panels: map[string][]string{"pyrrha/host": {"queue", "measured"}},
	}
}

// made are the lines that Make says, and its configuration.
func made(t *testing.T, l *run.Library, dir string, seeds ...uint64) (said []string, err error) {
	err = Make(Config{
		Library: l, Dir: dir, Seeds: seeds, Jobs: 1,
		Say: func(line string) { said = append(said, line) },
	})
	return said, err
}

func read(t *testing.T, parts ...string) string {
	content, err := os.ReadFile(filepath.Join(parts...))
	require.NoError(t, err)
	return string(content)
}

// A claim that is changed in the code is judged anew without a run: the JSON and the page change.
func TestChangedClaim(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "results")
	said, err := made(t, small(t, run.Exactly(1)), dir, 1)
	require.NoError(t, err)
	require.Len(t, said, 1)
	require.Contains(t, read(t, dir, "pyrrha.md"), "| | claim | measured | pfc | verdict |")
	require.Regexp(t, `\| 1 \| flows to other hosts are fast \(section 9; text; exact\) `+
		`\| mean FCT of vulnerable flows, us \| [0-9.]+ \[1\] \| differs \|`, read(t, dir, "pyrrha.md"))
	require.Contains(t, read(t, dir, "pyrrha.md"), "**On 1**: a cause, and the run that confirms it")
	require.Contains(t, read(t, dir, "data", "pyrrha", "host.json"), `"verdict": "differs"`)
	require.Contains(t, read(t, dir, "README.md"), "| [Pyrrha](pyrrha.md) |  |  |  |  |  |  |  | 1 |  |")
	require.Contains(t, read(t, dir, "README.md"), "| exact |  |  |  |  |  |  |  | 1 |  |")

	said, err = made(t, small(t, run.AtLeast(1)), dir, 1)
	require.NoError(t, err)
	require.Empty(t, said, "nothing is run")
	require.Contains(t, read(t, dir, "pyrrha.md"), "[at least 1] | within the bound |")
	require.Contains(t, read(t, dir, "data", "pyrrha", "host.json"), `"verdict": "within the bound"`)
}

// A measure that is new in the code makes its entry stale, by name; what was measured stays until
// it is run again.
func TestChangedMeasure(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "results")
	_, err := made(t, small(t, run.Exactly(1)), dir, 1)
	require.NoError(t, err)
	changed := small(t, run.Exactly(1))
	claims := changed.Scenarios[0].Claims
	changed.Scenarios[0].Claims = func(s *run.Subject) []run.Claim {
		return append(claims(s), run.Beside(run.Measurement{
			What: "longest queue", Unit: "KB", Value: run.LongestQueue,
		}))
	}
	var named []string
	for range 2 { // it is stale until it is run
		named = nil
		require.NoError(t, Make(Config{Library: changed, Dir: dir, Seeds: []uint64{1}, Jobs: 1, For: -1,
			Say: func(line string) { named = append(named, line) }}))
		require.Equal(t, []string{"pyrrha/host is stale: what is measured has changed"}, named)
	}
	require.Contains(t, read(t, dir, "pyrrha.md"), "**Stale: what is measured has changed.**")
	require.Contains(t, read(t, dir, "pyrrha.md"), "[1] | differs |")

	said, err := made(t, changed, dir, 1)
	require.NoError(t, err)
	require.Len(t, said, 2, "that it is stale, and that it was run")
	require.Contains(t, read(t, dir, "pyrrha.md"), "| longest queue, KB |")
	require.NotContains(t, read(t, dir, "pyrrha.md"), "Stale")

	_, err = made(t, small(t, run.Exactly(1)), dir, 1)
	require.NoError(t, err)
	require.NotContains(t, read(t, dir, "pyrrha.md"), "longest queue", "what is not measured goes")
}

// So does a changed parameter.
func TestChangedScenario(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "results")
	l := small(t, run.Exactly(1))
	_, err := made(t, l, dir, 1)
	require.NoError(t, err)
	l.Scenarios[0].Set = strings.Replace(l.Scenarios[0].Set, "drain=1/10", "drain=1/5", 1)
	said, err := made(t, l, dir, 1)
	require.NoError(t, err)
	require.Contains(t, said[0], "pyrrha/host is stale: its network, traffic or parameters")
}

// What was run before an interruption is not run again, and what was not is.
func TestResume(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "results")
	l := small(t, run.Exactly(1))
	build := l.Scenarios[0].Build
	var seeds []uint64
	l.Scenarios[0].Build = func(seed uint64, v *params.Values) (*topo.Graph, []workload.Flow, error) {
		seeds = append(seeds, seed)
		if seed == 3 && !slices.Contains(seeds, 100) {
			return nil, nil, errors.New("interrupted")
		}
		return build(seed, v)
	}
	_, err := made(t, l, dir, 1, 2, 3)
	require.ErrorContains(t, err, "interrupted")
	e, err := load(dir, "pyrrha/host")
	require.NoError(t, err)
	require.Equal(t, "1, 2", e.Seeds())

	seeds = []uint64{100}
	said, err := made(t, l, dir, 1, 2, 3)
	require.NoError(t, err)
	require.Len(t, said, 1)
	require.Contains(t, said[0], "seed 3")
	require.NotContains(t, seeds, uint64(2))
	e, err = load(dir, "pyrrha/host")
	require.NoError(t, err)
	require.Equal(t, "1, 2, 3", e.Seeds())
	require.Len(t, e.Rows[0].Values, 3)
	require.Len(t, e.Statements, 1)
}

// Of words and numbers that seeds give, none is lost.
func TestMeasured(t *testing.T) {
	for want, values := range map[string]map[int64]any{
		"-":                              {},
		"never":                          {1: "never", 2: "never"},
		"never (1 of 2); 3.000 (1 of 2)": {1: "never", 2: 3.0},
		"2.000 ± 1.414":                  {1: 1.0, 2: 3.0},
	} {
		r := Row{Values: values}
		require.Equal(t, want, words(r.measured()))
	}
}
