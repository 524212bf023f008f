package main

import (
	"strings"
	"unicode/utf8"
)

// row is a line of cells; it may have fewer than other rows of its table.
type row []string

// table lays out rows in columns as wide as their widest cell, two blanks apart.
type table struct {
	header  row // nil for none
	rows    []row
	columns []columnStyle // how columns differ from the zero value; there may be more of them
}

// columnStyle says how the cells of a column look.
type columnStyle struct {
	right bool // flush right
	least int  // minimum width
	wrap  int  // cells are broken at blanks into lines of at most this width; 0: never
}

// newTable returns a table of numbers: columns are flush right, but for the first so many.
func newTable(left int, header ...string) *table {
	t := &table{header: header, columns: make([]columnStyle, len(header))}
	for i := left; i < len(header); i++ {
		t.columns[i].right = true
	}
	return t
}

func (t *table) add(cells ...string) { t.rows = append(t.rows, cells) }

// String returns the lines, with no line feed after the last one.
func (t *table) String() string {
	var body []row
	for _, r := range t.rows {
		body = append(body, t.wrapped(r)...)
	}
	widths := t.widths(append(body, t.header))
	var lines []string
	if t.header != nil {
		total := 0
		for _, width := range widths {
			total += width + len(columnGap)
		}
		lines = append(lines, t.line(t.header, widths), strings.Repeat("-", total))
	}
	for _, r := range body {
		lines = append(lines, t.line(r, widths))
	}
	return strings.Join(lines, "\n")
}

const columnGap = "  "

func (t *table) column(i int) columnStyle {
	if i < len(t.columns) {
		return t.columns[i]
	}
	return columnStyle{}
}

// wrapped breaks the cells of a row into lines.
func (t *table) wrapped(r row) []row {
	lines := []row{make(row, len(r))}
	for i, cell := range r {
		parts := []string{cell}
		if width := t.column(i).wrap; width > 0 {
			parts = wrap(cell, width)
		}
		for n, part := range parts {
			if n == len(lines) {
				lines = append(lines, make(row, len(r)))
			}
			lines[n][i] = part
		}
	}
	return lines
}

func (t *table) widths(rows []row) []int {
	var widths []int
	for _, r := range rows {
		for i, cell := range r {
			if i == len(widths) {
				widths = append(widths, t.column(i).least)
			}
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	return widths
}

func (t *table) line(r row, widths []int) string {
	var b strings.Builder
	for i, cell := range r {
		blanks := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell))
		if t.column(i).right {
			b.WriteString(blanks + cell + columnGap)
		} else {
			b.WriteString(cell + blanks + columnGap)
		}
	}
	return strings.TrimRight(b.String(), " ")
}
