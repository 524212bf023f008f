// Package draw draws figures: rows of panels with curves over axes, as SVG, PNG or PDF.
package draw

import (
	"fmt"
	"io"
	"slices"
	"strings"
)

// Figure is a picture: a title, a legend that all panels share, sentences, and rows of panels.
type Figure struct {
	Title, Subtitle string
	Legend          []string // protocols
	Source          string   // of published points, "" if there are none
	Notes           []string
	Rows            [][]*Panel
}

// Write draws the figure; format is one of Formats. It is an error if the style asks for a panel
// that is not there, or for a size in which the panels cannot be read.
func (f *Figure) Write(w io.Writer, format string, style Style) error {
	l, _, err := f.fitted(style)
	if err != nil {
		return err
	}
	var c canvas
	switch format {
	case "png":
		pixels := screenPixels
		if style.Width > 0 {
			pixels = paperPixels
		}
		c = newBitmap(l.width, l.height, pixels)
	case "pdf":
		c = newPDF(l.width, l.height)
	default:
		c = newSVG(l.width, l.height, style.Coarse > 0)
	}
	l.draw(c)
	return c.finish(w)
}

// Check is the error of a style that asks for a panel that is not there, or for a size in which
// the panels cannot be read. What is written later may have other numbers and notes: a style that
// passes is not refused then.
func (f *Figure) Check(style Style) error {
	l, err := f.layout(style)
	if err != nil {
		return err
	}
	return l.check(&style, 1)
}

// LeftOut are the notes of panels that a picture of a style has no room for, and does not have.
func (f *Figure) LeftOut(style Style) []string {
	_, notes, err := f.fitted(style)
	if err != nil {
		return nil
	}
	return notes
}

// fitted is the layout in a style: without the notes of panels, which it returns, if they are what
// leaves no room.
func (f *Figure) fitted(style Style) (l *layout, notes []string, err error) {
	const enough = 0.6 // of the room that Check asks for, as numbers may be longer now
	if l, err = f.layout(style); err != nil {
		return nil, nil, err
	}
	if err = l.check(&style, enough); err == nil {
		return l, nil, nil
	}
	for _, row := range l.rows {
		for _, p := range row {
			if text := strings.Join(p.notes(), "; "); text != "" {
				notes = append(notes, p.Name+": "+text)
			}
		}
	}
	style.noNotes = true
	if l, err = f.layout(style); err == nil {
		err = l.check(&style, enough)
	}
	return l, notes, err
}

// layout is a figure in a style: what is where.
type layout struct {
	sizes
	header
	rows          [][]*Panel
	titles        bool // of panels
	noNotes       bool // of panels
	width, height float64
	spacing       float64   // height of a diagram with the gap to the next row
	extra         []float64 // by row, more than that; nil for none
}

func (f *Figure) layout(style Style) (l *layout, err error) {
	l = &layout{sizes: onScreen, width: screenWidth, noNotes: style.noNotes}
	if style.Width > 0 {
		l.sizes, l.width = onPaper, style.Width
	}
	l.coarse = style.Coarse
	if l.rows, err = f.chosen(&style); err != nil {
		return nil, err
	}
	l.lines = linesOf(l.names(f))
	l.titles = !style.NoTitle || len(l.rows) != 1 || len(l.rows[0]) != 1
	l.makeHeader(f, &style)
	used := l.headerHeight() + 2*l.margin
	for _, row := range l.rows {
		used += l.textHeight(row)
	}
	l.spacing = screenRow
	if len(l.rows) > fewRows {
		l.spacing = screenLowRow
	}
	if style.Height > 0 {
		l.spacing *= (style.Height - used) / l.rowsHeight()
	} else {
		l.makeRoom()
	}
	l.height = used + l.rowsHeight()
	return l, nil
}

func (l *layout) rowsHeight() (sum float64) {
	for i := range l.rows {
		sum += l.rowHeight(i)
	}
	return sum
}

// rowHeight returns the height of a row's diagrams with the gap below: a third of it if all
// diagrams only say why they are empty.
func (l *layout) rowHeight(i int) float64 {
	extra := 0.0
	if l.extra != nil {
		extra = l.extra[i]
	}
	for _, p := range l.rows[i] {
		if len(p.Curves) > 0 || p.Empty == "" {
			return l.spacing + extra
		}
	}
	if len(l.rows) == 1 {
		return l.spacing + extra
	}
	return l.spacing / 3
}

