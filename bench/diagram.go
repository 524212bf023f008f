package main

import (
	"image/color"
	"math"
	"slices"
)

// diagram is a panel's axes and curves at their place.
type diagram struct {
	*panel
	x, y scale
	// The room for marks and labels, the same for all diagrams of a row.
	left, bottom float64
	// The corners of what lies between the axes.
	low, high point
}

// How axes look.
const (
	majorTick       = 6.0
	minorTick       = 3.0
	tickGap         = 2.0
	publishedRadius = 2.2
)

var (
	labelText = textStyle{size: 10}
	tickText  = textStyle{size: 9}
	black     = color.RGBA{A: 0xff}
	axisLine  = lineStyle{color: black, width: 0.5}
	gridLine  = lineStyle{color: color.RGBA{0xe0, 0xe0, 0xe0, 0xff}, width: 0.5}
)

// diagramsOf returns the diagrams of a row, with their axes in line.
func diagramsOf(row []*panel) []*diagram {
	var diagrams []*diagram
	left := 0.0
	for _, p := range row {
		d := &diagram{panel: p}
		d.x, d.y = p.axes()
		for _, t := range d.y.ticks {
			left = max(left, tickText.width(t.label))
		}
		diagrams = append(diagrams, d)
	}
	for _, d := range diagrams {
		d.left = 1.3*labelText.size + left + tickGap + majorTick
		d.bottom = majorTick + tickGap + 1.2*tickText.size + 1.4*labelText.size
	}
	return diagrams
}

// draw draws the diagram between two corners.
func (d *diagram) draw(c canvas, from, to point) {
	// The last label of x may stand out by half its width.
	right := 0.0
	if n := len(d.x.ticks); n > 0 {
		right = tickText.width(d.x.ticks[n-1].label) / 2
	}
	d.low = point{from.X + d.left, to.Y - d.bottom}
	d.high = point{to.X - right, from.Y + tickText.size/2}
	d.drawAxes(c, from, to)
	equal := d.equal()
	for i := range d.curves {
		d.drawCurve(c, &d.curves[i], equal)
	}
}

func (d *diagram) drawAxes(c canvas, from, to point) {
	for _, t := range d.x.ticks {
		if at := d.at(point{t.value, d.y.low}); d.x.shows(t) {
			length := minorTick
			if t.label != "" {
				length = majorTick
				c.stroke([]point{at, {at.X, d.high.Y}}, gridLine)
				base := at.Y + majorTick + tickGap + 0.8*tickText.size
				c.text(point{at.X, base}, t.label, tickText, atMiddle, false)
			}
			c.stroke([]point{at, {at.X, at.Y + length}}, axisLine)
		}
	}
	for _, t := range d.y.ticks {
		if at := d.at(point{d.x.low, t.value}); d.y.shows(t) {
			c.stroke([]point{at, {d.high.X, at.Y}}, gridLine)
			c.stroke([]point{{at.X - majorTick, at.Y}, at}, axisLine)
			end := point{at.X - majorTick - tickGap, at.Y + 0.35*tickText.size}
			c.text(end, t.label, tickText, atEnd, false)
		}
	}
	c.stroke([]point{{d.low.X, d.high.Y}, d.low, {d.high.X, d.low.Y}}, axisLine)
	middle := point{(d.low.X + d.high.X) / 2, (d.low.Y + d.high.Y) / 2}
	c.text(point{middle.X, to.Y - 0.3*labelText.size}, d.xLabel, labelText, atMiddle, false)
	c.text(point{from.X + labelText.size, middle.Y}, d.yLabel, labelText, atMiddle, true)
}

// drawCurve draws a curve. Of equal curves each is narrower than the one below it, so that all can
// be seen.
func (d *diagram) drawCurve(c canvas, curve *curve, equal [][]string) {
	style := lineOf(curve.fc)
	if curve.published {
		for _, p := range curve.points {
			c.ring(d.at(p), publishedRadius, style.color)
		}
		return
	}
	for _, set := range equal {
		if i := slices.Index(set, curve.fc); i >= 0 {
			style.width += 2 * float64(len(set)-1-i)
		}
	}
	var line []point
	for _, p := range curve.points {
		at := d.at(p)
		if n := len(line); curve.steps && n > 0 {
			line = append(line, point{at.X, line[n-1].Y})
		}
		line = append(line, at)
	}
	c.stroke(line, style)
	for i, spread := range curve.spread {
		d.drawSpread(c, curve.points[i], spread, style.color)
	}
}

// drawSpread draws a point with a bar from so much below it to so much above it.
func (d *diagram) drawSpread(c canvas, p point, spread float64, of color.RGBA) {
	const halfCap, radius = 2.5, 2.0
	bar := lineStyle{color: of, width: 1}
	top, bottom := d.at(point{p.X, p.Y + spread}), d.at(point{p.X, max(d.y.low, p.Y-spread)})
	c.stroke([]point{top, bottom}, bar)
	for _, end := range []point{top, bottom} {
		c.stroke([]point{{end.X - halfCap, end.Y}, {end.X + halfCap, end.Y}}, bar)
	}
	c.disc(d.at(p), radius, of)
}

// at returns where a point of the panel lies.
func (d *diagram) at(p point) point {
	x, y := d.x.share(p.X), d.y.share(p.Y)
	if d.logarithmic {
		x = math.Log(p.X/d.x.low) / math.Log(d.x.high/d.x.low)
	}
	return point{d.low.X + x*(d.high.X-d.low.X), d.low.Y + y*(d.high.Y-d.low.Y)}
}

// share returns which part of the range lies below x.
func (s *scale) share(x float64) float64 { return (x - s.low) / (s.high - s.low) }

// shows reports whether a mark lies on the axis.
func (s *scale) shows(t tick) bool { return s.low <= t.value && t.value <= s.high }
