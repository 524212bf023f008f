package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "write the golden files anew")

// run runs the command and returns what it printed.
func run(args ...string) (code int, stdout, stderr string) {
	var out, errors bytes.Buffer
	code = command{&out, &errors}.main(args)
	return code, out.String(), errors.String()
}

// golden compares text with a file.
func golden(t *testing.T, name, text string) {
	path := filepath.Join("testdata", name)
	if *update {
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o777))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o666))
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, string(want), text, "go test ./tofino/cmd/tofinogen -update writes %s anew", path)
}

// contents returns the files of a directory by their names.
func contents(t *testing.T, dir string) map[string]string {
	all := map[string]string{}
	require.NoError(t, filepath.WalkDir(dir, func(path string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		name, _ := filepath.Rel(dir, path)
		all[filepath.ToSlash(name)] = string(text)
		return err
	}))
	return all
}

// The same switch of a fat-tree with k = 4 under each protocol: what is printed and the entries, as
// they are in testdata; and the same files twice.
func TestGolden(t *testing.T) {
	for name, args := range map[string][]string{
		"paths": {"-protocol", "paths", "-set", "topology=fat-tree"},
		"pfc":   {"-protocol", "pfc", "-set", "topology=fat-tree", "-switch", "aggregation", "-realise"},
		"bfc": {"-protocol", "bfc", "-set", "topology=fat-tree,bfc.queues=4,bfc.vfids=64", "-switch",
			"core", "-realise"},
		"ofc": {"-protocol", "ofc", "-set", "topology=fat-tree,ofc.flows=64", "-realise"},
		"pyrrha": {"-protocol", "pyrrha", "-set", "topology=fat-tree,pyrrha.iqs=4,pyrrha.roots=8",
			"-realise"},
		"portfc": {"-protocol", "portfc", "-switch", "21", "-realise"},
	} {
		t.Run(name, func(t *testing.T) {
			code, out, errors := run(args...)
			require.Equal(t, exitOK, code, errors)
			if name != "bfc" { // whose chain of stages is its package's affair
				golden(t, name+".txt", out)
			}
			first, second := t.TempDir(), filepath.Join(t.TempDir(), "new")
			for _, dir := range []string{first, second} {
				code, _, errors := run(append(args, "-o", dir)...)
				require.Equal(t, exitOK, code, errors)
			}
			code, out, errors = run("-check", first)
			require.Equal(t, exitOK, code, "%s%s", out, errors)
			files := contents(t, first)
			assert.Equal(t, files, contents(t, second))
			golden(t, name+"_entries.json", files[entriesFile])
			golden(t, name+"_tofinogen.json", files[madeOfFile])
			golden(t, name+"_ports.txt", files[portsFile])
		})
	}
}

func write(t *testing.T, text string) string {
	path := filepath.Join(t.TempDir(), "input.txt")
	require.NoError(t, os.WriteFile(path, []byte(text), 0o666))
	return path
}

