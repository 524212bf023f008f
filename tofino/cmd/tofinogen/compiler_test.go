package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// compiled are programs that the public compiler must take as they are emitted, without an error,
// how many states their parsers in ingress have at least, and options of the compiler. The
// assembler must take them too.
var compiled = []struct {
	name    string
	args    []string
	states  int
	options []string
}{
	{"paths, edge of k=4", []string{"-protocol", "paths", "-set", "topology=fat-tree"}, 2, nil},
	{"paths, edge of k=36", []string{"-protocol", "paths", "-set", "topology=fat-tree,k=36"}, 2, nil},
	{"portfc, n=4", realised("portfc", "topology=ndc"), 12, nil},
	{"portfc, n=16", realised("portfc", "topology=ndc,n=16"), 12, nil},
	{"portfc, n=31", realised("portfc", "topology=ndc,n=31"), 12, nil},
	{"bfc, edge of k=4", realised("bfc", "topology=fat-tree"), 12, nil},
	{"bfc, edge of k=8", realised("bfc", "topology=fat-tree,k=8"), 12, nil},
	{"bfc, leaf of 32 ports", realised("bfc", leaf+",bfc.vfids=2048"), 12, nil},
	{"ofc, edge of k=4", realised("ofc", "topology=fat-tree,ofc.flows=64"), 12, nil},
	{"ofc, edge of k=8", realised("ofc", "topology=fat-tree,k=8"), 12, nil},
	{"ofc, leaf of 32 ports", realised("ofc", leaf), 12, nil},
	{"pyrrha, one level", realised("pyrrha", "topology=dumbbell"), 12, noDark},
	{"pyrrha, two levels", realised("pyrrha", "topology=leaf-spine"), 12, noDark},
	{"pyrrha, leaf of 32 ports", realised("pyrrha", leaf), 12, noDark},
	{"pyrrha, core of k=4", append(realised("pyrrha", "topology=fat-tree"), "-switch", "core"), 12,
		noDark},
}

// leaf is a rack's switch: 24 ports for hosts and 8 up, all of 100 Gb/s, in one pipe.
const leaf = "topology=leaf-spine,racks=8,spines=8,hosts=24,host.rate=100Gbps,fabric.rate=100Gbps"

func realised(protocol, set string) []string {
	return []string{"-protocol", protocol, "-set", set, "-realise"}
}

// noDark has the compiler leave dark containers alone, which it would try for long.
var noDark = []string{"--disable-dark-allocation"}

// TestCompiler gives programs to the public compiler of the Tofino, p4c-barefoot of p4lang/p4c,
// which P4C names. Its schema must have all of the program, and its parser the program's values:
// some builds lose them, and then parsers have two states. It prints a row of what each program
// takes. BFAS names the assembler of the same repository, bfas, which then makes the binary.
func TestCompiler(t *testing.T) {
	compiler := os.Getenv("P4C")
	if compiler == "" {
		t.Skip("P4C names no p4c-barefoot")
	}
	for _, c := range compiled {
		t.Run(c.name, func(t *testing.T) {
			dir := madeIn(t, c.args)
			out := compile(t, compiler, dir, c.options...)
			resources := resourcesOf(t, out)
			require.GreaterOrEqual(t, resources.states("ingress"), c.states,
				"a compiler that loses the values of selects leaves two states")
			assembly, err := filepath.Glob(filepath.Join(out, "pipe", "*.bfa"))
			require.NoError(t, err)
			require.Len(t, assembly, 1)
			text, err := os.ReadFile(assembly[0])
			require.NoError(t, err)
			require.Regexp(t, `(?s)parser ingress:.*match: \[.*\n +0[bx][0-9a-f*]*[0-9a-f]`, string(text))
			t.Log(c.name, resources)
			if assembler := os.Getenv("BFAS"); assembler != "" {
				assemble(t, assembler, assembly[0])
			}
			code, _, errors := run(append(slices.Clone(c.args), "-compiled",
				filepath.Join(out, "bf-rt.json"), "-o", filepath.Join(dir, "with"))...)
			require.Equal(t, exitOK, code, errors)
		})
	}
}

