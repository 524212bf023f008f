package depth_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestGatesGoFurther: each test that goes further with SLUICE_DEPTH=thorough is named in .ci/run,
// and of a package whose helpers go further, some test is.
func TestGatesGoFurther(t *testing.T) {
	const root = "../.."
	gates, err := os.ReadFile(filepath.Join(root, ".ci", "run"))
	require.NoError(t, err)
	line := regexp.MustCompile(`(?m)^thorough (\S+) ("[^"]+"|\S+)`)
	named := func(dir, test string) bool {
		for _, m := range line.FindAllStringSubmatch(string(gates), -1) {
			in, below := strings.CutSuffix(m[1], "/...")
			tests := regexp.MustCompile("^(" + strings.Trim(m[2], `"`) + ")$")
			if dir == in || below && strings.HasPrefix(dir, in+"/") {
				if !strings.HasPrefix(test, "Test") || tests.MatchString(test) {
					return true
				}
			}
		}
		return false
	}
	found := 0
	require.NoError(t, filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		own := strings.HasSuffix(path, "depth_test.go")
		if err != nil || own || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			return err
		}
		dir, err := filepath.Rel(root, filepath.Dir(path))
		require.NoError(t, err)
		for _, decl := range file.Decls {
			if f, ok := decl.(*ast.FuncDecl); ok && goesFurther(f) {
				found++
				in := filepath.ToSlash(dir)
				assert.True(t, named(in, f.Name.Name), "no thorough line of .ci/run has %s of %s, which "+
					"package depth can take further: thorough %s %s \"what it proves\"",
					f.Name.Name, in, in, f.Name.Name)
			}
		}
		return nil
	}))
	require.Greater(t, found, 20)
}

// goesFurther reports whether a function asks for a level beyond the usual one: by its name, by a
// third value to choose from, or by fewer checks in the usual one.
func goesFurther(f *ast.FuncDecl) (further bool) {
	of := func(e ast.Expr) string {
		if index, ok := e.(*ast.IndexExpr); ok {
			e = index.X
		}
		if s, ok := e.(*ast.SelectorExpr); ok {
			if x, ok := s.X.(*ast.Ident); ok && x.Name == "depth" {
				return s.Sel.Name
			}
		}
		return ""
	}
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			further = further || of(n.Fun) == "Choose" && len(n.Args) > 2 || of(n.Fun) == "Fewer"
		case *ast.SelectorExpr:
			further = further || of(n) == "Thorough"
		}
		return true
	})
	return further
}
