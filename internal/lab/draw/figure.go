// Package draw draws figures: rows of panels with curves over axes, as SVG or PNG.
package draw

import (
	"fmt"
	"hash/fnv"
	"image/color"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/sluicefc/sluice/internal/lab/fabric"
)

// Figure is a picture: a title, a legend that all panels share, sentences, and rows of panels.
type Figure struct {
	Title, Subtitle string
	Legend          []string // protocols
	Source          string   // of published points, "" if there are none
	Notes           []string
	Rows            [][]*Panel
}

// Sizes. A viewer without our font may draw text wider by the factor.
const (
	figureWidth  = 13 * inch
	rowHeight    = 3.1 * inch
	figureMargin = 0.15 * inch
	usableWidth  = figureWidth - 2*figureMargin
	panelGap     = 0.3 * inch
	rowGap       = 0.15 * inch
	thumbnail    = 0.5 * inch
	wider        = 1.15
)

// PlotFormat returns the format that a file name asks for.
func PlotFormat(path string) (string, error) {
	switch extension := strings.ToLower(filepath.Ext(path)); extension {
	case ".svg", ".png":
		return extension[1:], nil
	}
	return "", fmt.Errorf("the picture %q must be named .svg or .png", path)
}

// Write draws the figure; format is "svg" or "png".
func (f *Figure) Write(w io.Writer, format string) error {
	head := f.layout()
	height := head.height() + 2*figureMargin
	for _, row := range f.Rows {
		height += heightOf(row)
	}
	var c canvas = newSVG(figureWidth, height)
	if format == "png" {
		c = newBitmap(figureWidth, height)
	}
	f.draw(c, head)
	return c.finish(w)
}

func (f *Figure) draw(c canvas, head header) {
	at := Point{figureMargin, figureMargin}
	head.draw(c, at)
	at.Y += head.height()
	for _, row := range f.Rows {
		width, text := widthIn(row), textHeight(row)
		diagrams := diagramsOf(row)
		for i, p := range row {
			left := at.X + float64(i)*(width+panelGap)
			drawLines(c, p.lines(width), Point{left, at.Y})
			diagrams[i].draw(
				c, Point{left, at.Y + text}, Point{left + width, at.Y + text + rowHeight - rowGap},
			)
		}
		at.Y += heightOf(row)
	}
}

// widthIn returns the width of each panel of a row.
func widthIn(row []*Panel) float64 {
	return (usableWidth - panelGap*float64(len(row)-1)) / float64(len(row))
}

// heightOf returns the height of a row: the diagrams, and the text above the panel that has most.
func heightOf(row []*Panel) float64 { return rowHeight + textHeight(row) }

func textHeight(row []*Panel) (height float64) {
	for _, p := range row {
		height = max(height, heightOfLines(p.lines(widthIn(row))))
	}
	return height
}

// header is the text above the panels.
type header struct {
	lines  []textLine
	legend []legendEntry
	notes  []textLine
}

// legendEntry is a line of the legend at its place.
type legendEntry struct {
	fc, name string // without fc: published points
	x        float64
	row      int
}

func (f *Figure) layout() (h header) {
	h.lines = append(breakText(f.Title, textStyle{14, true}, usableWidth),
		breakText(f.Subtitle, textStyle{size: 10}, usableWidth)...)
	var entries []legendEntry
	for _, fc := range f.Legend {
		entries = append(entries, legendEntry{fc: fc, name: fc})
	}
	if f.Source != "" {
		entries = append(entries, legendEntry{name: f.Source})
	}
	x := 0.0
	row := 0
	for _, e := range entries {
		width := thumbnail + wider*textStyle{size: 11}.width(e.name) + 0.3*inch
		if x > 0 && x+width > usableWidth {
			x, row = 0, row+1
		}
		e.x, e.row = x, row
		h.legend = append(h.legend, e)
		x += width
	}
	for _, note := range f.Notes {
		h.notes = append(h.notes, breakText(note, textStyle{size: 10}, usableWidth)...)
	}
	return h
}

const legendSkip = 0.22 * inch

func (h *header) legendHeight() float64 {
	return legendSkip * float64(h.legend[len(h.legend)-1].row+1)
}

func (h *header) height() float64 {
	return heightOfLines(h.lines) + h.legendHeight() + heightOfLines(h.notes) + 0.2*inch
}

