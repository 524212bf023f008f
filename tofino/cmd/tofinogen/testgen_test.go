package main

import (
	"bytes"
	"context"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice/tofino/chip"
	"github.com/sluicefc/sluice/tofino/ir"
	"github.com/sluicefc/sluice/tofino/p4"
)

// judged are programs that P4Testgen takes, how many packets it makes for each at most, and whether
// a hash value decides where some go. It ends at the hash function XOR16. Published builds refuse
// BFC, OFC and Pyrrha, whose register actions return more than one value.
var judged = []struct {
	name   string
	args   []string
	tests  int
	hashes bool
}{
	{"paths, CRC-32C", pathsOf("hash=crc32c"), 500, true},
	{"paths, CRC-32", pathsOf("hash=crc32"), 500, true},
	{"paths, CRC-16-CCITT", pathsOf("hash=crc16-ccitt"), 500, true},
	{"paths, CRC-16-ARC", pathsOf("hash=crc16-arc"), 500, true},
	{"paths, XOR-32", pathsOf("hash=xor32"), 500, true},
	{"paths, IPv6", pathsOf("tofino.ipv6=on"), 500, true},
	{"portfc, n=4", realised("portfc", "topology=ndc"), 1000, false},
	{"bfc, edge of k=4", realised("bfc", "topology=fat-tree"), 2000, false},
	{"pyrrha, one level", realised("pyrrha", "topology=dumbbell"), 300, false},
}

func pathsOf(set string) []string {
	return []string{"-protocol", "paths", "-set", "topology=fat-tree," + set}
}

// frontPorts are the chip's ports in four pipes: P4Testgen knows ports that the chip has not.
const frontPorts = "8:71,136:199,264:327,392:455"

// TestTestgen has P4Testgen of p4lang/p4c, which P4TESTGEN names, and which knows the chip's
// targets and hash functions, work out tables, registers, a packet and what becomes of it, for many
// ways through a program; the interpreter must let the same packet out. P4INCLUDE names the folder
// of t2na.p4. With another hash function the interpreter must differ at least once.
func TestTestgen(t *testing.T) {
	generator := os.Getenv("P4TESTGEN")
	if generator == "" {
		t.Skip("P4TESTGEN names no p4testgen")
	}
	for _, j := range judged {
		t.Run(j.name, func(t *testing.T) {
			dir := madeIn(t, j.args)
			program := programIn(t, dir)
			tests, reached := testsOf(t, generator, dir, program, j.tests)
			left := 0
			for i, err := range answers(t, program, tests) {
				require.NoError(t, err, "%+v", tests[i])
				if tests[i].Expected != nil {
					left++
				}
			}
			require.Positive(t, left, "all that comes is dropped")
			t.Logf("%d packets, %d of them left the switch; nodes reached: %s", len(tests), left, reached)
			if !j.hashes {
				return
			}
			for _, f := range program.Functions {
				f.Kind, f.Reflected, f.Polynomial = ir.CRC, !f.Reflected, 0x5b
			}
			differs := func(err error) bool { return err != nil }
			require.True(t, slices.ContainsFunc(answers(t, program, tests), differs),
				"the hash function is another")
		})
	}
}

// answers returns for each test what is wrong with what the interpreter lets out, nil if it is
// what the test expects.
func answers(t *testing.T, program *p4.Program, tests []generated) (wrong []error) {
	m, err := ir.NewMachine(program.Program)
	require.NoError(t, err)
	for i := range tests {
		require.NoError(t, m.Load(&ir.Config{}))
		tests[i].fill(t, program, m)
		wrong = append(wrong, tests[i].check(tests[i].send(t, m)))
	}
	return wrong
}

// testsOf returns tests that P4Testgen writes for the program in a folder, and how much of the
// program they reach.
func testsOf(
	t *testing.T, generator, dir string, program *p4.Program, n int,
) (tests []generated, reached string) {
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
	defer cancel()
	out := filepath.Join(dir, "tests")
	c := exec.CommandContext(ctx, generator, "--target", "tofino2", "--arch", "t2na",
		"--std", "p4-16", "-D__TARGET_TOFINO__=2", "-D__TOFINO2_VARIANT__=1",
		"-I", os.Getenv("P4INCLUDE"), "-I", dir, "--test-backend", "PTF",
		"--max-tests", strconv.Itoa(n), "--seed", "1", "--path-selection", "GREEDY_STATEMENT_SEARCH",
		"--track-coverage", "STATEMENTS", "--port-ranges", frontPorts, "--out-dir", out,
		programFile(t, dir))
	printed, err := c.CombinedOutput()
	if severalValues(program) && bytes.Contains(printed, []byte("unimplemented extern method")) {
		t.Skip("this build of P4Testgen takes register actions of one value alone")
	}
	require.NoError(t, err, "%s", printed)
	covered := regexp.MustCompile(`Nodes covered: [0-9.]+ \((\d+/\d+)\)`).FindAllSubmatch(printed, -1)
	require.NotEmpty(t, covered, "%s", printed)
	written, err := filepath.Glob(filepath.Join(out, "*.py"))
	require.NoError(t, err)
	require.Len(t, written, 1)
	recorded, err := exec.Command("python3", "testdata/record.py", written[0]).Output()
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(recorded, &tests))
	require.NotEmpty(t, tests)
	return tests, string(covered[len(covered)-1][1])
}

// severalValues reports whether a register action of the program returns more than one value.
func severalValues(p *p4.Program) bool {
	return slices.ContainsFunc(p.Registers, func(r *ir.Register) bool {
		return slices.ContainsFunc(r.Actions, func(a *ir.RegisterAction) bool {
			return len(a.Outputs) > 1
		})
	})
}

