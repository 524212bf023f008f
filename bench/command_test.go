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

	"github.com/sluicefc/sluice/internal/fabric"
	"github.com/sluicefc/sluice/internal/topo/byname"
)

// invoke runs a command line as a process would, without a terminal.
func invoke(args ...string) (code int, stdout, stderr string) {
	var out, errs bytes.Buffer
	code = command{stdout: &out, stderr: &errs}.main(args)
	return code, out.String(), errs.String()
}

// badInputs are kinds of bad input and what is said of each: what it is, and where.
var badInputs = []struct{ args, want string }{
	{
		"fly",
		`unknown command "fly"; the commands are run, sweep, convergence, hol, speed, list and help`,
	},
	{"run nosuch", `unknown scenario "nosuch"; known: reference, `},
	{"run -fc tcp", `flow control "tcp": must be one of none, pfc`},
	{"run -fc pfc,pfc", `flow control "pfc" is given twice`},
	{"run -fc pfc,,none", "a name is empty"},
	{"run -nosuch", "flag provided but not defined: -nosuch"},
	{"run -seed x", `invalid value "x" for flag -seed`},
	{"run -until 10", "must be a time with a unit"},
	{"run -until 0", "must be positive"},
	{"run -jobs 0", "must be a positive integer"},
	{"run -set bufer=1MB", "parameter bufer=1MB: unknown parameter; did you mean buffer?"},
	{"run -set buffer=20Mib", "parameter buffer=20Mib: must be a number of bytes"},
	{"run -set buffer=1MB,buffer=2MB", "parameter buffer=2MB: given twice"},
	{"run -set pfc.alpha=1/0", "parameter pfc.alpha=1/0: must have a positive denominator"},
	{"run -set load=1/2", "parameter load=1/2 has no effect on reference"},
	{"run -fc pfc -set bfc.queues=64", "parameter bfc.queues=64 has no effect on reference under pfc"},
	{"run -set pyrrha.resume=8 incast", "under pyrrha: "},
	{"run incast incast", `one scenario at a time: "incast" and "incast"`},
	{"run -topology x", "-topology and -flows belong together"},
	{"run -topology x -flows y incast", `either the scenario "incast" or -topology and -flows`},
	{"run -incast x", `"x" is not the number of a host`},
	{"run -incast 170", "-incast 170: no flow goes to node 170"},
	{"run -plot x.pdf", `the picture "x.pdf" must be named .svg or .png`},
	{"run -json x -fct x", "two outputs have the same name: x"},
	{"run -fct - -fc pfc,none", "-fct - needs exactly one -fc"},
	{"run -json missing/x.json", "cannot write missing/x.json: no such file or directory"},
	{"run -cpuprofile -", "-cpuprofile needs a file"},
	{"run -topology none.txt -flows none.txt", "none.txt: no such file or directory"},
	{"run -topology bad.txt -flows flows.txt", "bad.txt:1: the first line has 2 numbers"},
	{"run -topology rate.txt -flows flows.txt", `rate.txt:4: rate "100Gbit" has no unit of`},
	{"run -topology net.txt -flows bad.txt", "bad.txt:1: 2 fields, the first line has 1"},
	{"run -topology net.txt -flows host.txt", "host.txt:3: destination 2 is not a host of net.txt"},
	{"run -topology net.txt -flows start.txt", `start.txt:2: start "1e-6s" is not a decimal number`},
	{"run -topology net.txt -flows empty.txt", "scenario empty.txt has no flows"},
	{
		"run -topology net.txt -flows late.txt",
		"late.txt:2: it starts at 9000000s, the range is 0 to 50 days",
	},
	{"sweep -sweep pfc.alpha", "-sweep pfc.alpha: must be written NAME=VALUE,VALUE"},
	{"sweep -sweep pfc.alpha=1/4,1/4 -fc pfc", "value 1/4 is given twice"},
	{"sweep -sweep pfc.alpha=1/4,x -fc pfc", "parameter pfc.alpha=x: must be a fraction"},
	{
		"sweep -sweep pfc.alpha=1/4 -fc bfc",
		"parameter pfc.alpha=1/4 has no effect on reference under bfc",
	},
	{"sweep -seeds 3-1", `"3-1" is no seed and no range of seeds`},
	{"sweep -seeds 1-3,2", "seed 2 is given twice"},
	{"sweep -json x", `flag provided but not defined: -json; see "go run ./bench help sweep"`},
	{"sweep -csv other.csv incast", "other.runs.csv:1: the runs there are of another sweep"},
	{"hol -congested 160", `"160" is not a port: write SWITCH:PORT`},
	{"hol -congested 160:99", "-congested 160:99: leaf-spine 10x4x16 has no such port"},
	{"hol -fc none", "flow control none has no model of head-of-line blocking"},
	{"hol -fc bfc -set pfc.alpha=1/4", "parameter pfc.alpha=1/4 has no effect on reference"},
	{"run -fail 3:1 incast", `"3:1": no time; write SWITCH:PORT@TIME`},
	{"run -fail 3:1@30us-20us incast", "it must be repaired after it fails"},
	{"run -probe 160", `"160" is not a port: write SWITCH:PORT, as 160:3, or flow:NUMBER`},
	{"run -probe flow:x", `"flow:x" is no flow`},
	{"run -probe 99:0 incast", "-probe 99:0: single switch 17 has no such port"},
	{"run -probe flow:999 incast", "-probe flow:999: incast has 205 flows"},
	{"run -samples x incast", "-samples needs -probe"},
	{"run -headers 17:0 incast", "-headers needs -pcapng"},
	{"run -headers 17:99 -pcapng x incast", "-headers 17:99: single switch 17 has no such port"},
	{"run -every 1", "must be a time with a unit"},
	{"run -pfc x -qlen x", "two outputs have the same name: x"},
	{"run -pfc - incast", "on standard output needs exactly one -fc"},
	{"speed incast", `speed runs its own scenario, not "incast"`},
	{"speed -set k=7", "must be even"},
	{"list x", "list takes no arguments"},
	{"help me", `no help on "me"`},
}

