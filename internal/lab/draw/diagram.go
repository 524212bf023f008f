package draw

import (
	"image/color"
	"math"
	"slices"
)

// diagram is a panel's axes and curves at their place.
type diagram struct {
	*Panel
	*sizes
	x, y Scale
	// The room for marks and labels, the same for all diagrams of a row.
	left, bottom float64
	// The corners of what lies between the axes.
	low, high Point
}

const (
	majorTick       = 6.0
	minorTick       = 3.0
	tickGap         = 2.0
	publishedRadius = 2.2
)

var (
	black    = color.RGBA{A: 0xff}
	axisLine = lineStyle{Color: black, width: 0.5}
	gridLine = lineStyle{Color: color.RGBA{0xe0, 0xe0, 0xe0, 0xff}, width: 0.5}
)

// diagramsOf returns the diagrams of a row, with their axes in line.
func diagramsOf(row []*Panel, s *sizes) []*diagram {
	var diagrams []*diagram
	left := 0.0
	for _, p := range row {
		d := &diagram{Panel: p, sizes: s}
		d.x, d.y = p.Axes()
		for _, t := range d.y.Ticks {
			if d.y.shows(t) {
				left = max(left, wider*d.tickText().width(t.Label))
			}
		}
		diagrams = append(diagrams, d)
	}
	for _, d := range diagrams {
		d.left = 1.5*s.label + left + tickGap + majorTick
		d.bottom = majorTick + tickGap + 1.2*s.tick + 1.4*s.label
	}
	return diagrams
}

func (d *diagram) draw(c canvas, from, to Point) {
	// The last label of x may stand out by half its width.
	right := 0.0
	if n := len(d.x.Ticks); n > 0 {
		right = d.tickText().width(d.x.Ticks[n-1].Label) / 2
	}
	d.low = Point{from.X + d.left, to.Y - d.bottom}
	d.high = Point{to.X - right, from.Y + d.tick/2}
	if len(d.Curves) == 0 && d.Empty != "" {
		d.drawEmpty(c)
		return
	}
	d.drawAxes(c, from, to)
	equal := d.equal()
	for i := range d.Curves {
		d.drawCurve(c, &d.Curves[i], equal)
	}
}

// drawEmpty says in place of axes why there is no curve.
func (d *diagram) drawEmpty(c canvas) {
	corners := []Point{d.low, {d.low.X, d.high.Y}, d.high, {d.high.X, d.low.Y}, d.low}
	c.stroke(corners, gridLine)
	lines := breakText(d.Empty, textStyle{size: d.label}, d.high.X-d.low.X)
	y := (d.low.Y+d.high.Y)/2 - heightOfLines(lines)/2
	for i := range lines {
		y += lines[i].skip()
		c.text(Point{(d.low.X + d.high.X) / 2, y}, lines[i].text, lines[i].style, atMiddle, false)
	}
}

func (d *diagram) drawAxes(c canvas, from, to Point) {
	for _, t := range d.labelled() {
		if at := d.at(Point{t.Value, d.y.Low}); d.x.shows(t) {
			length := minorTick
			if at.Y = d.low.Y; t.Label != "" {
				length = majorTick
				c.stroke([]Point{at, {at.X, d.high.Y}}, gridLine)
				base := at.Y + majorTick + tickGap + 0.8*d.tick
				c.text(Point{at.X, base}, t.Label, d.tickText(), atMiddle, false)
			}
			c.stroke([]Point{at, {at.X, at.Y + length}}, axisLine)
		}
	}
	for _, t := range d.y.Ticks {
		if at := d.at(Point{d.x.Low, t.Value}); d.y.shows(t) {
			length := minorTick
			if at.X = d.low.X; t.Label != "" {
				length = majorTick
				c.stroke([]Point{at, {d.high.X, at.Y}}, gridLine)
				end := Point{at.X - majorTick - tickGap, at.Y + 0.35*d.tick}
				c.text(end, t.Label, d.tickText(), atEnd, false)
			}
			c.stroke([]Point{{at.X - length, at.Y}, at}, axisLine)
		}
	}
	c.stroke([]Point{{d.low.X, d.high.Y}, d.low, {d.high.X, d.low.Y}}, axisLine)
	middle := Point{(d.low.X + d.high.X) / 2, (d.low.Y + d.high.Y) / 2}
	label := textStyle{size: d.label}
	c.text(Point{middle.X, to.Y - 0.3*d.label}, d.XLabel, label, atMiddle, false)
	c.text(Point{from.X + d.label, middle.Y}, d.YLabel, label, atMiddle, true)
}

// labelled returns the marks of x with labels that do not touch: all labels, or the labels of a
// coarser step, or, where marks have no step, the labels that there is room for.
func (d *diagram) labelled() []Mark {
	steps := d.x.Thinner
	if steps == nil {
		steps = [][]Mark{d.x.Ticks}
	}
	for i, ticks := range steps {
		ends := math.Inf(-1)
		fits, kept := true, slices.Clone(ticks)
		for j, t := range ticks {
			if t.Label == "" || !d.x.shows(t) {
				continue
			}
			half := wider*d.tickText().width(t.Label)/2 + 2
			at := d.at(Point{t.Value, d.y.Low}).X
			if at-half <= ends {
				kept[j].Label, fits = "", false
				continue
			}
			ends = at + half
		}
		if fits || i == len(steps)-1 {
			return kept
		}
	}
	return nil
}

func (d *diagram) tickText() textStyle { return textStyle{size: d.tick} }

// drawCurve draws a curve. Among equal curves each is narrower than the curve below it, so that all
// can be seen.
func (d *diagram) drawCurve(c canvas, curve *Curve, equal [][]string) {
	style := LineOf(curve.FC)
	if curve.Published {
		for _, p := range curve.Points {
			c.ring(d.at(p), publishedRadius, style.Color)
		}
		return
	}
	for _, set := range equal {
		if i := slices.Index(set, curve.FC); i >= 0 {
			style.width += 2 * float64(len(set)-1-i)
		}
	}
	var line []Point
	for _, p := range curve.Points {
		at := d.at(p)
		if n := len(line); curve.Steps && n > 0 {
			line = append(line, Point{at.X, line[n-1].Y})
		}
		line = append(line, at)
	}
	c.stroke(line, style)
	for i, spread := range curve.Spread {
		d.drawSpread(c, curve.Points[i], spread, style.Color)
	}
}

// drawSpread draws a point with a bar from so much below it to so much above it.
func (d *diagram) drawSpread(c canvas, p Point, spread float64, of color.RGBA) {
	const halfCap, radius = 2.5, 2.0
	bar := lineStyle{Color: of, width: 1}
	ends := []Point{d.at(Point{p.X, p.Y + spread}), d.at(Point{p.X, max(d.y.Low, p.Y-spread)})}
	c.stroke(ends, bar)
	if p.Y-spread < d.y.Low { // a bar without an end goes on below the axis
		ends = ends[:1]
	}
	for _, end := range ends {
		c.stroke([]Point{{end.X - halfCap, end.Y}, {end.X + halfCap, end.Y}}, bar)
	}
	c.disc(d.at(p), radius, of)
}

func (d *diagram) at(p Point) Point {
	return Point{
		d.low.X + d.x.share(p.X)*(d.high.X-d.low.X), d.low.Y + d.y.share(p.Y)*(d.high.Y-d.low.Y),
	}
}
