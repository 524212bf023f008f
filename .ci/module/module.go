// Package module says which packages this module has and which of them are public, so that no gate
// keeps a list that a new package could be missing from.
package module

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"slices"
	"strings"
)

// Path is the module's path.
const Path = "github.com/sluicefc/sluice"

// private names the top-level folders whose packages are used inside the module only. The folder
// .ci is not among them because the pattern ./... leaves it out.
var private = []string{"internal", "examples", "bench", "cmd"}

// mayAllocate names the public packages without hooks, each with the reason.
var mayAllocate = map[string]string{
	"kit/conformance": "a test suite, which allocates to look at machines that do not",
	"kit/explore":     "a search of states, which copies machines",
	"kit/network":     "a simulator, for programs that have events of their own",
	"kit/strict":      "checks of an embedder, in its tests",
	"pfc/sonic":       "a reader and writer of configurations, which runs once",
	"tofino":          "a generator: it runs once and returns what a switch is to hold",
	"tofino/emit":     "a printer of what a generator made",
	"tofino/p4":       "reads programs before a switch is loaded",
	"tofino/check":    "a reader of files, which runs once",
	"tofino/fit":      "an estimate of what a generator made",
	"tofino/replay":   "a comparison of a machine with its program, in tests and simulators",
}

// A Package is what go list says of one package.
type Package struct {
	ImportPath   string
	Name         string
	Dir          string
	GoFiles      []string
	TestGoFiles  []string
	XTestGoFiles []string
	Imports      []string
	TestImports  []string
	XTestImports []string
}

// Rel is the package's path below the module's: "" is the root, "pfc" a protocol.
func (p Package) Rel() string {
	return strings.TrimPrefix(strings.TrimPrefix(p.ImportPath, Path), "/")
}

// Public reports whether an embedder can import the package: nothing on the way to it is internal,
// and it is no example, benchmark or command.
func (p Package) Public() bool {
	elements := strings.Split(p.Rel(), "/")
	return p.Name != "main" && !slices.Contains(private, elements[0]) &&
		!slices.Contains(elements, "internal")
}

// List returns the packages of the module in dir, in the order of their paths.
func List(dir string) ([]Package, error) {
	fields := "-json=ImportPath,Name,Dir,GoFiles,TestGoFiles,XTestGoFiles," +
		"Imports,TestImports,XTestImports"
	list := exec.Command("go", "list", fields, "./...")
	list.Dir = dir
	var stderr bytes.Buffer
	list.Stderr = &stderr
	out, err := list.Output()
	if err != nil {
		return nil, fmt.Errorf("go list in %s: %w\n%s", dir, err, stderr.String())
	}
	var packages []Package
	for decoder := json.NewDecoder(bytes.NewReader(out)); ; {
		var p Package
		if err := decoder.Decode(&p); errors.Is(err, io.EOF) {
			return packages, nil
		} else if err != nil {
			return nil, fmt.Errorf("what go list printed: %w", err)
		}
		packages = append(packages, p)
	}
}

// Exports returns by import path the files that say what packages offer: the packages of the
// module in dir and all that they depend on.
func Exports(dir string) (map[string]string, error) {
	list := exec.Command("go", "list", "-export", "-deps", "-f",
		"{{.ImportPath}}\t{{.Export}}", "./...")
	list.Dir = dir
	out, err := list.Output()
	if err != nil {
		return nil, fmt.Errorf("go list -export in %s: %w", dir, err)
	}
	files := map[string]string{}
	for _, line := range strings.Split(strings.TrimSpace(string(out)), "\n") {
		path, file, _ := strings.Cut(line, "\t")
		files[path] = file
	}
	return files, nil
}

// Public returns the public packages of the module in dir, in the order of their paths.
func Public(dir string) ([]Package, error) {
	packages, err := List(dir)
	return slices.DeleteFunc(packages, func(p Package) bool { return !p.Public() }), err
}

// WithHooks returns the public packages in which nothing allocates after New.
func WithHooks(dir string) ([]Package, error) {
	packages, err := Public(dir)
	return slices.DeleteFunc(packages, func(p Package) bool { return mayAllocate[p.Rel()] != "" }), err
}
