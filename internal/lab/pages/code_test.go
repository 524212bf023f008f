package pages

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice/internal/lab/fabric"
	"github.com/sluicefc/sluice/internal/lab/run"
)

// What older code made is named, and run anew if that is asked for: code that has a part in a run,
// not its comments, not the code of another protocol, not tests.
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
		"package pyrrha\n\nimport (\n\t_ \""+module+"/pyrrha\"\n\t_ \""+module+"/bfc\"\n)\n")
	file("pyrrha/port.go", "package pyrrha\n\nfunc less(a, b int) bool { return a < b }\n")
	file("bfc/port.go", "package bfc\n")
	require.Len(t, report(false), 1)
	e, err := load(dir, "pyrrha/host")
	require.NoError(t, err)
	require.Regexp(t, "^[0-9a-f]{16}$", e.Code)
	require.Contains(t, read(t, dir, "pyrrha.md"), ", code "+e.Code+".")

	file("pyrrha/port.go",
		"package pyrrha\n\n// less is a comment.\nfunc less(a, b int) bool {\n\treturn a < b\n}\n")
	file("bfc/port.go", "package bfc\n\nconst queues = 31\n")
	file("pyrrha/port_test.go", "package pyrrha\n")
	file("internal/lab/papers/pyrrha/notes.go", "package pyrrha\n\nconst note = \"otherwise\"\n")
	require.Empty(t, report(false))

	file("pyrrha/port.go", "package pyrrha\n\nfunc less(a, b int) bool { return a <= b }\n")
	named := "1 of 1 entries are by older code, and -stale runs them anew: pyrrha/host"
	require.Equal(t, []string{named}, report(false))
	said := report(true)
	require.Len(t, said, 2)
	require.Contains(t, said[1], "pyrrha/host, seed 1")
	require.Empty(t, report(true))
}

// The code that only some flow controls reach is there, and is theirs.
func TestOwnCode(t *testing.T) {
	const root = "../../.."
	for path := range ownCode {
		_, err := os.Stat(filepath.Join(root, path))
		require.NoError(t, err)
	}
	machines := map[string]string{
		"none": "pfc", "pfc": "pfc", "cbfc": "tcd/cbfc", "bfc": "bfc", "bfc-128": "bfc",
		"bfc-ideal": "bfc", "bfc-pyrrha": "bfc", "ofc": "ofc", "pyrrha": "pyrrha",
		"pyrrha-single": "pyrrha", "pyrrha+pfc": "kit/hybrid pfc pyrrha", "portfc": "portfc",
		"voq": "internal/lab/fabric/voq", "floodgate": "internal/lab/fabric/floodgate",
		"ideal": "internal/lab/fabric/ideal", "pfcstar": "pfc",
		"pfc-forward": "internal/lab/fabric/forwarder pfc",
	}
	for _, variant := range fabric.Variants() {
		machines[variant.Name] = "pfc"
	}
	for _, p := range append(fabric.Protocols(), fabric.NodeCentric()...) {
		require.Contains(t, machines, p.Name)
	}
	c := newCode(root)
	for protocol, want := range machines {
		seen := map[string]bool{}
		require.NoError(t, c.add(&strings.Builder{}, "internal/lab/papers/general",
			[]string{protocol}, seen))
		for path := range ownCode {
			wanted := strings.Contains(" "+want+" ", " "+path+" ")
			if path == "pfc" && !wanted || strings.HasSuffix(path, ".go") {
				continue // the probe of any protocol knows PFC's queues
			}
			require.Equal(t, wanted, seen[path], "%s: %s", protocol, path)
		}
		require.True(t, seen["internal/lab/sim"])
	}
}
