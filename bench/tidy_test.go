package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice/internal/depth"
)

// interpreter is a python3 that has pandas and matplotlib, of those on the path and the system's.
func interpreter(t *testing.T) string {
	for _, python := range []string{"python3", "/usr/bin/python3"} {
		if exec.Command(python, "-c", "import pandas, matplotlib").Run() == nil {
			return python
		}
	}
	if os.Getenv("SLUICE_REQUIRE_PANDAS") != "" {
		t.Fatal("no python3 has pandas and matplotlib, and the gates need it")
	}
	t.Skip("no python3 has pandas and matplotlib")
	return ""
}

// The example for pandas and matplotlib reads the tidy rows of a sweep over two parameters, and
// draws a figure; what it cannot draw it names.
func TestTidyRowsInPython(t *testing.T) {
	depth.From(t, depth.Thorough, "pandas and matplotlib take seconds to start")
	script, err := filepath.Abs("../examples/figure/figure.py")
	require.NoError(t, err)
	python := interpreter(t)
	t.Chdir(t.TempDir())
	code, _, stderr := invoke("sweep", "-fc", "pfc,pyrrha", "-sweep", "incast.degree=16,32", "-sweep",
		"buffer=2MiB,4MiB", "-seeds", "1-2", "-tidy", "tidy.csv", "-q", "incast")
	require.Equal(t, exitOK, code, stderr)
	out, err := exec.Command(python, script, "tidy.csv", "figure.pdf", "--group", "incast").
		CombinedOutput()
	require.NoError(t, err, "%s", out)
	figure, err := os.ReadFile("figure.pdf")
	require.NoError(t, err)
	require.Equal(t, "%PDF-", string(figure[:5]))
	out, err = exec.Command(python, script, "tidy.csv", "figure.pdf", "--group", "storage").
		CombinedOutput()
	require.Error(t, err)
	require.Contains(t, string(out), "no fct_us_p99 of storage; there are: network flows, ")
}
