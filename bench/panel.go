package main

import (
	"math"
	"slices"
	"strconv"
	"strings"
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
	points    []point
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
	return !c.published && !d.published && slices.Equal(c.points, d.points) &&
		slices.Equal(c.spread, d.spread)
}

// lines returns the text above the panel.
func (p *panel) lines(width float64) []textLine {
	lines := breakText(p.title, textStyle{size: 12}, width)
	notes := slices.Clone(p.notes)
	for _, set := range p.equal() {
		notes = append(notes, "equal: "+strings.Join(set, ", "))
	}
	return append(lines, breakText(strings.Join(notes, "; "), textStyle{size: 9.5}, width)...)
}

// scale is the range of an axis and its marks.
type scale struct {
	low, high float64
	ticks     []tick
}

// tick is a mark on an axis; without a label it is a short one.
type tick struct {
	value float64
	label string
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
			x.ticks = append(x.ticks, tick{float64(i), name})
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
func linearTicks(low, high float64) []tick {
	step := math.Pow(10, math.Floor(math.Log10((high-low)/5)))
	for _, factor := range []float64{2, 2.5, 2} {
		if (high-low)/step > 6 {
			step *= factor
		}
	}
	var ticks []tick
	for n := math.Ceil(low/step - 1e-9); n*step <= high*(1+1e-9); n++ {
		value := n*step + 0 // not -0
		ticks = append(ticks, tick{value, strconv.FormatFloat(roundTo(value, step), 'f', -1, 64)})
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
func logTicks(low, high float64) []tick {
	for _, labelled := range [][]float64{{1}, {1, 3}, {1, 2, 5}, {1, 2, 3, 5, 7}} {
		var ticks []tick
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
				ticks = append(ticks, tick{value, label})
			}
		}
		if labels >= 4 {
			return ticks
		}
	}
	return linearTicks(low, high)
}
