// Command mutate changes the code of packages with hooks in small ways, one at a time, and runs the
// short tests of the package on each: a change that no test notices is a rule that no test checks.
//
//	go run ./.ci/mutate [-n 200] [-seed 1] [-least 95] [-run regexp] [-v] [package folder ...]
//
// Mutants are drawn by seed and by their own text, so that a change of the code redraws only those
// of what was changed. All mutants of a package are in one test binary, which takes the number of
// one from the environment. Survivors that are explained are in survivors.txt beside this file.
package main

import (
	"cmp"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/sluicefc/sluice/.ci/module"
)

const survivorsFile = ".ci/mutate/survivors.txt"

var (
	count   = flag.Int("n", 200, "mutants to draw; 0 for all")
	seed    = flag.Uint64("seed", 1, "which mutants to draw")
	least   = flag.Float64("least", 95, "percentage of the mutants that tests must kill")
	only    = flag.String("run", "", "regular expression of the mutants to choose from")
	verbose = flag.Bool("v", false, "print every mutant and the test that killed it")
)

func main() {
	flag.Parse()
	enough, err := mutate(flag.Args())
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	if !enough {
		os.Exit(1)
	}
}

// A subject is a package whose tests are tested.
type subject struct {
	module.Package
	sources []*source
	drawn   []*mutant
	result  tally
}

// A tally counts what became of mutants.
type tally struct{ drawn, killed, explained, survived int }

// mutate tests the tests of the packages in the folders, or of all with hooks, and reports whether
// they killed enough mutants.
func mutate(folders []string) (enough bool, err error) {
	started := time.Now()
	reasons, err := readSurvivors(survivorsFile)
	if err != nil {
		return false, err
	}
	chosen, err := regexp.Compile(*only)
	if err != nil {
		return false, err
	}
	subjects, err := choose(folders)
	if err != nil {
		return false, err
	}
	all, err := draw(subjects, chosen)
	if err != nil {
		return false, err
	}
	var total tally
	for _, s := range subjects {
		if err := s.test(reasons, started); err != nil {
			return false, err
		}
		total.drawn += s.result.drawn
		total.killed += s.result.killed
		total.explained += s.result.explained
		total.survived += s.result.survived
	}
	report(subjects, total, all, time.Since(started))
	if len(folders) == 0 && *only == "" {
		stale(reasons, subjects)
	}
	return float64(total.killed) >= *least/100*float64(total.drawn), nil
}

// choose returns the packages to test: those in the folders, or all with hooks and the packages of
// this module that they import and that have tests of their own.
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
	}
	var subjects []*subject
	for _, p := range packages {
		if !wanted[p.ImportPath] || len(p.TestGoFiles)+len(p.XTestGoFiles) == 0 {
			continue
		}
		sources, err := parse(p)
		if err != nil {
			return nil, err
		}
		subjects = append(subjects, &subject{Package: p, sources: sources})
	}
	if len(subjects) == 0 {
		return nil, fmt.Errorf("no package with tests in %v", folders)
	}
	return subjects, nil
}

// name is the package's path in keys and reports.
func (s *subject) name() string { return cmp.Or(s.Rel(), "sluice") }

// draw gives every subject the mutants to try and returns how many there were to draw from.
func draw(subjects []*subject, chosen *regexp.Regexp) (all int, err error) {
	var pool []*mutant
	of := map[*mutant]*subject{}
	for _, s := range subjects {
		mutants, err := compiling(s.Package, s.sources, find(s.name(), s.sources))
		if err != nil {
			return 0, err
		}
		for _, m := range mutants {
			if chosen.MatchString(m.key()) {
				pool = append(pool, m)
				of[m] = s
			}
		}
	}
	all = len(pool)
	slices.SortStableFunc(pool, func(a, b *mutant) int {
		return cmp.Compare(a.rank(*seed), b.rank(*seed))
	})
	if *count > 0 {
		pool = pool[:min(*count, len(pool))]
	}
	for _, m := range pool {
		of[m].drawn = append(of[m].drawn, m)
	}
	for _, s := range subjects { // back in the order of the text
		slices.SortStableFunc(s.drawn, func(a, b *mutant) int {
			return cmp.Or(cmp.Compare(a.file.path, b.file.path), cmp.Compare(a.start, b.start))
		})
	}
	return all, nil
}

// test tries the mutants that were drawn.
func (s *subject) test(reasons map[string]string, started time.Time) error {
	if len(s.drawn) == 0 {
		return nil
	}
	dir, err := os.MkdirTemp("", "mutate")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	tests, err := build(s.Package, s.sources, s.drawn, dir)
	if err != nil {
		return err
	}
	var done atomic.Int64
	outcomes, err := tests.runAll(s.drawn, func() {
		if n := done.Add(1); n%50 == 0 {
			fmt.Printf("%s: %d of %d mutants, %.0f s\n", s.name(), n, len(s.drawn),
				time.Since(started).Seconds())
		}
	})
	if err != nil {
		return err
	}
	for i, m := range s.drawn {
		s.result.add(m, outcomes[i], reasons[m.key()])
	}
	return nil
}

// add counts a mutant, and prints it if it is news.
func (t *tally) add(m *mutant, o outcome, reason string) {
	t.drawn++
	switch {
	case o.killed:
		t.killed++
		if reason != "" {
			fmt.Printf("killed by %s, though listed as a survivor: %s\n", o.by, m.key())
		} else if *verbose {
			fmt.Printf("killed by %s: %s\n", o.by, m.key())
		}
	case reason != "":
		t.explained++
		if *verbose {
			fmt.Printf("explained: %s\n  %s\n", m.key(), reason)
		}
	default:
		t.survived++
		at := m.file.fset.Position(m.file.fset.File(m.decl.Pos()).Pos(m.start))
		fmt.Printf("survived: %s\n  at %s:%d\n", m.key(), at.Filename, at.Line)
	}
}

func report(subjects []*subject, total tally, all int, took time.Duration) {
	line := "%-20s %8d %8d %10d %9d\n"
	fmt.Printf("%-20s %8s %8s %10s %9s\n", "package", "mutants", "killed", "explained", "survived")
	for _, s := range subjects {
		fmt.Printf(line, s.name(), s.result.drawn, s.result.killed, s.result.explained, s.result.survived)
	}
	fmt.Printf(line, "all", total.drawn, total.killed, total.explained, total.survived)
	fmt.Printf("%.1f %% of %d mutants killed (at least %g %%), drawn from %d by seed %d, in %.0f s\n",
		100*float64(total.killed)/float64(max(total.drawn, 1)), total.drawn, *least, all, *seed,
		took.Seconds())
}

// stale prints the explained survivors that the code no longer has.
func stale(reasons map[string]string, subjects []*subject) {
	for _, s := range subjects {
		for _, m := range find(s.name(), s.sources) {
			delete(reasons, m.key())
		}
	}
	for key := range reasons {
		fmt.Printf("%s lists a mutant of code that is gone: %s\n", survivorsFile, key)
	}
}
