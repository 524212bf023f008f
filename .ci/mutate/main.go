// Command mutate changes the code of packages with hooks, and of packages that results come from,
// in small ways, one at a time. On each change it runs the short tests of the package that reach
// the changed function: a change that no test notices is a rule that no test checks.
//
//	go run ./.ci/mutate [-n 200] [-seed 1] [-least 95] [-rest] [-run regexp] [-v] [folder ...]
//
// Mutants are drawn by seed and by their own text, so that a change of the code redraws only
// mutants of what was changed. All mutants of a package are in one test binary, which takes the
// number of the mutant to run from the environment. Survivors that are explained are in
// survivors.txt beside this file: no test can or need tell them from the code, so that they count
// neither for the tests nor against them. The command fails if fewer than -least percent of the
// other mutants were killed, and ends with a list of the mutants that were not; and at once, if
// survivors.txt explains mutants of code that is gone.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/sluicefc/sluice/.ci/module"
)

const survivorsFile = ".ci/mutate/survivors.txt"

var (
	count   = flag.Int("n", 200, "mutants to draw; 0 for all")
	seed    = flag.Uint64("seed", 1, "which mutants to draw")
	least   = flag.Float64("least", 95, "percentage of the mutants that tests must kill")
	rest    = flag.Bool("rest", false, "draw from the packages that are left out without it")
	only    = flag.String("run", "", "regular expression of the mutants to choose from")
	verbose = flag.Bool("v", false, "print every mutant and the test that killed it")
)

func main() {
	flag.Parse()
	if *explored {
		if err := compare(flag.Args()); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(2)
		}
		return
	}
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
	elsewhere module.Package // that has tests of it, too
	sources   []*source
	drawn     []*mutant
	outcomes  []outcome // of drawn
	result    tally
}

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
	if len(folders) == 0 && !*rest {
		if err := stale(".", reasons); err != nil {
			return false, err
		}
	}
	all, err := draw(subjects, chosen)
	if err != nil {
		return false, err
	}
	dir, err := os.MkdirTemp("", "mutate")
	if err != nil {
		return false, err
	}
	defer os.RemoveAll(dir)
	if err := test(subjects, dir, started); err != nil {
		return false, err
	}
	var total tally
	for _, s := range subjects {
		for i, m := range s.drawn {
			s.result.add(m, s.outcomes[i], reasons[m.key()])
		}
		total.plus(&s.result)
	}
	report(subjects, total, all, time.Since(started))
	return total.score() >= *least, nil
}

// test tries the mutants that were drawn, of all packages side by side.
func test(subjects []*subject, dir string, started time.Time) error {
	subjects = slices.DeleteFunc(slices.Clone(subjects), func(s *subject) bool {
		return len(s.drawn) == 0
	})
	own, others := make([]*binary, len(subjects)), make([]*binary, len(subjects))
	err := each(2*len(subjects), func(i int) (err error) {
		s, to := subjects[i/2], filepath.Join(dir, strconv.Itoa(i))
		if i%2 == 0 {
			own[i/2], err = build(s.Package, s.Package, s.sources, s.drawn, to)
		} else if s.elsewhere.Dir != "" {
			if others[i/2], err = build(s.Package, s.elsewhere, s.sources, s.drawn, to); err == nil {
				others[i/2].only = elsewhere.tests
			}
		}
		return err
	})
	if err != nil {
		return err
	}
	took := func() string { return time.Since(started).Round(time.Second).String() }
	fmt.Println(took(), "for the test binaries with their mutants")
	built := slices.DeleteFunc(slices.Concat(own, others), func(b *binary) bool { return b == nil })
	if err := measure(built); err != nil {
		return err
	}
	fmt.Println(took(), "with the tests that reach them")
	type try struct{ subject, mutant int }
	var tries []try
	for i, s := range subjects {
		s.outcomes = make([]outcome, len(s.drawn))
		for k := range s.drawn {
			tries = append(tries, try{i, k})
		}
	}
	var done atomic.Int64
	return each(len(tries), func(i int) error {
		t := tries[i]
		o := own[t.subject].try(t.mutant + 1)
		if b := others[t.subject]; b != nil && !o.killed {
			o = b.try(t.mutant + 1)
		}
		subjects[t.subject].outcomes[t.mutant] = o
		if *verbose { // at once: who stops a long pass keeps what it found
			fmt.Println(o, subjects[t.subject].drawn[t.mutant].key())
		}
		if n := done.Add(1); n%50 == 0 {
			fmt.Printf("%s: %d of %d mutants\n", took(), n, len(tries))
		}
		return nil
	})
}

// add counts a mutant, and prints it if it is news.
func (t *tally) add(m *mutant, o outcome, reason string) {
	t.drawn++
	switch {
	case o.killed:
		t.killed++
		if reason != "" {
			fmt.Printf("killed by %s, though listed as a survivor: %s\n", o.by, m.key())
		}
	case reason != "":
		t.explained++
		if *verbose {
			fmt.Printf("explained: %s\n  %s\n", m.key(), reason)
		}
	default:
		at := m.file.fset.Position(m.file.fset.File(m.decl.Pos()).Pos(m.start))
		survivor := fmt.Sprintf("%s\n  at %s:%d", m.key(), at.Filename, at.Line)
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
