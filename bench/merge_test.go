package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice/internal/lab/report"
)

// slicedArgs are a part of six runs.
func slicedArgs(part string) []string {
	return []string{
		"sweep", "-csv", "p.csv", "-slice", part, "-sweep", "pfc.alpha=1/8,1/4", "-seeds=1-3", "-fc",
		"pfc", "-set", "hosts=5,incast.degree=8,duration=20us", "-fct", "f.csv", "incast",
	}
}

// localArgs are the same runs all at once, with whatever a sweep writes.
func localArgs(csv string) []string {
	args := slicedArgs("")
	return append([]string{"sweep", "-csv", csv, "-json", "p.json", "-plot", "p.svg"}, args[5:]...)
}

// contents returns what files contain.
func contents(t *testing.T, names ...string) (all []string) {
	for _, name := range names {
		content, err := os.ReadFile(name)
		require.NoError(t, err)
		all = append(all, string(content))
	}
	return all
}

// Slices that are merged are the sweep, to the byte: the table and every file. So are slices beside
// the file of the points once the sweep is asked for: it does no run again, and removes them.
func TestSlicesAreTheSweep(t *testing.T) {
	t.Chdir(t.TempDir())
	run := func(args ...string) string {
		code, stdout, stderr := invoke(args...)
		require.Equal(t, exitOK, code, stderr)
		return stdout
	}
	outputs := []string{"p.csv", "p.runs.csv", "p.json", "p.svg"}
	table := run(localArgs("p.csv")...)
	whole := contents(t, outputs...)
	require.NotContains(t, whole[1], "# slice")
	for _, name := range append(outputs, "f.pfc.1-4.seed2.csv") {
		require.NoError(t, os.Remove(name))
	}

	for _, part := range []string{"4/5", "1/5", "2/5", "5/5", "3/5"} {
		require.Empty(t, run(slicedArgs(part)...))
	}
	slices, err := filepath.Glob("p.*-of-5.runs.csv")
	require.NoError(t, err)
	require.Len(t, slices, 5)
	runs := 0
	for _, rows := range contents(t, slices...) {
		runs += strings.Count(rows, "\n") - 3
	}
	require.Equal(t, 6, runs)
	require.FileExists(t, "f.pfc.1-4.seed2.csv")
	require.NoFileExists(t, "p.csv")

	merge := []string{"merge", "-csv", "p.csv", "-json", "p.json", "-plot", "p.svg"}
	require.Equal(t, table, run(append(merge, slices...)...))
	require.Equal(t, whole, contents(t, outputs...))
	for _, name := range outputs {
		require.NoError(t, os.Remove(name))
	}

	// A run that was tampered with stays, so none is done again.
	rows := contents(t, slices[1])[0]
	require.NoError(t, os.WriteFile(slices[1], []byte(strings.Replace(rows, ",0,", ",7,", 1)), 0o666))
	run(localArgs("p.csv")...)
	require.NotEqual(t, whole, contents(t, outputs...))
	slices, err = filepath.Glob("p.*-of-*")
	require.NoError(t, err)
	require.Empty(t, slices)
}

// A job array's script does a slice by the number that Slurm gives it, in the folder where the
// sweep was asked for. What is of the whole sweep is none of its business.
func TestSlurmScript(t *testing.T) {
	t.Chdir(t.TempDir())
	t.Setenv(asCommand, "1")
	sweep := strings.Fields("sweep -q -seeds 1-5 -fc pfc -set hosts=5,incast.degree=8,duration=20us " +
		"incast -csv p.csv")
	code, _, stderr := invoke(append(sweep, "-slurm-script", "s", "-slurm-tasks", "2", "-jobs", "3",
		"-slurm-options", "-p long")...)
	require.Equal(t, exitOK, code, stderr)
	script := contents(t, "s")[0]
	require.Contains(t, script, "#SBATCH -p long\n#SBATCH --job-name=bench-")
	require.Contains(t, script, "#SBATCH --array=1-2\n#SBATCH --cpus-per-task=3\n")
	require.FileExists(t, "p.slurm/bench")
	path, err := filepath.Abs("s")
	require.NoError(t, err)
	for task, rows := range map[string]int{"1": 3, "2": 2} {
		p := exec.Command("sh", path)
		p.Env, p.Dir = append(os.Environ(), "SLURM_ARRAY_TASK_ID="+task), t.TempDir()
		out, err := p.CombinedOutput()
		require.NoError(t, err, string(out))
		require.Equal(t, rows+3, strings.Count(contents(t, "p."+task+"-of-2.runs.csv")[0], "\n"))
	}

	var o options
	require.NoError(t, command{}.parse(&o, "sweep", append(sweep[1:], "-slurm", "-plot", "p.svg",
		"-size", "5x3in", "-json", "p.json", "-sweep", "pfc.alpha=1/4,1/8", "-slurm-tasks", "4",
		"-cc", "dctcp")))
	require.Equal(t, []string{
		"-seeds=1-5", "-fc=pfc", "-set=hosts=5,incast.degree=8,duration=20us",
		"-sweep=pfc.alpha=1/4,1/8", "-cc=dctcp", "incast",
	}, o.sliceWords())
}

