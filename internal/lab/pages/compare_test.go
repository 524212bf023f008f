package pages

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice/internal/lab/run"
)

// files are the names and contents of all files below a folder.
func files(t *testing.T, dir string) map[string]string {
	all := map[string]string{}
	require.NoError(t, filepath.WalkDir(dir, func(name string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			all[name] = read(t, name)
		}
		return err
	}))
	return all
}

// ran are the lines that Compare says.
func ran(l *run.Library, dir string, seeds ...uint64) (said []string, err error) {
	err = Compare(Config{
		Library: l, Dir: dir, Seeds: seeds, Jobs: 1,
		Say: func(line string) { said = append(said, line) },
	})
	return said, err
}

// What is kept is run again and compared, all of its seeds or some; and not a byte of any file
// changes, whether it is equal or not.
func TestCompare(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "results")
	l := small(t, run.Exactly(1))
	_, err := ran(l, dir)
	require.EqualError(t, err, "of 1 entries there is nothing to compare")
	_, err = made(t, l, dir, 1, 2)
	require.NoError(t, err)
	before := files(t, dir)
	said, err := ran(l, dir)
	require.NoError(t, err)
	require.Len(t, said, 2)
	require.Contains(t, said[0], "pyrrha/host, seed 1: equal (")
	said, err = ran(l, dir, 2, 7)
	require.NoError(t, err)
	require.Equal(t, "pyrrha/host, seed 7: not kept; with -write it is run and kept", said[0])
	require.Contains(t, said[1], "seed 2: equal")
	require.Equal(t, before, files(t, dir))

	name := filepath.Join(dir, "data", "pyrrha", "host.json")
	e, err := load(dir, "pyrrha/host")
	require.NoError(t, err)
	e.Rows[0].Values[2] = 12.5
	require.NoError(t, e.save(dir))
	before = files(t, dir)
	said, err = ran(l, dir)
	require.EqualError(t, err, "1 of 2 runs differ from what is kept; -write keeps what came out")
	require.Regexp(t, `seed 2: differs \(.* s\): mean FCT .*, us, pfc: 12.5 is kept, [0-9.]+ came out`,
		strings.Join(said, "\n"))
	require.Equal(t, before, files(t, dir))
	require.NotEmpty(t, before[name])
}

// An entry that is made anew for one seed has the seeds that were kept, too, also where the run
// ends between them.
func TestSeedsAreKept(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "results")
	l := small(t, run.Exactly(1))
	_, err := made(t, l, dir, 1, 2, 3)
	require.NoError(t, err)
	e, err := load(dir, "pyrrha/host")
	require.NoError(t, err)
	e.Code = "another"
	require.NoError(t, e.save(dir))
	named := Config{
		Library: l, Dir: dir, Seeds: []uint64{2}, Jobs: 1, Names: []string{"pyrrha/host"},
		Say: func(string) {},
	}
	named.For = 1 // which is over when the first run ends
	require.NoError(t, Make(named))
	e, err = load(dir, "pyrrha/host")
	require.NoError(t, err)
	require.ElementsMatch(t, []uint64{1, 2, 3}, e.seeds())
	named.For = 0
	require.NoError(t, Make(named))
	e, err = load(dir, "pyrrha/host")
	require.NoError(t, err)
	require.Equal(t, "1, 2, 3", e.Seeds())
	require.Empty(t, e.Due)
	require.Len(t, e.Rows[0].Values, 3)
}

// A commit that main lacks is not named: a clone lacks it, too.
func TestCommitsOfMain(t *testing.T) {
	dir := t.TempDir()
	do := func(words ...string) string {
		out, err := git(dir, words...)
		require.NoError(t, err, words)
		return out
	}
	commit := func(text string) string {
		require.NoError(t, os.WriteFile(filepath.Join(dir, "a.go"), []byte(text), 0o666))
		do("add", ".")
		do("-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "-m", text)
		return do("rev-parse", "HEAD")[:12]
	}
	require.Empty(t, commitOfMain(dir))
	do("init", "-q", "-b", "main")
	first := commit("package a")
	require.NoError(t, os.WriteFile(filepath.Join(dir, "a.json"), []byte("{}"), 0o666))
	require.Equal(t, first, commitOfMain(dir), "what is no source does not matter")
	do("checkout", "-q", "-b", "other")
	second := commit("package b")
	require.Equal(t, first+"+", commitOfMain(dir))
	for commit, want := range map[string]string{
		"": "", first: first, first + "-dirty": first + "+", first + "+": first + "+", second: "",
	} {
		require.Equal(t, want, onMain(dir, "main", commit))
	}
	require.Equal(t, second, onMain(dir, "", second), "git does not say")
}
