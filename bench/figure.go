package main

import (
	"bytes"
	"fmt"
	"image/color"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"

	"github.com/sluicefc/sluice/internal/fabric"
)

// figure is a picture: a title, a legend that all panels share, sentences, and rows of panels.
type figure struct {
	title, subtitle string
	legend          []string // protocols
	source          string   // of published points, "" if there are none
	notes           []string
	rows            [][]*panel
}

// Sizes. A viewer without our font may draw text wider by the factor.
const (
	figureWidth  = 13 * vg.Inch
	rowHeight    = 3.1 * vg.Inch
	figureMargin = 0.15 * vg.Inch
	usableWidth  = figureWidth - 2*figureMargin
	panelGap     = 0.3 * vg.Inch
	thumbnail    = 0.5 * vg.Inch
	wider        = 1.15
)

// plotFormat returns the format that a file name asks for.
func plotFormat(path string) (string, error) {
	switch extension := strings.ToLower(filepath.Ext(path)); extension {
	case ".svg", ".png":
		return extension[1:], nil
	}
	return "", fmt.Errorf("the picture %q must be named .svg or .png", path)
}

// write draws the figure; format is "svg" or "png".
func (f *figure) write(w io.Writer, format string) error {
	text := f.layout()
	height := text.height() + 2*figureMargin
	for _, row := range f.rows {
		height += heightOf(row)
	}
	if format == "png" {
		canvas := vgimg.NewWith(vgimg.UseWH(figureWidth, height), vgimg.UseDPI(96))
		f.draw(draw.New(canvas), text)
		_, err := vgimg.PngCanvas{Canvas: canvas}.WriteTo(w)
		return err
	}
	canvas := vgsvg.New(figureWidth, height)
	f.draw(draw.New(canvas), text)
	var picture bytes.Buffer
	if _, err := canvas.WriteTo(&picture); err != nil {
		return err
	}
	// Fonts of the same metrics for viewers without Liberation Sans.
	_, err := w.Write(bytes.ReplaceAll(picture.Bytes(),
		[]byte("font-family:Liberation Sans;"), []byte("font-family:Liberation Sans,Arial,Helvetica,sans-serif;")))
	return err
}

func (f *figure) draw(c draw.Canvas, head header) {
	c.SetColor(color.White)
	c.Fill(c.Path())
	c = draw.Crop(c, figureMargin, -figureMargin, figureMargin, -figureMargin)
	head.draw(c)
	top := head.height()
	for _, row := range f.rows {
		height := heightOf(row)
		strip := draw.Crop(c, 0, 0, c.Max.Y-c.Min.Y-top-height, -top)
		width := (usableWidth - panelGap*vg.Length(len(row)-1)) / vg.Length(len(row))
		var plots []*plot.Plot
		for i, p := range row {
			left := vg.Length(i) * (width + panelGap)
			drawLines(strip, p.lines(width), vg.Point{X: strip.Min.X + left, Y: strip.Max.Y})
			plots = append(plots, p.plot())
		}
		strip = draw.Crop(strip, 0, 0, 0, -(height - rowHeight))
		tiles := draw.Tiles{Rows: 1, Cols: len(row), PadX: panelGap, PadBottom: 0.15 * vg.Inch}
		for i, tile := range plot.Align([][]*plot.Plot{plots}, tiles, strip)[0] {
			plots[i].Draw(tile)
		}
		top += height
	}
}

// heightOf returns the height of a row: the plots, and the text above the panel that has most.
func heightOf(row []*panel) vg.Length {
	width := (usableWidth - panelGap*vg.Length(len(row)-1)) / vg.Length(len(row))
	var text vg.Length
	for _, p := range row {
		text = max(text, heightOfLines(p.lines(width)))
	}
	return rowHeight + text
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
	x        vg.Length
	row      int
}

func (f *figure) layout() (h header) {
	bold := textStyle(14)
	bold.Font.Weight = boldWeight
	h.lines = append(breakText(f.title, bold, usableWidth), breakText(f.subtitle, textStyle(10), usableWidth)...)
	var entries []legendEntry
	for _, fc := range f.legend {
		entries = append(entries, legendEntry{fc: fc, name: fc})
	}
	if f.source != "" {
		entries = append(entries, legendEntry{name: f.source})
	}
	var x vg.Length
	row := 0
	for _, e := range entries {
		width := thumbnail + wider*textStyle(11).Width(e.name) + 0.3*vg.Inch
		if x > 0 && x+width > usableWidth {
			x, row = 0, row+1
		}
		e.x, e.row = x, row
		h.legend = append(h.legend, e)
		x += width
	}
	for _, note := range f.notes {
		h.notes = append(h.notes, breakText(note, textStyle(10), usableWidth)...)
	}
	return h
}

