package draw

import (
	"math"
	"slices"
	"strconv"
	"strings"
)

type Panel struct {
	Name           string // by which a user chooses it: a kind, or a kind, a colon and more
	Title          string
	Notes          []string // what the curves do not show
	XLabel, YLabel string
	LogX, LogY     bool
	Share          bool     // y is 0 to 1, else what the curves need from 0 on
	Below          bool     // and from below 0, where values are
	Names          []string // of 0, 1, … on the x axis, in place of numbers
	Marks          []Mark   // the marks of the x axis; nil: as its range needs
	Empty          string   // what stands in place of curves where there are none
	Asked          bool     // it is drawn only if a style names it
	Curves         []Curve
}

// Curve is what a protocol did.
type Curve struct {
	FC        string
	Points    []Point
	Steps     bool
	Spread    []float64 // of each point, up and down; nil for none
	Published bool      // by others: points without a line
	Bars      float64   // how high on y the bars are whose ends two points each are; 0: no bars
}

// notes are what the panel's curves do not show, and which of them are equal.
func (p *Panel) notes() []string {
	notes := slices.Clone(p.Notes)
	for _, set := range p.equal() {
		notes = append(notes, "equal: "+strings.Join(set, ", "))
	}
	return notes
}

// equal returns the protocols whose curves are the same to the last digit, in sets of two or more.
func (p *Panel) equal() [][]string {
	var sets [][]string
	seen := make([]bool, len(p.Curves))
	for i := range p.Curves {
		set := []string{p.Curves[i].FC}
		for j := i + 1; j < len(p.Curves) && !seen[i]; j++ {
			if p.Curves[i].same(&p.Curves[j]) {
				seen[j] = true
				set = append(set, p.Curves[j].FC)
			}
		}
		if len(set) > 1 {
			sets = append(sets, set)
		}
	}
	return sets
}

func (c *Curve) same(d *Curve) bool {
	return !c.Published && !d.Published && slices.Equal(c.Points, d.Points) &&
		slices.Equal(c.Spread, d.Spread)
}

type Scale struct {
	Low, High   float64
	Logarithmic bool
	Ticks       []Mark
	Thinner     [][]Mark // Ticks with fewer and fewer labels, for where there is less room
}

// Mark is a mark on an axis; without a label it is short.
type Mark struct {
	Value float64
	Label string
}

// Axes returns the ranges that the curves need, with their marks.
func (p *Panel) Axes() (x, y Scale) {
	x.Low, x.High = math.Inf(1), math.Inf(-1)
	least := math.Inf(1) // above 0: from where on a logarithmic axis is
	lowest, bars := 0.0, 0.0
	for i := range p.Curves {
		bars = max(bars, p.Curves[i].Bars)
		for j, point := range p.Curves[i].Points {
			point.Y += p.Curves[i].Bars / 2
			if !p.LogX || point.X > 0 {
				x.Low, x.High = min(x.Low, point.X), max(x.High, point.X)
			}
			spread := 0.0
			if p.Curves[i].Spread != nil {
				spread = p.Curves[i].Spread[j]
			}
			y.High = max(y.High, point.Y+spread)
			if point.Y < 0 { // a bar alone may end below the axis
				lowest = min(lowest, point.Y-spread)
			}
			if point.Y > 0 { // a bar that comes near 0 would need all of a logarithmic axis
				least = min(least, max(point.Y-spread, point.Y/4))
			}
		}
	}
	for _, m := range p.Marks {
		x.Low, x.High = min(x.Low, m.Value), max(x.High, m.Value)
	}
	x.Logarithmic = p.LogX
	switch {
	case len(p.Names) > 0:
		x.Low, x.High = -0.5, float64(len(p.Names))-0.5
		for i, name := range p.Names {
			x.Ticks = append(x.Ticks, Mark{float64(i), name})
		}
	case x.Low > x.High:
		x.Low, x.High = 1, 10
		x.Ticks = linearTicks(1, 10)
	case p.LogX:
		x.Low, x.High = x.Low/1.08, x.High*1.08
		x.Ticks = logTicks(x.Low, x.High)
		x.Thinner = thinner(x.Ticks, func(n int, value float64) bool {
			exponent := math.Round(math.Log10(value))
			return math.Abs(value/math.Pow(10, exponent)-1) < 1e-9 && int(exponent)%n == 0
		})
	default:
		if x.Low == x.High {
			x.High = x.Low + 1
		}
		x.Ticks = linearTicks(x.Low, x.High)
		if len(x.Ticks) > 1 {
			step := x.Ticks[1].Value - x.Ticks[0].Value
			x.Thinner = thinner(x.Ticks, func(n int, value float64) bool {
				return int(math.Round(value/step))%n == 0
			})
		}
	}
	if p.Marks != nil {
		x.Ticks, x.Thinner = p.Marks, nil
		if margin := 0.04 * (x.High - x.Low); !p.LogX {
			x.Low, x.High = x.Low-margin, x.High+margin
		}
	}
	if p.Share || y.High == 0 {
		y.High = 1
	}
	if p.LogY && !math.IsInf(least, 1) {
		y.Low, y.High, y.Logarithmic = least/1.15, y.High*1.15, true
		y.Ticks = logTicks(y.Low, y.High)
		return x, y
	}
	if !p.Below {
		lowest = 0
	}
	y.Ticks = linearTicks(lowest, y.High)
	if bars > 0 { // of things that have numbers
		lowest = -bars / 2
		y.Ticks = slices.DeleteFunc(y.Ticks, func(m Mark) bool { return m.Value != math.Trunc(m.Value) })
	}
	// Curves along the edges are wholly inside.
	edge := 0.02 * (y.High - lowest)
	y.Low, y.High = lowest-edge, y.High+edge
	return x, y
}

