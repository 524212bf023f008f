package sluice_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The README's program is the body of Example, which the tests run.
func TestReadmeShowsTheExample(t *testing.T) {
	readme, err := os.ReadFile("README.md")
	require.NoError(t, err)
	_, rest, found := strings.Cut(string(readme), "```go\n")
	require.True(t, found, "README.md has no block of Go")
	shown, _, _ := strings.Cut(rest, "```")
	require.Equal(
		t, exampleBody(t), strings.TrimSpace(shown),
		"copy the body of Example in embedding_example_test.go into README.md",
	)
}

func exampleBody(t *testing.T) string {
	const file = "embedding_example_test.go"
	source, err := os.ReadFile(file)
	require.NoError(t, err)
	set := token.NewFileSet()
	parsed, err := parser.ParseFile(set, file, source, parser.ParseComments)
	require.NoError(t, err)
	for _, d := range parsed.Decls {
		f, ok := d.(*ast.FuncDecl)
		if !ok || f.Name.Name != "Example" {
			continue
		}
		body := string(source[set.Position(f.Body.Lbrace).Offset+1 : set.Position(f.Body.Rbrace).Offset])
		body, _, _ = strings.Cut(body, "\n\t// Output:")
		return strings.TrimSpace(strings.ReplaceAll(body, "\n\t", "\n"))
	}
	require.FailNow(t, "no func Example", file)
	return ""
}