// Bad input of any kind: the error says what and where, the exit code is 2, and nothing is written.
func TestBadInput(t *testing.T) {
	t.Chdir(t.TempDir())
	const network = "3 1 2\n2\n0 2 100Gbps 1us 0\n1 2 100Gbps 1us 0\n"
	for name, text := range map[string]string{
		"bad.txt": "3 1\n", "net.txt": network,
		"rate.txt":  strings.Replace(network, "1 2 100Gbps", "1 2 100Gbit", 1),
		"flows.txt": "1\n0 1 3 100 1000 0\n", "empty.txt": "0\n",
		"host.txt":  "2\n0 1 3 100 1000 0\n0 2 3 100 1000 0\n",
		"start.txt": "1\n0 1 3 100 1000 1e-6s\n", "late.txt": "1\n0 1 3 100 1000 9e6\n",
		"other.runs.csv": "fc,value\n",
	} {
		require.NoError(t, os.WriteFile(name, []byte(text), 0o666))
	}
	before, err := os.ReadDir(".")
	require.NoError(t, err)
	require.GreaterOrEqual(t, len(badInputs), 30)
	for _, c := range badInputs {
		args := strings.Fields(c.args)
		if len(args) > 1 && args[0] == "run" && !strings.Contains(c.args, "-plot") {
			args = append(args, "-plot", "picture.svg")
		}
		code, stdout, stderr := invoke(args...)
		require.Equal(t, exitUsage, code, "%v: %s", c.args, stderr)
		require.Contains(t, stderr, c.want, c.args)
		require.Empty(t, stdout, c.args)
		after, err := os.ReadDir(".")
		require.NoError(t, err)
		require.Equal(t, before, after, "%s wrote a file", c.args)
	}
}

// A picture that cannot be drawn does not cost the results.
func TestWhatCannotBeWrittenDoesNotCostTheRest(t *testing.T) {
	t.Chdir(t.TempDir())
	s, outcomes := smallSubject(t)
	require.NoError(t, os.Mkdir("picture.svg", 0o777))
	var stdout, stderr bytes.Buffer
	err := command{stdout: &stdout, stderr: &stderr}.write(
		&options{plot: "picture.svg", json: "results.json", fct: "flows.csv"}, s, outcomes,
	)
	require.EqualError(t, err, "cannot write picture.svg: it is a directory")
	require.Contains(t, stdout.String(), "Flow completion time")
	require.FileExists(t, "results.json")
	require.FileExists(t, "flows.pfc.csv")
	require.Contains(t, stderr.String(), "results: results.json")
}

