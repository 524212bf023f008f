package tofino_test

import (
	"bytes"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice/tofino"
	"github.com/sluicefc/sluice/tofino/emit"
	"github.com/sluicefc/sluice/tofino/internal/samples"
	"github.com/sluicefc/sluice/tofino/ir"
)

// texts returns the text of every program that this package makes.
func texts(t *testing.T) map[string]string {
	t.Helper()
	made := map[string]string{}
	add := func(name string, p *ir.Program, cfg *ir.Config, err error) {
		require.NoError(t, err)
		var text bytes.Buffer
		require.NoError(t, emit.P4(&text, p, cfg))
		made[name] = text.String()
	}
	p, cfg, err := samples.Paths(4)
	add("paths", p, cfg, err)
	for _, depth := range []tofino.DepthSource{tofino.Notices, tofino.Ghost} {
		name := fmt.Sprint(" ", depth)
		p, cfg, err = samples.BFC(depth)
		add("bfc"+name, p, cfg, err)
		p, cfg, err = samples.PortFC(depth)
		add("portfc"+name, p, cfg, err)
		p, cfg, err = samples.OFC(depth)
		add("ofc"+name, p, cfg, err)
		for tier := range 3 {
			made, err := samples.Pyrrha(4, tier, depth)
			require.NoError(t, err)
			add(fmt.Sprint("pyrrha", tier, name), made.Program, made.Config, nil)
		}
	}
	return made
}

// refusal is a message of the compiler of the Tofino family, a line of an earlier program of which
// it said so, or of which that was to be feared, and a pattern that finds such lines.
type refusal struct{ message, line, pattern string }

var refusals = []refusal{
	{"syntax error, unexpected IN", "    bit<32> in;", `bit<\d+> (in|out|inout|apply|select)[;,)]`},
	{
		"only simple assignments are supported for one-bit registers",
		"            value = 1w1 - before;", `value = 1w1 - `,
	},
	{
		"the expression is too complex",
		"        ig_tm_md.qid = md.base + (5w0 ++ (md.side ++ (md.side ^ 1w1)));",
		`(?m)^ +\S+ = [^;({]*\([^;)]*(\(| [-+^&|]+ )[^;]*\+\+`,
	},
	{
		"too many sources, a number beside a field",
		"        ig_dprsr_md.adv_flow_ctl = word + (31w0 ++ hdr.signal.type[0:0]);",
		`(?m)^ +(md|hdr|ig_|eg_)\S+ = [^;]*\b\d+w0 \+\+ `,
	},
	{
		"too many sources, a number beside a field", "        md.mark = limit + (16w0 ++ md.cells);",
		`(?m)^ +(md|hdr|ig_|eg_)\S+ = [^;]*\b\d+w0 \+\+ `,
	},
	{
		"too many sources, a number beside a field",
		"        md.more = (31w0 ++ md.gone_a) + (31w0 ++ md.gone_b);",
		`(?m)^ +(md|hdr|ig_|eg_)\S+ = [^;]*\b\d+w0 \+\+ `,
	},
	{
		"too many sources, three fields in one",
		"        md.set = md.slot4[7:0] ++ md.slot3[7:0] ++ md.slot2[7:0] ++ md.slot1[7:0];",
		`(?m)^ +(md|hdr|ig_|eg_)\S+ = [^;{]*\+\+[^;{]*\+\+`,
	},
	{
		"sizes that are tied by a sum of a slice", "        md.mark = limit[15:0] + md.cells;",
		`(?m)^ +(md|hdr|ig_|eg_)\S+ = [^;]*(\] (\+|-|\|-\|) |( \+| -|\|-\|) [^;]*\])`,
	},
	{
		"a comparison of 48 bits", "            if (hdr.ethernet.dst == 48w0x180c200000e) {",
		`if \(.*48w`,
	},
	{
		"a range that is no power of two", "            if (md.window_end < 32w0xffff) {",
		`< 32w0xffff\b`,
	},
	{
		"'size' shadows", "    Register<bit<16>, bit<13>>(32w0x1800, 16w0x8000) size;",
		`[>)] (size|all|key|actions);`,
	},
	{
		"'all' shadows", "    Register<bit<1>, bit<5>>(32w0x20, 1w0) all;",
		`[>)] (size|all|key|actions);`,
	},
	{
		"a field of a header that was taken away",
		"        hdr.bridge.setInvalid();\n        hdr.bridge.kind = 8w0;",
		`(?s)hdr\.(\w+)\.setInvalid\(\);\n +hdr\.\w+\.\w+ = `,
	},
	{
		"selected by, long after it was extracted", "        transition select(hdr.padding.p3) {",
		`transition select\(hdr\.padding\.`,
	},
}

// What the compiler of the Tofino family said of earlier programs, and what no text has any more.
// The patterns find the lines that it said so of.
func TestNoTextHasWhatTheCompilerRefuses(t *testing.T) {
	all := texts(t)
	for name, text := range all {
		all[name] = alu.ReplaceAllString(text, "")
	}
	for _, r := range refusals {
		pattern := regexp.MustCompile(r.pattern)
		require.Regexp(t, pattern, r.line, r.message)
		for name, text := range all {
			assert.Empty(t, pattern.FindString(text), "%s: %s", name, r.message)
		}
	}
	for name, text := range all {
		for _, line := range strings.Split(text, "\n") {
			if strings.Contains(line, "if (") {
				assert.LessOrEqual(t, gatewayBits(line), 44, "%s: %s", name, line)
			}
		}
	}
}

// alu finds what gateways and actions do not decide: uses of registers, whose index is a hash, and
// conditions of register actions but for the sums of single bits.
var alu = regexp.MustCompile(`(?m)^.*\.execute\(.*$|^ +(if \()?\(?(before\.|md\.mark == ).*$|^ +if \(.*\bbefore\b.*$`)

// gatewayBits returns how many bits a condition compares with numbers, each field once.
func gatewayBits(line string) (sum int) {
	seen := map[string]bool{}
	for _, one := range regexp.MustCompile(`(\S+) [=!<>]=? (\d+)w`).FindAllStringSubmatch(line, -1) {
		field := strings.TrimLeft(one[1], "(!")
		bits, err := strconv.Atoi(one[2])
		if err == nil && !seen[field] {
			seen[field] = true
			sum += bits
		}
	}
	return sum
}
