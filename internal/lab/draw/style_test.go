package draw

import (
	"bytes"
	"fmt"
	"image/color"
	"io"
	"testing"

	"github.com/stretchr/testify/require"
)

// figure has two rows of panels: a distribution, and a queue beside a panel without a curve.
func figure() *Figure {
	f := &Figure{Title: "a title", Subtitle: "a subtitle", Notes: []string{"a note"}}
	fct := &Panel{Name: "fct-incast", Title: "completion", XLabel: "us", YLabel: "share", Share: true}
	f.AddCurve(fct, "pfc", []Point{{1, 0}, {10, 0.5}, {1000, 1}})
	f.AddCurve(fct, "pyrrha", []Point{{1, 0}, {2, 1}})
	queue := &Panel{Name: "port-queue:1:2", Title: "queue", XLabel: "us", YLabel: "kB"}
	f.AddCurve(queue, "pfc", []Point{{0, 0}, {5, 3}})
	empty := &Panel{
		Name: "goodput", Title: "goodput", XLabel: "us", YLabel: "Gb/s", Empty: "nothing came",
	}
	f.Rows = [][]*Panel{{fct}, {queue, empty}}
	return f
}

// recorder is a canvas that keeps texts, and strokes by colour.
type recorder struct {
	texts   map[string]float64 // sizes
	strokes map[color.RGBA][][]Point
	nowhere bool // something was drawn outside
	size    Point
}

func (r *recorder) stroke(points []Point, style lineStyle) {
	r.strokes[style.Color] = append(r.strokes[style.Color], points)
	for _, p := range points {
		r.nowhere = r.nowhere || !(p.X >= 0 && p.X <= r.size.X && p.Y >= 0 && p.Y <= r.size.Y)
	}
}
func (r *recorder) disc(Point, float64, color.RGBA) {}
func (r *recorder) ring(Point, float64, color.RGBA) {}
func (r *recorder) text(_ Point, text string, style textStyle, _ anchor, _ bool) {
	r.texts[text] = style.size
}
func (r *recorder) finish(io.Writer) error { return nil }

func record(t *testing.T, f *Figure, style Style) *recorder {
	t.Helper()
	l, err := f.layout(style)
	require.NoError(t, err)
	r := &recorder{map[string]float64{}, map[color.RGBA][][]Point{}, false, Point{l.width, l.height}}
	l.draw(r)
	require.False(t, r.nowhere, "drawn outside")
	return r
}

// A picture of a paper's column has texts of 8 points, 7 at marks, whatever is in it.
func TestTextsOnPaper(t *testing.T) {
	width, height, err := ParseSize("3.3x2.2in")
	require.NoError(t, err)
	r := record(t, figure(), Style{
		Panels: []string{"fct-incast"}, Width: width, Height: height, NoTitle: true,
	})
	for text, size := range r.texts {
		require.GreaterOrEqual(t, size, 7.0, text)
		require.LessOrEqual(t, size, 8.0, text)
	}
	require.Equal(t, Point{3.3 * 72, 2.2 * 72}, r.size)
	require.NotContains(t, r.texts, "a title")
	require.NotContains(t, r.texts, "a note", "nor what the caption has to say")
	require.Contains(t, record(t, figure(), Style{}).texts, "a note")
	require.NotContains(t, r.texts, "completion", "the caption says what a panel alone is")
	require.Contains(t, r.texts, "pyrrha")
	require.NotContains(t, record(t, figure(), Style{NoLegend: true}).texts, "pyrrha")
}

// Panels are chosen by their names or kinds; the legend has what they show.
func TestPanelsAreChosen(t *testing.T) {
	r := record(t, figure(), Style{Panels: []string{"port-queue"}})
	require.Contains(t, r.texts, "queue")
	require.NotContains(t, r.texts, "completion")
	require.NotContains(t, r.texts, "pyrrha")
	_, err := figure().layout(Style{Panels: []string{"queues"}})
	require.EqualError(t, err, `the picture has no panel "queues"; its panels: fct-incast, `+
		`port-queue:1:2, goodput`)
	require.Contains(t, record(t, figure(), Style{}).texts, "nothing came")
}

