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

// Figure draws mean completion times, and mean iterations of jobs, over the values of the last
// axis, or over the protocols if only seeds change. The values of all other axes are colours under
// one protocol, and panels under several. Numbers are where they belong on their axis; names have
// no line between them. An axis on which values are more than twenty times apart is logarithmic.
func (s *Plan) Figure() *draw.Figure {
	f := &draw.Figure{
		Title: "sweep of " + s.first.Name + ": " + s.first.Describe(),
	}
	f.Subtitle = s.first.Graph.Name + ", " + show.Plural(len(s.Seeds), "seed")
	switch said := s.seedsSay(); {
	case said != "" && s.repeated():
		f.Subtitle += "; " + said
	case len(s.Seeds) > 1:
		f.Subtitle += "; bars are 95 % confidence intervals of the mean"
	}
	if len(s.first.Changes) > 0 {
		f.Subtitle += "; with " + strings.Join(s.first.Changes, " ")
	}
	counts := s.first.CountGroups()
	groups := 0
	for _, g := range s.groups {
		if counts[g] == 0 {
			continue
		}
		row := s.panels(&measure{
			"fct-" + column(g), run.GroupTitle(g) + ": mean completion time", "mean FCT, us",
			column(g) + "_fct_us", "no flow completed",
		})
		for _, p := range row { // of one group it would show the same again
			p.Asked = g == workload.GroupAuto && groups == 1
		}
		groups++
		f.Rows = append(f.Rows, row)
	}
	for _, job := range s.jobs {
		f.Rows = append(f.Rows, s.panels(&measure{
			"job:" + job, job + ": mean iteration", "mean iteration, us",
			jobColumn(job) + "_iteration_us", "no iteration ended",
		}))
	}
	if len(f.Rows) > 0 && len(f.Rows[0]) == 1 { // a row of all groups
		f.Rows = [][]*draw.Panel{slices.Concat(f.Rows...)}
	}
	for _, c := range s.curves() {
		if !slices.Contains(f.Legend, c.name) {
			f.Legend = append(f.Legend, c.name)
		}
	}
	s.eachPoint(func(fc, value string) {
		if n := s.count(fc, value, "deadlocks"); n > 0 {
			f.Notes = append(f.Notes, fmt.Sprintf("%s: deadlock in %d of %s",
				strings.TrimSpace(fc+" "+value), n, show.Plural(len(s.Seeds), "run")))
		}
	})
	return f
}

// Skeleton is Figure without what runs would bring: no curve and no note.
func (s *Plan) Skeleton() *draw.Figure {
	f := s.Figure()
	f.Notes = nil
	for _, row := range f.Rows {
		for _, p := range row {
			p.Notes, p.Empty = nil, ""
			for _, c := range s.curves() {
				p.Curves = append(p.Curves, draw.Curve{FC: c.name})
			}
		}
	}
	return f
}

// curve is a protocol at values of all axes but the last.
type curve struct{ name, fc, before string }

// curves are the curves of a measure, panel by panel.
func (s *Plan) curves() (all []curve) {
	for _, before := range s.before() {
		for _, fc := range s.labels {
			name := fc
			if len(s.labels) == 1 && before != "" {
				name = s.named(before)
			}
			all = append(all, curve{name, fc, before})
		}
	}
	return all
}

// before are the values of all axes but the last, joined; "" alone if there is no such axis.
func (s *Plan) before() (all []string) {
	for _, value := range s.values {
		cells := s.cellsOf(value)
		if len(cells) < 2 {
			return []string{""}
		}
		joined := strings.Join(cells[:len(cells)-1], valueSeparator)
		if !slices.Contains(all, joined) {
			all = append(all, joined)
		}
	}
	return all
}

// named has values of the first axes with their parameters: "load=0.5 cc=dcqcn".
func (s *Plan) named(before string) string {
	var words []string
	for i, value := range strings.Split(before, valueSeparator) {
		words = append(words, s.Axes[i].Parameter+"="+value)
	}
	return strings.Join(words, " ")
}

// measure is what a panel shows: its name, title and axis, the metric, and the note without curves.
type measure struct{ panel, title, label, metric, empty string }

// panels are the panels of a measure: one, or, where several protocols have more than one axis, one
// for all values of the axes but the last.
func (s *Plan) panels(m *measure) (panels []*draw.Panel) {
	apart := len(s.labels) > 1
	var p *draw.Panel
	for i, c := range s.curves() {
		if i == 0 || apart && i%len(s.labels) == 0 {
			p = s.panel(m, c.before)
			panels = append(panels, p)
		}
		s.addCurve(p, m, i, c)
	}
	least, most := math.Inf(1), 0.0
	for _, p := range panels {
		for i := range p.Curves {
			for _, at := range p.Curves[i].Points {
				least, most = min(least, at.Y), max(most, at.Y)
			}
		}
	}
	for _, p := range panels { // which are to be compared
		p.LogY = most > wide*least
	}
	return panels
}

func (s *Plan) panel(m *measure, before string) *draw.Panel {
	p := &draw.Panel{Name: m.panel, Title: m.title, YLabel: m.label, Empty: m.empty}
	if before != "" && len(s.labels) > 1 {
		p.Title += ", " + s.named(before)
		p.Name += ":" + strings.ReplaceAll(before, valueSeparator, ":")
	}
	s.axis(p)
	return p
}

// addCurve adds curve number i of a measure to its panel.
func (s *Plan) addCurve(p *draw.Panel, m *measure, i int, c curve) {
	line := draw.Curve{FC: c.name, Spread: []float64{}}
	places := s.places()
	for j, last := range s.last() {
		value := strings.TrimSpace(c.before + valueSeparator + last)
		at := s.over(c.fc, value, m.metric)
		if math.IsNaN(at.mean) {
			p.Notes = append(p.Notes, strings.TrimSpace(c.fc+" "+value)+": none completed")
			continue
		}
		x := float64(i)
		if len(s.Axes) > 0 {
			x = places[j]
		}
		line.Points = append(line.Points, draw.Point{X: x, Y: at.mean})
		line.Spread = append(line.Spread, at.confidence())
	}
	if len(line.Points) > 0 {
		p.Curves = append(p.Curves, line)
	}
}

// wide is how many times apart the values on a logarithmic axis are.
const wide = 20

// last are the values of the last axis; one empty value if there is no axis.
func (s *Plan) last() []string {
	if len(s.Axes) == 0 {
		return []string{""}
	}
	return s.Axes[len(s.Axes)-1].Values
}

// places are where the values of the last axis are: numbers where they belong, names from 0 on.
func (s *Plan) places() []float64 {
	if places, numbers := quantities(s.last()); numbers && len(places) > 1 {
		return places
	}
	var places []float64
	for i := range s.last() {
		places = append(places, float64(i))
	}
	return places
}

// axis gives a panel its x axis.
func (s *Plan) axis(p *draw.Panel) {
	if len(s.Axes) == 0 {
		p.Names, p.XLabel = s.labels, "flow control"
		return
	}
	p.XLabel = s.Axes[len(s.Axes)-1].Parameter
	places, numbers := quantities(s.last())
	if !numbers || len(places) < 2 {
		p.Names = s.last()
		return
	}
	for i, value := range s.last() {
		p.Marks = append(p.Marks, draw.Mark{Value: places[i], Label: value})
	}
	low, high := slices.Min(places), slices.Max(places)
	p.LogX = low > 0 && high > wide*low
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