func programIn(t *testing.T, dir string) *p4.Program {
	program, err := p4.Read(os.DirFS(dir), filepath.Base(programFile(t, dir)), "judged")
	require.NoError(t, err)
	return program
}

// generated is a test, as testdata/record.py writes it. Values are hexadecimal.
type generated struct {
	Name      string
	Entries   []filled
	Defaults  []filled
	Registers []struct {
		Name   string
		Index  int
		Halves []uint32
	}
	Sent     packet
	Expected *packet
}

// filled is an entry of a table, or its default.
type filled struct {
	Table, Action string
	Keys          []struct {
		Name, Value string
		Mask        string // of a range: its end
		Prefix      int
	}
	Data []struct{ Name, Value string }
}

type packet struct {
	Port    chip.DevPort
	Octets  string
	Ignored [][2]int // bits that may be anything: the first, and how many
}

// fill puts a test's entries and registers into the machine.
func (g *generated) fill(t *testing.T, p *p4.Program, m *ir.Machine) {
	for _, d := range g.Defaults {
		require.NoError(t, m.SetDefault(p.Table(local(d.Table)), d.call(t, p)))
	}
	for _, e := range g.Entries {
		table := p.Table(local(e.Table))
		entry := ir.Entry{Keys: make([]ir.KeyValue, len(table.Keys)), Call: e.call(t, p)}
		for _, key := range e.Keys {
			at := slices.IndexFunc(table.Keys, func(k ir.Key) bool { return k.Name == key.Name })
			require.GreaterOrEqual(t, at, 0, "%s has no key %s", e.Table, key.Name)
			value, mask := valueOf(t, key.Value), valueOf(t, key.Mask)
			entry.Keys[at] = keyValue(table.Keys[at], value, mask, key.Prefix)
		}
		require.NoError(t, m.Add(table, entry), "%s: %+v", g.Name, e)
	}
	for _, r := range g.Registers {
		var halves [2]uint32
		copy(halves[:], r.Halves)
		m.SetRegister(p.Register(local(r.Name)), r.Index, halves)
	}
}

// keyValue returns the value of a key in an entry. Bits that are not compared may be anything in a
// test, and must be 0 in the machine.
func keyValue(key ir.Key, value, mask ir.Value, prefix int) ir.KeyValue {
	compared := ir.Mask(key.X.Width())
	switch key.Kind {
	case ir.Ternary:
		compared = mask
	case ir.Prefix:
		rest := ir.Mask(key.X.Width() - prefix)
		compared = ir.Value{Hi: compared.Hi &^ rest.Hi, Lo: compared.Lo &^ rest.Lo}
	}
	value = ir.Value{Hi: value.Hi & compared.Hi, Lo: value.Lo & compared.Lo}
	return ir.KeyValue{Value: value, Mask: mask, Bits: prefix}
}

func (f *filled) call(t *testing.T, p *p4.Program) ir.Call {
	call := ir.Call{Action: p.Action(local(f.Action))}
	call.Data = make([]ir.Value, len(call.Action.Params))
	for _, datum := range f.Data {
		named := func(p *ir.Param) bool { return p.Name == datum.Name }
		at := slices.IndexFunc(call.Action.Params, named)
		require.GreaterOrEqual(t, at, 0, "%s has no datum %s", f.Action, datum.Name)
		call.Data[at] = valueOf(t, datum.Value)
	}
	return call
}

// local returns a name without the control in which it is.
func local(name string) string { return name[strings.LastIndex(name, ".")+1:] }

func valueOf(t *testing.T, digits string) ir.Value {
	if len(digits)%2 != 0 {
		digits = "0" + digits
	}
	octets, err := hex.DecodeString(digits)
	require.NoError(t, err)
	return ir.BytesValue(octets)
}

// send gives the machine the test's packet and returns what leaves: no queue holds anything.
func (g *generated) send(t *testing.T, m *ir.Machine) (left []ir.Sent) {
	octets, err := hex.DecodeString(g.Sent.Octets)
	require.NoError(t, err)
	took := m.Receive(0, g.Sent.Port, octets)
	left = append(left, took.Sent...)
	copies := slices.Clone(took.Copies)
	for i := range copies {
		copies[i].Octets = slices.Clone(copies[i].Octets)
	}
	for _, c := range copies {
		left = append(left, m.Depart(0, c, 0).Sent...)
	}
	return left
}

// check returns what is wrong with what left.
func (g *generated) check(left []ir.Sent) error {
	switch {
	case g.Expected == nil && len(left) == 0:
		return nil
	case g.Expected == nil:
		return fmt.Errorf("a packet left by port %v, and none should", left[0].Port)
	case len(left) != 1:
		return fmt.Errorf("%d packets left, and one should", len(left))
	case left[0].Port != g.Expected.Port:
		return fmt.Errorf("the packet left by port %v, not %v", left[0].Port, g.Expected.Port)
	}
	octets := slices.Clone(left[0].Octets)
	want, err := hex.DecodeString(g.Expected.Octets)
	if err != nil {
		return err
	}
	for _, ignored := range g.Expected.Ignored {
		for bit := ignored[0]; bit < min(ignored[0]+ignored[1], 8*len(octets), 8*len(want)); bit++ {
			octets[bit/8] &^= 0x80 >> (bit % 8)
			want[bit/8] &^= 0x80 >> (bit % 8)
		}
	}
	if !slices.Equal(octets, want) {
		return fmt.Errorf("the packet is %x, not %x", octets, want)
	}
	return nil
}
