package draw

import (
	"image/color"
	"slices"
	"strings"
)

type header struct {
	heading []textLine
	legend  []legendEntry
	notes   []textLine
}

type legendEntry struct {
	fc, name string // without fc: published points
	x        float64
	row      int
}

func (l *layout) makeHeader(f *Figure, style *Style) {
	if !style.NoTitle {
		l.heading = append(breakText(f.Title, textStyle{l.title, true}, l.usable()),
			breakText(f.Subtitle, textStyle{size: l.subtitle}, l.usable())...)
	}
	if !style.NoLegend {
		l.makeLegend(f, style)
	}
	for _, note := range f.Notes {
		if !style.NoTitle {
			l.notes = append(l.notes, breakText(note, textStyle{size: l.note}, l.usable())...)
		}
	}
}

// makeLegend has a line for each name; where panels are chosen, for the names of their curves.
func (l *layout) makeLegend(f *Figure, style *Style) {
	x, row := 0.0, 0
	add := func(e legendEntry) {
		width := l.thumbnail + wider*textStyle{size: l.legendText}.width(e.name) + l.panelGap
		if x > 0 && x+width > l.usable() {
			x, row = 0, row+1
		}
		e.x, e.row = x, row
		l.legend = append(l.legend, e)
		x += width
	}
	for _, fc := range f.Legend {
		if style.Panels == nil || l.needs(fc) {
			add(legendEntry{fc: fc, name: fc})
		}
	}
	for _, name := range l.others(f) {
		add(legendEntry{fc: name, name: name})
	}
	if f.Source != "" && l.has(func(c *Curve) bool { return c.Published }) {
		add(legendEntry{name: f.Source})
	}
}

// needs reports whether a panel has a curve of a name that does not stand on its axis.
func (l *layout) needs(fc string) bool {
	for _, row := range l.rows {
		for _, p := range row {
			own := func(c Curve) bool { return c.FC == fc }
			if !slices.Contains(p.Names, fc) && slices.ContainsFunc(p.Curves, own) {
				return true
			}
		}
	}
	return false
}

// others are the names of curves that the figure's legend does not have: of panels that are drawn
// if they are asked for. A name that stands on the axis below its curve needs no line.
func (l *layout) others(f *Figure) (names []string) {
	for _, row := range l.rows {
		for _, p := range row {
			for i := range p.Curves {
				fc := p.Curves[i].FC
				if !slices.Contains(f.Legend, fc) && !slices.Contains(p.Names, fc) &&
					!slices.Contains(names, fc) {
					names = append(names, fc)
				}
			}
		}
	}
	return names
}

func (l *layout) has(such func(*Curve) bool) bool {
	for _, row := range l.rows {
		for _, p := range row {
			for i := range p.Curves {
				if such(&p.Curves[i]) {
					return true
				}
			}
		}
	}
	return false
}

func (l *layout) legendSkip() float64 { return 1.45 * l.legendText }

func (l *layout) legendHeight() float64 {
	if len(l.legend) == 0 {
		return 0
	}
	return l.legendSkip() * float64(l.legend[len(l.legend)-1].row+1)
}

func (l *layout) headerHeight() float64 {
	return heightOfLines(l.heading) + l.legendHeight() + heightOfLines(l.notes) + l.margin
}

func (l *layout) drawHeader(c canvas, at Point) {
	at.Y = drawLines(c, l.heading, at)
	for _, e := range l.legend {
		left, base := at.X+e.x, at.Y+l.legendSkip()*float64(e.row+1)-0.4*l.legendText
		middle := base - 0.32*l.legendText
		if e.fc == "" {
			grey := color.RGBA{0x60, 0x60, 0x60, 0xff}
			c.ring(Point{left + l.thumbnail/2, middle}, publishedRadius, grey)
		} else {
			c.stroke([]Point{{left, middle}, {left + l.thumbnail, middle}}, l.line(e.fc))
		}
		at := Point{left + l.thumbnail + 0.4*l.legendText, base}
		c.text(at, e.name, textStyle{size: l.legendText}, atBegin, false)
	}
	drawLines(c, l.notes, Point{at.X, at.Y + l.legendHeight()})
}

type textLine struct {
	text  string
	style textStyle
}

// fits reports whether the line has room in a width, also in a viewer's font that is wider.
func (l *textLine) fits(width float64) bool { return wider*l.style.width(l.text) <= width }

func (l *textLine) skip() float64 { return 1.4 * l.style.size }

func heightOfLines(lines []textLine) (sum float64) {
	for i := range lines {
		sum += lines[i].skip()
	}
	return sum
}

// drawLines draws lines one below the other from a point on and returns where they end.
func drawLines(c canvas, lines []textLine, at Point) float64 {
	for i := range lines {
		at.Y += lines[i].skip()
		c.text(Point{at.X, at.Y - 0.3*lines[i].style.size}, lines[i].text, lines[i].style, atBegin, false)
	}
	return at.Y
}

func breakText(text string, style textStyle, width float64) []textLine {
	var lines []textLine
	for _, word := range strings.Fields(text) {
		if n := len(lines); n > 0 && wider*style.width(lines[n-1].text+" "+word) <= width {
			lines[n-1].text += " " + word
		} else {
			lines = append(lines, textLine{word, style})
		}
	}
	return lines
}
