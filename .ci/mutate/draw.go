package main

import (
	"cmp"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/sluicefc/sluice/.ci/module"
)

// more are packages without hooks whose mutants are drawn too: runs, claims and the Tofino's files
// come from them, and machines are tested by the suite. A slash at the end names all packages
// below.
var more = []string{
	"internal/lab/cc", "internal/lab/fabric", "internal/lab/papers/", "internal/lab/sim",
	"kit/conformance", "tofino/emit",
}

// elsewhere names tests that lie in another package than the code: claims of the papers are tested
// where tables are made of them.
var elsewhere = struct{ of, in, tests string }{
	"internal/lab/papers/", "internal/lab/report", "^TestClaimsOfMadeUpRuns$",
}

func ofMore(p module.Package) bool {
	return slices.ContainsFunc(more, func(path string) bool {
		return p.Rel() == path || strings.HasSuffix(path, "/") && strings.HasPrefix(p.Rel(), path)
	})
}

// choose returns the packages to test: those in the folders, or all with hooks, the packages of
// this module that they import and that have tests of their own, and more; with -rest all others.
func choose(folders []string) ([]*subject, error) {
	packages, err := module.List(".")
	if err != nil {
		return nil, err
	}
	withHooks, err := module.WithHooks(".")
	if err != nil {
		return nil, err
	}
	wanted := map[string]bool{}
	for _, folder := range folders {
		wanted[strings.TrimSuffix(module.Path+"/"+filepath.ToSlash(filepath.Clean(folder)), "/.")] = true
	}
	if len(folders) == 0 {
		for _, p := range withHooks {
			wanted[p.ImportPath] = true
			for _, imported := range p.Imports {
				wanted[imported] = true
			}
		}
		for _, p := range packages {
			wanted[p.ImportPath] = wanted[p.ImportPath] || ofMore(p)
		}
	}
	var subjects []*subject
	for _, p := range packages {
		if wanted[p.ImportPath] == *rest || strings.HasPrefix(p.Rel(), ".ci/") ||
			len(p.TestGoFiles)+len(p.XTestGoFiles) == 0 {
			continue
		}
		sources, err := parse(p)
		if err != nil {
			return nil, err
		}
		s := &subject{Package: p, sources: sources}
		if strings.HasPrefix(p.Rel(), elsewhere.of) {
			is := func(p module.Package) bool { return p.Rel() == elsewhere.in }
			s.elsewhere = packages[slices.IndexFunc(packages, is)]
		}
		subjects = append(subjects, s)
	}
	if len(subjects) == 0 {
		return nil, fmt.Errorf("no package with tests in %v", folders)
	}
	return subjects, nil
}

// name is the package's path in keys and reports.
func (s *subject) name() string { return cmp.Or(s.Rel(), "sluice") }

// draw gives every subject the mutants to try and returns how many there were to draw from, with
// mutants that do not compile. Whether a mutant compiles is found out when the draw comes to it.
func draw(subjects []*subject, chosen *regexp.Regexp) (all int, err error) {
	var pool []*mutant
	of := map[*mutant]*subject{}
	for _, s := range subjects {
		for _, m := range find(s.name(), s.sources) {
			if chosen.MatchString(m.key()) {
				pool = append(pool, m)
				of[m] = s
			}
		}
	}
	all = len(pool)
	slices.SortStableFunc(pool, byRank)
	exports, err := module.Exports(".")
	if err != nil {
		return 0, err
	}
	for missing := all; len(pool) > 0 && missing > 0; {
		if *count > 0 {
			missing = *count
			for _, s := range subjects {
				missing -= len(s.drawn)
			}
		}
		take := min(missing, len(pool))
		next := map[*subject][]*mutant{}
		for _, m := range pool[:take] {
			next[of[m]] = append(next[of[m]], m)
		}
		pool = pool[take:]
		for s, mutants := range next {
			inOrder(mutants)
			good, err := compiling(s.Package, exports, s.sources, mutants)
			if err != nil {
				return 0, err
			}
			s.drawn = append(s.drawn, good...)
		}
	}
	for _, s := range subjects {
		inOrder(s.drawn)
	}
	return all, nil
}

// byRank is the order in which mutants are drawn.
func byRank(a, b *mutant) int { return cmp.Compare(a.rank(*seed), b.rank(*seed)) }

// inOrder sorts mutants as the text has them.
func inOrder(mutants []*mutant) {
	slices.SortStableFunc(mutants, func(a, b *mutant) int {
		return cmp.Or(cmp.Compare(a.file.path, b.file.path), cmp.Compare(a.start, b.start))
	})
}