// What cannot be made exits with 2, says why, and writes nothing.
func TestBadInput(t *testing.T) {
	tree := []string{"-protocol", "paths", "-set", "topology=fat-tree"}
	with := func(args ...string) []string { return append(append([]string{}, tree...), args...) }
	for _, one := range []struct {
		want string
		args []string
	}{
		{"-protocol is missing: one of paths, pfc, bfc, ofc, pyrrha, portfc", []string{}},
		{`-protocol "ofd": must be one of paths, pfc, bfc, ofc, pyrrha, portfc`,
			[]string{"-protocol", "ofd"}},
		{"flag provided but not defined: -x", []string{"-x"}},
		{`"x" is not a flag`, with("x")},
		{"did you mean topology?", []string{"-protocol", "paths", "-set", "topolgy=fat-tree"}},
		{"must be even", with("-set", "k=5")},
		{"-switch 3: must be edge", with("-switch", "3")},
		{"-switch 36: must be edge", with("-switch", "36")},
		{"has no such switch", []string{"-protocol", "paths", "-switch", "core"}},
		{"must be a CRC or an XOR fold", with("-set", "hash=xxhash")},
		{"parameter pfc.alpha has nothing to do with protocol paths", with("-set", "pfc.alpha=1/2")},
		{"port 0 has 800Gb/s: a port of the chip has at most 400Gb/s", with("-set", "host.rate=800Gbps")},
		{
			"the next are 1/4 and 1/2",
			[]string{"-protocol", "pfc", "-set", "topology=fat-tree,pfc.alpha=1/3"},
		},
		{"-realise takes the nearest:\n  CellSize", []string{"-protocol", "pfc"}},
		{
			"a pipe has 64 channels of 50Gb/s, and ports of these rates take 112: lower rates take fewer",
			[]string{"-protocol", "bfc", "-set",
				"topology=leaf-spine,racks=8,spines=8,hosts=24,host.rate=40Gbps,fabric.rate=100Gbps",
				"-realise"},
		},
		{
			"Stages = 18: must be at least 19 to accept the program",
			[]string{"-protocol", "pyrrha", "-set", "topology=fat-tree,tofino.stages=18", "-realise"},
		},
		{
			"a port needs 33 queues, and port 0 has 32: all ports need 1056, and a pipe has 1024",
			[]string{"-protocol", "portfc", "-set", "n=32,host.rate=100Gbps", "-realise"},
		},
		{"portfc runs on NDC(n,k) only", []string{"-protocol", "portfc", "-set", "topology=single"}},
		{"Network.K = 2: must be NDC(n,1)", []string{"-protocol", "portfc", "-set", "k=2"}},
		{"no such file", with("-topology", "nowhere.txt")},
		{"the file is empty", with("-topology", write(t, ""))},
		{"no such file", with("-ports", "nowhere.txt")},
		{"port 0 of the switch is missing", with("-ports", write(t, "1 8"))},
		{"-fail goes with -diff", with("-fail", "1:2")},
		{`"1-2" is not a port`, with("-fail", "1-2")},
		{"-diff needs -fail", []string{"-diff", "x"}},
		{"-diff and -o do not go together", []string{"-diff", "x", "-fail", "1:2", "-o", "y"}},
		{"must be a directory", []string{"-check", "nowhere"}},
		{"-check and -protocol do not go together", []string{"-check", "x", "-protocol", "y"}},
	} {
		dir := filepath.Join(t.TempDir(), "out")
		args := one.args
		if len(args) > 0 && args[0] == "-protocol" {
			args = append(args, "-o", dir)
		}
		code, out, errors := run(args...)
		assert.Equal(t, exitUsage, code, "%v: %s", args, errors)
		assert.Contains(t, errors, one.want)
		assert.Empty(t, out)
		assert.NoDirExists(t, dir)
	}
}

// Files that cannot be written are no mistake of the input: the exit code is 1.
func TestFilesThatCannotBeWritten(t *testing.T) {
	code, _, errors := run("-protocol", "paths", "-set", "topology=fat-tree", "-o", write(t, "a file"))
	assert.Equal(t, exitFailure, code)
	assert.Contains(t, errors, "not a directory")
}

func TestHelpNamesEveryFlagAndProtocol(t *testing.T) {
	code, out, _ := run("-help")
	assert.Equal(t, exitOK, code)
	for _, want := range []string{"-protocol", "-set", "-switch", "-topology", "-ports", "-realise",
		"-check", "-diff",
		"-fail", "-seed", "-compiled", "paths", "pfc", "tofino.failures", "hash.width", "fat-tree"} {
		assert.Contains(t, out, want)
	}
}

// Files that were changed are checked: each fault is printed, and the exit code is 1.
func TestCheck(t *testing.T) {
	dir := t.TempDir()
	code, _, errors := run("-protocol", "portfc", "-realise", "-o", dir)
	require.Equal(t, exitOK, code, errors)
	path := filepath.Join(dir, entriesFile)
	spoiled := strings.Replace(
		contents(t, dir)[entriesFile], `"advanced_flow_control":"XOFF"`,
		`"advanced_flow_control":"CREDIT"`, 1,
	)
	require.NoError(t, os.WriteFile(path, []byte(spoiled), 0o666))
	code, out, errors := run("-check", dir)
	assert.Equal(t, exitFailure, code)
	assert.Contains(t, out, "entries.json")
	assert.Contains(t, out, "XOFF")
	assert.Contains(t, errors, "faults")
}

