package tofino_test

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice/tofino/emit"
	"github.com/sluicefc/sluice/tofino/ir"
)

var update = flag.Bool("update", false, "write the golden files anew")

// golden compares texts with files of testdata.
func golden(t *testing.T, texts map[string]string) {
	t.Helper()
	for name, text := range texts {
		path := filepath.Join("testdata", name)
		if *update {
			require.NoError(t, os.MkdirAll("testdata", 0o777))
			require.NoError(t, os.WriteFile(path, []byte(text), 0o666))
		}
		want, err := os.ReadFile(path)
		require.NoError(t, err)
		assert.Equal(t, string(want), text, "go test ./tofino -run Golden -update writes %s anew", path)
	}
}

// generated is all that is made of a configuration: a valid program, and its entries.
func generated(t *testing.T, p *ir.Program, filled *ir.Config) string {
	t.Helper()
	require.NoError(t, p.Validate())
	require.NoError(t, filled.Validate(p))
	var b bytes.Buffer
	b.WriteString(decisions(t, p))
	require.NoError(t, emit.Entries(&b, p, filled))
	return b.String()
}

// decisions returns the file of what the configuration of a program decides.
func decisions(t *testing.T, p *ir.Program) string {
	t.Helper()
	for _, file := range p.Text {
		if file.Name == "config.p4h" {
			return string(file.Content)
		}
	}
	t.Fatal("the program has no config.p4h")
	return ""
}
