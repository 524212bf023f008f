package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice/internal/fabric"
)

// invoke runs a command line as a process would, without a terminal.
func invoke(args ...string) (code int, stdout, stderr string) {
	var out, errs bytes.Buffer
	code = command{stdout: &out, stderr: &errs}.main(args)
	return code, out.String(), errs.String()
}

func TestUsageErrors(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"fly"}, `unknown command "fly"; the commands are run, list and help`},
		{[]string{"run", "nosuch"}, `unknown scenario "nosuch"; known: reference, `},
		{[]string{"run", "-fc", "tcp"}, `unknown flow control "tcp"; known: `},
		{[]string{"run", "-fc", "pfc,pfc"}, `flow control "pfc" is given twice`},
		{[]string{"run", "-fc", "pfc,,none"}, "a name is empty"},
		{[]string{"run", "-fc", ""}, "a name is empty"},
		{[]string{"run", "-nosuch"}, "flag provided but not defined: -nosuch"},
		{[]string{"run", "-seed", "x"}, `invalid value "x" for flag -seed`},
		{[]string{"run", "-until", "10"}, "must be a time with a unit"},
		{[]string{"run", "-until", "0"}, "must be positive"},
		{[]string{"run", "-set", "bufer=1MB"}, "parameter bufer=1MB: unknown parameter; did you mean buffer?"},
		{[]string{"run", "-set", "buffer=20Mib"}, "parameter buffer=20Mib: must be a number of bytes"},
		{[]string{"run", "-set", "load=1/2"}, "parameter load has no effect on scenario reference"},
		{[]string{"run", "incast", "incast"}, `one scenario at a time: "incast" and "incast"`},
		{[]string{"run", "-topology", "x"}, "-topology and -flows belong together"},
		{[]string{"run", "-topology", "x", "-flows", "y", "incast"}, `either the scenario "incast" or -topology and -flows`},
		{[]string{"run", "-plot", "x.pdf"}, `the picture "x.pdf" must be named .svg or .png`},
		{[]string{"run", "-json", "x", "-fct", "x"}, "two outputs have the same name: x"},
		{[]string{"run", "-fct", "-", "-fc", "pfc,none"}, "-fct - needs exactly one -fc"},
		{[]string{"list", "x"}, "list takes no arguments"},
	} {
		code, stdout, stderr := invoke(c.args...)
		require.Equal(t, exitUsage, code, "%v: %s", c.args, stderr)
		require.Contains(t, stderr, c.want, "%v", c.args)
		require.Empty(t, stdout, "%v", c.args)
	}
}

func TestFailures(t *testing.T) {
	t.Chdir(t.TempDir())
	require.NoError(t, os.WriteFile("bad.txt", []byte("3 1\n"), 0o666))
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"run", "-topology", "none.txt", "-flows", "none.txt"}, "none.txt: no such file or directory"},
		{[]string{"run", "-topology", "bad.txt", "-flows", "bad.txt"}, "bad.txt:1: "},
		{[]string{"run", "-json", "missing/x.json"}, "cannot write missing/x.json: no such file or directory"},
	} {
		code, stdout, stderr := invoke(c.args...)
		require.Equal(t, exitFailure, code, "%v: %s", c.args, stderr)
		require.Contains(t, stderr, c.want, "%v", c.args)
		require.Empty(t, stdout, "%v", c.args)
	}
}

func TestHelp(t *testing.T) {
	for _, args := range [][]string{{"help"}, {"-h"}, {"run", "-h"}, {"run", "-help"}} {
		code, stdout, stderr := invoke(args...)
		require.Equal(t, exitOK, code)
		require.Equal(t, usage, stdout)
		require.Empty(t, stderr)
	}
	for line := range strings.Lines(usage) {
		require.LessOrEqual(t, len(line)-1, reportWidth)
	}
}

// Every name that list prints is one that run accepts, and the text fits the width.
func TestList(t *testing.T) {
	code, stdout, stderr := invoke("list")
	require.Equal(t, exitOK, code, stderr)
	for line := range strings.Lines(stdout) {
		require.LessOrEqual(t, len(strings.TrimRight(line, "\n")), reportWidth, line)
	}
	for i := range scenarios {
		require.Contains(t, stdout, "  "+scenarios[i].name+" ")
	}
	for _, p := range fabric.Protocols() {
		require.Contains(t, stdout, "  "+p.Name+" ")
	}
	parameters, err := registry()
	require.NoError(t, err)
	for _, d := range parameters.Definitions() {
		require.Regexp(t, `(?m)^  `+regexp.QuoteMeta(d.Name)+` +`+regexp.QuoteMeta(defaultOf(&d))+` `, stdout)
	}
	for _, name := range append(workloadNames(), topologySingle, topologyDumbbell, topologyLeafSpine, topologyFatTree) {
		require.Contains(t, stdout, "  "+name+" ")
	}
}

// volatile are the parts of results that depend on the machine.
var volatile = regexp.MustCompile(`"(wall_s|peak_rss_bytes)": [0-9.e-]+`)