const legendSkip = 0.22 * vg.Inch

func (h *header) legendHeight() vg.Length {
	return legendSkip * vg.Length(h.legend[len(h.legend)-1].row+1)
}

func (h *header) height() vg.Length {
	return heightOfLines(h.lines) + h.legendHeight() + heightOfLines(h.notes) + 0.2*vg.Inch
}

func (h *header) draw(c draw.Canvas) {
	y := drawLines(c, h.lines, vg.Point{X: c.Min.X, Y: c.Max.Y})
	text := textStyle(11)
	for _, e := range h.legend {
		at := vg.Point{X: c.Min.X + e.x, Y: y - legendSkip*vg.Length(e.row+1) + 0.06*vg.Inch}
		middle := at.Y + 0.35*text.FontExtents().Ascent
		if e.fc == "" {
			c.DrawGlyph(publishedGlyph(color.Gray{0x60}), vg.Point{X: at.X + thumbnail/2, Y: middle})
		} else {
			c.StrokeLine2(lineOf(e.fc), at.X, middle, at.X+thumbnail, middle)
		}
		c.FillText(text, vg.Point{X: at.X + thumbnail + 0.06*vg.Inch, Y: at.Y}, e.name)
	}
	drawLines(c, h.notes, vg.Point{X: c.Min.X, Y: y - h.legendHeight()})
}

// textLine is a line of text that fits its place.
type textLine struct {
	text  string
	style draw.TextStyle
}

func (l *textLine) skip() vg.Length { return 1.4 * l.style.Font.Size }

func heightOfLines(lines []textLine) (sum vg.Length) {
	for i := range lines {
		sum += lines[i].skip()
	}
	return sum
}

// drawLines draws lines one below the other from a point on and returns where they end.
func drawLines(c draw.Canvas, lines []textLine, at vg.Point) vg.Length {
	for i := range lines {
		at.Y -= lines[i].skip()
		c.FillText(lines[i].style, vg.Point{X: at.X, Y: at.Y + 0.3*lines[i].style.Font.Size}, lines[i].text)
	}
	return at.Y
}

// breakText breaks text at blanks into lines of a width.
func breakText(text string, style draw.TextStyle, width vg.Length) []textLine {
	var lines []textLine
	for _, word := range strings.Fields(text) {
		if n := len(lines); n > 0 && wider*style.Width(lines[n-1].text+" "+word) <= width {
			lines[n-1].text += " " + word
		} else {
			lines = append(lines, textLine{word, style})
		}
	}
	return lines
}

const boldWeight = 3 // font.WeightBold of golang.org/x/image/font

func textStyle(points float64) draw.TextStyle {
	return draw.TextStyle{
		Color: color.Black, Handler: plot.DefaultTextHandler,
		Font: font.Font{Typeface: "Liberation", Variant: "Sans", Size: vg.Points(points)},
	}
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
var dashes = [...][]vg.Length{
	{2, 2}, {}, {9, 3}, {9, 2, 2, 2}, {9, 2, 2, 2, 2, 2}, {6, 2}, {3, 2}, {12, 3, 3, 3}, {1, 1.5}, {5, 2, 1, 2},
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

// lineOf returns the line of a protocol, which is the same in every picture, or of something that
// has a number.
func lineOf(fc string) draw.LineStyle {
	order := slices.Clone(lineOrder)
	for _, p := range slices.Concat(fabric.Protocols(), fabric.NodeCentric(), fabric.Variants()) {
		if !slices.Contains(order, p.Name) {
			order = append(order, p.Name)
		}
	}
	i := slices.Index(order, fc)
	if i < 0 {
		return draw.LineStyle{Color: palette[numberOf(fc)%len(palette)], Width: vg.Points(1)}
	}
	return draw.LineStyle{
		Color: palette[i%len(palette)], Width: vg.Points(1.5), Dashes: dashes[i%len(dashes)],
	}
}

func publishedGlyph(c color.Color) draw.GlyphStyle {
	return draw.GlyphStyle{Color: c, Radius: vg.Points(2.2), Shape: draw.RingGlyph{}}
}
