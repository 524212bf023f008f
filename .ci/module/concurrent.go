package module

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
)

// Concurrent returns the packages whose tests can run two goroutines of this module at once: the
// tests start one, or the package, or one that it or its tests import, does. In every other package
// there is nothing that the race detector could find.
func Concurrent(dir string) ([]Package, error) {
	packages, err := List(dir)
	if err != nil {
		return nil, err
	}
	starts := map[string]bool{} // by import path: goroutines, outside of tests
	for _, p := range packages {
		if starts[p.ImportPath], err = anyStarts(p.Dir, p.GoFiles); err != nil {
			return nil, err
		}
	}
	for changed := true; changed; {
		changed = false
		for _, p := range packages {
			if !starts[p.ImportPath] && anyOf(starts, p.Imports) {
				starts[p.ImportPath], changed = true, true
			}
		}
	}
	var concurrent []Package
	for _, p := range packages {
		inTests, err := anyStarts(p.Dir, slices.Concat(p.TestGoFiles, p.XTestGoFiles))
		if err != nil {
			return nil, err
		}
		if inTests || starts[p.ImportPath] || anyOf(starts, slices.Concat(p.TestImports, p.XTestImports)) {
			concurrent = append(concurrent, p)
		}
	}
	return concurrent, nil
}

func anyOf(set map[string]bool, keys []string) bool {
	return slices.ContainsFunc(keys, func(key string) bool { return set[key] })
}

// anyStarts reports whether one of the files starts a goroutine.
func anyStarts(dir string, files []string) (bool, error) {
	for _, name := range files {
		file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(dir, name), nil, 0)
		if err != nil {
			return false, err
		}
		if startsGoroutine(file) {
			return true, nil
		}
	}
	return false, nil
}

// starters are the methods that start goroutines: of testing.T and B, of sync.WaitGroup and
// errgroup.Group, of time.
var starters = []string{"Parallel", "RunParallel", "Go", "TryGo", "AfterFunc"}

// startsGoroutine reports whether there is a go statement in a file, or a call that starts a
// goroutine.
func startsGoroutine(file *ast.File) bool {
	found := false
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GoStmt:
			found = true
		case *ast.CallExpr:
			method, ok := n.Fun.(*ast.SelectorExpr)
			found = found || ok && slices.Contains(starters, method.Sel.Name)
		}
		return !found
	})
	return found
}