func maskVolatile(json string) string { return volatile.ReplaceAllString(json, `"$1": 0`) }

// tiny is a run of milliseconds with every kind of group.
var tiny = []string{"run", "-fc", "pfc,none", "-set", "hosts=4,racks=3,spines=2,incast.degree=16,duration=20us", "mix"}

func TestRunWritesEverything(t *testing.T) {
	t.Chdir(t.TempDir())
	code, stdout, stderr := invoke(append(tiny, "-json", "r.json", "-fct", "f.csv", "-plot", "p.svg")...)
	require.Equal(t, exitOK, code, stderr)
	require.Contains(t, stdout, "incast: 16")
	require.Contains(t, stdout, "Network")
	for _, name := range []string{"r.json", "f.pfc.csv", "f.none.csv", "p.svg"} {
		require.FileExists(t, name)
		require.Contains(t, stderr, name)
	}
	results, err := os.ReadFile("r.json")
	require.NoError(t, err)
	var records []record
	require.NoError(t, json.Unmarshal(results, &records))
	require.Len(t, records, 2)
	pfc := records[0]
	require.Equal(t, "pfc", pfc.FC)
	require.Equal(t, "mix", pfc.Scenario)
	require.Equal(t, pfc.Flows, pfc.Completed)
	require.Positive(t, pfc.PeakRSSBytes)
	require.GreaterOrEqual(t, pfc.Slowdown.Overall.P50, 1.0)
	flows, err := os.ReadFile("f.pfc.csv")
	require.NoError(t, err)
	require.Equal(t, pfc.Flows+1, strings.Count(string(flows), "\n"))
	golden(t, "tiny.json", maskVolatile(string(results)))
	golden(t, "tiny.csv", string(flows))
}

// The same seed gives the same bytes of every output, another seed gives others.
func TestDeterminism(t *testing.T) {
	t.Chdir(t.TempDir())
	outputs := func(dir, seed string) map[string]string {
		require.NoError(t, os.Mkdir(dir, 0o777))
		code, _, stderr := invoke(append(tiny, "-seed", seed, "-q",
			"-json", filepath.Join(dir, "r.json"), "-fct", filepath.Join(dir, "f.csv"), "-plot", filepath.Join(dir, "p.svg"))...)
		require.Equal(t, exitOK, code, stderr)
		require.Empty(t, stderr)
		files := map[string]string{}
		entries, err := os.ReadDir(dir)
		require.NoError(t, err)
		for _, e := range entries {
			content, err := os.ReadFile(filepath.Join(dir, e.Name()))
			require.NoError(t, err)
			files[e.Name()] = maskVolatile(string(content))
		}
		return files
	}
	first := outputs("a", "1")
	require.Len(t, first, 4)
	require.Equal(t, first, outputs("b", "1"))
	require.NotEqual(t, first["f.pfc.csv"], outputs("c", "2")["f.pfc.csv"])
}

// Results are wanted in a pipe, then nothing else is on standard output.
func TestJSONToStandardOutput(t *testing.T) {
	code, stdout, stderr := invoke(append(tiny, "-json", "-")...)
	require.Equal(t, exitOK, code, stderr)
	var records []record
	require.NoError(t, json.Unmarshal([]byte(stdout), &records))
	require.Len(t, records, 2)
}

// Files give what the scenario that is made of them gives.
func TestRunOnFiles(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, name := range []string{"topology.txt", "flows.txt"} {
		content, err := referenceFiles.ReadFile(referenceDir + "/" + name)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(name, content, 0o666))
	}
	code, _, stderr := invoke("run", "-q", "-until", "30us", "-fc", "pfc", "-topology", "topology.txt", "-flows", "flows.txt", "-fct", "files.csv")
	require.Equal(t, exitOK, code, stderr)
	code, _, stderr = invoke("run", "-q", "-until", "30us", "-fc", "pfc", "-fct", "scenario.csv", "reference")
	require.Equal(t, exitOK, code, stderr)
	files, err := os.ReadFile("files.csv")
	require.NoError(t, err)
	scenario, err := os.ReadFile("scenario.csv")
	require.NoError(t, err)
	require.Equal(t, string(scenario), string(files))
}

// The end of simulated time leaves flows unfinished; the report says so, and the table of flows has no time
// for them.
func TestUntil(t *testing.T) {
	code, stdout, stderr := invoke(append(tiny, "-fc", "ideal", "-until", "5us")...)
	require.Equal(t, exitOK, code, stderr)
	require.Contains(t, stdout, "of 45 flows did not complete by 4.99")
	code, stdout, stderr = invoke("run", "-fc", "pfc", "-set", "hosts=4,racks=3,spines=2,incast.degree=16,duration=20us", "-until", "5us", "-fct", "-", "mix")
	require.Equal(t, exitOK, code, stderr)
	require.Regexp(t, `(?m)^\d+,0,\d+,0,,\d+$`, stdout)
}
