package check_test

import (
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice/tofino/check"
	"github.com/sluicefc/sluice/tofino/emit"
	"github.com/sluicefc/sluice/tofino/internal/samples"
	"github.com/sluicefc/sluice/tofino/ir"
)

// written returns what is emitted of a program.
func written(t testing.TB, p *ir.Program, cfg *ir.Config) fstest.MapFS {
	t.Helper()
	require.NoError(t, p.Validate())
	require.NoError(t, cfg.Validate(p))
	files, err := emit.Files(p, cfg)
	require.NoError(t, err)
	system := fstest.MapFS{}
	for _, file := range files {
		system[file.Name] = &fstest.MapFile{Data: file.Content}
	}
	return system
}

// said returns faults as text, a line each.
func said(t testing.TB, files fs.FS) string {
	t.Helper()
	list, err := check.FS(files)
	require.NoError(t, err)
	var text strings.Builder
	for _, fault := range list {
		text.WriteString(fault.Error() + "\n")
	}
	return text.String()
}

// Nothing is found in what is emitted.
func TestNothingInWhatIsEmitted(t *testing.T) {
	p, cfg := samples.Holds()
	assert.Empty(t, said(t, written(t, p, cfg)))
	for _, k := range []int{4, 8} {
		p, cfg, err := samples.Paths(k)
		require.NoError(t, err)
		assert.Empty(t, said(t, written(t, p, cfg)))
	}
}
