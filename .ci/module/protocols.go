package module

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
)

// Protocols returns the public packages that are a protocol: they declare Config, Switch, Port
// and Frame.
func Protocols(dir string) ([]Package, error) {
	packages, err := Public(dir)
	if err != nil {
		return nil, err
	}
	var protocols []Package
	for _, p := range packages {
		declared, err := p.declared()
		if err != nil {
			return nil, err
		}
		if declared["Config"] && declared["Switch"] && declared["Port"] && declared["Frame"] {
			protocols = append(protocols, p)
		}
	}
	return protocols, nil
}

// declared returns the names of the types that the package declares, except in tests.
func (p Package) declared() (map[string]bool, error) {
	names := map[string]bool{}
	for _, name := range p.GoFiles {
		file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(p.Dir, name), nil, 0)
		if err != nil {
			return nil, err
		}
		for _, d := range file.Decls {
			if types, ok := d.(*ast.GenDecl); ok && types.Tok == token.TYPE {
				for _, spec := range types.Specs {
					names[spec.(*ast.TypeSpec).Name.Name] = true
				}
			}
		}
	}
	return names, nil
}

// Missing returns which of the files a package lacks.
func (p Package) Missing(files ...string) []string {
	have := slices.Concat(p.GoFiles, p.TestGoFiles, p.XTestGoFiles)
	return slices.DeleteFunc(files, func(f string) bool { return slices.Contains(have, f) })
}
