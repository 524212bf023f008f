package emit_test

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/depth"
	"github.com/sluicefc/sluice/tofino/emit"
	"github.com/sluicefc/sluice/tofino/internal/samples"
	"github.com/sluicefc/sluice/tofino/ir"
)

// bench is a switch for emitted Python to run against, in a folder of its own.
type bench struct {
	t       *testing.T
	folder  string
	modules string // where Python looks for the SDE's
}

// interpreter is where python3 is, nowhere if it is not installed. What is found on the path may be
// a script that looks for the right one, each time.
var interpreter = sync.OnceValue(func() string {
	path, err := exec.Command("python3", "-c", "import sys; print(sys.executable)").Output()
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(path))
})

func newBench(t *testing.T, p *ir.Program, cfg *ir.Config) bench {
	depth.Need(t, "PYTHON", "python3")
	require.NotEmpty(t, interpreter())
	stub, err := filepath.Abs("testdata/stub")
	require.NoError(t, err)
	b := bench{t, t.TempDir(), stub}
	files, err := emit.Files(p, cfg)
	require.NoError(t, err)
	for _, file := range files {
		b.write(file.Name, file.Content)
	}
	fixed, err := os.ReadFile("../check/fixed.json")
	require.NoError(t, err)
	b.write("fixed.json", fixed)
	b.write("bf-rt.json", schemaOf(t, p))
	return b
}