// With a compiled schema requests are written with its numbers, and -check notices another schema
// beside them.
func TestCompiledSchema(t *testing.T) {
	dir := t.TempDir()
	schema, err := os.ReadFile("testdata/paths_compiled.json") // without the compiler's own tables
	require.NoError(t, err)
	args := []string{"-protocol", "paths", "-set", "topology=fat-tree", "-o", dir}
	code, _, errors := run(append(args, "-compiled", write(t, string(schema)))...)
	require.Equal(t, exitOK, code, errors)
	assert.FileExists(t, filepath.Join(dir, "requests", "0000.bin"))
	code, out, errors := run("-check", dir)
	assert.Equal(t, exitOK, code, out+errors)
	kept := filepath.Join(dir, "requests", "bf-rt.json") // of a compilation that came later
	number := regexp.MustCompile(`"pipe.Ingress.path_dst","id":(\d+)`)
	id := number.FindStringSubmatch(string(schema))[1]
	require.NoError(t, os.WriteFile(kept, []byte(strings.Replace(string(schema), id, "7", 1)), 0o666))
	code, out, errors = run("-check", dir)
	assert.Equal(t, exitFailure, code)
	assert.Contains(t, out+errors, "the table with number "+id+" is not in requests/bf-rt.json")
	code, _, errors = run(append(args, "-compiled", write(t, "{}"))...)
	assert.Equal(t, exitUsage, code)
	assert.Contains(t, errors, "the compiled schema has no table")
}

// What links that fail change is written beside the files it changes, and is all that changes.
func TestUpdate(t *testing.T) {
	dir := t.TempDir()
	code, _, errors := run(
		"-protocol", "paths", "-set", "topology=fat-tree,tofino.failures=on,hash.width=3", "-o", dir,
	)
	require.Equal(t, exitOK, code, errors)
	code, out, errors := run("-diff", dir, "-fail", "16:2")
	require.Equal(t, exitOK, code, errors)
	assert.Contains(t, out, "modified")
	var list []struct {
		Table string `json:"table_name"`
		Op    string
	}
	require.NoError(t, json.Unmarshal([]byte(contents(t, dir)[updateFile]), &list))
	assert.NotEmpty(t, list)
	assert.Less(t, len(list), 40)

	code, _, errors = run("-diff", dir, "-fail", "16:9")
	assert.Equal(t, exitUsage, code, errors)
	require.NoError(t, os.WriteFile(filepath.Join(dir, entriesFile), []byte("[]\n"), 0o666))
	code, _, errors = run("-diff", dir, "-fail", "16:2")
	assert.Equal(t, exitFailure, code)
	assert.Contains(t, errors, "is not what its tofinogen.json makes")

	none := t.TempDir()
	code, _, errors = run("-protocol", "pfc", "-realise", "-o", none)
	require.Equal(t, exitOK, code, errors)
	code, _, errors = run("-diff", none, "-fail", "160:2")
	assert.Equal(t, exitUsage, code)
	assert.Contains(t, errors, "no entry depends on the state of links")
}

// A network and a port map of files stand in for parameters, and are kept beside what they made.
func TestFilesOfTheUser(t *testing.T) {
	network := write(
		t,
		"5 1 4\n4\n0 4 100Gbps 0.001ms 0\n1 4 100Gbps 0.001ms 0\n2 4 40Gbps 0.001ms 0\n3 4 10Gbps "+
			"0.001ms 0\n",
	)
	ports := write(t, "# a board's\n0 9/0\n1 9/2\n\n3 10/1 25Gbps # faster\n2 140\n")
	dir := t.TempDir()
	code, out, errors := run(
		"-protocol", "pfc", "-topology", network, "-ports", ports, "-realise", "-o", dir,
	)
	require.Equal(t, exitOK, code, errors)
	assert.Contains(t, out, "switch 4 of")
	files := contents(t, dir)
	assert.Contains(t, files[topologyFile], "0.001ms")
	assert.Equal(t, "0   136  100Gb/s   # pipe 1, group 1, channel 0\n1   138  100Gb/s   # pipe 1, "+
		"group 1, channel 2\n2   140  40Gb/s    # pipe 1, group 1, channel 4\n3   145  25Gb/s    # "+
		"pipe 1, group 2, channel 1\n", files[portsFile])
	assert.Contains(t, files[entriesFile], `"$DEV_PORT":145},"data":{"$SPEED":"BF_SPEED_25G"`)
}
