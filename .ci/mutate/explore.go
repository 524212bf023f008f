package main

import (
	"flag"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/sluicefc/sluice/.ci/module"
)

var explored = flag.Bool("explore", false,
	"instead: draw -n mutants of the hooks of each package and print, as a table, how the conformance "+
		"suite and the networks of kit/explore find them")

const (
	// hooks are the functions that -explore changes, unless -run says others.
	hooks = `\)\.(Enqueue|Dequeue|Next|Receive|PollFrame|Expire|LinkDown|LinkUp): `
	// patience is the processor time of either for a mutant.
	patience = time.Minute
	// states is how many the explorer visits of each network.
	states = 5_000
)

// compare prints how the conformance suite and the explorer find mutants of the packages.
func compare(folders []string) error {
	packages, err := module.List(".")
	if err != nil {
		return err
	}
	explorer := slices.IndexFunc(packages, func(p module.Package) bool {
		return p.Rel() == "kit/explore"
	})
	reasons, err := readSurvivors(survivorsFile)
	if err != nil {
		return err
	}
	chosen, err := regexp.Compile(*only)
	if *only == "" {
		chosen, err = regexp.Compile(hooks)
	}
	if err != nil {
		return err
	}
	fmt.Print("| mutant | conformance suite | explorer |\n| --- | --- | --- |\n")
	var total hunt
	for _, folder := range folders {
		subjects, err := choose([]string{folder})
		if err != nil {
			return err
		}
		s := subjects[0]
		if _, err := draw(subjects, chosen); err != nil {
			return err
		}
		s.drawn = slices.DeleteFunc(s.drawn, func(m *mutant) bool { return reasons[m.key()] != "" })
		if err := s.compare(packages[explorer], &total); err != nil {
			return err
		}
	}
	fmt.Printf("\nOf %d mutants the conformance suite finds %d, in %.1f s on the average; the explorer "+
		"finds %d, in %.0f\nsteps on the average where it counts them, of which the suite does not find "+
		"%d in a minute.\n", total.drawn, total.suite, total.took.Seconds()/float64(max(total.suite, 1)),
		total.explorer, float64(total.steps)/float64(max(total.stepped, 1)), total.alone)
	return nil
}

// hunt counts the mutants that were drawn, and those that each found.
type hunt struct {
	drawn, suite, explorer, alone int
	took                          time.Duration // of the suite, for those that it found
	stepped, steps                int           // of the explorer
}

func (h *hunt) add(o hunt) {
	h.drawn++
	h.suite += o.suite
	h.explorer += o.explorer
	h.alone += o.alone
	h.took += o.took
	h.stepped += o.stepped
	h.steps += o.steps
}

// compare prints a line for each mutant that was drawn.
func (s *subject) compare(explorer module.Package, total *hunt) error {
	dir, err := os.MkdirTemp("", "mutate")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	var tests [2]*binary
	for i, of := range []module.Package{s.Package, explorer} {
		to := fmt.Sprintf("%s/%d", dir, i)
		if tests[i], err = build(s.Package, of, s.sources, s.drawn, to); err != nil {
			return err
		}
	}
	tests[0].arguments = tests[0].arguments[1:] // not short
	tests[1].arguments = []string{
		"-rows=" + s.Package.Name + "/", "-budget=1m", fmt.Sprintf("-states=%d", states),
	}
	lines := make([]string, len(s.drawn))
	finds := make([]hunt, len(s.drawn))
	err = each(len(s.drawn), func(i int) error {
		lines[i], finds[i] = s.hunt(i, tests[0], tests[1])
		return nil
	})
	for i, line := range lines {
		fmt.Print(line)
		total.add(finds[i])
	}
	return err
}

// hunt looks for a mutant. The suite goes on for a minute if the explorer alone finds it.
func (s *subject) hunt(i int, conformance, explorer *binary) (line string, h hunt) {
	suite := []string{"TestConformance"}
	o, _, took := conformance.run(i+1, suite, patience)
	seen, out, spent := explorer.run(i+1, []string{"TestPage"}, patience)
	if seen.killed && !o.killed {
		longer := *conformance
		longer.arguments = append(slices.Clip(longer.arguments), "-rapid.checks=100000")
		o, _, took = longer.run(i+1, suite, patience)
		o.killed = o.killed && o.by != "timeout"
	}
	if o.killed {
		h.suite, h.took = 1, took
	}
	if seen.killed {
		h.explorer = 1
	}
	if m := violated.FindSubmatch(out); seen.killed && m != nil {
		h.steps, _ = strconv.Atoi(string(m[5]))
		h.stepped = 1
	}
	if seen.killed && !o.killed {
		h.alone = 1
	}
	key := strings.ReplaceAll(s.drawn[i].key(), "|", "\\|")
	return fmt.Sprintf("| `%s` | %s | %s |\n", key, found(o, "", took),
		found(seen, string(out), spent)), h
}

var violated = regexp.MustCompile(`: (\S+), (.*), (.*): explore: (.*) after (\d+) steps`)

// found says in words what came of a mutant.
func found(o outcome, out string, took time.Duration) string {
	how := "not found"
	if o.killed {
		how = "found"
	}
	if m := violated.FindStringSubmatch(out); o.killed && m != nil {
		how = fmt.Sprintf("%s after %s steps: %s, %s", m[4], m[5], m[2], m[3])
	} else if panicked := strings.Contains(out, "panic: "); o.killed && panicked {
		how = "panic"
	}
	return fmt.Sprintf("%s, %.1f s", how, took.Seconds())
}
