package module

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
)

// A Race is what the race detector is to run.
type Race struct {
	Package
	Tests []string // names; nil for all of the package's
}

// Concurrent returns the tests that can run two goroutines of this module at once: where the
// package starts them, or one that it or its tests import, those of the whole package; else those
// tests that start one themselves. In every other test there is nothing that the race detector
// could find, nor in tests that import nothing of this module, such as those that run programs.
func Concurrent(dir string) ([]Race, error) {
	packages, err := List(dir)
	if err != nil {
		return nil, err
	}
	starts := map[string]bool{} // by import path: goroutines, outside of tests
	for _, p := range packages {
		functions, err := starting(p.Dir, p.GoFiles)
		if err != nil {
			return nil, err
		}
		starts[p.ImportPath] = len(functions) > 0
	}
	for changed := true; changed; {
		changed = false
		for _, p := range packages {
			if !starts[p.ImportPath] && anyOf(starts, p.Imports) {
				starts[p.ImportPath], changed = true, true
			}
		}
	}
	var races []Race
	for _, p := range packages {
		if !p.testsModule() {
			continue
		}
		tests, err := starting(p.Dir, slices.Concat(p.TestGoFiles, p.XTestGoFiles))
		if err != nil {
			return nil, err
		}
		isTest := func(name string) bool { return strings.HasPrefix(name, "Test") }
		switch {
		case starts[p.ImportPath], anyOf(starts, slices.Concat(p.TestImports, p.XTestImports)),
			slices.ContainsFunc(tests, func(name string) bool { return !isTest(name) }):
			races = append(races, Race{Package: p})
		case len(tests) > 0:
			races = append(races, Race{p, tests})
		}
	}
	return races, nil
}

// testsModule reports whether code of this module is in the package's test binary beside the tests.
func (p Package) testsModule() bool {
	return len(p.GoFiles) > 0 || slices.ContainsFunc(slices.Concat(p.TestImports, p.XTestImports),
		func(path string) bool { return path == Path || strings.HasPrefix(path, Path+"/") })
}

func anyOf(set map[string]bool, keys []string) bool {
	return slices.ContainsFunc(keys, func(key string) bool { return set[key] })
}

// starting returns the functions of files that start a goroutine.
func starting(dir string, files []string) (functions []string, err error) {
	for _, name := range files {
		file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(dir, name), nil, 0)
		if err != nil {
			return nil, err
		}
		for _, declared := range file.Decls {
			if startsGoroutine(declared) {
				functions = append(functions, nameOf(declared))
			}
		}
	}
	return functions, nil
}

// nameOf returns the name of a function, "" for other declarations and for methods.
func nameOf(declared ast.Decl) string {
	if f, ok := declared.(*ast.FuncDecl); ok && f.Recv == nil {
		return f.Name.Name
	}
	return ""
}

// starters are the methods that start goroutines: of testing.T and B, of sync.WaitGroup and
// errgroup.Group, of time.
var starters = []string{"Parallel", "RunParallel", "Go", "TryGo", "AfterFunc"}

// startsGoroutine reports whether there is a go statement in a declaration, or a call that starts
// a goroutine.
func startsGoroutine(declared ast.Decl) bool {
	found := false
	ast.Inspect(declared, func(n ast.Node) bool {
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
