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
	// What stands beside the axes; upright are labels of marks that have no room side by side.
	xLabel, yLabel []textLine
	upright        bool
	// The room for marks and labels, the same for all diagrams of a row, and for the half of a label
	// that stands out at the right.
	left, bottom, right float64
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

// diagramsOf returns the diagrams of a row, each so wide and high, with their axes in line.
func diagramsOf(row []*Panel, s *sizes, width, height float64) []*diagram {
	var diagrams []*diagram
	ticks, beside, below := 0.0, 0.0, 0.0
	for _, p := range row {
		d := &diagram{Panel: p, sizes: s}
		d.x, d.y = p.Axes()
		for _, t := range d.y.Ticks {
			if d.y.shows(t) {
				ticks = max(ticks, wider*d.tickText().width(t.Label))
			}
		}
		label := textStyle{size: s.label}
		d.xLabel = breakText(d.XLabel, label, width)
		d.yLabel = breakText(d.YLabel, label, height-2*s.label-majorTick)
		beside = max(beside, heightOfLines(d.yLabel))
		below = max(below, heightOfLines(d.xLabel))
		diagrams = append(diagrams, d)
	}
	labels := 1.2 * s.tick
	for _, d := range diagrams {
		d.left = beside + 0.3*s.label + ticks + tickGap + majorTick
		if all := d.allLabelled(); len(all) > 0 {
			d.right = d.tickText().width(all[len(all)-1].Label) / 2
			d.low.X, d.high.X = d.left, width-d.right
			if d.upright = d.mustStand(all); d.upright {
				d.right = 0.6 * s.tick
				for _, t := range all {
					labels = max(labels, wider*d.tickText().width(t.Label))
				}
			}
		} else if n := len(d.x.Ticks); n > 0 {
			d.right = wider * d.tickText().width(d.x.Ticks[n-1].Label) / 2
		}
	}
	for _, d := range diagrams {
		d.bottom = majorTick + tickGap + labels + below + 0.1*s.label
	}
	return diagrams
}

// allLabelled returns the marks of x that keep their labels, because no step says what lies between
// them: names, and values that were chosen.
func (d *diagram) allLabelled() (all []Mark) {
	if len(d.Names) == 0 && d.Marks == nil {
		return nil
	}
	for _, t := range d.x.Ticks {
		if t.Label != "" && d.x.shows(t) {
			all = append(all, t)
		}
	}
	return all
}

// mustStand reports whether labels side by side would touch.
func (d *diagram) mustStand(marks []Mark) bool {
	ends := math.Inf(-1)
	for _, t := range marks {
		half := wider*d.tickText().width(t.Label)/2 + 2
		at := d.at(Point{t.Value, 0}).X
		if at-half <= ends || at-half < -d.left {
			return true
		}
		ends = at + half
	}
	return false
}

func (d *diagram) draw(c canvas, from, to Point) {
	d.low = Point{from.X + d.left, to.Y - d.bottom}
	d.high = Point{to.X - d.right, from.Y + d.tick/2}
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
	d.drawMarksOfX(c)
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
	at := to.Y - heightOfLines(d.xLabel)
	for _, line := range d.xLabel {
		at += line.skip()
		c.text(Point{d.within(middle.X, &line, from.X, to.X), at - 0.4*d.label}, line.text, line.style,
			atMiddle, false)
	}
	at = from.X
	for _, line := range d.yLabel {
		at += line.skip()
		c.text(Point{at - 0.4*d.label, d.within(middle.Y, &line, from.Y-d.label, to.Y)}, line.text,
			line.style, atMiddle, true)
	}
}

// within returns where the middle of a line is, as near as it can be to where it should be, if none
// of the line may lie before or behind two places.
func (d *diagram) within(middle float64, l *textLine, from, to float64) float64 {
	half := wider * l.style.width(l.text) / 2
	return max(from+half, min(middle, to-half))
}

