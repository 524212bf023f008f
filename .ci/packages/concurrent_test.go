package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestStartsGoroutine(t *testing.T) {
	requireOfBodies(t, startsGoroutine, map[string]bool{
		"go f()":                         true,
		"defer func() { go f() }()":      true,
		"t.Parallel()":                   true,
		"group.Go(f)":                    true,
		"time.AfterFunc(time.Second, f)": true,
		"f()":                            false,
		"t.Run(name, f)":                 false,
		"game.Gone()":                    false,
	})
}

func TestAsksForGoroutines(t *testing.T) {
	requireOfBodies(t, asksForGoroutines, map[string]bool{
		"c.Threads = n":                  true,
		"c.Parts, c.Threads = 1, 8":      true,
		"_ = config{Threads: threads}":   true,
		"c.Threads = 1":                  false,
		"_ = config{Threads: s.Threads}": false,
		"c.Parts = 8":                    false,
	})
}

// requireOfBodies compares what a function says of functions with these bodies.
func requireOfBodies(t *testing.T, of func(ast.Decl) bool, wanted map[string]bool) {
	t.Helper()
	for body, want := range wanted {
		file, err := parser.ParseFile(token.NewFileSet(), "", "package p\nfunc g() { "+body+" }", 0)
		require.NoError(t, err)
		assert.Equal(t, want, of(file.Decls[0]), body)
	}
}

// The command runs protocols side by side; one test of hashpath reads a hash from several
// goroutines; a machine and its tests do neither; nor do simulations, but where threads share one.
func TestConcurrent(t *testing.T) {
	races, err := concurrent("../..")
	require.NoError(t, err)
	tests := map[string][]string{}
	for _, r := range races {
		tests[r.Rel()] = r.Tests
	}
	assert.Contains(t, tests["bench"], "TestProtocolsSideBySide", "through a variable")
	assert.NotContains(t, tests["bench"], "TestDocumentsSizes")
	assert.Equal(t, []string{"TestReadersSeeWholeStates"}, tests["hashpath"])
	assert.Equal(t, []string{"TestThreads", "TestThreadsOfIncast",
		"TestThreadsOfRandomScenarios"}, tests["internal/lab/report"])
	assert.Equal(t, []string{"TestHeldTimesAreTheSameOnAnyNumberOfThreads",
		"TestJobsAreTheSameOnAnyNumberOfThreads", "TestAWindowOfOperationsChangesNothing",
		"TestThreadsShareARun"}, tests["internal/lab/sim"])
	assert.NotContains(t, tests, "internal/lab/fabric")
	assert.NotContains(t, tests, "pfc")
	assert.NotContains(t, tests, "examples", "programs of their own")
}
