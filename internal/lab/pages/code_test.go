package pages

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice/internal/lab/run"
)

// What older code made is named, and run anew if that is asked for: code of a package that the
// paper's imports, however far away, not comments, tests, notes, and packages that are not
// imported.
func TestOlderCode(t *testing.T) {
	root, dir := t.TempDir(), filepath.Join(t.TempDir(), "results")
	file := func(name, text string) {
		name = filepath.Join(root, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o777))
		require.NoError(t, os.WriteFile(name, []byte(text), 0o666))
	}
	l := small(t, run.Exactly(1))
	report := func(older bool) (said []string) {
		require.NoError(t, Make(Config{
			Library: l, Dir: dir, Source: root, Seeds: []uint64{1}, Jobs: 1, Older: older,
			Say: func(line string) { said = append(said, line) },
		}))
		return said
	}
	file("go.mod", "module "+module+"\n")
	file("internal/lab/papers/pyrrha/notes.go", "package pyrrha\n\nconst note = \"as it is\"\n")
	file("internal/lab/papers/pyrrha/scenarios.go",
		"package pyrrha\n\nimport _ \""+module+"/fabric\"\n")
	file("fabric/all.go", "package fabric\n\nimport _ \""+module+"/pyrrha\"\n")
	file("pyrrha/port.go", "package pyrrha\n\nfunc less(a, b int) bool { return a < b }\n")
	file("bfc/port.go", "package bfc\n")
	require.Len(t, report(false), 1)
	e, err := load(dir, "pyrrha/host")
	require.NoError(t, err)
	require.Regexp(t, "^[0-9a-f]{16}$", e.Code)
	require.Contains(t, read(t, dir, "pyrrha.md"), "made by code "+e.Code+", ")
	require.NotContains(t, read(t, dir, "pyrrha.md"), "**older code**")

	file("pyrrha/port.go",
		"package pyrrha\n\n// less is a comment.\nfunc less(a, b int) bool {\n\treturn a < b\n}\n")
	file("bfc/port.go", "package bfc\n\nconst queues = 31\n")
	file("pyrrha/port_test.go", "package pyrrha\n")
	file("internal/lab/papers/pyrrha/notes.go", "package pyrrha\n\nconst note = \"otherwise\"\n")
	require.Empty(t, report(false))

	file("pyrrha/port.go", "package pyrrha\n\nfunc less(a, b int) bool { return a <= b }\n")
	named := "1 of 1 entries are by older code, and -write -stale runs them anew: pyrrha/host"
	require.Equal(t, []string{named}, report(false))
	require.Contains(t, read(t, dir, "pyrrha.md"), "**older code**")
	said := report(true)
	require.Len(t, said, 2)
	require.Contains(t, said[1], "pyrrha/host, seed 1")
	require.Empty(t, report(true))
	require.NotContains(t, read(t, dir, "pyrrha.md"), "**older code**")
}

// Scenarios of a page that is no paper's are of package general: its code, not none.
func TestCodeOfNoPaper(t *testing.T) {
	of := func(name string) string {
		digest, err := newCode("../../..").of(&run.Subject{Scenario: &run.Scenario{Name: name}})
		require.NoError(t, err)
		return digest
	}
	require.Equal(t, of("reference"), of("training/pipeline"))
	require.NotEqual(t, of("reference"), of("pyrrha/merge"))
	root := t.TempDir()
	mod := []byte("module " + module + "\n")
	require.NoError(t, os.WriteFile(filepath.Join(root, "go.mod"), mod, 0o666))
	_, err := newCode(root).of(&run.Subject{Scenario: &run.Scenario{Name: "reference"}})
	require.ErrorContains(t, err, "general")
}
