package pages

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice/internal/lab/papers"
	"github.com/sluicefc/sluice/internal/lab/run"
)

// A note stands below its figure; where it names a run, that is measured, too, and beside it what
// the scenario gives as it is.
func TestNotes(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "results")
	l := small(t, run.Exactly(1))
	notes := []run.Note{
		{Text: "the drain is not published", Open: "drain"},
		{Text: "with another drain it is otherwise", Set: "drain=1/2", Protocols: []string{"pfc"}},
	}
	l.Notes = map[string][]run.Note{"pyrrha/host": notes}
	said, err := made(t, l, dir, 1)
	require.NoError(t, err)
	require.Len(t, said, 2)
	page := read(t, dir, "pyrrha.md")
	require.Contains(t, page, "\n* the drain is not published\n")
	require.Contains(t, page, "\n| with another drain it is otherwise `-set drain=1/2 -fc pfc` | 1 | ")

	require.Contains(t, read(t, dir, "sensitivity.md"),
		"\nOpen, and no run gives it another value: drain.\n")

	own, err := load(dir, "pyrrha/host")
	require.NoError(t, err)
	tried, err := load(dir, "pyrrha/host/drain=1-2_fc=pfc")
	require.NoError(t, err)
	require.NotEqual(t, tried.Rows[0].Values[1], own.Rows[0].Values[1])
	require.Contains(t, read(t, dir, "README.md"), "| exact |  |  |  |  |  |  |  | 1 |  |", "once")

	notes[1].Text = "another cause"
	said, err = made(t, l, dir, 1)
	require.NoError(t, err)
	require.Empty(t, said, "texts are taken from the code without a run")
	require.Contains(t, read(t, dir, "pyrrha.md"), "\n| another cause `-set")

	l.Notes["pyrrha/host"] = notes[:1]
	said, err = made(t, l, dir, 1)
	require.NoError(t, err)
	require.Len(t, said, 1)
	require.Contains(t, said[0], "drain=1-2_fc=pfc.json belongs to no scenario any more, and is removed")
	require.NoFileExists(t, path(dir, "pyrrha/host/drain=1-2_fc=pfc"))
}

// An entry that is named is run, and no other: neither its scenario's own nor another note's. A
// scenario that is named alone is run without its notes.
func TestNamedEntry(t *testing.T) {
	l := small(t, run.Exactly(1))
	l.Notes = map[string][]run.Note{"pyrrha/host": {
		{Text: "one drain", Set: "drain=1/2", Protocols: []string{"pfc"}},
		{Text: "another drain", Set: "drain=1/4", Protocols: []string{"pfc"}},
	}}
	const name = "pyrrha/host/drain=1-4_fc=pfc"
	require.NoError(t, CheckNames(l, []string{name}))
	require.ErrorContains(t, CheckNames(l, []string{"pyrrha/host/drain=1-3_fc=pfc"}), "did you mean")
	dir := filepath.Join(t.TempDir(), "results")
	said, err := made(t, l, dir, 1)
	require.NoError(t, err)
	require.Len(t, said, 3)
	said = nil
	require.NoError(t, Make(Config{
		Library: l, Dir: dir, Names: []string{name}, Seeds: []uint64{1, 2}, Jobs: 1,
		Say: func(line string) { said = append(said, line) },
	}))
	require.Len(t, said, 1)
	require.Contains(t, said[0], name+", seed 2")
	said = nil
	require.NoError(t, Make(Config{
		Library: l, Dir: dir, Names: []string{"pyrrha/host"}, Alone: true, Seeds: []uint64{1, 3}, Jobs: 1,
		Say: func(line string) { said = append(said, line) },
	}))
	require.Len(t, said, 1)
	require.Contains(t, said[0], "pyrrha/host, seed 3")
}

// Notes are of scenarios that have a page, and each run that they name is another.
func TestNotesHaveScenarios(t *testing.T) {
	names := map[string]bool{}
	for _, s := range sources(papers.All) {
		require.False(t, names[s.name()], s.name())
		names[s.name()] = true
	}
	for name := range papers.All.Notes {
		require.True(t, names[name], name)
	}
}

