// Package examples_test runs every example and compares what it prints with its expected.txt.
package examples_test

import (
	"bytes"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice/internal/depth"
)

var update = flag.Bool("update", false, "write what the examples print to their expected.txt")

// TestExamples runs each example once.
func TestExamples(t *testing.T) {
	if !*update {
		depth.From(t, depth.Thorough, "thirteen programs are linked")
	}
	programs := t.TempDir()
	watchSources(t)
	build := exec.Command("go", "build", "-ldflags=-s -w", "-o", programs, "./...")
	out, err := build.CombinedOutput()
	require.NoError(t, err, "%s", out)
	for _, name := range examples(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var stdout, stderr bytes.Buffer
			run := exec.Command(filepath.Join(programs, name))
			run.Stdout, run.Stderr = &stdout, &stderr
			require.NoError(t, run.Run(), "%s", &stderr)
			require.Empty(t, stderr.String())

			golden := filepath.Join(name, "expected.txt")
			if *update {
				require.NoError(t, os.WriteFile(golden, stdout.Bytes(), 0o644))
				return
			}
			expected, err := os.ReadFile(golden)
			require.NoError(t, err, "write it with: go test ./examples -update")
			require.Equal(t, string(expected), stdout.String(),
				"if the change is meant: go test ./examples -update, and commit the difference only if you "+
					"understand it")
		})
	}
}

// TestIndex checks that the README names every example and the command that runs it.
func TestIndex(t *testing.T) {
	readme, err := os.ReadFile("README.md")
	require.NoError(t, err)
	for _, name := range examples(t) {
		require.Contains(t, string(readme), "go run ./examples/"+name+"`", name)
	}
}

// TestImports checks that the examples use the library as others can: nothing of it that is
// internal.
func TestImports(t *testing.T) {
	for _, line := range list(t, "{{.ImportPath}} {{join .Imports \" \"}}", "./...") {
		require.NotContains(t, line, "/internal/")
	}
}

var fifo = regexp.MustCompile(`\[\]\*?sluice\.Packet\b`)

// TestKit checks that no example keeps queues of packets of its own: package kit does that.
func TestKit(t *testing.T) {
	for _, name := range examples(t) {
		files, err := filepath.Glob(name + "/*.go")
		require.NoError(t, err)
		var source []byte
		for _, file := range files {
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			source = append(source, text...)
		}
		if bytes.Contains(source, []byte(".Dequeue(")) {
			require.True(t, bytes.Contains(source, []byte("kit.NewDriver")), name)
		}
		require.False(t, fifo.Match(source), name)
	}
}

// TestLength checks that the examples stay short: no file is over 150 lines.
func TestLength(t *testing.T) {
	files, err := filepath.Glob("*/*.go")
	require.NoError(t, err)
	for _, file := range files {
		source, err := os.ReadFile(file)
		require.NoError(t, err)
		require.LessOrEqual(t, bytes.Count(source, []byte("\n")), 150, file)
	}
}

// examples returns the names of the examples: the directories here. Those with a go.mod are modules
// of their own, which need more than Go; .ci/run tests them.
func examples(t *testing.T) (names []string) {
	mains, err := filepath.Glob("*/main.go")
	require.NoError(t, err)
	for _, file := range mains {
		name := filepath.Dir(file)
		if _, err := os.Stat(filepath.Join(name, "go.mod")); err != nil {
			names = append(names, name)
		}
	}
	require.NotEmpty(t, names)
	return names
}

// watchSources reads the directories that the examples are built from. The programs are no part of
// this test's binary, so without it `go test` would show a cached result when the library has
// changed.
func watchSources(t *testing.T) {
	root, err := filepath.Abs("..")
	require.NoError(t, err)
	for _, dir := range list(t, "{{.Dir}}", "-deps", "./...") {
		if strings.HasPrefix(dir, root) {
			_, err := os.ReadDir(dir)
			require.NoError(t, err)
		}
	}
}

// list returns the lines of go list.
func list(t *testing.T, format string, arguments ...string) []string {
	out, err := exec.Command("go", append([]string{"list", "-f", format}, arguments...)...).Output()
	require.NoError(t, err)
	return strings.Split(strings.TrimSpace(string(out)), "\n")
}
