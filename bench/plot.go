package main

import (
	"bytes"
	"fmt"
	"image/color"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"

	"github.com/sluicefc/sluice/internal/workload"
)

// Size of the picture.
const (
	figureWidth  = 13 * vg.Inch
	rowHeight    = 3.4 * vg.Inch
	figureMargin = 0.15 * vg.Inch
	usableWidth  = figureWidth - 2*figureMargin

	// A viewer without our font may draw text wider by this factor.
	wider = 1.2
)

// palette is Okabe and Ito's, distinguishable with any colour vision, without its yellow, which
// white paper swallows.
var palette = [...]color.RGBA{
	{0x00, 0x72, 0xb2, 0xff}, // blue
	{0xd5, 0x5e, 0x00, 0xff}, // vermilion
	{0x00, 0x9e, 0x73, 0xff}, // green
	{0xcc, 0x79, 0xa7, 0xff}, // purple
	{0xe6, 0x9f, 0x00, 0xff}, // orange
	{0x56, 0xb4, 0xe9, 0xff}, // sky blue
	{0x00, 0x00, 0x00, 0xff}, // black
	{0x8c, 0x56, 0x4b, 0xff}, // brown
	{0x7f, 0x7f, 0x7f, 0xff}, // grey
}

// plotFormat returns the format that a file name asks for.
func plotFormat(path string) (string, error) {
	switch extension := strings.ToLower(filepath.Ext(path)); extension {
	case ".svg", ".png":
		return extension[1:], nil
	}
	return "", fmt.Errorf("the picture %q must be named .svg or .png", path)
}

// writePlot draws the comparison: completion times of each group of flows as distributions, and
// queue, pause and goodput over time. format is "svg" or "png".
func writePlot(w io.Writer, format string, s *subject, outcomes []*outcome) error {
	rows := [][]*plot.Plot{distributionPanels(s, outcomes)}
	if series := seriesPanels(s, outcomes); len(series) > 0 {
		rows = append(rows, series)
	}
	rows = slices.DeleteFunc(rows, func(row []*plot.Plot) bool { return len(row) == 0 })
	if len(rows) == 0 {
		return fmt.Errorf("there is nothing to draw: no flow completed")
	}
	head, title := legend(s, outcomes), s.name+": "+s.doc
	height := headHeight(head) + vg.Length(len(rows))*rowHeight + 2*figureMargin
	if format == "png" {
		canvas := vgimg.NewWith(vgimg.UseWH(figureWidth, height), vgimg.UseDPI(96))
		drawFigure(draw.New(canvas), rows, head, title)
		_, err := vgimg.PngCanvas{Canvas: canvas}.WriteTo(w)
		return err
	}
	canvas := vgsvg.New(figureWidth, height)
	drawFigure(draw.New(canvas), rows, head, title)
	var picture bytes.Buffer
	if _, err := canvas.WriteTo(&picture); err != nil {
		return err
	}
	_, err := w.Write(withFallbackFonts(picture.Bytes()))
	return err
}

// withFallbackFonts names fonts of the same metrics for viewers without Liberation Sans.
func withFallbackFonts(svg []byte) []byte {
	return bytes.ReplaceAll(svg, []byte("font-family:Liberation Sans;"), []byte("font-family:Liberation Sans,Arial,Helvetica,sans-serif;"))
}

func drawFigure(c draw.Canvas, rows [][]*plot.Plot, head []legendEntry, title string) {
	c.SetColor(color.White)
	c.Fill(c.Path())
	c = draw.Crop(c, figureMargin, -figureMargin, figureMargin, -figureMargin)
	drawHead(c, title, head)
	for i, row := range rows {
		top := headHeight(head) + vg.Length(i)*rowHeight
		bottom := vg.Length(len(rows)-1-i) * rowHeight
		strip := draw.Crop(c, 0, 0, bottom, -top)
		tiles := draw.Tiles{Rows: 1, Cols: len(row), PadX: 0.3 * vg.Inch, PadBottom: 0.18 * vg.Inch}
		for j, tile := range plot.Align([][]*plot.Plot{row}, tiles, strip)[0] {
			row[j].Draw(tile)
		}
	}
}

