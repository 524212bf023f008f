package pages

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/sluicefc/sluice/internal/lab/run"
)

// sensitivity is how far what a paper does not give moves each claim on a scenario.
type sensitivity struct {
	Open  []string // what is not given
	Runs  []string // how many runs with other values are kept, by Open
	Seeds int
	Lines []sensitiveLine
	Same  string // numbers of the claims that nothing of it moves
	Left  string // what is not given and has a run that is not kept, or of another setting
	// Unvaried is what is not given and no note has a run of.
	Unvaried string
}

type sensitiveLine struct {
	Number, Statement, AsItIs string
	Seeds                     string   // what seeds alone give
	Moved                     []string // by Open
}

// Varied is what was varied, with how many runs.
func (s *sensitivity) Varied() string {
	return strings.Join(append([]string{fmt.Sprintf("seeds (%d)", s.Seeds)}, s.Runs...), ", ")
}

// Closed reports whether nothing is known that the paper does not give.
func (s *sensitivity) Closed() bool { return len(s.Open) == 0 && s.Left == "" && s.Unvaried == "" }

// Sensitivity is nil where nothing is claimed, or nothing was run.
func (e *Entry) Sensitivity() *sensitivity {
	if len(e.Statements) == 0 || len(e.Runs) == 0 || e.Stale == otherSetting {
		return nil
	}
	all := sensitivity{Seeds: len(e.Runs)}
	count := map[string]int{}
	var left []string
	for _, tried := range e.Tried {
		switch {
		case tried.Open == "":
		case len(tried.Runs) > 0 && tried.Stale != otherSetting:
			all.Open = addOnce(all.Open, tried.Open)
			count[tried.Open]++
		default:
			left = append(left, fmt.Sprintf("%s (`%s`)", tried.Open, tried.Changes))
		}
	}
	all.Left, all.Unvaried = strings.Join(left, ", "), strings.Join(e.Unvaried, ", ")
	for _, open := range all.Open {
		all.Runs = append(all.Runs, fmt.Sprintf("%s (%d)", open, count[open]))
	}
	var same []string
	for i := range e.Statements {
		s := &e.Statements[i]
		l := sensitiveLine{Number: fmt.Sprint(i + 1), Statement: s.Statement, AsItIs: asItIs(e, s)}
		seeds, any := e.spanOfSeeds(s)
		l.Seeds = seeds
		for _, open := range all.Open {
			text, moves := spanOf(e.moves(s), open)
			l.Moved = append(l.Moved, text)
			any = any || moves
		}
		if any {
			all.Lines = append(all.Lines, l)
		} else {
			same = append(same, l.Number)
		}
	}
	all.Same = strings.Join(same, ", ")
	return &all
}

// asItIs says what decides a statement, and how.
func asItIs(e *Entry, s *Statement) string {
	j, by := run.JudgeBy(e.findings(s))
	if by == nil {
		return string(j.Verdict)
	}
	return fmt.Sprintf("%s [%s]: %s", words(by.Measured), by.Published, j.Verdict)
}

// spanOfSeeds says between which values single seeds move what decides a statement, and which
// verdicts they give.
func (e *Entry) spanOfSeeds(s *Statement) (text string, any bool) {
	_, by := run.JudgeBy(e.findings(s))
	v := newSpan()
	for _, r := range e.Runs {
		with := s.with(e, func(c cell) run.Measured { return e.measuredWith(r.Seed, c) })
		j := run.Judge(with)
		v.verdict(j.Verdict, j.Verdict != s.Judged.Verdict)
		for i := range with {
			if by != nil && with[i].Cell() == by.Cell() {
				v.value(with[i].Measured.Value)
			}
		}
	}
	return v.String(), v.wide() || len(v.verdicts) > 0
}

// span is between which values something is, and which other verdicts it gives.
type span struct {
	low, high float64
	verdicts  []string
	any       bool
}

func newSpan() span { return span{low: math.Inf(1), high: math.Inf(-1)} }

func (v *span) value(x float64) {
	if !math.IsNaN(x) {
		v.low, v.high = min(v.low, x), max(v.high, x)
	}
}

func (v *span) verdict(is run.Verdict, another bool) {
	v.any = true
	if another {
		v.verdicts = addOnce(v.verdicts, string(is))
	}
}

// wide reports whether values differ by 5 % and more.
func (v *span) wide() bool {
	return v.low < v.high && v.high-v.low > 0.05*max(math.Abs(v.low), math.Abs(v.high))
}

func (v *span) String() string {
	var parts []string
	switch least, most := run.Number(v.low), run.Number(v.high); {
	case v.low == v.high:
		parts = append(parts, words(least))
	case v.low < v.high:
		parts = append(parts, words(least)+" to "+words(most))
	}
	slices.Sort(v.verdicts)
	if len(v.verdicts) > 0 {
		parts = append(parts, "**"+strings.Join(v.verdicts, ", ")+"**")
	}
	if len(parts) == 0 && v.any {
		parts = append(parts, "unchanged")
	}
	return strings.Join(parts, ": ")
}

// spanOf says between which values the runs with other values of something move what decides a
// statement, and which verdicts that gives.
func spanOf(moves []move, open string) (text string, any bool) {
	v := newSpan()
	for _, m := range moves {
		if m.by.Open != open {
			continue
		}
		v.verdict(m.after.Verdict, m.changed())
		any = any || m.matters()
		if m.cell != nil {
			v.value(m.so.Value)
		}
	}
	return v.String(), any
}
