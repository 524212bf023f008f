package main

import (
	"image/color"
	"math"
	"slices"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/sim"
	"github.com/sluicefc/sluice/internal/workload"
)

// Points of a line: more than a screen can show would only make the file large, and a rate needs spans long
// enough to hold many packets.
const (
	maxPoints  = 200 // of a distribution
	fineBins   = 200 // of a quantity over time
	coarseBins = 80  // of a rate over time
)

// distributionPanels returns one panel a group that completed any flow: the cumulative distribution of
// completion times, a line a protocol, and dashed what was published.
func distributionPanels(s *subject, outcomes []*outcome) []*plot.Plot {
	counts := countGroups(s.groups)
	var panels []*plot.Plot
	for _, g := range []workload.Group{workload.Incast, workload.Vulnerable, workload.Background} {
		p := newPanel(groupPanelTitle(g, counts[g]), "flow completion time, us", "share of flows")
		p.X.Scale, p.X.Tick.Marker = plot.LogScale{}, plot.TickerFunc(logTicks)
		addGrid(p)
		empty := true
		for i, o := range outcomes {
			times := completionTimes(o, g)
			if len(times) == 0 {
				continue
			}
			empty = false
			if s.published != nil {
				if published := s.published.times(o.fc, s.groups, g); len(published) > 0 {
					addSteps(p, cumulative(published), publishedLine(lineOf(i)))
				}
			}
			addSteps(p, cumulative(times), lineOf(i))
		}
		if empty {
			continue
		}
		p.Y.Min, p.Y.Max = 0, 1
		p.Y.Tick.Marker = shareTicks
		panels = append(panels, p)
	}
	return panels
}

func completionTimes(o *outcome, g workload.Group) []float64 {
	var times []float64
	for i := range o.result.Flows {
		if f := &o.result.Flows[i]; o.groups[i] == g && f.FCT != sluice.Never {
			times = append(times, f.FCT.Microseconds())
		}
	}
	return times
}

// cumulative returns the points of the distribution of values, which it sorts.
func cumulative(values []float64) plotter.XYs {
	slices.Sort(values)
	n := len(values)
	points := plotter.XYs{{X: values[0], Y: 0}}
	step := max(1, n/maxPoints)
	for i := 0; i < n; i += step {
		points = append(points, plotter.XY{X: values[i], Y: float64(i+1) / float64(n)})
	}
	return append(points, plotter.XY{X: values[n-1], Y: 1})
}

// seriesPanels returns the panels over time; none if no run was sampled.
func seriesPanels(s *subject, outcomes []*outcome) []*plot.Plot {
	end := sluice.Time(0)
	for _, o := range outcomes {
		if n := len(o.result.Series); n > 0 {
			end = max(end, o.result.Series[n-1].At)
		}
	}
	if end == 0 {
		return nil
	}
	unit, unitName := sluice.Microsecond, "us"
	if end >= 20*sluice.Millisecond {
		unit, unitName = sluice.Millisecond, "ms"
	}
	victims := workload.Vulnerable
	if countGroups(s.groups)[victims] == 0 {
		victims = workload.Background
	}
	queue := newPanel("longest egress queue of any switch", "time, "+unitName, "MB")
	pause := newPanel("queues with packets that are held", "time, "+unitName, "queues")
	goodput := newPanel("goodput of "+victims.String()+" flows", "time, "+unitName, "Gb/s")
	panels := []*plot.Plot{queue, pause, goodput}
	for _, p := range panels {
		addGrid(p)
	}
	for i, o := range outcomes {
		fine := binSeries(o.result.Series, end/fineBins, victims)
		coarse := binSeries(o.result.Series, end/coarseBins, victims)
		addLine(queue, fine.line(unit, func(b *bin) float64 { return float64(b.longest) / float64(sluice.MB) }), lineOf(i))
		addLine(pause, fine.line(unit, func(b *bin) float64 { return float64(b.paused) }), lineOf(i))
		addLine(goodput, coarse.line(unit, (*bin).goodput), lineOf(i))
	}
	for _, p := range panels {
		p.X.Min, p.X.Max = 0, float64(end)/float64(unit)
		p.Y.Min = 0
		p.Y.Max = max(p.Y.Max, 1e-3)
		p.X.Tick.Marker, p.Y.Tick.Marker = plot.TickerFunc(linearTicks), plot.TickerFunc(linearTicks)
	}
	return panels
}

