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

// What the compiler of the Tofino family said of earlier programs, and what no text has any more.
// The patterns find the lines that it said so of.
func TestNoTextHasWhatTheCompilerRefuses(t *testing.T) {
	refused := map[string]*regexp.Regexp{
		"syntax error, unexpected IN": regexp.MustCompile(`bit<\d+> (in|out|inout|apply|select)[;,)]`),
		"only simple assignments are supported for one-bit registers": regexp.MustCompile(
			`value = 1w1 - `),
		"the expression is too complex": regexp.MustCompile(
			`(?m)^ +\S+ = [^;({]*\([^;)]*(\(| [-+^&|]+ )[^;]*\+\+`,
		),
		"too many sources, a number beside a field": regexp.MustCompile(
			`(?m)^ +(md|hdr|ig_|eg_)\S+ = [^;]*\b\d+w0 \+\+ `),
		"too many sources, three fields in one": regexp.MustCompile(
			`(?m)^ +(md|hdr|ig_|eg_)\S+ = [^;{]*\+\+[^;{]*\+\+`),
		"sizes that are tied by a sum of a slice": regexp.MustCompile(
			`(?m)^ +(md|hdr|ig_|eg_)\S+ = [^;]*(\] (\+|-|\|-\|) |( \+| -|\|-\|) [^;]*\])`),
		"a comparison of 48 bits":         regexp.MustCompile(`if \(.*48w`),
		"a range that is no power of two": regexp.MustCompile(`< 32w0xffff\b`),
		"'size' shadows, 'all' shadows":   regexp.MustCompile(`> (size|all|key|actions);`),
		"a field of a header that was taken away": regexp.MustCompile(
			`(?s)hdr\.(\w+)\.setInvalid\(\);\n +hdr\.\w+\.\w+ = `,
		),
		"selected by, long after it was extracted": regexp.MustCompile(
			`transition select\(hdr\.padding\.`),
	}
	for name, text := range texts(t) {
		text = alu.ReplaceAllString(text, "")
		for message, pattern := range refused {
			assert.Empty(t, pattern.FindString(text), "%s: %s", name, message)
		}
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
