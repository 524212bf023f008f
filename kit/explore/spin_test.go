package explore_test

import (
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice/internal/depth"
)

// TestSpin: a model of the papers' rules in Promela, checked by Spin, and the machines, explored,
// come to the same: PFC's loop has a deadlock, Pyrrha's has none.
func TestSpin(t *testing.T) {
	depth.From(t, depth.Thorough, "a C compiler makes the checkers")
	depth.Need(t, "SPIN", "spin", "gcc")
	model, err := filepath.Abs("testdata/loop.pml")
	require.NoError(t, err)
	for _, c := range []struct{ protocol, defines, says string }{
		{"pfc", "-DPFC", "assertion violated (delivered==(3*1))"},
		{"pyrrha", "-DPYRRHA", "errors: 0"},
	} {
		folder := t.TempDir()
		run := func(name string, arguments ...string) string {
			command := exec.Command(name, arguments...)
			command.Dir = folder
			out, err := command.CombinedOutput()
			require.NoError(t, err, "%s\n%s", name, out)
			return string(out)
		}
		run("spin", c.defines, "-a", model)
		run("gcc", "-O1", "-DSAFETY", "-DBFS", "-o", "pan", "pan.c")
		out := run("./pan")
		t.Log(out)
		require.Contains(t, out, c.says)
		r := explored(t, circle(protocolOf(c.protocol)))
		require.Equal(t, c.protocol == "pfc", r.Violation != nil)
		require.True(t, r.Whole || r.Violation != nil)
	}
}