// share returns which part of the axis lies below a value. A value that a logarithmic axis cannot
// show is at its beginning.
func (s *Scale) share(value float64) float64 {
	if s.Logarithmic {
		return math.Log(max(value, s.Low)/s.Low) / math.Log(s.High/s.Low)
	}
	return (value - s.Low) / (s.High - s.Low)
}

func (s *Scale) shows(m Mark) bool { return s.Low <= m.Value && m.Value <= s.High }

// linearTicks labels about five multiples of 1, 2 or 5 times a power of ten.
func linearTicks(low, high float64) []Mark {
	step := math.Pow(10, math.Floor(math.Log10((high-low)/5)))
	for _, factor := range []float64{2, 2.5, 2} {
		if (high-low)/step > 6 {
			step *= factor
		}
	}
	var ticks []Mark
	for n := math.Ceil(low/step - 1e-9); n*step <= high*(1+1e-9); n++ {
		value := n*step + 0 // not -0
		ticks = append(ticks, Mark{value, strconv.FormatFloat(roundTo(value, step), 'f', -1, 64)})
	}
	return ticks
}

// thinner returns marks with all labels, then with the labels of every power or multiple, of every
// second, third and so on.
func thinner(ticks []Mark, keeps func(n int, value float64) bool) [][]Mark {
	all := [][]Mark{ticks}
	for n := 1; n <= 5; n++ {
		fewer := slices.Clone(ticks)
		labels := 0
		for i := range fewer {
			if !keeps(n, fewer[i].Value) {
				fewer[i].Label = ""
			} else if fewer[i].Label != "" {
				labels++
			}
		}
		if labels > 1 {
			all = append(all, fewer)
		}
	}
	return all
}

// roundTo cuts the digits of a multiple of a step that only arithmetic brought.
func roundTo(x, step float64) float64 {
	places := math.Pow(10, max(0, 2-math.Floor(math.Log10(step))))
	return math.Round(x*places) / places
}

// logTicks marks 1 to 9 of every power of ten and labels as many of them as there is room for; in a
// range too small for that, multiples of a step.
func logTicks(low, high float64) []Mark {
	for _, labelled := range [][]float64{{1}, {1, 3}, {1, 2, 5}, {1, 2, 3, 5, 7}} {
		var ticks []Mark
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
				ticks = append(ticks, Mark{value, label})
			}
		}
		if labels >= 4 {
			return ticks
		}
	}
	return linearTicks(low, high)
}
