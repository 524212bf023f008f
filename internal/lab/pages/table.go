package pages

import (
	"fmt"
	"slices"
	"strings"

	"github.com/sluicefc/sluice/internal/lab/run"
)

// table has what was measured of runs, or beside baselines, as columns.
type table struct {
	Columns []string
	Lines   []line
}

// line is what one measurement gave.
type line struct {
	Number   string // of the statement on the page
	Says     string // the statement, its place and its kind; "" where the line before has it
	Measured string
	Cells    []string // by column
	Verdict  string
}

// columnsAtMost is how many columns a table of runs has at most; what has more stands in one.
const columnsAtMost = 7

// lineOf is what a line is about, and a column's name in it.
func lineOf(c cell) (measured, column string) {
	if c.Relation == run.Alone {
		return withUnit(c.Measure, c.Unit), c.Of
	}
	what := withUnit(c.Measure, c.Unit)
	return fmt.Sprintf("%s: %s, %s", what, c.Of, c.Relation.Phrase()), c.Baseline
}

func withUnit(what, unit string) string {
	if unit == "" {
		return what
	}
	return what + ", " + unit
}

// lines are lines in the making: cells by column.
type lines struct {
	names   []string // of the lines, in order
	columns []string // in order
	texts   map[[2]string]string
}

func (l *lines) add(c cell, text string) {
	name, column := lineOf(c)
	if l.texts == nil {
		l.texts = map[[2]string]string{}
	}
	if !slices.Contains(l.names, name) {
		l.names = append(l.names, name)
	}
	if !slices.Contains(l.columns, column) {
		l.columns = append(l.columns, column)
	}
	if before := l.texts[[2]string{name, column}]; before != "" {
		text = before + "; " + text
	}
	l.texts[[2]string{name, column}] = text
}

// in returns the lines with these columns; with one column of all cells if there are none.
func (l *lines) in(columns []string) (all []line) {
	for _, name := range l.names {
		made := line{Measured: name}
		var together []string
		for _, column := range l.columns {
			if text := l.texts[[2]string{name, column}]; text != "" {
				together = append(together, column+": "+text)
			}
		}
		for _, column := range columns {
			made.Cells = append(made.Cells, l.texts[[2]string{name, column}])
		}
		if len(columns) == 0 {
			made.Cells = []string{strings.Join(together, "; ")}
		}
		all = append(all, made)
	}
	return all
}

// Tables are what the paper states beside ours: a claim a line, or several where it takes several
// measurements.
func (e *Entry) Tables(of *paper) (tables []table) {
	made := make([]*lines, len(e.Statements))
	for i := range e.Statements {
		made[i] = e.partsOf(&e.Statements[i])
	}
	columns := e.columns(made...)
	for i := range e.Statements {
		s, own := &e.Statements[i], columns
		if len(columns) > columnsAtMost {
			own = e.columns(made[i])
		}
		heads := own
		if len(own) > columnsAtMost {
			own, heads = nil, []string{"runs"}
		}
		all := made[i].in(own)
		if len(all) == 0 {
			all = []line{{Cells: make([]string, len(heads))}}
		}
		all[0].Number, all[0].Says = fmt.Sprint(i+1), s.says()
		all[0].Verdict = of.verdict(s)
		if last := len(tables) - 1; last >= 0 && slices.Equal(tables[last].Columns, heads) {
			tables[last].Lines = append(tables[last].Lines, all...)
		} else {
			tables = append(tables, table{heads, all})
		}
	}
	return tables
}

// says is the statement with where it stands and what kind it is.
func (s *Statement) says() string {
	var where []string
	for _, text := range []string{s.Place, string(s.Source), string(s.Judged.Kind)} {
		if text != "" {
			where = append(where, text)
		}
	}
	return fmt.Sprintf("%s (%s)", s.Statement, strings.Join(where, "; "))
}

// partsOf are the cells of a statement: ours, and in brackets what the paper gives, or the place in
// an order.
func (e *Entry) partsOf(s *Statement) *lines {
	l := &lines{}
	for i := range s.Parts {
		p := &s.Parts[i]
		m := e.measured(p.cell())
		published := fmt.Sprintf("place %d", p.Rank)
		if p.Published != nil {
			published = p.Published.String()
		}
		l.add(p.cell(), fmt.Sprintf("%s [%s]", words(m), published))
	}
	return l
}

// columns are the columns of lines, in the order of the trials.
func (e *Entry) columns(of ...*lines) (columns []string) {
	for _, l := range of {
		for _, c := range l.columns {
			if !slices.Contains(columns, c) {
				columns = append(columns, c)
			}
		}
	}
	slices.SortStableFunc(columns, func(a, b string) int {
		return slices.Index(e.Trials, a) - slices.Index(e.Trials, b)
	})
	return columns
}

// Beside are the cells that are part of no statement, a table for each set of columns.
func (e *Entry) Beside() (tables []table) {
	part := map[cell]bool{}
	for i := range e.Statements {
		for k := range e.Statements[i].Parts {
			part[e.Statements[i].Parts[k].cell()] = true
		}
	}
	byColumns := map[string]int{} // the table
	byLine := map[string]*lines{}
	var order []string
	for i := range e.Rows {
		r := &e.Rows[i]
		if part[r.cell()] || len(r.Values) == 0 {
			continue
		}
		name, _ := lineOf(r.cell())
		if byLine[name] == nil {
			byLine[name] = &lines{}
			order = append(order, name)
		}
		byLine[name].add(r.cell(), r.Ours)
	}
	for _, name := range order {
		columns := e.columns(byLine[name])
		heads := columns
		if len(columns) > columnsAtMost {
			columns, heads = nil, []string{"runs"}
		}
		key := strings.Join(heads, "|")
		at, known := byColumns[key]
		if !known {
			at = len(tables)
			byColumns[key] = at
			tables = append(tables, table{Columns: heads})
		}
		tables[at].Lines = append(tables[at].Lines, byLine[name].in(columns)...)
	}
	return tables
}