// Scenarios with claims of which nothing is open, and why.
var closed = map[string]string{
	"reference":         "flows, network and settings are the authors' own",
	"reference-bfc":     "as of reference",
	"hosts/convergence": "no paper has it",
	"tcd/credit":        "a model of the credit's definition, with every T_c and buffer of its table",
	"pcn/fluid":         "a formula, evaluated with what each run has",
}

// Every other scenario with claims has a note that says what its paper leaves open.
func TestWhatIsOpenIsNamed(t *testing.T) {
	claimed := 0
	for _, s := range sources(papers.All) {
		kept, err := load(results, s.name())
		require.NoError(t, err)
		if s.note != nil || len(kept.Statements) == 0 {
			continue
		}
		claimed++
		open := slices.ContainsFunc(papers.All.Notes[s.Name], func(n run.Note) bool {
			return n.Open != ""
		})
		require.Equal(t, closed[s.Name] == "", open, "%s: what does its paper leave open?", s.Name)
	}
	require.Greater(t, claimed, 60)
}

// The pages for a browser have the pictures inside, and links that lead somewhere.
func TestHTML(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "results")
	l, html := small(t, run.Exactly(1)), filepath.Join(t.TempDir(), "html")
	require.NoError(t, Make(Config{
		Library: l, Dir: dir, HTML: html, Seeds: []uint64{1}, Jobs: 1, Say: func(string) {},
	}))
	page := read(t, html, "pyrrha.html")
	require.Contains(t, page, `<h2 id="pyrrhahost">`)
	require.Contains(t, page, `<img src="data:image/svg+xml;base64,`)
	require.Contains(t, page, `<a href="index.html">`)
	require.Contains(t, page, "<td>mean FCT of vulnerable flows, us</td>")
	front := read(t, html, "index.html")
	require.Contains(t, front, `<a href="pyrrha.html#pyrrhahost">`)
	require.Contains(t, front, `<a href="reproducing.html">`)
	info, err := os.Stat(filepath.Join(dir, "pictures", "pyrrha-host.svg"))
	require.NoError(t, err)
	require.LessOrEqual(t, info.Size(), int64(largestPicture))
	require.Contains(t, read(t, dir, "pyrrha.md"), "](pictures/pyrrha-host.svg)")
}

// What slices run together is everything, each entry in one of them.
func TestSlices(t *testing.T) {
	l := small(t, run.Exactly(1))
	second := l.Scenarios[0]
	second.Name = "pyrrha/other"
	l.Scenarios = append(l.Scenarios, second)
	dir := filepath.Join(t.TempDir(), "results")
	for part := 1; part <= 3; part++ {
		said := 0
		require.NoError(t, Make(Config{
			Library: l, Dir: dir, Seeds: []uint64{1}, Jobs: 1, Slice: run.Slice{Part: part, Of: 3},
			Say: func(string) { said++ },
		}))
		require.Equal(t, [...]int{1, 1, 0}[part-1], said)
		require.NoFileExists(t, filepath.Join(dir, "README.md"))
	}
	said, err := made(t, l, dir, 1)
	require.NoError(t, err)
	require.Empty(t, said)
	require.Contains(t, read(t, dir, "README.md"), "| exact |  |  |  |  |  |  |  | 1 |  |")
}

// What other files have is counted from them.
func TestCounts(t *testing.T) {
	text, err := countRatios("run group theirs ours ratio\n\na b c 1 1 1.02\na b c 1 2 2.0\na b c 1 3 3\n")
	require.NoError(t, err)
	require.Equal(t, "1 within 5 %, 1 within twice, 1 differs", text)
	_, err = countRatios("nothing")
	require.Error(t, err)
	text, err = countHeadrooms("platform,rows,below_A,above_C\nA,5,1,2\nB,3,0,\n")
	require.NoError(t, err)
	require.Equal(t, "2 platforms, 8 rows: 1 below the mildest, 2 above the strictest", text)
	for _, bad := range []string{"nothing", "platform,rows\nA,5\n"} {
		_, err = countHeadrooms(bad)
		require.Error(t, err)
	}
}