// Every command has help, which names every flag that it has.
func TestHelp(t *testing.T) {
	for name, text := range helpTexts {
		invocations := [][]string{{"help", name}, {name, "-h"}, {name, "-help"}}
		switch name {
		case "":
			invocations = [][]string{{"help"}}
		case "list":
			invocations = invocations[:1]
		}
		for _, args := range invocations {
			code, stdout, stderr := invoke(args...)
			require.Equal(t, exitOK, code, args)
			require.Equal(t, text, stdout, args)
			require.Empty(t, stderr)
		}
		for line := range strings.Lines(text) {
			require.LessOrEqual(t, len(line)-1, reportWidth, line)
		}
		if name == "" || name == "list" {
			continue
		}
		flags := flag.NewFlagSet("", flag.ContinueOnError)
		new(options).register(name, flags)
		documented := regexp.MustCompile(`(?m)^  -(\w+)`).FindAllStringSubmatch(text, -1)
		var names, registered []string
		for _, match := range documented {
			names = append(names, match[1])
		}
		flags.VisitAll(func(f *flag.Flag) { registered = append(registered, f.Name) })
		require.ElementsMatch(t, registered, names, name)
	}
}

// The last -set wins.
func TestTheLastSettingCounts(t *testing.T) {
	code, stdout, stderr := invoke(
		"run", "-fc", "pfc", "-set", "hosts=4,buffer=1MB", "-set", "hosts=5", "-json", "-", "incast",
	)
	require.Equal(t, exitOK, code, stderr)
	var records []record
	require.NoError(t, json.Unmarshal([]byte(stdout), &records))
	require.Equal(t, "5", records[0].Parameters["hosts"])
	require.Equal(t, 5, records[0].Topology.Hosts)
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
	for _, p := range slices.Concat(fabric.Protocols(), fabric.Variants(), fabric.NodeCentric()) {
		require.Contains(t, stdout, "  "+p.Name+" ")
	}
	parameters, err := registry()
	require.NoError(t, err)
	for _, d := range parameters.Definitions() {
		require.Regexp(
			t, `(?m)^  `+regexp.QuoteMeta(d.Name)+` +`+regexp.QuoteMeta(defaultOf(&d))+` `, stdout,
		)
	}
	for _, name := range append(
		workloadNames(), byname.Single, byname.Dumbbell, byname.LeafSpine, byname.FatTree,
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
	var records []record
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
	golden(t, "tiny.csv", string(flows))
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

// Every protocol at once, with hosts that react, has the results of one after the other.
func TestProtocolsSideBySide(t *testing.T) {
	t.Chdir(t.TempDir())
	results := func(jobs string) string {
		code, stdout, stderr := invoke("run", "-fc", strings.Join(protocolNames(), ","), "-jobs", jobs,
			"-cc", "dcqcn", "-set", "hosts=4,racks=3,spines=2,incast.degree=16,duration=20us", "-json", "-",
			"mix")
		require.Equal(t, exitOK, code, stderr)
		return maskVolatile(stdout)
	}
	require.Equal(t, results("1"), results(strconv.Itoa(len(protocolNames()))))
}

// Results are wanted in a pipe, then nothing else is on standard output.
func TestJSONToStandardOutput(t *testing.T) {
	code, stdout, stderr := invoke(append(tiny, "-json", "-")...)
	require.Equal(t, exitOK, code, stderr)
	var records []record
	require.NoError(t, json.Unmarshal([]byte(stdout), &records))
	require.Len(t, records, 2)
}

// With -memory every protocol's run is measured.
func TestMemory(t *testing.T) {
	code, stdout, stderr := invoke(append(tiny, "-memory", "-json", "-")...)
	require.Equal(t, exitOK, code, stderr)
	var records []record
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
	topology, err := referenceFiles.ReadFile(referenceDir + "/topology.txt")
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
	groups := func(args ...string) byGroup[groupRecord] {
		args = append(
			[]string{"run", "-topology", "topology.txt", "-flows", "flows.txt", "-fc", "pfc", "-json", "-"},
			args...,
		)
		code, stdout, stderr := invoke(args...)
		require.Equal(t, exitOK, code, stderr)
		var records []record
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
		content, err := referenceFiles.ReadFile(referenceDir + "/" + name)
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