// A size in which nothing could be read is refused.
func TestSizesWithoutRoom(t *testing.T) {
	err := figure().Check(Style{Width: 200, Height: 150})
	require.EqualError(t, err, "a picture of 2.778 x 2.083 in has no room for fct-incast, "+
		"port-queue:1:2, goodput: choose fewer panels, or leave title and legend out")
	for text, want := range map[string]Point{
		"3.3x2.2in": {237.6, 158.4}, "84x50mm": {238.11, 141.73}, "8.4x5cm": {238.11, 141.73},
		"240x160pt": {240, 160},
	} {
		width, height, err := ParseSize(text)
		require.NoError(t, err)
		require.InDelta(t, want.X, width, 0.01)
		require.InDelta(t, want.Y, height, 0.01)
	}
	for _, text := range []string{
		"", "in", "3in", "3x2", "0x2in", "3x2furlong", "NaNx2in", "1x1000in",
	} {
		_, _, err := ParseSize(text)
		require.ErrorContains(t, err, "must be a size such as 3.3x2.2in", text)
	}
}

// On a logarithmic axis equal factors are equal distances; what is not above 0 is at its beginning.
func TestLogarithmicAxes(t *testing.T) {
	p := &Panel{LogX: true, LogY: true, Curves: []Curve{{FC: "pfc",
		Points: []Point{{0, 0}, {1, 2}, {10, 20}, {100, 200}}}}}
	x, y := p.Axes()
	require.InDelta(t, x.share(10)-x.share(1), x.share(100)-x.share(10), 1e-12)
	require.InDelta(t, y.share(20)-y.share(2), y.share(200)-y.share(20), 1e-12)
	require.Zero(t, x.share(0))
	require.Zero(t, y.share(0))
	// A style changes what a panel would have.
	f := figure()
	rows, err := f.chosen(&Style{Log: Axes{X: true}})
	require.NoError(t, err)
	require.True(t, rows[0][0].LogX)
	require.False(t, rows[0][0].LogY)
	f.Rows[0][0].LogX = true
	rows, err = f.chosen(&Style{Linear: Axes{X: true}})
	require.NoError(t, err)
	require.False(t, rows[0][0].LogX)
}

// Labels of x that would touch are left out by a step that all that stay have: 0, 1000, 2000.
func TestLabelsKeepTheirStep(t *testing.T) {
	labels := func(p *Panel, width float64) (all []string) {
		d := diagramsOf([]*Panel{p}, &onPaper, width, 100)[0]
		d.low, d.high = Point{0, 100}, Point{width, 0}
		for _, m := range d.labelled() {
			if m.Label != "" {
				all = append(all, m.Label)
			}
		}
		return all
	}
	curve := []Curve{{FC: "pfc", Points: []Point{{0, 1}, {3000, 1}}}}
	linear := &Panel{Curves: curve}
	require.Equal(t, []string{"0", "500", "1000", "1500", "2000", "2500", "3000"}, labels(linear, 300))
	require.Equal(t, []string{"0", "1000", "2000", "3000"}, labels(linear, 110))
	require.Equal(t, []string{"0", "1500", "3000"}, labels(linear, 60))
	curve[0].Points = []Point{{150, 1}, {200_000, 1}}
	log := &Panel{Curves: curve, LogX: true}
	require.Equal(t, []string{"300", "1000", "3000", "10000", "30000", "100000"}, labels(log, 300))
	require.Equal(t, []string{"1000", "10000", "100000"}, labels(log, 120))
}

// On a logarithmic axis a bar that comes near 0 has no end below, and none is drawn.
func TestBarsBelowAnAxis(t *testing.T) {
	for spread, ends := range map[float64]int{4: 2, 9.9: 1, 11: 1} {
		p := &Panel{Name: "fct", LogY: true, Curves: []Curve{{
			FC: "pfc", Points: []Point{{1, 10}, {2, 20}}, Spread: []float64{spread, 0.1},
		}}}
		f := &Figure{Legend: []string{"pfc"}, Rows: [][]*Panel{{p}}}
		bars := record(t, f, Style{NoTitle: true, NoLegend: true}).strokes[LineOf("pfc").Color]
		require.Len(t, bars, 1+1+ends+3, "%v", spread) // curve, bar, ends, the other bar with its ends
	}
}

// A picture of many rows is not as high as a screen's rows would make it, and a row that only says
// why it is empty is low.
func TestManyRows(t *testing.T) {
	f := figure()
	height := func() float64 {
		l, err := f.layout(Style{})
		require.NoError(t, err)
		return l.height
	}
	two := height()
	f.Rows = append(f.Rows, []*Panel{{Title: "none", Empty: "nothing came"}})
	require.Less(t, height()-two, screenRow/2)
	for range 5 {
		f.Rows = append(f.Rows, f.Rows[0])
	}
	require.Less(t, height(), 8*screenLowRow+2*inch)
}

