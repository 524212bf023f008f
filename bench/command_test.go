package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice/internal/golden"
	"github.com/sluicefc/sluice/internal/lab/fabric"
	"github.com/sluicefc/sluice/internal/lab/generate"
	"github.com/sluicefc/sluice/internal/lab/papers"
	"github.com/sluicefc/sluice/internal/lab/papers/general"
	"github.com/sluicefc/sluice/internal/lab/report"
	"github.com/sluicefc/sluice/internal/lab/run"
)

// invoke runs a command line as a process would, without a terminal.
func invoke(args ...string) (code int, stdout, stderr string) {
	var out, errs bytes.Buffer
	code = command{stdout: &out, stderr: &errs}.main(args)
	return code, out.String(), errs.String()
}

// Every command has help, which names every flag that it has.
func TestHelp(t *testing.T) {
	named := map[string]bool{}
	for name, text := range helpTexts {
		invocations := [][]string{{"help", name}, {name, "-h"}, {name, "-help"}}
		if name == "" {
			invocations = [][]string{{"help"}, {"-h"}, {"-help"}, {"--help"}, {"help", "help"}}
		}
		for _, args := range invocations {
			code, stdout, stderr := invoke(args...)
			require.Equal(t, exitOK, code, args)
			require.Equal(t, text, stdout, args)
			require.Empty(t, stderr)
		}
		for line := range strings.Lines(text) {
			require.LessOrEqual(t, len(line)-1, report.ReportWidth, line)
		}
		if name == "" || name == "list" || name == "version" {
			continue
		}
		flags := new(options).flagsOf(name)
		flags.VisitAll(func(f *flag.Flag) { named[f.Name] = true })
	}
	var declared flag.FlagSet
	new(options).declare("", &declared)
	declared.VisitAll(func(f *flag.Flag) {
		require.True(t, named[f.Name], "-%s is in no help", f.Name)
	})
}

// Settings add up: the user's settings come after the scenario's.
func TestSettingsAddUp(t *testing.T) {
	code, stdout, stderr := invoke(
		"run", "-fc", "pfc", "-set", "buffer=1MB", "-set", "hosts=5", "-json", "-", "incast",
	)
	require.Equal(t, exitOK, code, stderr)
	var records []report.Record
	require.NoError(t, json.Unmarshal([]byte(stdout), &records))
	require.Equal(t, "1MB", records[0].Parameters["buffer"])
	require.Equal(t, 5, records[0].Topology.Hosts)
}

// Run accepts every name that list prints, and the text fits the width.
func TestList(t *testing.T) {
	code, stdout, stderr := invoke("list", "all")
	require.Equal(t, exitOK, code, stderr)
	for line := range strings.Lines(stdout) {
		require.LessOrEqual(t, len(strings.TrimRight(line, "\n")), report.ReportWidth, line)
	}
	for i := range papers.All.Scenarios {
		require.Contains(t, stdout, "  "+papers.All.Scenarios[i].Name+" ")
	}
	for _, p := range slices.Concat(fabric.Protocols(), fabric.Variants(), fabric.NodeCentric()) {
		require.Contains(t, stdout, "  "+p.Name+" ")
	}
	parameters, err := papers.All.Registry()
	require.NoError(t, err)
	for _, d := range parameters.Definitions() {
		require.Regexp(
			t, `(?m)^  `+regexp.QuoteMeta(d.Name)+` +`+regexp.QuoteMeta(defaultOf(&d))+` `, stdout,
		)
	}
	for _, name := range append(
		generate.WorkloadNames(), "single", "dumbbell", "leaf-spine", "fat-tree",
	) {
		require.Contains(t, stdout, "  "+name+" ")
	}
}

// volatile are the parts of results that depend on the machine.
var volatile = regexp.MustCompile(`"(wall_s|packet_hops_per_s|peak_rss_bytes)": ([0-9.e+-]+|null)`)

func maskVolatile(json string) string { return volatile.ReplaceAllString(json, `"$1": 0`) }

// tiny is a run of milliseconds with every kind of group.
var tiny = []string{
	"run", "-fc", "pfc,none", "-set", "hosts=4,racks=3,spines=2,incast.degree=16,duration=20us", "mix",
}

