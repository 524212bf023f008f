package main

import (
	"fmt"
	"maps"
	"slices"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/sim"
	"github.com/sluicefc/sluice/internal/lab/workload"
)

// Points of a line: more than a screen can show would only make the file large, and a rate needs
// spans long enough to hold many packets.
const (
	maxPoints       = 150 // of a distribution
	publishedPoints = 24
	fineBins        = 200 // of a quantity over time
	coarseBins      = 80  // of a rate over time
)

// comparison draws what protocols did on a scenario: completion times of each group of flows as
// distributions, and queues, pauses and goodput over time.
func comparison(s *subject, outcomes []*outcome) *figure {
	f := &figure{
		title:    s.name + ": " + s.describe(),
		subtitle: s.graph.Name + ", " + plural(len(s.flows), "flow") + ", seed " + fmt.Sprint(s.seed),
	}
	set := s.values.Set()
	for _, name := range slices.Sorted(maps.Keys(set)) {
		f.subtitle += ", " + name + "=" + set[name]
	}
	for _, o := range outcomes {
		f.legend = append(f.legend, o.fc)
		if s.published != nil && s.published.fct[o.fc] != nil {
			f.source = s.published.source
		}
		if note := unfinishedNote(o); note != "" {
			f.notes = append(f.notes, note)
		}
	}
	rows := [][]*panel{distributions(s, outcomes), overTime(s, outcomes), weights(s, outcomes)}
	for _, row := range append(rows, f.watched(s, outcomes)...) {
		if len(row) > 0 {
			f.rows = append(f.rows, row)
		}
	}
	return f
}

// unfinishedNote says what kept a protocol from completing all flows; "" if it did.
func unfinishedNote(o *outcome) string {
	flows := len(o.result.Flows)
	if o.result.Completed == flows {
		return ""
	}
	text := fmt.Sprintf(
		"%s: %s of %s completed", o.fc, thousands(o.result.Completed), plural(flows, "flow"),
	)
	if o.result.Deadlock != "" {
		text += "; " + o.result.Deadlock
	}
	return text
}

// distributions returns a panel per group: the share of its flows that completed within a time.
func distributions(s *subject, outcomes []*outcome) []*panel {
	counts := s.counted()
	var panels []*panel
	for _, g := range reportGroups[:3] {
		if counts[g] == 0 {
			continue
		}
		p := &panel{
			title: fmt.Sprintf("%s: %s to %s", g, plural(counts[g], "flow"), s.destinations(g)), share: true,
			logarithmic: true,
			xLabel:      "flow completion time, us", yLabel: "share of flows",
		}
		for _, o := range outcomes {
			times := completionTimes(o, g)
			if s.published != nil {
				if published := s.published.times(o.fc, s.groups, g); len(published) > 0 {
					p.curves = append(p.curves, curve{
						fc: o.fc, points: cumulative(published, counts[g], publishedPoints)[1:], published: true,
					})
				}
			}
			if len(times) < counts[g] {
				p.notes = append(
					p.notes,
					fmt.Sprintf("%s: %s of %s completed", o.fc, thousands(len(times)), thousands(counts[g])),
				)
			}
			if len(times) > 0 {
				p.curves = append(
					p.curves, curve{fc: o.fc, points: cumulative(times, counts[g], maxPoints), steps: true},
				)
			}
		}
		panels = append(panels, p)
	}
	return panels
}

// destinations says where the flows of a group go.
func (s *subject) destinations(g workload.Group) string {
	hosts := map[sluice.SwitchID]bool{}
	var last sluice.SwitchID
	for i := range s.flows {
		if s.groups[i] == g {
			last = s.flows[i].Dst
			hosts[last] = true
		}
	}
	if len(hosts) == 1 {
		return fmt.Sprintf("host %d", last)
	}
	return plural(len(hosts), "host")
}

func completionTimes(o *outcome, g workload.Group) []float64 {
	var times []float64
	for i := range o.result.Flows {
		if f := &o.result.Flows[i]; o.groups[i] == g && f.Start >= o.from && f.FCT != sluice.Never {
			times = append(times, f.FCT.Microseconds())
		}
	}
	return times
}

// cumulative returns about as many points as given of the distribution of values, which it sorts,
// among a number of flows.
func cumulative(values []float64, flows, points int) []point {
	slices.Sort(values)
	n := len(values)
	line := []point{{X: values[0], Y: 0}}
	for i := 0; i < n; i += max(1, n/points) {
		line = append(line, point{X: values[i], Y: float64(i+1) / float64(flows)})
	}
	return append(line, point{X: values[n-1], Y: float64(n) / float64(flows)})
}