// bin joins neighbouring samples.
type bin struct {
	from, to  sluice.Time
	longest   sluice.Bytes // maximum
	paused    int          // maximum
	delivered sluice.Bytes // sum
}

func (b *bin) goodput() float64 {
	if b.to <= b.from {
		return 0
	}
	return float64(b.delivered) * 8 / float64((b.to-b.from)/sluice.Nanosecond)
}

type binned []bin

// binSeries joins samples to spans of at least a width.
func binSeries(series []sim.Sample, width sluice.Time, victims workload.Group) binned {
	var bins binned
	previous := sluice.Time(0)
	for i := range series {
		sample := &series[i]
		if n := len(bins); n == 0 || bins[n-1].to-bins[n-1].from >= width {
			bins = append(bins, bin{from: previous})
		}
		b := &bins[len(bins)-1]
		b.to = sample.At
		b.longest = max(b.longest, sample.MaxPortBytes)
		b.paused = max(b.paused, sample.PausedQueues)
		b.delivered += sample.DeliveredBytes[victims]
		previous = sample.At
	}
	return bins
}

func (bins binned) line(unit sluice.Time, f func(*bin) float64) plotter.XYs {
	if len(bins) == 0 {
		return nil
	}
	points := make(plotter.XYs, 1, len(bins)+1) // from the empty network at 0
	for i := range bins {
		points = append(points, plotter.XY{X: float64(bins[i].to) / float64(unit), Y: f(&bins[i])})
	}
	return points
}

func addLine(p *plot.Plot, points plotter.XYs, style draw.LineStyle) {
	if len(points) == 0 {
		return
	}
	p.Add(&plotter.Line{XYs: points, LineStyle: style})
}

func addSteps(p *plot.Plot, points plotter.XYs, style draw.LineStyle) {
	p.Add(&plotter.Line{XYs: points, LineStyle: style, StepStyle: plotter.PostStep})
}

func addGrid(p *plot.Plot) {
	grid := plotter.NewGrid()
	line := draw.LineStyle{Color: color.Gray{0xe0}, Width: vg.Points(0.5)}
	grid.Horizontal, grid.Vertical = line, line
	p.Add(grid)
}

// shareTicks divides an axis from 0 to 1.
var shareTicks = plot.ConstantTicks{{Value: 0, Label: "0"}, {Value: 0.25, Label: "0.25"}, {Value: 0.5, Label: "0.5"}, {Value: 0.75, Label: "0.75"}, {Value: 1, Label: "1"}}

// linearTicks labels about five multiples of 1, 2 or 5 times a power of ten.
func linearTicks(low, high float64) []plot.Tick {
	step := math.Pow(10, math.Floor(math.Log10((high-low)/5)))
	for _, factor := range []float64{2, 2.5, 2} {
		if (high-low)/step > 6 {
			step *= factor
		}
	}
	var ticks []plot.Tick
	for n := math.Ceil(low / step); n*step <= high*(1+1e-9); n++ {
		value := math.Round(n*step*1e9) / 1e9
		ticks = append(ticks, plot.Tick{Value: value, Label: strconv.FormatFloat(value, 'f', -1, 64)})
	}
	return ticks
}

// logTicks labels powers of ten, and 2 and 5 between them when there are few.
func logTicks(low, high float64) []plot.Tick {
	var ticks []plot.Tick
	few := high/low < 300
	for exponent := math.Floor(math.Log10(low)); exponent <= math.Ceil(math.Log10(high)); exponent++ {
		for digit := 1.0; digit < 10; digit++ {
			value := digit * math.Pow(10, exponent)
			label := ""
			if digit == 1 || few && (digit == 2 || digit == 5) {
				label = strconv.FormatFloat(value, 'f', -1, 64)
			}
			ticks = append(ticks, plot.Tick{Value: value, Label: label})
		}
	}
	return ticks
}