// makeRoom makes rows higher by what labels that stand take from their diagrams.
func (l *layout) makeRoom() {
	l.extra = make([]float64, len(l.rows))
	for i, row := range l.rows {
		for _, d := range diagramsOf(row, &l.sizes, l.widthIn(row), l.spacing) {
			if d.upright {
				l.extra[i] = max(l.extra[i], d.bottom-3*l.label)
			}
		}
	}
}

// check refuses a size in which nothing could be read: a diagram has less than a part of the least
// room between its axes, or a text is wider than there is room for.
func (l *layout) check(style *Style, part float64) error {
	var names []string
	fits := true
	for _, line := range slices.Concat(l.heading, l.notes) {
		fits = fits && line.fits(l.usable())
	}
	for _, e := range l.legend {
		text := textLine{e.name, textStyle{size: l.legendText}}
		fits = fits && text.fits(l.usable()-e.x-l.thumbnail)
	}
	for i, row := range l.rows {
		width, height := l.widthIn(row), l.rowHeight(i)-l.rowGap
		for _, d := range diagramsOf(row, &l.sizes, width, height) {
			names = append(names, d.Name)
			fits = fits && width-d.left-d.right >= part*leastWide &&
				height-d.bottom-d.tick/2 >= part*leastHigh
			for _, line := range slices.Concat(d.xLabel, l.above(d.Panel, width)) {
				fits = fits && line.fits(width)
			}
			for _, line := range d.yLabel {
				fits = fits && line.fits(height+l.label)
			}
		}
	}
	if style.Width == 0 || fits {
		return nil
	}
	return fmt.Errorf(
		"a picture of %.4g x %.4g in has no room for %s: choose fewer panels, or leave title and legend out",
		style.Width/inch, style.Height/inch, strings.Join(names, ", "),
	)
}

func (l *layout) usable() float64 { return l.width - 2*l.margin }

func (l *layout) draw(c canvas) {
	at := Point{l.margin, l.margin}
	l.drawHeader(c, at)
	at.Y += l.headerHeight()
	for r, row := range l.rows {
		width, text, height := l.widthIn(row), l.textHeight(row), l.rowHeight(r)
		diagrams := diagramsOf(row, &l.sizes, width, height-l.rowGap)
		for i, p := range row {
			left := at.X + float64(i)*(width+l.panelGap)
			drawLines(c, l.above(p, width), Point{left, at.Y})
			diagrams[i].draw(
				c, Point{left, at.Y + text}, Point{left + width, at.Y + text + height - l.rowGap},
			)
		}
		at.Y += text + height
	}
}

func (l *layout) widthIn(row []*Panel) float64 {
	return (l.usable() - l.panelGap*float64(len(row)-1)) / float64(len(row))
}

// textHeight returns the height of the text above the panels of a row, where it is highest.
func (l *layout) textHeight(row []*Panel) (height float64) {
	for _, p := range row {
		height = max(height, heightOfLines(l.above(p, l.widthIn(row))))
	}
	return height
}

func (l *layout) above(p *Panel, width float64) (lines []textLine) {
	if l.titles {
		lines = breakText(p.Title, textStyle{size: l.panel}, width)
	}
	if l.noNotes {
		return lines
	}
	return append(lines,
		breakText(strings.Join(p.notes(), "; "), textStyle{size: l.panelNote}, width)...)
}

// names are the names in the legend, then the names of other curves that are drawn, each once.
func (l *layout) names(f *Figure) []string {
	names := slices.Clone(f.Legend)
	for _, row := range l.rows {
		for _, p := range row {
			for i := range p.Curves {
				if !slices.Contains(names, p.Curves[i].FC) {
					names = append(names, p.Curves[i].FC)
				}
			}
		}
	}
	return names
}

// AddCurve adds a curve to a panel, and its line to the legend.
func (f *Figure) AddCurve(p *Panel, name string, points []Point) {
	p.Curves = append(p.Curves, Curve{FC: name, Points: points})
	if !slices.Contains(f.Legend, name) {
		f.Legend = append(f.Legend, name)
	}
}
