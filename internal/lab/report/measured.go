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

// pairSeparator stands between a run and its baseline on an axis.
const pairSeparator = " / "

// Measured returns a panel for each measure of the claims, by run, or, of a comparison, by the
// baseline of a run, with what the paper gives as rings. Labels are the runs, in their order. Runs
// that are a grid, as protocols by ratios are, have one side of it on the axis, the other as
// colours.
func Measured(labels []string, findings []run.Finding) (panels []*draw.Panel) {
	lines := linesOf(labels, findings)
	for _, l := range lines {
		p := &draw.Panel{
			Name: MeasuredKind + ":" + slug(l.title), Title: l.title, Asked: true, Below: true,
			XLabel: "run", YLabel: l.unit, Empty: "nothing was measured", Names: l.columns,
		}
		if l.pairs {
			p.XLabel = "run" + pairSeparator + "baseline"
		}
		rows, columns, places := grid(l.columns)
		if rows != nil && l.pairs {
			p.Names, p.XLabel = columns, "baseline of "+strings.Join(rows, ", ")
		} else if rows != nil {
			p.Names, p.XLabel = columns, "by "+strings.Join(rows, ", ")
		}
		cells := map[string]bool{}
		for i, f := range l.findings {
			series, column := l.of[i], l.of[i]
			if at, inGrid := places[column]; inGrid {
				series, column = at.row, at.column
			}
			x := float64(slices.Index(p.Names, column))
			if f.Published != nil {
				for _, y := range givenNumbers(f.Published) {
					addPoint(p, series, true, draw.Point{X: x, Y: y}, 0)
				}
			}
			if cells[f.Cell()] {
				continue
			}
			cells[f.Cell()] = true
			switch m := &f.Measured; {
			case !math.IsNaN(m.Value) && !math.IsInf(m.Value, 0):
				addPoint(p, series, false, draw.Point{X: x, Y: m.Value}, m.Confidence())
			case m.Words != "":
				p.Notes = append(p.Notes, l.of[i]+": "+m.Words)
			}
		}
		p.LogY = farApart(p)
		panels = append(panels, p)
	}
	return panels
}

// line has the findings of a panel, each with its column.
type line struct {
	title, unit string
	pairs       bool     // its columns are runs with baselines
	columns     []string // each once, in the order of the runs
	findings    []*run.Finding
	of          []string
}

// linesOf are the lines of findings: of a measure, or of a comparison of one run or of several.
func linesOf(labels []string, findings []run.Finding) (lines []*line) {
	kind := func(f *run.Finding) string { return f.Measure + "|" + f.Relation.Phrase() }
	first, several := map[string]string{}, map[string]bool{}
	for i := range findings {
		f := &findings[i]
		if run, known := first[kind(f)]; known && run != f.Run {
			several[kind(f)] = true
		}
		first[kind(f)] = f.Run
	}
	byTitle := map[string]*line{}
	for i := range findings {
		f := &findings[i]
		title, column := f.Measure, f.Run
		switch {
		case f.Relation == run.Alone:
		case several[kind(f)]:
			title, column = title+", "+f.Relation.Phrase(), f.Run+pairSeparator+f.Baseline
		default:
			title, column = title+": "+f.Run+", "+f.Relation.Phrase(), f.Baseline
		}
		l := byTitle[title]
		if l == nil {
			l = &line{title: title, unit: f.Unit}
			if l.unit == "" {
				l.unit = f.Measure
			}
			l.pairs = strings.Contains(column, pairSeparator)
			byTitle[title], lines = l, append(lines, l)
		}
		l.findings, l.of = append(l.findings, f), append(l.of, column)
		if !slices.Contains(l.columns, column) {
			l.columns = append(l.columns, column)
		}
	}
	for _, l := range lines {
		slices.SortStableFunc(l.columns, func(a, b string) int {
			return slices.Index(labels, a) - slices.Index(labels, b)
		})
	}
	return lines
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
		func(s string) (string, string, bool) { return strings.Cut(s, pairSeparator) },
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
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("./", r)
	})
	return strings.Join(words, "-")
}
