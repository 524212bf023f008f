package main

import (
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/sluicefc/sluice/.ci/module"
)

// calls says which declarations mention which others: functions, methods and package's variables,
// by their full names.
type calls struct {
	of      map[string][]string
	methods map[string][]string // by signature, for methods called through an interface
	start   []string            // declarations that start goroutines, or ask for some
}

// read adds the declarations of a package and of its tests, and returns the tests' full names.
func (c *calls) read(p module.Package, exports map[string]string) (tests []string, err error) {
	fset := token.NewFileSet()
	imported := importer.ForCompiler(fset, "gc", func(path string) (io.ReadCloser, error) {
		return os.Open(exports[path])
	})
	var own *types.Package
	check := func(path string, names []string) error {
		var files []*ast.File
		for _, name := range names {
			mode := parser.SkipObjectResolution
			file, err := parser.ParseFile(fset, filepath.Join(p.Dir, name), nil, mode)
			if err != nil {
				return err
			}
			files = append(files, file)
		}
		// A test that is not of the package sees it with its tests, and others without: what does
		// not fit is no matter here.
		config := types.Config{Importer: withOwn{imported, own}, Error: func(error) {}}
		info := &types.Info{
			Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{},
		}
		own, _ = config.Check(path, fset, files, info)
		for _, file := range files {
			for _, declared := range file.Decls {
				tests = append(tests, c.add(declared, info)...)
			}
		}
		return nil
	}
	if err := check(p.ImportPath, append(p.GoFiles[:len(p.GoFiles):len(p.GoFiles)],
		p.TestGoFiles...)); err != nil {
		return nil, err
	}
	return tests, check(p.ImportPath+"_test", p.XTestGoFiles)
}

// withOwn imports a package with its tests, for tests beside it, and all others without.
type withOwn struct {
	types.Importer
	own *types.Package
}

func (w withOwn) Import(path string) (*types.Package, error) {
	if w.own != nil && w.own.Path() == path {
		return w.own, nil
	}
	return w.Importer.Import(path)
}

// add adds what a declaration mentions, and returns its name if it is a test.
func (c *calls) add(declared ast.Decl, info *types.Info) (tests []string) {
	var names []string
	switch d := declared.(type) {
	case *ast.FuncDecl:
		names = []string{nameOf(info.Defs[d.Name])}
		if d.Recv != nil {
			method := signature(info.Defs[d.Name].(*types.Func))
			c.methods[method] = append(c.methods[method], names[0])
		} else if strings.HasPrefix(d.Name.Name, "Test") {
			tests = names
		}
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			if v, ok := spec.(*ast.ValueSpec); ok {
				for _, name := range v.Names {
					names = append(names, nameOf(info.Defs[name]))
				}
			}
		}
	}
	for _, name := range names {
		if byAsking[name] != "" {
			continue
		}
		if startsGoroutine(declared) || asksForGoroutines(declared) {
			c.start = append(c.start, name)
		}
		ast.Inspect(declared, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok {
				if used := nameOf(info.Uses[id]); used != "" {
					c.of[name] = append(c.of[name], used)
				}
			}
			return true
		})
	}
	return tests
}

// signature is the name of a method with its parameters and results.
func signature(f *types.Func) string {
	s := f.Signature()
	return f.Name() + " " + types.TypeString(s.Params(), nil) + types.TypeString(s.Results(), nil)
}

// nameOf is the full name of a function, a method or a package's variable of this module, and
// "interface" with its signature of an interface's method; "" of all else.
func nameOf(o types.Object) string {
	if o == nil || o.Pkg() == nil || !strings.HasPrefix(o.Pkg().Path(), module.Path) {
		return ""
	}
	switch o := o.(type) {
	case *types.Func:
		if r := o.Signature().Recv(); r != nil && types.IsInterface(r.Type()) {
			return "interface " + signature(o)
		}
		return o.Origin().FullName()
	case *types.Var:
		if o.Parent() == o.Pkg().Scope() {
			return o.Pkg().Path() + "." + o.Name()
		}
	}
	return ""
}

// racing returns the declarations from which a declaration is reached that starts goroutines.
func (c *calls) racing() map[string]bool {
	by := map[string][]string{}
	for name, used := range c.of {
		for _, u := range used {
			method, through := strings.CutPrefix(u, "interface ")
			if !through {
				by[u] = append(by[u], name)
			}
			for _, m := range c.methods[method] {
				if through {
					by[m] = append(by[m], name)
				}
			}
		}
	}
	racing := map[string]bool{}
	for next := c.start; len(next) > 0; {
		name := next[len(next)-1]
		next = next[:len(next)-1]
		if !racing[name] {
			racing[name] = true
			next = append(next, by[name]...)
		}
	}
	return racing
}