// No two of seventy flows have the same line, and none has a protocol's colour. What a control has
// set for a flow has the flow's colour.
func TestLinesOfFlows(t *testing.T) {
	seen := map[string]bool{}
	for n := range 70 {
		line := LineOf(fmt.Sprint("flow ", n))
		key := fmt.Sprint(line.Color, line.dashes)
		require.False(t, seen[key], "flow %d", n)
		seen[key] = true
		require.NotContains(t, palette, line.Color)
		require.Equal(t, line.Color, LineOf(fmt.Sprintf("flow %d, set", n)).Color)
	}
}

// The same picture is the same bytes in every format, and of the format that was asked for.
func TestFormats(t *testing.T) {
	for format, begin := range map[string]string{"svg": "<?xml", "png": "\x89PNG", "pdf": "%PDF-"} {
		var first, second bytes.Buffer
		require.NoError(t, figure().Write(&first, format, Style{}))
		require.NoError(t, figure().Write(&second, format, Style{}))
		require.Equal(t, begin, first.String()[:len(begin)])
		require.Equal(t, first.Bytes(), second.Bytes(), format)
	}
}

// Every name on an axis keeps its label: side by side where there is room, else upright; and
// between names no line is drawn, only points, which lie beside one another.
func TestNames(t *testing.T) {
	p := &Panel{Name: "measured:x", Title: "x", XLabel: "run", YLabel: "us", Asked: true}
	f := &Figure{Rows: [][]*Panel{{p}}, Legend: []string{"none"}}
	for i := range 20 {
		p.Names = append(p.Names, fmt.Sprintf("name number %d", i))
	}
	for _, fc := range []string{"pfc", "pyrrha"} {
		var points []Point
		for i := range p.Names {
			points = append(points, Point{float64(i), float64(i)})
		}
		p.Curves = append(p.Curves, Curve{FC: fc, Points: points})
	}
	style := Style{Panels: []string{"measured"}, Width: 400, Height: 300, NoTitle: true}
	r := record(t, f, style)
	for _, name := range p.Names {
		require.Contains(t, r.texts, name)
	}
	require.Contains(t, r.texts, "pfc", "in the legend, whatever the figure's has")
	require.Len(t, r.strokes[LineOf("pfc").Color], 1, "the legend's line alone")
	d := diagramsOf([]*Panel{p}, &onPaper, 396, 250)[0]
	require.True(t, d.upright)
	require.Less(t, d.shift("pfc"), 0.0)
	require.Equal(t, -d.shift("pfc"), d.shift("pyrrha"))
	p.Names, p.Curves = p.Names[:2], nil
	require.False(t, diagramsOf([]*Panel{p}, &onPaper, 396, 250)[0].upright)
	// A panel that is not named is not drawn.
	rows, err := f.chosen(&Style{})
	require.NoError(t, err)
	require.Empty(t, rows)
}

// Notes for which a size has no room are left out, and known; without them it is drawn.
func TestNotesWithoutRoom(t *testing.T) {
	f := figure()
	style := Style{Panels: []string{"fct-incast"}, Width: 240, Height: 110, NoTitle: true}
	require.NoError(t, f.Check(style))
	require.Empty(t, f.LeftOut(style))
	for i := range 30 {
		f.Rows[0][0].Notes = append(f.Rows[0][0].Notes, fmt.Sprintf("pfc: %d of 1,000 completed", i))
	}
	require.Error(t, f.Check(style))
	require.Len(t, f.LeftOut(style), 1)
	var b bytes.Buffer
	require.NoError(t, f.Write(&b, "svg", style))
	require.NotContains(t, b.String(), "1,000 completed")
	style.Height = 40
	require.Error(t, f.Write(&b, "svg", style))
}

// Curves that may lie below 0 have an axis that goes there; others end at 0, and a bar does, too.
func TestBelowZero(t *testing.T) {
	p := &Panel{Curves: []Curve{{
		FC: "pfc", Points: []Point{{0, -5}, {1, 10}}, Spread: []float64{1, 30},
	}}}
	_, y := p.Axes()
	require.InDelta(t, 0, y.Low, 1)
	p.Below = true
	_, y = p.Axes()
	require.InDelta(t, -6, y.Low, 1)
}
