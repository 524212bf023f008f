package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/sluicefc/sluice/.ci/module"
)

var explored = flag.Bool("explore", false,
	"instead: draw mutants of the hooks that kit/explore runs until the conformance suite of each "+
		"package has missed -n, and print, as a table, how the explorer finds these")

var kept = flag.String("kept", "",
	"file to which -explore appends a line for each mutant; mutants in it are not tried again")

const (
	// brief and soon are the processor time of the suite, short and whole, which end in half a second
	// and in one and a half.
	brief, soon = 2 * time.Second, 6 * time.Second
	// minute is how long the suite goes on, with more checks, for a mutant that the explorer finds.
	minute = time.Minute
	// few and many are the states of each network that the explorer visits at most, to see whether a
	// mutant makes a difference, and to find it.
	few, many = 1_000, 20_000
)

type hunt struct {
	*subject
	explorer module.Package
	exports  map[string]string
	dir      string
	pool     []*mutant // that were not drawn, in the order of their draw
	base     string    // what the explorer says of the unchanged code
	fates    [missedBySuite + 1]int
	builds   int
}

// sought is a mutant that the suite missed.
type sought struct {
	*mutant
	seen  outcome // by the explorer
	steps int     // that it took, -1 if it does not say
	how   string
	took  time.Duration
}

// compare prints which mutants that the conformance suites miss the explorer finds.
func compare(folders []string) error {
	if len(folders) == 0 {
		folders = []string{"bfc", "ofc", "pfc", "portfc", "pyrrha", "tcd/cbfc"}
	}
	reasons, err := readSurvivors(survivorsFile)
	if err != nil {
		return err
	}
	if before, err := os.ReadFile(*kept); err == nil {
		done = strings.Split(string(before), "\n")
	}
	var total total
	fmt.Print("| mutant | at | explorer |\n| --- | --- | --- |\n")
	for _, folder := range folders {
		h, err := newHunt(folder, reasons)
		if err != nil {
			return err
		}
		missed, err := h.run()
		os.RemoveAll(h.dir)
		if err != nil {
			return err
		}
		total.suite += h.fates[foundBySuite]
		total.alike += h.fates[alike]
		for i := range missed {
			fmt.Println(total.line(&missed[i]))
		}
	}
	const summary = "\nThe conformance suites found %d mutants before they had missed these %d, and " +
		"%d that make\nno difference in the explorer's networks. Of the %d, properties find %d, after " +
		"%.0f steps on the\naverage; the others lead to other states.\n"
	fmt.Printf(summary, total.suite, total.missed, total.alike, total.missed, total.found,
		float64(total.steps)/float64(max(total.stepped, 1)))
	return nil
}

type total struct{ suite, alike, missed, found, stepped, steps int }

// line counts a mutant that the suite missed, and is its row.
func (t *total) line(s *sought) string {
	t.missed++
	if s.seen.killed {
		t.found++
	}
	if s.steps >= 0 {
		t.stepped++
		t.steps += s.steps
	}
	at := s.file.fset.Position(s.file.fset.File(s.decl.Pos()).Pos(s.start))
	escaped := strings.ReplaceAll(s.key(), "|", "\\|")
	return fmt.Sprintf("| `%s` | %s:%d | %s, %.1f s |", escaped, filepath.Base(at.Filename), at.Line,
		s.how, s.took.Seconds())
}