// madeIn returns a folder with the files that the command makes with arguments.
func madeIn(t *testing.T, args []string) string {
	dir := t.TempDir()
	code, _, errors := run(append(slices.Clone(args), "-o", dir)...)
	require.Equal(t, exitOK, code, errors)
	return dir
}

// programFile returns the path of the program in such a folder.
func programFile(t *testing.T, dir string) string {
	files, err := filepath.Glob(filepath.Join(dir, "sluice_*.p4"))
	require.NoError(t, err)
	require.Len(t, files, 1)
	return files[0]
}

// compile compiles the program in a folder and returns where the compiler wrote.
func compile(t *testing.T, compiler, dir string, options ...string) string {
	out := filepath.Join(dir, "out")
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Minute)
	defer cancel()
	options = append(slices.Clone(options), "--target", "tofino2", "--arch", "t2na",
		"-D__TARGET_TOFINO__=2", "-D__TOFINO2_VARIANT__=1", "-g", "--verbose", "--bf-rt-schema",
		filepath.Join(out, "bf-rt.json"), "-o", out, programFile(t, dir))
	c := exec.CommandContext(ctx, compiler, options...)
	c.Dir = dir
	require.NoError(t, os.MkdirAll(out, 0o777))
	printed, err := c.CombinedOutput()
	require.NoError(t, err, "%s", printed)
	require.Regexp(t, regexp.MustCompile(`(?m)^0 errors|^$`), string(printed))
	return out
}

// assemble makes a binary of what the compiler wrote.
func assemble(t *testing.T, assembler, assembly string) {
	out := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(out, "logs"), 0o777)) // which it does not make
	c := exec.Command(assembler, "-o", out, assembly)
	c.Dir = filepath.Dir(assembly)
	printed, err := c.CombinedOutput()
	require.NoError(t, err, "%s", printed)
	binary, err := os.ReadFile(filepath.Join(out, "tofino2.bin"))
	require.NoError(t, err, "%s", printed)
	t.Logf("a binary of %d octets", len(binary))
}

// resources are what the compiler's resources.json says.
type resources struct {
	Resources struct {
		MAU struct {
			Stages []map[string]any `json:"mau_stages"`
		} `json:"mau"`
		Parser struct {
			Parsers []struct {
				Gress  string            `json:"gress"`
				States []json.RawMessage `json:"states"`
			} `json:"parsers"`
		} `json:"parser"`
	} `json:"resources"`
}

func resourcesOf(t *testing.T, out string) (r resources) {
	text, err := os.ReadFile(filepath.Join(out, "pipe", "logs", "resources.json"))
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, &r))
	return r
}

func (r resources) states(gress string) int {
	for _, p := range r.Resources.Parser.Parsers {
		if p.Gress == gress {
			return len(p.States)
		}
	}
	return 0
}

func (r resources) String() string {
	stages, units := 0, map[string]int{}
	for _, stage := range r.Resources.MAU.Stages {
		if used(stage["logical_tables"]) > 0 {
			stages++
		}
		for _, unit := range []string{"rams", "tcams", "map_rams", "meter_alus"} {
			units[unit] += used(stage[unit])
		}
	}
	return fmt.Sprintf("%d stages, %d SRAM, %d TCAM, %d map RAM, %d stateful ALUs, %d and %d states",
		stages, units["rams"], units["tcams"], units["map_rams"], units["meter_alus"],
		r.states("ingress"), r.states("egress"))
}

// used counts the units below a value that something uses.
func used(value any) (n int) {
	switch v := value.(type) {
	case []any:
		for _, below := range v {
			n += used(below)
		}
	case map[string]any:
		for _, name := range []string{"usages", "used_by", "table_name"} {
			switch by := v[name].(type) {
			case []any:
				if len(by) > 0 {
					return 1
				}
			case string:
				if by != "" {
					return 1
				}
			}
		}
		for _, below := range v {
			n += used(below)
		}
	}
	return n
}
