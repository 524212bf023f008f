package kit_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	// The module is built from these too: a change of theirs is a reason to test again.
	"github.com/sluicefc/sluice/internal/depth"
	_ "github.com/sluicefc/sluice/kit/conformance"
	_ "github.com/sluicefc/sluice/kit/hybrid"
	"github.com/stretchr/testify/require"
)

// TestExternalModule builds another module, with a go.mod of its own, that uses public packages
// alone: it runs every protocol through one driver, and a protocol of its own through the
// conformance suite.
func TestExternalModule(t *testing.T) {
	depth.From(t, depth.Thorough, "another module is compiled")
	root, err := filepath.Abs("..")
	require.NoError(t, err)
	dir := t.TempDir()
	require.NoError(t, os.CopyFS(dir, os.DirFS("testdata/external")))

	ours, err := os.ReadFile(filepath.Join(root, "go.mod"))
	require.NoError(t, err)
	_, requirements, _ := strings.Cut(string(ours), "\n")
	requirements, _, _ = strings.Cut(requirements, "\ntool ")
	theirs := "module example.com/embedder\n" + requirements +
		"\nrequire github.com/sluicefc/sluice v0.0.0\nreplace github.com/sluicefc/sluice => " + root +
		"\n"
	require.NoError(t, os.WriteFile(filepath.Join(dir, "go.mod"), []byte(theirs), 0o644))
	sums, err := os.ReadFile(filepath.Join(root, "go.sum"))
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "go.sum"), sums, 0o644))

	test := exec.Command("go", "test", "./...")
	test.Dir = dir
	test.Env = append(os.Environ(), "GOFLAGS=-mod=mod")
	out, err := test.CombinedOutput()
	require.NoError(t, err, "%s", out)
	require.Contains(t, string(out), "ok  	example.com/embedder")
	require.Contains(t, string(out), "ok  	example.com/embedder/onoff")
}