func newHunt(folder string, reasons map[string]string) (*hunt, error) {
	packages, err := module.List(".")
	if err != nil {
		return nil, err
	}
	subjects, err := choose([]string{folder})
	if err != nil {
		return nil, err
	}
	is := func(p module.Package) bool { return p.Rel() == "kit/explore" }
	h := &hunt{subject: subjects[0], explorer: packages[slices.IndexFunc(packages, is)]}
	if h.exports, err = module.Exports("."); err != nil {
		return nil, err
	}
	if h.dir, err = os.MkdirTemp("", "mutate"); err != nil {
		return nil, err
	}
	reached, err := h.reached()
	if err != nil {
		return nil, err
	}
	chosen, err := regexp.Compile(*only)
	if err != nil {
		return nil, err
	}
	explorer, err := build(h.Package, h.explorer, h.sources, nil, filepath.Join(h.dir, "base"))
	if err != nil {
		return nil, err
	}
	var o outcome
	if o, h.base, _ = h.explore(explorer, 0, few); o.killed {
		return nil, fmt.Errorf("exploring %s: %s", h.name(), h.base)
	}
	calledByHooks := calledBy(h.sources, hooks)
	for _, m := range find(h.name(), h.sources) {
		if chosen.MatchString(m.key()) && calledByHooks[m.decl.Name.Name] && reasons[m.key()] == "" &&
			!counts.MatchString(m.from) && reached.has(m) && !h.tried(m) {
			h.pool = append(h.pool, m)
		}
	}
	slices.SortStableFunc(h.pool, byRank)
	return h, nil
}

// done are the lines of -kept.
var done []string

// tried reports whether -kept has a mutant, which it counts.
func (h *hunt) tried(m *mutant) bool {
	for _, line := range done {
		if was, rest, _ := strings.Cut(line, "\t"); strings.HasPrefix(rest, m.key()+"\t") {
			h.fates[fateNamed[was]]++
			return true
		}
	}
	return false
}