// drawMarksOfX draws the marks of x. Labels that stand are moved apart until none touches another.
func (d *diagram) drawMarksOfX(c canvas) {
	base := d.low.Y + majorTick + tickGap
	ends := math.Inf(-1)
	for _, t := range d.labelled() {
		if !d.x.shows(t) {
			continue
		}
		at := Point{d.at(Point{t.Value, d.y.Low}).X, d.low.Y}
		length := minorTick
		if t.Label != "" {
			length = majorTick
			if len(d.Names) == 0 {
				c.stroke([]Point{at, {at.X, d.high.Y}}, gridLine)
			}
		}
		switch {
		case t.Label == "":
		case d.upright:
			stands := max(at.X, ends+1.1*d.tick)
			c.stroke([]Point{{at.X, at.Y + minorTick}, {stands, base - 1}}, axisLine)
			c.text(Point{stands + 0.35*d.tick, base}, t.Label, d.tickText(), atEnd, true)
			ends, length = stands, minorTick
		default:
			c.text(Point{at.X, base + 0.8*d.tick}, t.Label, d.tickText(), atMiddle, false)
		}
		c.stroke([]Point{at, {at.X, at.Y + length}}, axisLine)
	}
}

// labelled returns the marks of x with labels that do not touch: all labels, or the labels of a
// coarser step, or, where marks have no step, the labels that there is room for. Names and chosen
// values keep theirs.
func (d *diagram) labelled() []Mark {
	if len(d.Names) > 0 || d.Marks != nil {
		return d.x.Ticks
	}
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
// can be seen. Between names there is no line: nothing lies between them.
func (d *diagram) drawCurve(c canvas, curve *Curve, equal [][]string) {
	style := d.line(curve.FC)
	shift := d.shift(curve.FC)
	if curve.Published {
		radius := publishedRadius
		if len(d.Names) > 0 { // around a dot
			radius *= 1.6
		}
		for _, p := range curve.Points {
			c.ring(d.at(Point{p.X + shift, p.Y}), radius, style.Color)
		}
		return
	}
	if curve.Bars > 0 {
		d.drawBars(c, curve, style.Color)
		return
	}
	for _, set := range equal {
		if i := slices.Index(set, curve.FC); i >= 0 {
			style.width += 2 * float64(len(set)-1-i)
		}
	}
	var line []Point
	for i, p := range curve.Points {
		at := d.at(Point{p.X + shift, p.Y})
		if n := len(line); curve.Steps && n > 0 {
			line = append(line, Point{at.X, line[n-1].Y})
		}
		line = append(line, at)
		if len(d.Names) > 0 && curve.Spread == nil {
			d.drawSpread(c, Point{p.X + shift, p.Y}, 0, style.Color)
		} else if curve.Spread != nil {
			d.drawSpread(c, Point{p.X + shift, p.Y}, curve.Spread[i], style.Color)
		}
	}
	if len(d.Names) == 0 {
		c.stroke(simplified(line, d.coarse), style)
	}
}

// drawBars draws bars, of which none is thinner than a hair.
func (d *diagram) drawBars(c canvas, curve *Curve, of color.RGBA) {
	const hair = 0.25
	high := d.at(Point{0, 0}).Y - d.at(Point{0, curve.Bars}).Y
	for i := 0; i+1 < len(curve.Points); i += 2 {
		from, to := d.at(curve.Points[i]), d.at(curve.Points[i+1])
		to.X = max(to.X, from.X+hair)
		c.stroke([]Point{from, to}, lineStyle{Color: of, width: high})
	}
}

// line returns the line of a name in the figure.
func (s *sizes) line(fc string) lineStyle {
	if style, known := s.lines[fc]; known {
		return style
	}
	return LineOf(fc)
}

// shift is how far the points of a protocol lie beside a name, where several protocols have points
// at one name.
func (d *diagram) shift(fc string) float64 {
	const most, room = 0.12, 0.7
	var names []string
	places, together := map[float64]string{}, false
	for i := range d.Curves {
		own := &d.Curves[i]
		if !slices.Contains(names, own.FC) {
			names = append(names, own.FC)
		}
		for _, p := range own.Points {
			other, taken := places[p.X]
			together = together || taken && other != own.FC
			places[p.X] = own.FC
		}
	}
	if len(d.Names) == 0 || !together {
		return 0
	}
	step := min(most, room/float64(len(names)))
	return step * (float64(slices.Index(names, fc)) - float64(len(names)-1)/2)
}

// drawSpread draws a point with a bar from so much below it to so much above it.
func (d *diagram) drawSpread(c canvas, p Point, spread float64, of color.RGBA) {
	const halfCap, radius = 2.5, 2.0
	if spread == 0 {
		c.disc(d.at(p), radius, of)
		return
	}
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
