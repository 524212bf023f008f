package sweep

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/draw"
	"github.com/sluicefc/sluice/internal/lab/params"
	"github.com/sluicefc/sluice/internal/lab/run"
	"github.com/sluicefc/sluice/internal/lab/show"
	"github.com/sluicefc/sluice/internal/lab/workload"
)

// Figure draws mean completion times over the values, or over the protocols if only seeds change.
// Numbers are where they belong on their axis. An axis on which values are more than twenty times
// apart is logarithmic.
func (s *Plan) Figure() *draw.Figure {
	f := &draw.Figure{
		Title: "sweep of " + s.first.Name + ": " + s.first.Describe(), Legend: s.labels,
	}
	f.Subtitle = fmt.Sprintf("%s, %s; bars are 95 %% confidence intervals of the mean",
		s.first.Graph.Name, show.Plural(len(s.Seeds), "seed"))
	if len(s.first.Changes) > 0 {
		f.Subtitle += "; with " + strings.Join(s.first.Changes, " ")
	}
	counts := run.CountGroups(s.first.Groups)
	var row []*draw.Panel
	for _, g := range run.ReportGroups {
		if counts[g] > 0 && (g != workload.GroupAuto || len(row) != 1) {
			row = append(row, s.panel(g))
		}
	}
	f.Rows = [][]*draw.Panel{row}
	s.eachPoint(func(fc, value string) {
		if n := s.count(fc, value, "deadlocks"); n > 0 {
			f.Notes = append(f.Notes, fmt.Sprintf("%s: deadlock in %d of %s",
				strings.TrimSpace(fc+" "+value), n, show.Plural(len(s.Seeds), "run")))
		}
	})
	return f
}

func (s *Plan) panel(g workload.Group) *draw.Panel {
	name := strings.ReplaceAll(run.GroupTitle(g), " ", "_")
	p := &draw.Panel{
		Name: "fct-" + name, Title: run.GroupTitle(g) + ": mean completion time", YLabel: "mean FCT, us",
		Empty: "no flow completed",
	}
	places := s.axis(p)
	least, most := math.Inf(1), 0.0
	for i, fc := range s.labels {
		line := draw.Curve{FC: fc, Spread: []float64{}}
		for j, value := range s.values {
			at := s.over(fc, value, name+"_fct_us")
			if math.IsNaN(at.mean) {
				p.Notes = append(p.Notes, strings.TrimSpace(fc+" "+value)+": none completed")
				continue
			}
			x := float64(i)
			if len(s.Axes) > 0 {
				x = places[j]
			}
			least, most = min(least, at.mean), max(most, at.mean)
			line.Points = append(line.Points, draw.Point{X: x, Y: at.mean})
			line.Spread = append(line.Spread, at.confidence())
		}
		if len(line.Points) > 0 {
			p.Curves = append(p.Curves, line)
		}
	}
	p.LogY = most > wide*least
	return p
}

// wide is how many times apart the values on a logarithmic axis are.
const wide = 20

// axis gives a panel its x axis, and returns where on it the values are.
func (s *Plan) axis(p *draw.Panel) []float64 {
	if len(s.Axes) == 0 {
		p.Names, p.XLabel = s.labels, "flow control"
		return nil
	}
	p.XLabel = s.column()
	places, numbers := quantities(s.values)
	if !numbers || len(places) < 2 {
		p.Names = s.values
		places = places[:0]
		for i := range s.values {
			places = append(places, float64(i))
		}
		return places
	}
	for i, value := range s.values {
		p.Marks = append(p.Marks, draw.Mark{Value: places[i], Label: value})
	}
	low, high := slices.Min(places), slices.Max(places)
	p.LogX = low > 0 && high > wide*low
	return places
}

// quantities returns the values as numbers of one kind, if they are numbers.
func quantities(values []string) ([]float64, bool) {
	for _, parse := range []func(string) (float64, error){
		func(text string) (float64, error) {
			x, err := params.Parse[sluice.Ratio](text)
			return float64(x.Num) / float64(x.Den), err
		},
		asNumber[sluice.Bytes], asNumber[sluice.Time], asNumber[sluice.Rate],
	} {
		var numbers []float64
		for _, value := range values {
			if x, err := parse(value); err == nil {
				numbers = append(numbers, x)
			}
		}
		if len(numbers) == len(values) {
			return numbers, true
		}
	}
	return nil, false
}

func asNumber[T ~int64 | ~uint64](text string) (float64, error) {
	x, err := params.Parse[T](text)
	return float64(x), err
}
