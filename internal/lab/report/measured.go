package report

import (
	"math"
	"slices"
	"strings"
	"unicode"

	"github.com/sluicefc/sluice/internal/lab/draw"
	"github.com/sluicefc/sluice/internal/lab/run"
)

// MeasuredKind is the kind of the panels that Measured returns.
const MeasuredKind = "measured"

// Measured returns a panel for each measure of the claims, by run or by the baseline of a run, with
// what the paper gives as rings. Labels are the runs, in their order. Runs that are a grid, as
// protocols by ratios are, have one side of it on the axis, the other as colours.
func Measured(labels []string, findings []run.Finding) []*draw.Panel {
	var panels []*draw.Panel
	byName := map[string]*draw.Panel{}
	cells := map[string]bool{}
	for i := range findings {
		f := &findings[i]
		line, column := f.Line()
		name := MeasuredKind + ":" + slug(line)
		p := byName[name]
		if p == nil {
			p = &draw.Panel{
				Name: name, Title: line, Asked: true, XLabel: "run", YLabel: f.Unit,
				Empty: "nothing was measured",
			}
			if p.YLabel == "" {
				p.YLabel = f.Measure
			}
			byName[name], panels = p, append(panels, p)
			p.Names = columnsOf(labels, findings, line)
			if rows, columns, _ := grid(p.Names); rows != nil {
				p.Names, p.XLabel = columns, "by "+strings.Join(rows, ", ")
			}
		}
		_, _, at := grid(columnsOf(labels, findings, line))
		series, x := column, slices.Index(p.Names, column)
		if at != nil {
			series, x = at[column].row, slices.Index(p.Names, at[column].column)
		}
		if f.Published != nil {
			for _, y := range givenNumbers(f.Published) {
				addPoint(p, series, true, draw.Point{X: float64(x), Y: y}, 0)
			}
		}
		if cell := f.Cell(); !cells[cell] {
			cells[cell] = true
			switch m := f.Measured; {
			case !math.IsNaN(m.Value) && !math.IsInf(m.Value, 0):
				addPoint(p, series, false, draw.Point{X: float64(x), Y: m.Value}, m.Confidence())
			case m.Words != "":
				p.Notes = append(p.Notes, column+": "+m.Words)
			}
		}
	}
	for _, p := range panels {
		p.LogY = farApart(p)
	}
	return panels
}

// columnsOf are the columns that a line has, in the order of the runs.
func columnsOf(labels []string, findings []run.Finding, line string) (columns []string) {
	for i := range findings {
		if own, column := findings[i].Line(); own == line && !slices.Contains(columns, column) {
			columns = append(columns, column)
		}
	}
	slices.SortStableFunc(columns, func(a, b string) int {
		return slices.Index(labels, a) - slices.Index(labels, b)
	})
	return columns
}

func addPoint(p *draw.Panel, series string, published bool, at draw.Point, spread float64) {
	i := slices.IndexFunc(p.Curves, func(c draw.Curve) bool {
		return c.FC == series && c.Published == published
	})
	if i < 0 {
		i, p.Curves = len(p.Curves), append(p.Curves, draw.Curve{FC: series, Published: published})
	}
	p.Curves[i].Points = append(p.Curves[i].Points, at)
	p.Curves[i].Spread = append(p.Curves[i].Spread, spread)
}

// givenNumbers are the numbers that a paper gives, none for a bound or for words.
func givenNumbers(r *run.Range) []float64 {
	switch r.Kind {
	case run.Exact, run.Roughly, run.Nothing:
		return []float64{r.Low}
	case run.Interval:
		return []float64{r.Low, r.High}
	}
	return nil
}

// farApart reports whether the values of a panel, all above 0, need a logarithmic axis.
func farApart(p *draw.Panel) bool {
	const wide = 20
	least, most := math.Inf(1), 0.0
	for i := range p.Curves {
		for _, at := range p.Curves[i].Points {
			least, most = min(least, at.Y), max(most, at.Y)
		}
	}
	return least > 0 && most > wide*least
}

type place struct{ row, column string }

// grid returns the rows and columns that labels are of: what stands before a comma or blank, and
// what stands behind it. At least two rows have at least two columns, and of all places of the grid
// at least seven in ten are labels; otherwise the labels are no grid, and it returns nil.
func grid(labels []string) (rows, columns []string, of map[string]place) {
	const full = 0.7
	best := 0.0
	for _, cut := range []func(string) (string, string, bool){
		func(s string) (string, string, bool) { return strings.Cut(s, ", ") },
		func(s string) (string, string, bool) { return strings.Cut(s, " ") },
		cutLast,
	} {
		var r, c []string
		at, many := map[string]place{}, map[string]int{}
		for _, label := range labels {
			row, column, found := cut(label)
			if !found {
				break
			}
			at[label] = place{row, column}
			if !slices.Contains(r, row) {
				r = append(r, row)
			}
			if !slices.Contains(c, column) {
				c = append(c, column)
			}
			many[row]++
		}
		share := float64(len(labels)) / float64(max(1, len(r)*len(c)))
		if len(at) == len(labels) && len(r) > 1 && len(c) > 1 && share >= full && share > best {
			best, rows, columns, of = share, r, c, at
		}
	}
	return rows, columns, of
}

func cutLast(s string) (before, after string, found bool) {
	i := strings.LastIndex(s, " ")
	if i < 0 {
		return s, "", false
	}
	return s[:i], s[i+1:], true
}

// slug is a text as a name of a panel: without blanks and commas, so that a list may have it.
func slug(text string) string {
	words := strings.FieldsFunc(text, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune(".+/%", r)
	})
	return strings.Join(words, "-")
}
