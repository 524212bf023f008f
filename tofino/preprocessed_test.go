package tofino_test

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice/internal/depth"
	"github.com/sluicefc/sluice/tofino/internal/cpp"
	"github.com/sluicefc/sluice/tofino/internal/samples"
	"github.com/sluicefc/sluice/tofino/ir"
	"github.com/sluicefc/sluice/tofino/p4"
)

// The chip's compiler runs C's preprocessor on a program: ours makes the same tokens of it.
func TestPreprocessorIsCs(t *testing.T) {
	depth.Need(t, "CPP", "cpp")
	for name, of := range samples.Protocols() {
		p, _, err := of()
		require.NoError(t, err)
		if len(p.Text) == 0 {
			continue // priority flow control needs no program
		}
		dir := t.TempDir()
		for _, file := range p.Text {
			require.NoError(t, os.WriteFile(filepath.Join(dir, file.Name), file.Content, 0o666))
		}
		for _, include := range []string{"core.p4", "t2na.p4"} { // the compiler's own
			require.NoError(t, os.WriteFile(filepath.Join(dir, include), nil, 0o666))
		}
		command := exec.Command("cpp", "-P", "-undef", "-nostdinc", "-I.", "-Wall", "-Werror",
			mainFile(p))
		command.Dir = dir
		text, err := command.Output()
		require.NoError(t, err, name)
		want := words(t, fstest.MapFS{"all.p4": {Data: text}}, "all.p4")
		got := words(t, os.DirFS(dir), mainFile(p))
		require.Greater(t, len(got), 1000)
		assert.True(t, assert.ObjectsAreEqual(want, got), name)
	}
}

// The text of a program that is to be compiled has the sizes that its entries decide: read again it
// is the same program.
func TestTextIsTheProgram(t *testing.T) {
	for name, of := range samples.Protocols() {
		p, _, err := of()
		require.NoError(t, err)
		if len(p.Text) == 0 {
			continue
		}
		files := fstest.MapFS{}
		for _, file := range p.Text {
			files[file.Name] = &fstest.MapFile{Data: file.Content}
		}
		again, err := p4.Read(files, mainFile(p), p.Name)
		require.NoError(t, err)
		require.Len(t, again.Tables, len(p.Tables), name)
		for at, table := range p.Tables {
			assert.Equal(t, table.Size, again.Tables[at].Size, "%s, %s", name, table.Name)
		}
		require.Len(t, again.Registers, len(p.Registers), name)
		for at, register := range p.Registers {
			assert.Equal(t, register.Size, again.Registers[at].Size, "%s, %s", name, register.Name)
		}
	}
}

// mainFile returns the main file of a program.
func mainFile(p *ir.Program) string { return p.Text[0].Name }

// words returns the tokens of a program.
func words(t *testing.T, files fs.FS, name string) (list []string) {
	tokens, err := cpp.Expand(files, name)
	require.NoError(t, err)
	for _, token := range tokens {
		list = append(list, token.Text)
	}
	return list
}