// overTime returns the panels over the time since the first flow; none if no run was sampled.
func overTime(s *subject, outcomes []*outcome) []*panel {
	first := s.firstStart()
	span := sluice.Time(0)
	for _, o := range outcomes {
		if n := len(o.result.Series); n > 0 {
			span = max(span, o.result.Series[n-1].At-first)
		}
	}
	if span == 0 {
		return nil
	}
	unit, unitName := sluice.Microsecond, "us"
	if span >= 20*sluice.Millisecond {
		unit, unitName = sluice.Millisecond, "ms"
	}
	axis := "time since the first flow, " + unitName
	if first > 0 {
		axis = fmt.Sprintf("time since the first flow at %v, %s", first, unitName)
	}
	group := s.watched()
	quantities := []struct {
		title, unit string
		bins        sluice.Time
		of          func(*bin) float64
	}{
		{
			"longest egress queue of any switch", "MB", fineBins,
			func(b *bin) float64 { return float64(b.longest) / float64(sluice.MB) },
		},
		{
			"queues that hold packets and may not send", "queues", fineBins,
			func(b *bin) float64 { return float64(b.paused) },
		},
		{"goodput of all " + group.String() + " flows", "Gb/s", coarseBins, (*bin).goodput},
	}
	var panels []*panel
	for _, q := range quantities {
		p := &panel{title: q.title, xLabel: axis, yLabel: q.unit}
		for _, o := range outcomes {
			points := binSeries(o.result.Series, first, span/q.bins, group).line(first, unit, q.of)
			p.curves = append(p.curves, curve{fc: o.fc, points: points})
			if end := points[len(points)-1].X; end < float64(span)/float64(unit)/50 {
				p.notes = append(p.notes, fmt.Sprintf("%s: ends at %s", o.fc, significant(end)))
			}
		}
		panels = append(panels, p)
	}
	return panels
}

// weights returns the panel of the weights by which sources chose between domains, with the closed
// form as points; none if nobody chose.
func weights(s *subject, outcomes []*outcome) (panels []*panel) {
	first := s.firstStart()
	p := &panel{
		title: "share of flows that go by the high-bandwidth domain first, and what the closed form " +
			"gives (points)",
		xLabel: "time since the first flow, us", yLabel: "w", share: true,
	}
	for _, o := range outcomes {
		var ours, closed []point
		steered := o.result.Steered
		for i := range steered {
			at := (steered[i].At - first).Microseconds()
			ours = append(ours, point{X: at, Y: steered[i].Weight})
			if every := max(1, len(steered)/publishedPoints); i%every == 0 {
				closed = append(closed, point{X: at, Y: steered[i].ClosedForm})
			}
		}
		if len(ours) > 0 {
			p.curves = append(
				p.curves, curve{fc: o.fc, points: ours}, curve{fc: o.fc, points: closed, published: true},
			)
		}
	}
	if len(p.curves) > 0 {
		panels = append(panels, p)
	}
	return panels
}

// watched is the group whose goodput the picture shows: the one that flow control is to protect.
func (s *subject) watched() workload.Group {
	counts := countGroups(s.groups)
	for _, g := range []workload.Group{workload.Vulnerable, workload.Background} {
		if counts[g] > 0 {
			return g
		}
	}
	return workload.Incast
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
	return float64(b.delivered) * 8 / (float64(b.to-b.from) / float64(sluice.Nanosecond))
}

type binned []bin

// binSeries joins samples to spans of at least a width; what is left at the end goes to the last
// one.
func binSeries(series []sim.Sample, first, width sluice.Time, group workload.Group) binned {
	var bins binned
	previous := first
	for i := range series {
		sample := &series[i]
		n := len(bins)
		if n == 0 || bins[n-1].to-bins[n-1].from >= width && series[len(series)-1].At-previous >= width {
			bins = append(bins, bin{from: previous})
		}
		b := &bins[len(bins)-1]
		b.to = sample.At
		b.longest = max(b.longest, sample.MaxPortBytes)
		b.paused = max(b.paused, sample.PausedQueues)
		b.delivered += sample.DeliveredBytes[group]
		previous = sample.At
	}
	return bins
}

// line returns a point per bin, after one for the empty network.
func (bins binned) line(first, unit sluice.Time, f func(*bin) float64) []point {
	points := []point{{}}
	for i := range bins {
		points = append(points, point{X: float64(bins[i].to-first) / float64(unit), Y: f(&bins[i])})
	}
	return points
}
