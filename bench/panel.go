package main

import (
	"image/color"
	"math"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// panel is a diagram: curves over an axis.
type panel struct {
	title          string
	notes          []string // what the curves do not show
	xLabel, yLabel string
	logarithmic    bool // x
	share          bool // y is 0 to 1, else what the curves need from 0 on
	names          []string
	curves         []curve
}

// curve is what a protocol did.
type curve struct {
	fc        string
	points    plotter.XYs
	steps     bool
	spread    []float64 // of each point, up and down; nil for none
	published bool      // by others: points without a line
}

// equal returns the protocols whose curves are the same to the last digit, in sets of two or more.
func (p *panel) equal() [][]string {
	var sets [][]string
	seen := make([]bool, len(p.curves))
	for i := range p.curves {
		set := []string{p.curves[i].fc}
		for j := i + 1; j < len(p.curves) && !seen[i]; j++ {
			if p.curves[i].same(&p.curves[j]) {
				seen[j] = true
				set = append(set, p.curves[j].fc)
			}
		}
		if len(set) > 1 {
			sets = append(sets, set)
		}
	}
	return sets
}

func (c *curve) same(d *curve) bool {
	return !c.published && !d.published && slices.Equal(c.points, d.points) && slices.Equal(c.spread, d.spread)
}

// lines returns the text above the panel.
func (p *panel) lines(width vg.Length) []textLine {
	lines := breakText(p.title, textStyle(12), width)
	notes := slices.Clone(p.notes)
	for _, set := range p.equal() {
		notes = append(notes, "equal: "+strings.Join(set, ", "))
	}
	return append(lines, breakText(strings.Join(notes, "; "), textStyle(9.5), width)...)
}

// plot returns the diagram. Of equal curves each is narrower than the one below it, so that all can
// be seen.
func (p *panel) plot() *plot.Plot {
	diagram := plot.New()
	diagram.X.Label.Text, diagram.Y.Label.Text = p.xLabel, p.yLabel
	for _, axis := range []*plot.Axis{&diagram.X, &diagram.Y} {
		axis.Label.TextStyle.Font = textStyle(10).Font
		axis.Tick.Label.Font = textStyle(9).Font
		axis.Padding = 0
	}
	grid := plotter.NewGrid()
	line := draw.LineStyle{Color: color.Gray{0xe0}, Width: vg.Points(0.5)}
	grid.Horizontal, grid.Vertical = line, line
	diagram.Add(grid)
	equal := p.equal()
	for i := range p.curves {
		p.curves[i].addTo(diagram, equal)
	}
	x, y := p.axes()
	diagram.X.Min, diagram.X.Max, diagram.Y.Min, diagram.Y.Max = x.low, x.high, y.low, y.high
	diagram.X.Tick.Marker, diagram.Y.Tick.Marker = plot.ConstantTicks(x.ticks), plot.ConstantTicks(y.ticks)
	if p.logarithmic {
		diagram.X.Scale = plot.LogScale{}
	}
	return diagram
}

func (c *curve) addTo(diagram *plot.Plot, equal [][]string) {
	style := lineOf(c.fc)
	if c.published {
		diagram.Add(&plotter.Scatter{XYs: c.points, GlyphStyle: publishedGlyph(style.Color)})
		return
	}
	for _, set := range equal {
		if i := slices.Index(set, c.fc); i >= 0 {
			style.Width += vg.Points(2) * vg.Length(len(set)-1-i)
		}
	}
	l := &plotter.Line{XYs: c.points, LineStyle: style}
	if c.steps {
		l.StepStyle = plotter.PostStep
	}
	diagram.Add(l)
	if c.spread == nil {
		return
	}
	bars := &plotter.YErrorBars{XYs: c.points, LineStyle: draw.LineStyle{Color: style.Color, Width: vg.Points(1)}, CapWidth: vg.Points(5)}
	for _, spread := range c.spread {
		bars.YErrors = append(bars.YErrors, struct{ Low, High float64 }{spread, spread})
	}
	diagram.Add(bars, &plotter.Scatter{XYs: c.points, GlyphStyle: draw.GlyphStyle{Color: style.Color, Radius: vg.Points(2), Shape: draw.CircleGlyph{}}})
}

// scale is the range of an axis and its marks.
type scale struct {
	low, high float64
	ticks     []plot.Tick
}

func (p *panel) axes() (x, y scale) {
	x.low, x.high = math.Inf(1), math.Inf(-1)
	for i := range p.curves {
		for j, point := range p.curves[i].points {
			x.low, x.high = min(x.low, point.X), max(x.high, point.X)
			top := point.Y
			if p.curves[i].spread != nil {
				top += p.curves[i].spread[j]
			}
			y.high = max(y.high, top)
		}
	}
	switch {
	case len(p.names) > 0:
		x.low, x.high = -0.5, float64(len(p.names))-0.5
		for i, name := range p.names {
			x.ticks = append(x.ticks, plot.Tick{Value: float64(i), Label: name})
		}
	case len(p.curves) == 0:
		x.low, x.high = 1, 10
		x.ticks = linearTicks(1, 10)
	case p.logarithmic:
		x.low, x.high = x.low/1.08, x.high*1.08
		x.ticks = logTicks(x.low, x.high)
	default:
		if x.low == x.high {
			x.high = x.low + 1
		}
		x.ticks = linearTicks(x.low, x.high)
	}
	if p.share || y.high == 0 {
		y.high = 1
	}
	y.ticks = linearTicks(0, y.high)
	// Curves along the edges are wholly inside.
	y.low, y.high = -0.02*y.high, 1.02*y.high
	return x, y
}

// linearTicks labels about five multiples of 1, 2 or 5 times a power of ten.
func linearTicks(low, high float64) []plot.Tick {
	step := math.Pow(10, math.Floor(math.Log10((high-low)/5)))
	for _, factor := range []float64{2, 2.5, 2} {
		if (high-low)/step > 6 {
			step *= factor
		}
	}
	var ticks []plot.Tick
	for n := math.Ceil(low/step - 1e-9); n*step <= high*(1+1e-9); n++ {
		value := n*step + 0 // not -0
		ticks = append(ticks, plot.Tick{Value: value, Label: strconv.FormatFloat(roundTo(value, step), 'f', -1, 64)})
	}
	return ticks
}

// roundTo cuts the digits of a multiple of a step that only arithmetic brought.
func roundTo(x, step float64) float64 {
	places := math.Pow(10, max(0, 2-math.Floor(math.Log10(step))))
	return math.Round(x*places) / places
}

// logTicks marks 1 to 9 of every power of ten and labels as many of them as there is room for; in a
// range too small for that, multiples of a step.
func logTicks(low, high float64) []plot.Tick {
	for _, labelled := range [][]float64{{1}, {1, 3}, {1, 2, 5}, {1, 2, 3, 5, 7}} {
		var ticks []plot.Tick
		labels := 0
		for exponent := math.Floor(math.Log10(low)); exponent <= math.Ceil(math.Log10(high)); exponent++ {
			for digit := 1.0; digit < 10; digit++ {
				value := digit * math.Pow(10, exponent)
				if value < low || value > high {
					continue
				}
				label := ""
				if slices.Contains(labelled, digit) {
					label = strconv.FormatFloat(value, 'f', max(0, int(-exponent)), 64)
					labels++
				}
				ticks = append(ticks, plot.Tick{Value: value, Label: label})
			}
		}
		if labels >= 4 {
			return ticks
		}
	}
	return linearTicks(low, high)
}
