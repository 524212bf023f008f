// Package show lays out tables, and formats numbers for people.
package show

import (
	"strings"
	"unicode/utf8"
)

// Row is a line of cells; it may have fewer than other rows of its table.
type Row []string

// Table lays out rows in columns as wide as their widest cell, two blanks apart.
type Table struct {
	Header  Row // nil for none
	rows    []Row
	Columns []ColumnStyle // how columns differ from the zero value; there may be more columns
}

type ColumnStyle struct {
	Right bool // flush right
	Least int  // minimum width
	Wrap  int  // cells are broken at blanks into lines of at most this width; 0: never
}

// NewTable returns a table of numbers: columns are flush right behind the first left ones.
func NewTable(left int, header ...string) *Table {
	t := &Table{Header: header, Columns: make([]ColumnStyle, len(header))}
	for i := left; i < len(header); i++ {
		t.Columns[i].Right = true
	}
	return t
}

func (t *Table) Add(cells ...string) { t.rows = append(t.rows, cells) }

// String returns the lines, with no line feed after the last one.
func (t *Table) String() string {
	var body []Row
	for _, r := range t.rows {
		body = append(body, t.wrapped(r)...)
	}
	widths := t.widths(append(body, t.Header))
	var lines []string
	if t.Header != nil {
		total := 0
		for _, width := range widths {
			total += width + len(columnGap)
		}
		lines = append(lines, t.line(t.Header, widths), strings.Repeat("-", total))
	}
	for _, r := range body {
		lines = append(lines, t.line(r, widths))
	}
	return strings.Join(lines, "\n")
}

const columnGap = "  "

func (t *Table) column(i int) ColumnStyle {
	if i < len(t.Columns) {
		return t.Columns[i]
	}
	return ColumnStyle{}
}

func (t *Table) wrapped(r Row) []Row {
	lines := []Row{make(Row, len(r))}
	for i, cell := range r {
		parts := []string{cell}
		if width := t.column(i).Wrap; width > 0 {
			parts = Wrap(cell, width)
		}
		for n, part := range parts {
			if n == len(lines) {
				lines = append(lines, make(Row, len(r)))
			}
			lines[n][i] = part
		}
	}
	return lines
}

func (t *Table) widths(rows []Row) []int {
	var widths []int
	for _, r := range rows {
		for i, cell := range r {
			if i == len(widths) {
				widths = append(widths, t.column(i).Least)
			}
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	return widths
}

func (t *Table) line(r Row, widths []int) string {
	var b strings.Builder
	for i, cell := range r {
		blanks := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell))
		if t.column(i).Right {
			b.WriteString(blanks + cell + columnGap)
		} else {
			b.WriteString(cell + blanks + columnGap)
		}
	}
	return strings.TrimRight(b.String(), " ")
}