func TestRunWritesEverything(t *testing.T) {
	t.Chdir(t.TempDir())
	code, stdout, stderr := invoke(append(
		tiny, "-json", "r.json", "-fct", "f.csv", "-plot", "p.svg",
	)...)
	require.Equal(t, exitOK, code, stderr)
	require.Contains(t, stdout, "incast: 16")
	require.Contains(t, stdout, "Network")
	for _, name := range []string{"r.json", "f.pfc.csv", "f.none.csv", "p.svg"} {
		require.FileExists(t, name)
		require.Contains(t, stderr, name)
	}
	results, err := os.ReadFile("r.json")
	require.NoError(t, err)
	var records []report.Record
	require.NoError(t, json.Unmarshal(results, &records))
	require.Len(t, records, 2)
	pfc := records[0]
	require.Equal(t, "pfc", pfc.FC)
	require.Equal(t, "mix", pfc.Scenario)
	require.Equal(t, pfc.Flows, pfc.Completed)
	require.Nil(t, pfc.PeakRSSBytes)
	require.GreaterOrEqual(t, pfc.Slowdown.Overall.P50, 1.0)
	flows, err := os.ReadFile("f.pfc.csv")
	require.NoError(t, err)
	require.Equal(t, pfc.Flows+1, strings.Count(string(flows), "\n"))
	golden.Require(t, "tiny.csv", string(flows))
}

// The same seed gives the same bytes of every output, however many protocols run at a time; another
// seed gives others.
func TestDeterminism(t *testing.T) {
	t.Chdir(t.TempDir())
	outputs := func(dir, seed, jobs string) map[string]string {
		require.NoError(t, os.Mkdir(dir, 0o777))
		code, _, stderr := invoke(append(tiny, "-seed", seed, "-q", "-jobs", jobs,
			"-json", filepath.Join(dir, "r.json"), "-fct", filepath.Join(dir, "f.csv"), "-plot",
			filepath.Join(dir, "p.svg"))...)
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
	first := outputs("a", "1", "1")
	require.Len(t, first, 4)
	require.Equal(t, first, outputs("b", "1", "1"))
	require.Equal(t, first, outputs("c", "1", "4"))
	require.NotEqual(t, first["f.pfc.csv"], outputs("d", "2", "4")["f.pfc.csv"])
}

// Without a command, the main protocols run, and the output says how to run all. A user who names
// protocols or a scenario gets these.
func TestMainProtocols(t *testing.T) {
	t.Chdir(t.TempDir())
	ran := func(args ...string) (protocols []string, stderr string) {
		args = append([]string{"-until", "1us", "-json", "-", "-plot", ""}, args...)
		code, stdout, stderr := invoke(args...)
		require.Equal(t, exitOK, code, stderr)
		var results []struct{ FC string }
		require.NoError(t, json.Unmarshal([]byte(stdout), &results))
		for _, r := range results {
			protocols = append(protocols, r.FC)
		}
		return protocols, stderr
	}
	protocols, stderr := ran()
	require.Equal(t, []string(mainProtocols), protocols)
	require.Contains(t, stderr, fmt.Sprintf(
		"all %d forms of all protocols: go run ./bench run", len(run.ProtocolNames())))

	protocols, stderr = ran("-fc", "none,pfc")
	require.Equal(t, []string{"none", "pfc"}, protocols)
	require.NotContains(t, stderr, "forms of all protocols")
	protocols, _ = ran("reference")
	require.Equal(t, run.ProtocolNames(), protocols)
}

// Every protocol at once, with hosts that react, has the results of one after the other.
func TestProtocolsSideBySide(t *testing.T) {
	t.Chdir(t.TempDir())
	results := func(jobs string) string {
		code, stdout, stderr := invoke("run", "-fc", strings.Join(run.ProtocolNames(), ","),
			"-jobs", jobs,
			"-cc", "dcqcn", "-set", "hosts=4,racks=3,spines=2,incast.degree=16,duration=20us", "-json", "-",
			"mix")
		require.Equal(t, exitOK, code, stderr)
		return maskVolatile(stdout)
	}
	require.Equal(t, results("1"), results(strconv.Itoa(len(run.ProtocolNames()))))
}

// Results are wanted in a pipe, then nothing else is on standard output.
func TestJSONToStandardOutput(t *testing.T) {
	code, stdout, stderr := invoke(append(tiny, "-json", "-")...)
	require.Equal(t, exitOK, code, stderr)
	var records []report.Record
	require.NoError(t, json.Unmarshal([]byte(stdout), &records))
	require.Len(t, records, 2)
}

// With -memory every protocol's run is measured.
func TestMemory(t *testing.T) {
	code, stdout, stderr := invoke(append(tiny, "-memory", "-json", "-")...)
	require.Equal(t, exitOK, code, stderr)
	var records []report.Record
	require.NoError(t, json.Unmarshal([]byte(stdout), &records))
	require.Positive(t, *records[0].PeakRSSBytes)
	code, stdout, stderr = invoke(append(tiny, "-memory")...)
	require.Equal(t, exitOK, code, stderr)
	require.Contains(t, stdout, "RSS MB")
}

func TestCPUProfile(t *testing.T) {
	t.Chdir(t.TempDir())
	code, _, stderr := invoke(append(tiny, "-cpuprofile", "cpu.out")...)
	require.Equal(t, exitOK, code, stderr)
	require.Contains(t, stderr, "CPU profile: cpu.out")
	profile, err := os.ReadFile("cpu.out")
	require.NoError(t, err)
	require.Equal(t, []byte{0x1f, 0x8b}, profile[:2], "a profile is compressed by gzip")
}

// Four elephants into one host are the incast, not sixty mice to another; who disagrees names the
// host.
func TestGroupsOfAFlowList(t *testing.T) {
	t.Chdir(t.TempDir())
	topology, err := general.ReferenceFiles.ReadFile(general.ReferenceDir + "/topology.txt")
	require.NoError(t, err)
	require.NoError(t, os.WriteFile("topology.txt", topology, 0o666))
	flows := "64\n"
	for i := range 4 {
		flows += fmt.Sprintf("%d 0 3 100 1000000 0\n", 40+i)
	}
	for i := range 60 {
		flows += fmt.Sprintf("%d 17 3 100 1000 4.2e-07\n", 60+i)
	}
	require.NoError(t, os.WriteFile("flows.txt", []byte(flows), 0o666))
	groups := func(args ...string) run.ByGroup[report.GroupRecord] {
		args = append(
			[]string{"run", "-topology", "topology.txt", "-flows", "flows.txt", "-fc", "pfc", "-json", "-"},
			args...,
		)
		code, stdout, stderr := invoke(args...)
		require.Equal(t, exitOK, code, stderr)
		var records []report.Record
		require.NoError(t, json.Unmarshal([]byte(stdout), &records))
		return records[0].Groups
	}
	require.Equal(t, 4, groups().Incast.Flows)
	require.Equal(t, 60, groups().Background.Flows)
	require.Equal(t, 60, groups("-incast", "17").Incast.Flows)
	require.Equal(t, 64, groups("-incast", "17,0").Incast.Flows)
}

// Files give what the scenario that is made of them gives.
func TestRunOnFiles(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, name := range []string{"topology.txt", "flows.txt"} {
		content, err := general.ReferenceFiles.ReadFile(general.ReferenceDir + "/" + name)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(name, content, 0o666))
	}
	code, _, stderr := invoke(
		"run", "-q", "-until", "30us", "-fc", "pfc", "-topology", "topology.txt", "-flows", "flows.txt",
		"-fct", "files.csv",
	)
	require.Equal(t, exitOK, code, stderr)
	code, _, stderr = invoke(
		"run", "-q", "-until", "30us", "-fc", "pfc", "-fct", "scenario.csv", "reference",
	)
	require.Equal(t, exitOK, code, stderr)
	files, err := os.ReadFile("files.csv")
	require.NoError(t, err)
	scenario, err := os.ReadFile("scenario.csv")
	require.NoError(t, err)
	require.Equal(t, string(scenario), string(files))
}

