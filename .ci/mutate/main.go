// Command mutate changes the code of packages with hooks, and of those that results come from, in
// small ways, one at a time, and runs the short tests of the package on each: a change that no test
// notices is a rule that no test checks.
//
//	go run ./.ci/mutate [-n 300] [-seed 1] [-least 95] [-run regexp] [-v] [package folder ...]
//
// Mutants are drawn by seed and by their own text, so that a change of the code redraws only those
// of what was changed. All mutants of a package are in one test binary, which takes the number of
// one from the environment. Survivors that are explained are in survivors.txt beside this file: no
// test can or need tell them from the code, so that they count neither for the tests nor against
// them. The command fails if fewer than -least percent of the others were killed, and ends with a
// list of those that were not.
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
	count   = flag.Int("n", 300, "mutants to draw; 0 for all")
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
type tally struct {
	drawn, killed, explained int
	survivors                []string // that are not explained, and where they are
}

// score is the percentage of the mutants without an explanation that were killed.
func (t *tally) score() float64 {
	if t.drawn == t.explained {
		return 100
	}
	return 100 * float64(t.killed) / float64(t.drawn-t.explained)
}

// plus adds the tally of another package.
func (t *tally) plus(o *tally) {
	t.drawn += o.drawn
	t.killed += o.killed
	t.explained += o.explained
	t.survivors = append(t.survivors, o.survivors...)
}

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
		total.plus(&s.result)
	}
	report(subjects, total, all, time.Since(started))
	if len(folders) == 0 && *only == "" {
		stale(reasons, subjects)
	}
	return total.score() >= *least, nil
}

// more are the packages without hooks whose mutants are drawn, too: those that runs, claims and the
// Tofino's files come from, and the suite that machines are tested by; of papers all below.
var more = []string{
	"internal/lab/cc", "internal/lab/fabric", "internal/lab/papers/", "internal/lab/sim",
	"kit/conformance", "tofino/emit",
}

// ofMore reports whether a package is one of more.
func ofMore(p module.Package) bool {
	return slices.ContainsFunc(more, func(path string) bool {
		return p.Rel() == path || strings.HasSuffix(path, "/") && strings.HasPrefix(p.Rel(), path)
	})
}

// choose returns the packages to test: those in the folders, or all with hooks, the packages of
// this module that they import and that have tests of their own, and more.
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
		at := m.file.fset.Position(m.file.fset.File(m.decl.Pos()).Pos(m.start))
		survivor := fmt.Sprintf("%s\n  at %s:%d", m.key(), at.Filename, at.Line)
		fmt.Println("survived:", survivor)
		t.survivors = append(t.survivors, survivor)
	}
}

func report(subjects []*subject, total tally, all int, took time.Duration) {
	line := "%-20s %8d %8d %10d %9d\n"
	fmt.Printf("%-20s %8s %8s %10s %9s\n", "package", "mutants", "killed", "explained", "survived")
	for _, s := range subjects {
		r := &s.result
		fmt.Printf(line, s.name(), r.drawn, r.killed, r.explained, len(r.survivors))
	}
	fmt.Printf(line, "all", total.drawn, total.killed, total.explained, len(total.survivors))
	fmt.Printf("%.1f %% of %d mutants killed (at least %g %%), drawn from %d by seed %d, in %.0f s\n",
		total.score(), total.drawn-total.explained, *least, all, *seed, took.Seconds())
	if len(total.survivors) > 0 {
		fmt.Printf("Without a test that kills them, or a reason in %s:\n", survivorsFile)
	}
	for _, survivor := range total.survivors {
		fmt.Println(survivor)
	}
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
