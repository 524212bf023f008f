package pages

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/sluicefc/sluice/internal/lab/run"
)

// move is what a change does to a statement on a scenario, by the cells that were measured with the
// change and without.
type move struct {
	by            *Entry // with the change
	number        int    // of the statement
	before, after run.Judgement
	// cell decides the worse of the two, without the change, and so is what it is with it; nil if an
	// order decides.
	cell *run.Finding
	so   run.Measured
}

// moves are what the changes that were run do to a statement.
func (e *Entry) moves(s *Statement) (all []move) {
	own := e.findings(s)
	for _, tried := range e.Tried {
		if e.Stale == otherSetting || tried.Stale == otherSetting {
			continue
		}
		var before, after []run.Finding
		for i, f := range own {
			with := f
			with.Measured = tried.measuredLike(s.Parts[i].cell())
			if f.Measured.Known() && with.Measured.Known() {
				before, after = append(before, f), append(after, with)
			}
		}
		m := move{by: tried, number: 1 + slices.IndexFunc(e.Statements, func(o Statement) bool {
			return o.key() == s.key()
		})}
		var by, with *run.Finding
		m.before, by = run.JudgeBy(before)
		m.after, with = run.JudgeBy(after)
		if m.before.Parts == 0 || m.after.Parts == 0 {
			continue
		}
		worst, _ := run.Worst([]run.Verdict{m.before.Verdict, m.after.Verdict})
		if m.changed() && worst == m.after.Verdict {
			by = with
		}
		if by != nil {
			at := slices.IndexFunc(before, func(f run.Finding) bool { return f.Cell() == by.Cell() })
			m.cell, m.so = &before[at], after[at].Measured
		}
		all = append(all, m)
	}
	return all
}

// measuredLike is what a change gave for a cell of the scenario as it is.
func (e *Entry) measuredLike(c cell) run.Measured {
	for i := range e.Rows {
		r := e.Rows[i].cell()
		like := c
		like.Of, like.Baseline = r.Of, r.Baseline
		if r == like && slices.Contains(e.names(r.Of), c.Of) &&
			slices.Contains(e.names(r.Baseline), c.Baseline) {
			return e.measured(r)
		}
	}
	return run.None()
}

// names are the labels that a run with a change may have in the scenario as it is: one protocol is
// left out of its label, and a control that is set is no variant.
func (e *Entry) names(label string) []string {
	names := []string{label}
	if label == "" {
		return names
	}
	if fc := after(e.Changes, "-fc "); fc != "" {
		names = append(names, fc+" "+label)
	}
	if control := after(e.Changes, "cc="); control != "" {
		names = append(names, control)
	}
	if e.Stands != "" {
		names = append(names, e.Stands, label+" "+e.Stands)
	}
	return names
}

// stands returns the name of the variant whose settings are all among a note's: with a parameter of
// a variant set no variant is run, and the run stands for that one. Of several it is the variant
// that sets most; "" if there is none, or two that set as much.
func stands(variants []run.Variant, set string) (name string) {
	own := strings.Split(set, ",")
	most := 0
	for _, v := range variants {
		settings := strings.Split(v.Set, ",")
		if v.Set == "" || slices.ContainsFunc(settings, func(s string) bool {
			return !slices.Contains(own, s)
		}) {
			continue
		}
		switch n := len(settings); {
		case n > most:
			most, name = n, v.Name
		case n == most:
			name = ""
		}
	}
	return name
}

// after returns the word behind a text, up to a comma; "" if the text is not there.
func after(text, behind string) string {
	_, rest, _ := strings.Cut(text, behind)
	if end := strings.IndexAny(rest, " ,"); end >= 0 {
		rest = rest[:end]
	}
	return rest
}

func (m *move) open() bool    { return m.by.Open != "" }
func (m *move) changed() bool { return m.before.Verdict != m.after.Verdict }

// explains reports whether a statement that does not hold does with the change.
func (m *move) explains() bool {
	return m.after.Verdict.Holds() && !m.before.Verdict.Holds()
}

// values says what the deciding cell is without the change and with it, and what is published.
func (m *move) values() string {
	if m.cell == nil {
		return ""
	}
	text := fmt.Sprintf("%s → %s", words(m.cell.Measured), words(m.so))
	if m.cell.Published != nil {
		text += " [" + m.cell.Published.String() + "]"
	}
	return text
}

// matters reports whether the deciding value is another by 5 % and more.
func (m *move) matters() bool {
	if m.cell == nil {
		return m.changed()
	}
	a, b := m.cell.Measured.Value, m.so.Value
	return m.changed() || !(math.Abs(a-b) <= 0.05*max(math.Abs(a), math.Abs(b)))
}

// Effect says what a change does to the statements that do not hold: where none is, which verdicts
// change; where the paper states nothing, what changes by 5 % and more.
func (e *Entry) Effect(tried *Entry) string {
	if len(tried.Runs) == 0 {
		return "not run: `go run ./bench report -write " + tried.Name + "`"
	}
	if e.Stale == otherSetting || tried.Stale == otherSetting {
		return "stale: `go run ./bench report -write " + tried.Name + "`"
	}
	var moved, stays []string
	any := false
	for i := range e.Statements {
		for _, m := range e.moves(&e.Statements[i]) {
			if m.by != tried {
				continue
			}
			any = true
			switch {
			case m.changed():
				text := fmt.Sprintf("**%d**: %s → %s", m.number, m.before.Verdict, m.after.Verdict)
				if values := m.values(); values != "" {
					text += " (" + values + ")"
				}
				moved = append(moved, text)
			case m.before.Verdict.Holds():
			case m.matters() && m.cell != nil:
				moved = append(moved, fmt.Sprintf("%d: %s still (%s)", m.number, m.after.Verdict, m.values()))
			default:
				stays = append(stays, fmt.Sprint(m.number))
			}
		}
	}
	if len(e.Statements) == 0 {
		return e.effectBeside(tried)
	}
	if !any {
		return "none of the claims is measured with it"
	}
	if len(stays) > 0 {
		moved = append(moved, strings.Join(stays, ", ")+": nothing")
	}
	if len(moved) == 0 {
		return "no verdict changes"
	}
	return strings.Join(moved, "; ")
}

// effectBeside is what a change does where the paper states nothing.
func (e *Entry) effectBeside(tried *Entry) string {
	var moved []string
	for i := range e.Rows {
		r := &e.Rows[i]
		before, after := e.measured(r.cell()), tried.measuredLike(r.cell())
		a, b := before.Value, after.Value
		if !after.Known() || math.Abs(a-b) <= 0.05*max(math.Abs(a), math.Abs(b)) {
			continue
		}
		name, column := lineOf(r.cell())
		moved = append(moved, fmt.Sprintf("%s %s: %s → %s", name, column, words(before), words(after)))
	}
	if len(moved) == 0 {
		return "nothing changes by 5 %"
	}
	return strings.Join(moved, "; ")
}
