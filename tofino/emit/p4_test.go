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