func (h *header) draw(c canvas, at Point) {
	at.Y = drawLines(c, h.lines, at)
	for _, e := range h.legend {
		left, base := at.X+e.x, at.Y+legendSkip*float64(e.row+1)-0.06*inch
		middle := base - 3.5
		if e.fc == "" {
			c.ring(Point{left + thumbnail/2, middle}, publishedRadius, color.RGBA{0x60, 0x60, 0x60, 0xff})
		} else {
			c.stroke([]Point{{left, middle}, {left + thumbnail, middle}}, LineOf(e.fc))
		}
		c.text(Point{left + thumbnail + 0.06*inch, base}, e.name, textStyle{size: 11}, atBegin, false)
	}
	drawLines(c, h.notes, Point{at.X, at.Y + h.legendHeight()})
}

// textLine is a line of text that fits its place.
type textLine struct {
	text  string
	style textStyle
}

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

// breakText breaks text at blanks into lines of a width.
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

// palette begins with Okabe and Ito's colours, distinguishable with any colour vision, without
// their yellow, which white paper swallows.
var palette = [...]color.RGBA{
	{0x7f, 0x7f, 0x7f, 0xff}, // grey
	{0xd5, 0x5e, 0x00, 0xff}, // vermilion
	{0xe6, 0x9f, 0x00, 0xff}, // orange
	{0xcc, 0x79, 0xa7, 0xff}, // purple
	{0x8c, 0x56, 0x4b, 0xff}, // brown
	{0x00, 0x72, 0xb2, 0xff}, // blue
	{0x56, 0xb4, 0xe9, 0xff}, // sky blue
	{0x00, 0x9e, 0x73, 0xff}, // green
	{0x00, 0x00, 0x00, 0xff}, // black
	{0x99, 0x99, 0x33, 0xff}, // olive
	{0x66, 0x33, 0x99, 0xff}, // violet
	{0x88, 0x22, 0x55, 0xff}, // wine
}

// dashes are lengths of strokes and gaps in points. There are fewer than colours, so that no two of
// sixty protocols have both the same.
var dashes = [...][]float64{
	{2, 2}, {}, {9, 3}, {9, 2, 2, 2}, {9, 2, 2, 2, 2, 2}, {6, 2}, {3, 2}, {12, 3, 3, 3}, {1, 1.5},
	{5, 2, 1, 2},
}

// lineOrder are the protocols that keep their lines whatever others come. The others follow.
var lineOrder = []string{
	"none", "pfc", "bfc", "bfc-128", "bfc-ideal", "pyrrha", "pyrrha-single", "pyrrha+pfc", "ideal",
}

// numberOf returns the number at the end of a name, as of "flow 12"; 0 if there is none.
func numberOf(name string) int {
	n, _ := strconv.Atoi(name[strings.LastIndexByte(name, ' ')+1:])
	return max(0, n)
}

// nameNumber returns a number for a name that has none, as of "portfc ate".
func nameNumber(name string) int {
	h := fnv.New32a()
	h.Write([]byte(name))
	return int(h.Sum32() >> 8)
}

// LineOf returns the line of a protocol, which is the same in every picture, or of something that
// has a number.
func LineOf(fc string) lineStyle {
	order := slices.Clone(lineOrder)
	for _, p := range slices.Concat(fabric.Protocols(), fabric.NodeCentric(), fabric.Variants()) {
		if !slices.Contains(order, p.Name) {
			order = append(order, p.Name)
		}
	}
	i := slices.Index(order, fc)
	if i < 0 {
		if n := numberOf(fc); n > 0 || strings.HasSuffix(fc, " 0") {
			return lineStyle{Color: palette[n%len(palette)], width: 1}
		}
		n := nameNumber(fc)
		return lineStyle{palette[1+n%(len(palette)-1)], 1, dashes[n%len(dashes)]}
	}
	return lineStyle{palette[i%len(palette)], 1.5, dashes[i%len(dashes)]}
}

// AddCurve adds a curve to a panel, and its line to the legend.
func (f *Figure) AddCurve(p *Panel, name string, points []Point) {
	p.Curves = append(p.Curves, Curve{FC: name, Points: points})
	if !slices.Contains(f.Legend, name) {
		f.Legend = append(f.Legend, name)
	}
}