// keep appends what became of a mutant to -kept.
func (s *sought) keep(f fate) error {
	line := fmt.Sprintf("%v\t%s\t%s\t%.1f s\n", f, s.key(), s.how, s.took.Seconds())
	if *kept == "" {
		_, err := fmt.Fprint(os.Stderr, line)
		return err
	}
	file, err := os.OpenFile(*kept, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	_, err = file.WriteString(line)
	return errors.Join(err, file.Close())
}

// counts matches mutants of code that only counts.
var counts = regexp.MustCompile(`^[\w.]*(counters|Counters|stats)\.[\w.\[\]]+(\+\+| \+= .*)$`)

// run draws mutants until the suite missed -n, and sets the explorer on those.
func (h *hunt) run() (missed []sought, err error) {
	for len(missed) < *count && len(h.pool) > 0 {
		batch := h.pool[:min(100, len(h.pool))]
		h.pool = h.pool[len(batch):]
		if batch, err = h.compiling(batch); err != nil {
			return nil, err
		}
		more, err := h.try(batch, *count-len(missed))
		if err != nil {
			return nil, err
		}
		missed = append(missed, more...)
	}
	return missed, nil
}

func (h *hunt) compiling(batch []*mutant) ([]*mutant, error) {
	inOrder(batch)
	good, err := compiling(h.Package, h.exports, h.sources, batch)
	slices.SortStableFunc(good, byRank)
	return good, err
}

// try returns the first of a batch that the suite misses, and what the explorer makes of them.
func (h *hunt) try(batch []*mutant, wanted int) ([]sought, error) {
	inOrder(batch)
	ids := number(batch)
	var tests [2]*binary
	for i, of := range []module.Package{h.Package, h.explorer} {
		var err error
		to := filepath.Join(h.dir, strconv.Itoa(h.builds))
		h.builds++
		if tests[i], err = build(h.Package, of, h.sources, batch, to); err != nil {
			return nil, err
		}
	}
	slices.SortStableFunc(batch, byRank)
	var missed []sought
	for next := 0; next < len(batch) && len(missed) < wanted; {
		some := batch[next:min(len(batch), next+2*runtime.NumCPU())]
		next += len(some)
		seen := make([]fate, len(some))
		finds := make([]sought, len(some))
		err := each(len(some), func(i int) error {
			finds[i] = sought{mutant: some[i], steps: -1}
			seen[i] = h.seek(&finds[i], ids[some[i]], tests[0], tests[1])
			return finds[i].keep(seen[i])
		})
		if err != nil {
			return nil, err
		}
		for i, fate := range seen {
			h.fates[fate]++
			if fate == missedBySuite {
				missed = append(missed, finds[i])
			}
		}
	}
	return missed, nil
}

// fate is what becomes of a mutant that was drawn.
type fate int

const (
	alike        fate = iota // it makes no difference in the explorer's networks
	foundBySuite             // by the conformance suite
	missedBySuite
)

var fateNamed = map[string]fate{
	alike.String(): alike, foundBySuite.String(): foundBySuite, missedBySuite.String(): missedBySuite,
}

func (f fate) String() string { return [...]string{"alike", "found by the suite", "missed"}[f] }

// seek looks for a mutant: whether it makes a difference, whether the suite misses it, and whether
// the explorer finds a property that it breaks. If so the suite has to miss it for a minute.
func (h *hunt) seek(s *sought, id int, conformance, explorer *binary) fate {
	if o, _, _ := conformance.run(id, suite, brief); o.killed {
		return foundBySuite
	}
	seen, said, _ := h.explore(explorer, id, few)
	if !seen.killed && said == h.base {
		return alike
	}
	s.how = "no property broken; " + difference(h.base, said)
	whole := *conformance
	whole.arguments = conformance.arguments[1:] // not short
	if o, _, _ := whole.run(id, suite, soon); o.killed {
		return foundBySuite
	}
	s.seen, said, s.took = h.explore(explorer, id, many)
	if !s.seen.killed {
		return missedBySuite
	}
	s.read(said)
	whole.arguments = append(slices.Clip(whole.arguments), "-rapid.checks=100000")
	if o, _, _ := whole.run(id, suite, minute); o.killed && o.by != "timeout" {
		return foundBySuite
	}
	return missedBySuite
}

// explore returns what the explorer says of a mutant, without times and memory.
func (h *hunt) explore(b *binary, id, states int) (outcome, string, time.Duration) {
	c := *b
	c.arguments = append(h.rows(states), "-test.v")
	o, out, took := c.run(id, []string{"TestPage"}, time.Duration(states)*6*time.Millisecond)
	if o.killed {
		return o, string(out), took
	}
	rows := rowOf.FindAllString(costs.ReplaceAllString(string(out), ""), -1)
	return o, strings.Join(rows, "\n"), took
}

var (
	costs = regexp.MustCompile(`\| [\d.]+ s \| \d+ MB `)
	rowOf = regexp.MustCompile(`(?m)\| \S+ \| .*\|$`)
)

// difference says where rows of the explorer first differ.
func difference(unchanged, mutants string) string {
	before, after := strings.Split(unchanged, "\n"), strings.Split(mutants, "\n")
	for i := range min(len(before), len(after)) {
		b, a := strings.Split(before[i], " | "), strings.Split(after[i], " | ")
		for k, column := range []string{3: "states", "states of nodes", "at rest", "steps", "frames"} {
			if column != "" && k < min(len(a), len(b)) && a[k] != b[k] {
				return fmt.Sprintf("%s, %s: %s %s, not %s", a[1], a[2], column, a[k], b[k])
			}
		}
	}
	return "another verdict"
}

var suite = []string{"TestConformance.*"}

// rows returns the arguments with which the explorer runs the networks of the package.
func (h *hunt) rows(states int) []string {
	return []string{
		"-rows=" + h.Package.Name + "/", "-budget=1h", fmt.Sprintf("-states=%d", states),
	}
}

var violated = regexp.MustCompile(`: (\S+), (.*), (.*): explore: (.*) after (\d+) steps`)

// read takes from the explorer's output how it found a mutant.
func (s *sought) read(out string) {
	s.how = "found"
	if m := violated.FindStringSubmatch(out); m != nil {
		s.steps, _ = strconv.Atoi(m[5])
		s.how = fmt.Sprintf("%s after %s steps: %s, %s", m[4], m[5], m[2], m[3])
	} else if strings.Contains(out, "panic: ") {
		s.how = "panic"
	} else if s.seen.by == "timeout" {
		s.how = "never ends"
	}
}