// What is not a whole sweep is not merged, and it is said what is missing.
func TestMergeRefuses(t *testing.T) {
	t.Chdir(t.TempDir())
	sliced := "sweep -q -jobs 1 -seeds 1-4 -fc pfc -set hosts=5,incast.degree=8,duration=20us incast -csv "
	for _, args := range []string{"p.csv -slice 1/2", "p.csv -slice 2/2", "whole.csv"} {
		said(t, sliced+args)
	}
	said(t, strings.Replace(sliced, "degree=8", "degree=9", 1)+"other.csv -slice 1/2")
	text := contents(t, "p.1-of-2.runs.csv")[0]
	for name, content := range map[string]string{
		"cut.csv":   text[:len(text)-5],
		"empty.csv": "",
		"odd.csv":   strings.Replace(text, `"-fc=pfc"`, `"-fc=pcf"`, 1),
		"field.csv": strings.Replace(text, "\npfc,,1,", "\npfc,,1,1,", 1),
		"build.csv": strings.Replace(strings.Replace(text, report.Build(), "another", 1),
			"\npfc,,1,", "\npfc,,1,9", 1),
	} {
		require.NoError(t, os.WriteFile(name, []byte(content), 0o666))
	}
	for args, want := range map[string]string{
		"":                            "merge needs the files of slices",
		"none.csv":                    "none.csv: no such file or directory",
		"whole.runs.csv":              "whole.runs.csv:1: it does not say what the sweep is",
		"p.1-of-2.runs.csv":           "2 runs left of 4, the first of them pfc seed 2",
		"p.2-of-2.runs.csv cut.csv":   "1 run left of 4, the first of them pfc seed 3",
		"p.2-of-2.runs.csv empty.csv": "2 runs left of 4, the first of them pfc seed 1",
		"odd.csv":                     `odd.csv:1: flow control "pcf"`,
		"field.csv":                   "field.csv:4: 49 fields, a run has 48",
		"build.csv p.2-of-2.runs.csv": "build.csv: its runs are of the program another, this is ",
		"p.1-of-2.runs.csv other.1-of-2.runs.csv":  "other.1-of-2.runs.csv:2: the runs there",
		"-csv p.1-of-2.runs.csv p.1-of-2.runs.csv": "p.1-of-2.runs.csv would be written over",
		"-json a -csv a p.1-of-2.runs.csv":         "two outputs have the same name: a",
		"-nosuch p.1-of-2.runs.csv":                "flag provided but not defined: -nosuch",
		"-plot p.gif p.1-of-2.runs.csv":            "must be named ",
	} {
		code, stdout, stderr := invoke(append([]string{"merge"}, strings.Fields(args)...)...)
		require.Equal(t, exitUsage, code, args)
		require.Contains(t, stderr, want, args)
		require.Empty(t, stdout)
	}
	said(t, "merge whole.runs.csv p.1-of-2.runs.csv")

	// Where each run has a file of its flows, all must be there.
	said(t, sliced+"f.csv -fct flows.csv -slice 1/1")
	said(t, "merge f.1-of-1.runs.csv")
	require.NoError(t, os.Remove("flows.pfc.seed2.csv"))
	code, _, stderr := invoke("merge", "f.1-of-1.runs.csv")
	require.Equal(t, exitUsage, code)
	require.Contains(t, stderr, "1 run left of 4, the first of them pfc seed 2")
}
