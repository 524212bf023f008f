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
	Lines []sensitiveLine
	Same  string // numbers of the claims that nothing of it moves
}

type sensitiveLine struct {
	Number, Statement, AsItIs string
	Moved                     []string // by Open
}

// Sensitivity is nil where nothing that the paper leaves open was run otherwise.
func (e *Entry) Sensitivity() *sensitivity {
	var all sensitivity
	count := map[string]int{}
	for _, tried := range e.Tried {
		if tried.Open != "" && len(tried.Runs) > 0 {
			all.Open = addOnce(all.Open, tried.Open)
			count[tried.Open]++
		}
	}
	if all.Open == nil {
		return nil
	}
	for _, open := range all.Open {
		all.Runs = append(all.Runs, fmt.Sprintf("%s (%d)", open, count[open]))
	}
	var same []string
	for i := range e.Statements {
		s := &e.Statements[i]
		l := sensitiveLine{Number: fmt.Sprint(i + 1), Statement: s.Statement, AsItIs: asItIs(e, s)}
		any := false
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

// spanOf says between which values the runs with other values of something move what decides a
// statement, and which verdicts that gives.
func spanOf(moves []move, open string) (text string, any bool) {
	low, high := math.Inf(1), math.Inf(-1)
	var verdicts []string
	ran := false
	for _, m := range moves {
		if m.by.Open != open {
			continue
		}
		ran = true
		if m.changed() {
			verdicts = addOnce(verdicts, string(m.after.Verdict))
		}
		any = any || m.matters()
		if x := m.so.Value; m.cell != nil && !math.IsNaN(x) {
			low, high = min(low, x), max(high, x)
		}
	}
	var parts []string
	switch least, most := run.Number(low), run.Number(high); {
	case low == high:
		parts = append(parts, words(least))
	case low < high:
		parts = append(parts, words(least)+" to "+words(most))
	}
	slices.Sort(verdicts)
	if len(verdicts) > 0 {
		parts = append(parts, "**"+strings.Join(verdicts, ", ")+"**")
	}
	if len(parts) == 0 && ran {
		parts = append(parts, "as it is")
	}
	return strings.Join(parts, ": "), any
}
