// Package golden compares texts with files that are kept, and reads those files.
package golden

import (
	"encoding/csv"
	"flag"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Update has tests rewrite their golden files.
var Update = flag.Bool(
	"update", false, "rewrite the golden files; commit them only if you understand what changed them",
)

// Dir is absolute, as some tests change the working directory.
var Dir = func() string {
	dir, err := filepath.Abs(filepath.Join("testdata", "golden"))
	if err != nil {
		panic(err)
	}
	return dir
}()

const advice = "go test -update of this package writes %s: commit it only if you understand the change"

// Require compares text with a file of testdata/golden.
func Require(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join(Dir, name)
	if *Update {
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o777))
		require.NoError(t, os.WriteFile(path, []byte(got), 0o666))
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err, advice, path)
	require.Equal(t, string(want), got, advice, path)
}

// ReadCSV returns the rows of a table behind some lines.
func ReadCSV(t *testing.T, path string, skip int) [][]string {
	t.Helper()
	content, err := os.ReadFile(path)
	require.NoError(t, err)
	text := string(content)
	for range skip {
		_, text, _ = strings.Cut(text, "\n")
	}
	rows, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	require.NoError(t, err)
	return rows
}

// Read returns the text of a file.
func Read(t *testing.T, path string) string {
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	return string(text)
}

// Number returns the integer that a text is.
func Number(t *testing.T, s string) int64 {
	n, err := strconv.ParseInt(s, 10, 64)
	require.NoError(t, err)
	return n
}
