package sluice_test

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestEmbeddingShowsWhatIsThere: a listing in docs/embedding.md that begins with a file's name, in
// a comment, stands in that file, whatever its indentation.
func TestEmbeddingShowsWhatIsThere(t *testing.T) {
	page, err := os.ReadFile("docs/embedding.md")
	require.NoError(t, err)
	blocks := strings.Split(string(page), "\n```")
	require.Greater(t, len(blocks), 2)
	named := 0
	for i := 1; i < len(blocks); i += 2 {
		_, listing, _ := strings.Cut(blocks[i], "\n") // the language
		first, rest, _ := strings.Cut(listing, "\n")
		name, is := strings.CutPrefix(first, "// ")
		if !is {
			name, is = strings.CutPrefix(first, "# ")
		}
		if !is || strings.Contains(name, " ") {
			continue
		}
		source, err := os.ReadFile(name)
		require.NoError(t, err)
		require.Contains(t, withoutIndentation(string(source)), withoutIndentation(rest),
			"copy the lines of %s into docs/embedding.md", name)
		named++
	}
	require.NotZero(t, named)
}

func withoutIndentation(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	for i := range lines {
		lines[i] = strings.TrimSpace(lines[i])
	}
	return strings.Join(lines, "\n")
}
