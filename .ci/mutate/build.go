package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"

	"github.com/sluicefc/sluice/.ci/module"
)

// number gives every mutant its number in the test binary; 0 is the unchanged code.
func number(mutants []*mutant) map[*mutant]int {
	ids := map[*mutant]int{}
	for i, m := range mutants {
		ids[m] = i + 1
	}
	return ids
}

// compiling returns the mutants that compile. exports has the files that say what imported packages
// offer.
func compiling(
	p module.Package, exports map[string]string, sources []*source, mutants []*mutant,
) ([]*mutant, error) {
	ids := number(mutants)
	fset := token.NewFileSet()
	wrong := map[int]bool{}
	spans := map[string][]span{}
	var files []*ast.File
	parseFile := func(path, text string) error {
		file, err := parser.ParseFile(fset, path, text, parser.SkipObjectResolution)
		files = append(files, file)
		return err
	}
	for _, s := range sources {
		text, in := s.withMutants(mutants, ids)
		spans[s.path] = in
		if err := parseFile(s.path, text); err != nil {
			return nil, fmt.Errorf("a mutant that is not Go: %w", err)
		}
	}
	if err := parseFile("mutant_under_test.go", chooser(p.Name, len(mutants))); err != nil {
		return nil, err
	}

	var unchanged error
	report := func(err error) {
		var at types.Error
		errors.As(err, &at)
		position := at.Fset.Position(at.Pos)
		for _, s := range spans[position.Filename] {
			if s.start <= position.Offset && position.Offset < s.end {
				wrong[s.id] = true
				return
			}
		}
		unchanged = errors.Join(unchanged, err)
	}
	open := func(path string) (io.ReadCloser, error) { return os.Open(exports[path]) }
	config := types.Config{Importer: importer.ForCompiler(fset, "gc", open), Error: report}
	config.Check(p.ImportPath, fset, files, nil) // report had every error
	return slices.DeleteFunc(mutants, func(m *mutant) bool { return wrong[ids[m]] }), unchanged
}

// A binary is the test binary of one package with all mutants in it that were drawn.
type binary struct {
	pkg       module.Package
	path      string
	arguments []string
	only      string // the tests to run
	mutants   int
	tests     []reaching // the cheapest first
}

// build makes the test binary of a package, with the mutants given of the package or of
// a package that it imports, in dir.
func build(
	of, p module.Package, sources []*source, mutants []*mutant, dir string,
) (*binary, error) {
	if err := os.Mkdir(dir, 0o755); err != nil {
		return nil, err
	}
	ids := number(mutants)
	overlay := map[string]string{}
	replace := func(path, text string) error {
		replacement := filepath.Join(dir, filepath.Base(path))
		overlay[path] = replacement
		return os.WriteFile(replacement, []byte(text), 0o644)
	}
	for _, s := range sources {
		if text, spans := s.withMutants(mutants, ids); len(spans) > 0 {
			if err := replace(s.path, text); err != nil {
				return nil, err
			}
		}
	}
	chooser := chooser(of.Name, len(mutants))
	if err := replace(filepath.Join(of.Dir, "mutant_chooser.go"), chooser); err != nil {
		return nil, err
	}
	content, err := json.Marshal(map[string]any{"Replace": overlay})
	if err != nil {
		return nil, err
	}
	list := filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(list, content, 0o644); err != nil {
		return nil, err
	}
	b := &binary{pkg: p, path: filepath.Join(dir, "tests"), only: ".", mutants: len(mutants)}
	compile := exec.Command("go", "test", "-c", "-vet=off", "-ldflags=-w", "-overlay", list, "-o",
		b.path)
	compile.Dir = p.Dir
	if out, err := compile.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("%s with its mutants: %w\n%s", p.ImportPath, err, out)
	}
	if _, err := os.Stat(b.path); err != nil {
		return nil, fmt.Errorf("%s has no tests", p.ImportPath)
	}
	b.arguments = []string{"-test.short", "-test.failfast"}
	help, _ := exec.Command(b.path, "-help").CombinedOutput() // it prints all flags and fails
	if bytes.Contains(help, []byte("-rapid.seed")) {
		b.arguments = append(b.arguments, "-rapid.seed=1", "-rapid.nofailfile", "-rapid.shrinktime=0s")
	}
	return b, nil
}
