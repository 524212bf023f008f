package module

import (
	"go/parser"
	"go/token"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestStartsGoroutine(t *testing.T) {
	for body, want := range map[string]bool{
		"go f()":                         true,
		"defer func() { go f() }()":      true,
		"t.Parallel()":                   true,
		"group.Go(f)":                    true,
		"time.AfterFunc(time.Second, f)": true,
		"f()":                            false,
		"t.Run(name, f)":                 false,
		"game.Gone()":                    false,
	} {
		file, err := parser.ParseFile(token.NewFileSet(), "", "package p\nfunc g() { "+body+" }", 0)
		require.NoError(t, err)
		assert.Equal(t, want, startsGoroutine(file), body)
	}
}

// The command runs protocols side by side, the tests of hashpath read one hash from several
// goroutines; a machine and its tests do neither.
func TestConcurrent(t *testing.T) {
	packages, err := Concurrent("../..")
	require.NoError(t, err)
	var paths []string
	for _, p := range packages {
		paths = append(paths, p.Rel())
	}
	assert.Subset(t, paths, []string{"bench", "hashpath"})
	assert.NotContains(t, paths, "pfc")
}