func (b bench) write(name string, content []byte) {
	path := filepath.Join(b.folder, name)
	require.NoError(b.t, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(b.t, os.WriteFile(path, content, 0o644))
}

func (b bench) read(name string) string {
	content, err := os.ReadFile(filepath.Join(b.folder, name))
	require.NoError(b.t, err)
	return string(content)
}

// python runs a script and returns what it prints and its exit status.
func (b bench) python(script string, arguments ...string) (string, int) {
	if script == "shell.py" {
		script = filepath.Join(b.modules, script)
	}
	command := exec.Command(interpreter(), append([]string{"-B", "-S", script}, arguments...)...)
	command.Dir = b.folder
	command.Env = append(os.Environ(), "PYTHONPATH="+b.modules, "SLUICE_STUB="+b.folder)
	out, err := command.CombinedOutput()
	if err != nil {
		require.IsType(b.t, &exec.ExitError{}, err)
	}
	return string(out), command.ProcessState.ExitCode()
}

func skipShort(t *testing.T) {
	if testing.Short() {
		t.Skip("starts Python many times")
	}
}

// The loader takes a configuration to a switch that refuses what a switch would, reads it back, and
// changes nothing when it runs again.
func TestLoader(t *testing.T) {
	p, cfg := samples.Holds()
	b := newBench(t, p, cfg)
	out, status := b.python("load.py", "--dry-run", "entries.json")
	require.Zero(t, status, out)
	assert.Contains(t, out, "would add pipe.Ingress.afc")
	assert.Equal(t, "0", b.read("writes"), "a dry run writes nothing")

	out, status = b.python("load.py", "entries.json")
	require.Zero(t, status, out)
	assert.NotEqual(t, "0", b.read("writes"))
	assert.Less(t, strings.Index(out, "$PORT"), strings.Index(out, "tf2.tm.port.group"))
	assert.Less(t, strings.Index(out, "pipe.Ingress.afc"), strings.Index(out, "tf2.tm.pipe.sched_cfg"))

	state := b.read("state.json")
	out, status = b.python("load.py", "entries.json")
	require.Zero(t, status, out)
	assert.Contains(t, out, "0 written")
	assert.Equal(t, "0", b.read("writes"), "the second run writes nothing")
	assert.JSONEq(t, state, b.read("state.json"))
}

// The loader says what it misses of the SDE, and does not blame the switch.
func TestLoaderNeedsTheSDE(t *testing.T) {
	p, cfg := samples.Holds()
	b := newBench(t, p, cfg)
	b.modules = b.folder
	out, status := b.python("load.py", "--dry-run", "entries.json")
	assert.Equal(t, 2, status)
	assert.Equal(t, "load.py: No module named 'bfrt_grpc': "+
		"PYTHONPATH must have the SDE's Python packages\n", out)
}

// The order of the list is not the order of writing: each entry waits for its turn.
func TestLoaderKeepsTheOrder(t *testing.T) {
	skipShort(t)
	p, cfg := samples.Holds()
	b := newBench(t, p, cfg)
	var list []map[string]any
	require.NoError(t, json.Unmarshal([]byte(b.read("entries.json")), &list))
	for left, right := 0, len(list)-1; left < right; left, right = left+1, right-1 {
		list[left], list[right] = list[right], list[left]
	}
	turned, err := json.Marshal(list)
	require.NoError(t, err)
	b.write("entries.json", turned)
	out, status := b.python("load.py", "entries.json")
	assert.Zero(t, status, out)
}

// Every way in which an entry can be wrong is refused by name, and the loader fails.
func TestLoaderFailsWithTheSwitch(t *testing.T) {
	depth.From(t, depth.Thorough, "Python starts for each")
	for name, broken := range map[string]struct{ from, to, says string }{
		"table": {`"pipe.Ingress.afc"`, `"pipe.Ingress.afd"`, "no table pipe.Ingress.afd"},
		"key":   {`"key":{"port":8,"qid":0}`, `"key":{"part":8,"qid":0}`, "has no key part"},
		"keys":  {`"key":{"port":8,"qid":0}`, `"key":{"port":8}`, "keys ['port'] of"},
		"action": {
			`"Ingress.base_word","key":{"port":8,"qid":0}`, `"Ingress.base","key":{"port":8,"qid":0}`,
			"has no action Ingress.base",
		},
		"datum":   {`"data":{"word":2181562368}`, `"data":{"wort":2181562368}`, "has no datum wort"},
		"missing": {`"data":{"word":2181562368}`, `"data":{}`, "['word'] are missing"},
		"width":   {`"data":{"word":2181562368}`, `"data":{"word":4294967296}`, "32 bits"},
		"choice": {
			`"advanced_flow_control":"XOFF"`, `"advanced_flow_control":"OFF"`, "one of ['CREDIT', 'XOFF']",
		},
		"mask":   {`"service":[32,224]`, `"service":[48,224]`, "outside of its mask"},
		"prefix": {`[167772160,8]`, `[167772161,8]`, "bits of the host"},
		"kind": {
			`"advanced_flow_control_enable":true`, `"advanced_flow_control_enable":1`, "takes a bool",
		},
		"carving": {`"egress_qid_queues":[0,1`, `"egress_qid_queues":[1,1`, "is not"},
	} {
		t.Run(name, func(t *testing.T) {
			p, cfg := samples.Holds()
			b := newBench(t, p, cfg)
			text := b.read("entries.json")
			require.Contains(t, text, broken.from)
			b.write("entries.json", []byte(strings.Replace(text, broken.from, broken.to, 1)))
			out, status := b.python("load.py", "entries.json")
			assert.Equal(t, 1, status, out)
			assert.Contains(t, out, broken.says)
		})
	}
	p, cfg := samples.Holds()
	b := newBench(t, p, cfg)
	b.write("entries.json", []byte(`[{"table_name":"x"}]`))
	out, status := b.python("load.py", "entries.json")
	assert.Equal(t, 2, status, out)
}

// The stub refuses what comes out of turn: that the loader keeps it is worth something.
func TestStubRefusesDisorder(t *testing.T) {
	skipShort(t)
	p, cfg := samples.Holds()
	b := newBench(t, p, cfg)
	b.write("load.py", bytes.Replace([]byte(b.read("load.py")), []byte("sorted(entries, key=rank)"),
		[]byte("entries[::-1]"), 1))
	out, status := b.python("load.py", "entries.json")
	assert.Equal(t, 1, status, out)
	assert.Contains(t, out, "is written after")
}

// The changes after a link failed, taken to a switch that holds what was before, leave what the
// whole of the new configuration does.
func TestLoaderTakesChanges(t *testing.T) {
	skipShort(t)
	network, err := samples.Network(4)
	require.NoError(t, err)
	was := network.Snapshot()
	core := was.Nodes[len(was.Nodes)-1]
	p, before, update, err := samples.FailingPaths(was, 4)
	require.NoError(t, err)
	b := newBench(t, p, before)
	out, status := b.python("load.py", "entries.json")
	require.Zero(t, status, out)

	require.NoError(t, network.FailLink(sluice.Hop{Switch: core.Name, Port: core.Links[0].Port}))
	after, err := update(network.Snapshot())
	require.NoError(t, err)
	changes := ir.Diff(before, after)
	require.NotEmpty(t, changes)
	var text bytes.Buffer
	require.NoError(t, emit.Changes(&text, p, changes))
	b.write("changes.json", text.Bytes())
	out, status = b.python("load.py", "changes.json")
	require.Zero(t, status, out)
	assert.Contains(t, out, ", 0 unchanged")

	var whole bytes.Buffer
	require.NoError(t, emit.Entries(&whole, p, after))
	b.write("entries.json", whole.Bytes())
	out, status = b.python("load.py", "--dry-run", "entries.json")
	require.Zero(t, status, out)
	assert.Contains(t, out, "0 written")
}

// The script for bfrt_python and the files for add_from_json do the same as the loader.
func TestScript(t *testing.T) {
	skipShort(t)
	p, cfg := samples.Holds()
	b := newBench(t, p, cfg)
	golden(t, "holds_bfrt.py", []byte(b.read("holds_bfrt.py")))
	out, status := b.python("shell.py", "holds_bfrt.py", "holds")
	require.Zero(t, status, out)
	out, status = b.python("load.py", "--dry-run", "entries.json")
	require.Zero(t, status, out)
	assert.Contains(t, out, "0 written")

	twin := newBench(t, p, cfg)
	twin.write("add.py", []byte("for name in ('Ingress.afc', 'Ingress.route', 'Ingress.levels'):\n "+
		"   folder, table = name.split('.')\n    getattr(getattr(bfrt.holds.pipe, folder), "+
		"table).add_from_json(open('add/%s.json' % name).read())\n"))
	out, status = twin.python("shell.py", "add.py", "holds")
	require.Zero(t, status, out)
	assert.Equal(t, "65", twin.read("writes"))
}

// Of every protocol the loader loads all, changes nothing when it runs again, and the script leaves
// the same.
func TestPythonOfProtocols(t *testing.T) {
	skipShort(t)
	for name, protocol := range samples.Protocols() {
		if name != "portfc" && depth.Now() < depth.Thorough {
			continue
		}
		t.Run(name, func(t *testing.T) {
			p, cfg, err := protocol()
			require.NoError(t, err)
			b := newBench(t, p, cfg)
			out, status := b.python("load.py", "entries.json")
			require.Zero(t, status, out)
			out, status = b.python("load.py", "entries.json")
			require.Zero(t, status, out)
			assert.Contains(t, out, "0 written")
			assert.Equal(t, "0", b.read("writes"))

			b = newBench(t, p, cfg)
			out, status = b.python("shell.py", p.Name+"_bfrt.py", p.Name)
			require.Zero(t, status, out)
			out, status = b.python("load.py", "--dry-run", "entries.json")
			require.Zero(t, status, out)
			assert.Contains(t, out, "0 written")
		})
	}
}
