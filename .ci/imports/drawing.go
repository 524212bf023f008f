package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/sluicefc/sluice/.ci/module"
)

// width is how many columns the drawing has at most.
const width = 96

// house is the packages of a module as they are drawn.
type house struct {
	packages []module.Package
	imports  map[string][]string // direct ones of this module, by path within it
}

func newHouse(packages []module.Package) *house {
	h := &house{packages: packages, imports: map[string][]string{}}
	for _, p := range packages {
		for _, imported := range p.Imports {
			if ours(imported) {
				h.imports[p.Rel()] = append(h.imports[p.Rel()], rel(imported))
			}
		}
	}
	return h
}

// reaches reports whether a package imports another, itself or by what it imports.
func (h *house) reaches(from, to string) bool {
	return slices.ContainsFunc(h.imports[from], func(imported string) bool {
		return imported == to || h.reaches(imported, to)
	})
}

// arrows returns what a package imports and reaches by nothing else that it imports.
func (h *house) arrows(pkg string) (arrows []string) {
	for _, to := range h.imports[pkg] {
		if !slices.ContainsFunc(h.imports[pkg], func(by string) bool { return h.reaches(by, to) }) {
			arrows = append(arrows, to)
		}
	}
	return arrows
}

// draw returns the storeys from above, a line per package, and what is wrong with sizes.
func (h *house) draw() (drawing string, refusals []string, err error) {
	var b strings.Builder
	for i, s := range storeys {
		head := false
		for _, p := range h.packages {
			if storeyOf(p.Rel()) != i {
				continue
			}
			lines, files, err := size(p.Dir)
			if err != nil {
				return "", nil, err
			}
			if files == 0 {
				continue // tests alone
			}
			if !head {
				fmt.Fprintf(&b, "\n%s\n", s.name)
				head = true
			}
			h.line(&b, p.Rel(), lines, files)
			if tooLarge(lines, files) && large[p.Rel()] == "" {
				refusals = append(refusals, fmt.Sprintf("%s has %d lines in %d files, of %d and %d: "+
					"split it, or give the reason in large", p.ImportPath, lines, files, mostLines, mostFiles))
			}
			if !tooLarge(lines, files) && large[p.Rel()] != "" {
				refusals = append(refusals, p.ImportPath+" is not large, but has a reason for it")
			}
		}
	}
	return strings.TrimPrefix(b.String(), "\n"), refusals, nil
}

func tooLarge(lines, files int) bool { return lines > mostLines || files > mostFiles }

// line draws a package: lines of code in hundreds, files, and arrows.
func (h *house) line(b *strings.Builder, pkg string, lines, files int) {
	name := pkg
	if name == "" {
		name = "sluice (root)"
	}
	text := fmt.Sprintf("  %-29s %4.1f %3d ", name, float64((lines+50)/100)/10, files)
	indent := len(text)
	for _, to := range h.arrows(pkg) {
		if to == "" {
			to = "root"
		}
		to = strings.TrimPrefix(strings.TrimPrefix(to, "internal/"), "lab/")
		if len(text)+1+len(to) > width {
			fmt.Fprintln(b, text)
			text = strings.Repeat(" ", indent)
		}
		text += " " + to
	}
	fmt.Fprintln(b, strings.TrimRight(text, " "))
}

// reasons returns a table of the large packages.
func reasons() string {
	var b strings.Builder
	b.WriteString("| large package | why |\n| --- | --- |\n")
	for _, s := range slices.Backward(storeys) {
		for _, pkg := range s.packages {
			if why := large[pkg]; why != "" {
				fmt.Fprintf(&b, "| `%s` | %s |\n", pkg, why)
			}
		}
	}
	return b.String()
}

// size counts the files of a package that are not tests, of all platforms, and their lines.
func size(dir string) (lines, files int, err error) {
	names, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		return 0, 0, err
	}
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		content, err := os.ReadFile(name)
		if err != nil {
			return 0, 0, err
		}
		lines += bytes.Count(content, []byte("\n"))
		files++
	}
	return lines, files, nil
}