// legendEntry is a line of the legend that all panels share, at its place below the title.
type legendEntry struct {
	name  string
	style draw.LineStyle
	x     vg.Length // from the left
	row   int
}

const (
	thumbnail = 0.35 * vg.Inch
	legendGap = 0.3 * vg.Inch
	lineSkip  = 0.24 * vg.Inch
)

// legend lists the protocols and what was published, and breaks the list into rows.
func legend(s *subject, outcomes []*outcome) []legendEntry {
	var entries []legendEntry
	drawn := false
	for i, o := range outcomes {
		entries = append(entries, legendEntry{name: o.fc, style: lineOf(i)})
		drawn = drawn || s.published != nil && s.published.fct[o.fc] != nil
	}
	if drawn {
		grey := publishedLine(draw.LineStyle{Color: color.Gray{0x60}})
		entries = append(entries, legendEntry{name: "dashed: " + s.published.source, style: grey})
	}
	text := textStyle(11)
	var x vg.Length
	row := 0
	for i := range entries {
		width := thumbnail + wider*text.Width(entries[i].name) + legendGap
		if x > 0 && x+width > usableWidth {
			x, row = 0, row+1
		}
		entries[i].x, entries[i].row = x, row
		x += width
	}
	return entries
}

func headHeight(head []legendEntry) vg.Length {
	return 0.45*vg.Inch + lineSkip*vg.Length(head[len(head)-1].row+1)
}

// drawHead draws the title, and the legend below it.
func drawHead(c draw.Canvas, title string, head []legendEntry) {
	heading := textStyle(14)
	heading.Font.Weight = bold
	if width := wider * heading.Width(title); width > usableWidth {
		heading.Font.Size *= usableWidth / width
	}
	c.FillText(heading, vg.Point{X: c.Min.X, Y: c.Max.Y - 0.2*vg.Inch}, title)
	text := textStyle(11)
	for _, e := range head {
		at := vg.Point{X: c.Min.X + e.x, Y: c.Max.Y - 0.48*vg.Inch - lineSkip*vg.Length(e.row)}
		middle := at.Y + 0.35*text.FontExtents().Ascent
		c.StrokeLine2(e.style, at.X, middle, at.X+thumbnail, middle)
		c.FillText(text, vg.Point{X: at.X + thumbnail + 0.06*vg.Inch, Y: at.Y}, e.name)
	}
}

// lineOf returns the line of the i-th protocol; when colours run out, dots tell lines apart.
func lineOf(i int) draw.LineStyle {
	style := draw.LineStyle{Color: palette[i%len(palette)], Width: vg.Points(1.5)}
	if i >= len(palette) {
		style.Dashes = []vg.Length{vg.Points(1.5), vg.Points(1.5)}
	}
	return style
}

func publishedLine(style draw.LineStyle) draw.LineStyle {
	style.Width = vg.Points(1.2)
	style.Dashes = []vg.Length{vg.Points(5), vg.Points(3)}
	return style
}

const bold = 3 // font.WeightBold of golang.org/x/image/font

func textStyle(points float64) draw.TextStyle {
	return draw.TextStyle{
		Color: color.Black, Handler: plot.DefaultTextHandler,
		Font: font.Font{Typeface: "Liberation", Variant: "Sans", Size: vg.Points(points)},
	}
}

// newPanel returns an empty panel with a title and named axes.
func newPanel(title, x, y string) *plot.Plot {
	p := plot.New()
	p.Title.Text = title
	p.Title.Padding = vg.Points(6)
	p.X.Label.Text, p.Y.Label.Text = x, y
	p.Title.TextStyle.Font = textStyle(12).Font
	for _, axis := range []*plot.Axis{&p.X, &p.Y} {
		axis.Label.TextStyle.Font = textStyle(10).Font
		axis.Tick.Label.Font = textStyle(9).Font
		axis.Padding = 0
	}
	return p
}

// groupPanelTitle names a group and says how many flows it has.
func groupPanelTitle(g workload.Group, flows int) string {
	what := map[workload.Group]string{
		workload.Incast:     "incast, to one host",
		workload.Vulnerable: "vulnerable, to its rack",
		workload.Background: "background, to other racks",
	}[g]
	return fmt.Sprintf("%s (%s)", what, plural(flows, "flow"))
}
