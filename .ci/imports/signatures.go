package main

import (
	"fmt"
	"go/importer"
	"go/token"
	"go/types"
	"io"
	"os"
	"strings"

	"github.com/sluicefc/sluice/.ci/module"
)

// hidden returns one line per exported declaration of a public package that names a type of an
// internal package: an embedder can call it and cannot write down what it takes or returns.
func hidden(dir string) (refusals []string, err error) {
	packages, err := module.Public(dir)
	if err != nil {
		return nil, err
	}
	exports, err := module.Exports(dir)
	if err != nil {
		return nil, err
	}
	open := func(path string) (io.ReadCloser, error) { return os.Open(exports[path]) }
	imports := importer.ForCompiler(token.NewFileSet(), "gc", open)
	for _, p := range packages {
		if exports[p.ImportPath] == "" {
			continue // nothing but tests
		}
		read, err := imports.Import(p.ImportPath)
		if err != nil {
			return nil, fmt.Errorf("what %s exports: %w", p.ImportPath, err)
		}
		w := walk{of: read}
		for _, name := range read.Scope().Names() {
			if o := read.Scope().Lookup(name); o.Exported() {
				w.declaration(o)
			}
		}
		refusals = append(refusals, w.refusals...)
	}
	return refusals, nil
}

// walk is one package's declarations.
type walk struct {
	of       *types.Package
	refusals []string
}

func (w *walk) declaration(o types.Object) {
	name := w.of.Path() + "." + o.Name()
	t, isType := o.(*types.TypeName)
	if !isType {
		w.check(name, o.Type())
		return
	}
	if t.IsAlias() {
		w.check(name, types.Unalias(t.Type()))
		return
	}
	named := t.Type().(*types.Named)
	w.check(name, named.Underlying())
	for parameter := range named.TypeParams().TypeParams() {
		w.check(name, parameter.Constraint())
	}
	methods := types.NewMethodSet(types.NewPointer(named)) // an interface's are in its declaration
	for i := range methods.Len() {
		if m := methods.At(i); m.Obj().Exported() {
			w.check(name+"."+m.Obj().Name(), m.Type())
		}
	}
}

// check refuses a declaration whose type names one of an internal package.
func (w *walk) check(declared string, t types.Type) {
	if inner := w.internal(t, map[types.Type]bool{}); inner != "" {
		w.refusals = append(w.refusals, declared+" names "+inner+", which an embedder cannot")
	}
}

// internal returns the first type of an internal package that a type names, "" if there is none. A
// type that is declared elsewhere is judged where it is declared.
func (w *walk) internal(t types.Type, seen map[types.Type]bool) string {
	if seen[t] {
		return ""
	}
	seen[t] = true
	first := func(parts ...types.Type) string {
		for _, part := range parts {
			if name := w.internal(part, seen); name != "" {
				return name
			}
		}
		return ""
	}
	switch t := t.(type) {
	case *types.Alias:
		if private(t.Obj()) {
			return t.String()
		}
		return first(types.Unalias(t))
	case *types.Named:
		if private(t.Obj()) {
			return t.String()
		}
		for argument := range t.TypeArgs().Types() {
			if name := first(argument); name != "" {
				return name
			}
		}
	case *types.Pointer:
		return first(t.Elem())
	case *types.Slice:
		return first(t.Elem())
	case *types.Array:
		return first(t.Elem())
	case *types.Chan:
		return first(t.Elem())
	case *types.Map:
		return first(t.Key(), t.Elem())
	case *types.Tuple:
		for v := range t.Variables() {
			if name := first(v.Type()); name != "" {
				return name
			}
		}
	case *types.Signature:
		for parameter := range t.TypeParams().TypeParams() {
			if name := first(parameter.Constraint()); name != "" {
				return name
			}
		}
		return first(t.Params(), t.Results())
	case *types.Struct:
		for field := range t.Fields() {
			if !field.Exported() {
				continue
			}
			if name := first(field.Type()); name != "" {
				return name
			}
		}
	case *types.Interface:
		for m := range t.ExplicitMethods() {
			if name := first(m.Type()); name != "" {
				return name
			}
		}
		for embedded := range t.EmbeddedTypes() {
			if name := first(embedded); name != "" {
				return name
			}
		}
	case *types.Union:
		for term := range t.Terms() {
			if name := first(term.Type()); name != "" {
				return name
			}
		}
	}
	return ""
}

// private reports whether a type's package cannot be imported from outside the module.
func private(o types.Object) bool {
	return o.Pkg() != nil && ours(o.Pkg().Path()) &&
		strings.Contains("/"+o.Pkg().Path()+"/", "/internal/")
}
