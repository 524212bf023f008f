package main

import (
	"go/ast"
	"slices"
	"strings"

	"github.com/sluicefc/sluice/.ci/module"
)

// A race is what the race detector is to run.
type race struct {
	module.Package
	Tests []string // names
}

// byAsking names the functions that start goroutines only where a field asks for more than one: not
// who calls them races, but who sets the field.
var byAsking = map[string]string{
	"(*" + module.Path + "/internal/lab/sim.Simulator).hire": "Threads",
}

// concurrent returns the tests in which two goroutines of this module can run at once: tests that
// start a goroutine, or mention a function that does, at first hand or by other functions. In every
// other test there is nothing that the race detector could find, nor in tests that import nothing
// of this module, such as tests that run programs.
func concurrent(dir string) ([]race, error) {
	packages, err := module.List(dir)
	if err != nil {
		return nil, err
	}
	exports, err := module.Exports(dir)
	if err != nil {
		return nil, err
	}
	c := &calls{of: map[string][]string{}, methods: map[string][]string{}}
	var races []race
	for _, p := range packages {
		tests, err := c.read(p, exports)
		if err != nil {
			return nil, err
		}
		if testsModule(p) {
			races = append(races, race{p, tests})
		}
	}
	racing := c.racing()
	for i := range races {
		races[i].Tests = slices.DeleteFunc(races[i].Tests, func(test string) bool {
			return !racing[test]
		})
		for k, test := range races[i].Tests {
			races[i].Tests[k] = test[strings.LastIndexByte(test, '.')+1:]
		}
	}
	return slices.DeleteFunc(races, func(r race) bool { return len(r.Tests) == 0 }), nil
}

// testsModule reports whether code of this module is in the package's test binary beside the tests.
func testsModule(p module.Package) bool {
	return len(p.GoFiles) > 0 || slices.ContainsFunc(slices.Concat(p.TestImports, p.XTestImports),
		func(path string) bool {
			return path == module.Path || strings.HasPrefix(path, module.Path+"/") &&
				path != module.Path+"/internal/depth" // which says how far to test, no more
		})
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

// asksForGoroutines reports whether a declaration sets a field of byAsking, to a value other than
// 0, 1 and such a field.
func asksForGoroutines(declared ast.Decl) bool {
	found := false
	set := func(field, value ast.Expr) {
		name := lastName(field)
		for _, asks := range byAsking {
			literal, ok := value.(*ast.BasicLit)
			one := ok && (literal.Value == "0" || literal.Value == "1")
			found = found || name == asks && lastName(value) != asks && !one
		}
	}
	ast.Inspect(declared, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			for i, field := range n.Lhs {
				set(field, n.Rhs[min(i, len(n.Rhs)-1)])
			}
		case *ast.KeyValueExpr:
			set(n.Key, n.Value)
		}
		return !found
	})
	return found
}

// lastName is the name of a variable or of a field.
func lastName(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.SelectorExpr:
		return e.Sel.Name
	}
	return ""
}
