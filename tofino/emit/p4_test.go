package emit_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice/tofino/emit"
	"github.com/sluicefc/sluice/tofino/internal/samples"
	"github.com/sluicefc/sluice/tofino/ir"
)

// printed returns the text of a program.
func printed(t *testing.T, p *ir.Program, cfg *ir.Config) string {
	t.Helper()
	require.NoError(t, p.Validate())
	require.NoError(t, cfg.Validate(p))
	var text, again bytes.Buffer
	require.NoError(t, emit.P4(&text, p, cfg))
	require.NoError(t, emit.P4(&again, p, cfg))
	assert.Equal(t, text.String(), again.String(), "the same bytes twice")
	return text.String()
}

// The path tables of an edge switch of a fat-tree with k = 4, to be read.
func TestTextOfPathTables(t *testing.T) {
	p, cfg, err := samples.Paths(4)
	require.NoError(t, err)
	golden(t, "paths4.p4", []byte(printed(t, p, cfg)))
}

// A program with registers, ghost, mirrors and words, to be read.
func TestTextOfEverything(t *testing.T) {
	p, cfg := samples.Holds()
	golden(t, "holds.p4", []byte(printed(t, p, cfg)))
}

// What the text cannot say is refused.
func TestTextRefuses(t *testing.T) {
	for _, broken := range []struct {
		rule  string
		spoil func(p *ir.Program)
	}{
		{"no control applies it", func(p *ir.Program) { p.Control[ir.Egress] = nil }},
		{"the text needs this name itself", func(p *ir.Program) { p.Tables[0].Name = "pipe" }},
	} {
		p, cfg := samples.Holds()
		broken.spoil(p)
		var text bytes.Buffer
		err := emit.P4(&text, p, cfg)
		require.Error(t, err)
		assert.True(t, strings.Contains(err.Error(), broken.rule), err)
		assert.Zero(t, text.Len())
	}
}

// Values have names where they are compared and given, parts of a control their text, and what is
// alone in an else stands beside it.
func TestTextNamesValuesAndParts(t *testing.T) {
	p, cfg := samples.Holds()
	kind := p.Headers[2].Fields[2]
	kind.Values = map[uint64]string{1: "PAUSE", 2: "RESUME"}
	p.Parts[ir.Ingress] = []ir.Part{{Text: "Frames and packets"}}
	text := printed(t, p, cfg)
	for _, want := range []string{"\nconst bit<8> PAUSE = 8w1;\nconst bit<8> RESUME = 8w2;\n",
		"if (hdr.signal.kind == PAUSE) {", "    apply {\n        // Frames and packets.\n"} {
		assert.Contains(t, text, want)
	}
	steps := p.Control[ir.Ingress]
	first := steps[0].(ir.If)
	steps[0] = ir.If{Condition: first.Condition, Then: first.Then,
		Else: []ir.Step{ir.If{Condition: ir.Valid{Header: p.Headers[4]}, Then: first.Else}}}
	assert.Contains(t, printed(t, p, cfg), "        } else if (hdr.ip.isValid()) {\n")

	p.Headers[2].Fields[3].Values = map[uint64]string{3: "PAUSE"}
	var other bytes.Buffer
	assert.ErrorContains(t, emit.P4(&other, p, cfg), "PAUSE, a value of flags: another has the name")
	kind.Values = map[uint64]string{256: "LONG", 3: "9"}
	p.Parts[ir.Ingress][0].From = 2
	err := p.Validate()
	assert.ErrorContains(t, err, "value 256, LONG, has more than 8 bits")
	assert.ErrorContains(t, err, `value 3: its name "9" must be an identifier`)
	assert.ErrorContains(t, err, "ingress, part 0: begins at step 2: must be in order and within 1 steps")
}