// The end of simulated time leaves flows unfinished; the report says so, and the table of flows has
// no time for them.
func TestUntil(t *testing.T) {
	code, stdout, stderr := invoke(append(tiny, "-fc", "ideal", "-until", "5us")...)
	require.Equal(t, exitOK, code, stderr)
	require.Contains(t, stdout, "of 45 flows did not complete by 4.99")
	code, stdout, stderr = invoke(
		"run", "-fc", "pfc", "-set", "hosts=4,racks=3,spines=2,incast.degree=16,duration=20us", "-until",
		"5us", "-fct", "-", "mix",
	)
	require.Equal(t, exitOK, code, stderr)
	require.Regexp(t, `(?m)^\d+,0,\d+,0,,\d+$`, stdout)
}

// The JSON reports a deadlock.
func TestJSONTellsOfADeadlock(t *testing.T) {
	code, stdout, stderr := invoke("run", "-fc", "pfc", "-json", "-", "pyrrha/loop")
	require.Equal(t, exitOK, code, stderr)
	var records []report.Record
	require.NoError(t, json.Unmarshal([]byte(stdout), &records))
	require.Contains(t, records[0].Deadlock, "deadlock at ")
	require.Contains(t, records[0].Deadlock, "6:2 q3 waits for 7:3 q3")
	require.Less(t, records[0].Completed, records[0].Flows)
}
