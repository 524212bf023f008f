package report

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/draw"
	"github.com/sluicefc/sluice/internal/lab/probe"
	"github.com/sluicefc/sluice/internal/lab/run"
	"github.com/sluicefc/sluice/internal/lab/schedule"
	"github.com/sluicefc/sluice/internal/lab/show"
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

// Picture draws what protocols did on a scenario: completion times of each group of flows as
// distributions, queues, pauses and goodput over time, and, if they are asked for, the measures of
// the claims.
func Picture(s *run.Subject, outcomes []*run.Outcome) *draw.Figure {
	return figure(s, outcomes, run.Findings(s, outcomes))
}

func figure(s *run.Subject, outcomes []*run.Outcome, findings []run.Finding) *draw.Figure {
	f := &draw.Figure{
		Title: s.Name + ": " + s.Describe(),
		Subtitle: s.Graph.Name + ", " + show.Plural(s.Count(), "flow") + ", seed " +
			fmt.Sprint(s.Seed),
	}
	set := s.Values.Set()
	for _, name := range slices.Sorted(maps.Keys(set)) {
		f.Subtitle += ", " + name + "=" + set[name]
	}
	for _, change := range s.Changes {
		if !strings.HasPrefix(change, "-set") { // which is among the values
			f.Subtitle += ", " + change
		}
	}
	for _, o := range outcomes {
		f.Legend = append(f.Legend, o.FC)
		if p := published(s); p != nil && p.FCT[o.FC] != nil {
			f.Source = p.Source
		}
	}
	f.Notes = unfinishedNotes(outcomes)
	rows := [][]*draw.Panel{
		distributions(s, outcomes), overTime(s, outcomes), slowdowns(outcomes), Weights(s, outcomes),
	}
	rows = append(rows, Watched(f, s, outcomes)...)
	rows = append(rows, Timelines(outcomes))
	AddMeasured(f, rows, f.Legend[:len(outcomes)], findings)
	return f
}

// AddMeasured adds rows to a figure, but those without a panel, and a row of what is measured of
// the runs that labels name.
func AddMeasured(
	f *draw.Figure, rows [][]*draw.Panel, labels []string, findings []run.Finding,
) {
	for _, row := range append(rows, Measured(labels, findings)) {
		if len(row) > 0 {
			f.Rows = append(f.Rows, row)
		}
	}
	if f.Source == "" {
		f.Source = "given by the paper"
	}
}

// Skeleton is what Picture would draw, without a run: each panel with its axes and no curve. It
// says which panels there are, and whether a size has room for them.
func Skeleton(s *run.Subject) *draw.Figure {
	var outcomes []*run.Outcome
	for _, t := range s.Trials() {
		own := t.Subject
		flows := make([]sim.FlowResult, len(own.Flows))
		for i := range flows {
			flows[i] = sim.FlowResult{
				Flow: own.Flows[i], FCT: sluice.Microsecond, Ideal: sluice.Microsecond,
			}
		}
		result := &sim.Result{Flows: flows, Completed: len(flows), Seen: &probe.Report{}}
		if own.SampleEvery > 0 {
			result.Series = []sim.Sample{{At: own.FirstStart() + 100*own.SampleEvery}}
		}
		if own.Probes != nil {
			for _, at := range own.Probes.Ports {
				result.Seen.Series = append(result.Seen.Series, &probe.PortSeries{At: at})
			}
			for _, flow := range own.Probes.Flows {
				result.Seen.Flows = append(result.Seen.Flows, &probe.FlowSeries{Flow: flow})
			}
		}
		for i := range own.Jobs {
			result.Jobs = append(result.Jobs, sim.JobResult{
				Name: own.Jobs[i].Name, Start: own.Jobs[i].Start,
				Timeline: make([][]schedule.Span, own.Jobs[i].Schedule.Ranks),
			})
		}
		o := run.NewOutcome(own, t.FC, result)
		o.FC = t.Label
		outcomes = append(outcomes, o)
	}
	f := figure(s, outcomes, run.Expected(s))
	f.Notes = nil
	for _, row := range f.Rows {
		for _, p := range row {
			p.Notes, p.Empty = nil, ""
			for i := range p.Curves { // whose texts alone take room
				p.Curves[i].Points, p.Curves[i].Spread = nil, nil
			}
		}
	}
	return f
}

// unfinishedNotes says of each protocol what kept it from completing all flows. Many protocols with
// the same words, as where flows have no end, share a line.
func unfinishedNotes(outcomes []*run.Outcome) (notes []string) {
	const many = 4
	said := map[string][]string{} // protocols, by what is said of them
	for _, o := range outcomes {
		if text, _ := strings.CutPrefix(unfinishedNote(o), o.FC+": "); text != "" {
			said[text] = append(said[text], o.FC)
		}
	}
	for _, o := range outcomes {
		note := unfinishedNote(o)
		text, _ := strings.CutPrefix(note, o.FC+": ")
		switch protocols := said[text]; {
		case text == "":
		case len(protocols) < many:
			notes = append(notes, note)
		case protocols[0] == o.FC:
			notes = append(notes, strings.Join(protocols, "; ")+": "+text)
		}
	}
	return notes
}

// unfinishedNote says what kept a protocol from completing all flows; "" if it did.
func unfinishedNote(o *run.Outcome) string {
	flows := o.Subject.Count()
	if o.Result.Completed == flows {
		return ""
	}
	text := fmt.Sprintf(
		"%s: %s of %s completed", o.FC, show.Thousands(o.Result.Completed), show.Plural(flows, "flow"),
	)
	if o.Result.Deadlock != "" {
		text += "; " + o.Result.Deadlock
	}
	return text
}

// distributions returns a panel per group: the share of its flows that completed within a time.
func distributions(s *run.Subject, outcomes []*run.Outcome) []*draw.Panel {
	counts := s.Counted()
	var panels []*draw.Panel
	for _, g := range run.ReportGroups(s.Groups) {
		if counts[g] == 0 || g == workload.GroupAuto {
			continue
		}
		if counts[g] == 1 {
			panels = append(panels, oneFlow(s, outcomes, g))
			continue
		}
		p := &draw.Panel{
			Name:  "fct-" + g.String(),
			Title: fmt.Sprintf("%s: %s to %s", g, show.Plural(counts[g], "flow"), destinations(s, g)),
			Share: true, LogX: true, Empty: "no flow completed",
			XLabel: "flow completion time, us", YLabel: "share of flows",
		}
		for _, o := range outcomes {
			times, count := run.CompletionTimes(o, g), o.Subject.Counted()[g] // of a variant, its own
			if theirs := published(s); theirs != nil {
				if times := theirs.Times(o.FC, s.Groups, g); len(times) > 0 {
					p.Curves = append(p.Curves, draw.Curve{
						FC: o.FC, Points: cumulative(times, count, publishedPoints)[1:], Published: true,
					})
				}
			}
			if count == 0 {
				p.Notes = append(p.Notes, o.FC+": no such flow")
			}
			if len(times) < count {
				p.Notes = append(
					p.Notes,
					fmt.Sprintf("%s: %s of %s completed", o.FC, show.Thousands(len(times)),
						show.Thousands(count)),
				)
			}
			if len(times) > 0 {
				p.Curves = append(
					p.Curves, draw.Curve{FC: o.FC, Points: cumulative(times, count, maxPoints), Steps: true},
				)
			}
		}
		panels = append(panels, p)
	}
	return panels
}

// oneFlow returns the panel of a group of one flow, which has no distribution: its completion time
// by protocol.
func oneFlow(s *run.Subject, outcomes []*run.Outcome, g workload.Group) *draw.Panel {
	p := &draw.Panel{
		Name: "fct-" + g.String(), Title: fmt.Sprintf("%s: 1 flow to %s", g, destinations(s, g)),
		XLabel: "flow control", YLabel: "flow completion time, us", Empty: "the flow did not complete",
	}
	add := func(x int, fc string, times []float64, published bool) {
		if len(times) > 0 {
			p.Curves = append(p.Curves, draw.Curve{
				FC: fc, Points: []draw.Point{{X: float64(x), Y: times[0]}}, Spread: []float64{0},
				Published: published,
			})
		}
	}
	for i, o := range outcomes {
		p.Names = append(p.Names, o.FC)
		if theirs := published(s); theirs != nil {
			add(i, o.FC, theirs.Times(o.FC, s.Groups, g), true)
		}
		times := run.CompletionTimes(o, g)
		add(i, o.FC, times, false)
		if len(times) == 0 {
			p.Notes = append(p.Notes, o.FC+": 0 of 1 completed")
		}
	}
	return p
}

func destinations(s *run.Subject, g workload.Group) string {
	hosts := map[sluice.SwitchID]bool{}
	var last sluice.SwitchID
	for i := range s.Flows {
		if s.Groups[i] == g {
			last = s.Flows[i].Dst
			hosts[last] = true
		}
	}
	if len(hosts) == 1 {
		return fmt.Sprintf("host %d", last)
	}
	return show.Plural(len(hosts), "host")
}

// cumulative returns about as many points as given of the distribution of values, which it sorts,
// among a number of flows.
func cumulative(values []float64, flows, points int) []draw.Point {
	slices.Sort(values)
	n := len(values)
	line := []draw.Point{{X: values[0], Y: 0}}
	for i := 0; i < n; i += max(1, n/points) {
		line = append(line, draw.Point{X: values[i], Y: float64(i+1) / float64(flows)})
	}
	return append(line, draw.Point{X: values[n-1], Y: float64(n) / float64(flows)})
}

// overTime returns the panels over the time since the first flow; none if no run was sampled.
func overTime(s *run.Subject, outcomes []*run.Outcome) []*draw.Panel {
	first := s.FirstStart()
	span := sluice.Time(0)
	for _, o := range outcomes {
		if n := len(o.Result.Series); n > 0 {
			span = max(span, o.Result.Series[n-1].At-first)
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
	group, flows := watched(s), "flows with names of their own"
	if group != workload.GroupAuto {
		flows = group.String() + " flows"
	}
	quantities := []struct {
		name, title, unit string
		bins              sluice.Time
		of                func(*bin) float64
	}{
		{"queue", "longest egress queue of any switch", "longest queue, MB", fineBins,
			func(b *bin) float64 { return float64(b.longest) / float64(sluice.MB) }},
		{"paused", "queues that hold packets and may not send", "paused queues", fineBins,
			func(b *bin) float64 { return float64(b.paused) }},
		{"goodput", "goodput of all " + flows, "goodput, Gb/s", coarseBins,
			(*bin).goodput},
	}
	var panels []*draw.Panel
	for _, q := range quantities {
		p := &draw.Panel{Name: q.name, Title: q.title, XLabel: axis, YLabel: q.unit}
		for _, o := range outcomes {
			points := binSeries(o.Result.Series, first, span/q.bins, group).line(first, unit, q.of)
			p.Curves = append(p.Curves, draw.Curve{FC: o.FC, Points: points})
			if end := points[len(points)-1].X; end < float64(span)/float64(unit)/50 {
				p.Notes = append(p.Notes, fmt.Sprintf("%s: ends at %s", o.FC, show.Significant(end)))
			}
		}
		panels = append(panels, p)
	}
	return panels
}

// Weights returns the panel of the weights by which sources chose between domains, with the closed
// form as points; none if no source chose.
func Weights(s *run.Subject, outcomes []*run.Outcome) (panels []*draw.Panel) {
	first := s.FirstStart()
	p := &draw.Panel{
		Name: "w",
		Title: "share of flows that go by the high-bandwidth domain first, and what the closed form " +
			"gives (points)",
		XLabel: "time since the first flow, us", YLabel: "w", Share: true,
	}
	for _, o := range outcomes {
		var ours, closed []draw.Point
		steered := o.Result.Steered
		for i := range steered {
			at := (steered[i].At - first).Microseconds()
			ours = append(ours, draw.Point{X: at, Y: steered[i].Weight})
			if every := max(1, len(steered)/publishedPoints); i%every == 0 {
				closed = append(closed, draw.Point{X: at, Y: steered[i].ClosedForm})
			}
		}
		if len(ours) == 0 {
			p.Notes = append(p.Notes, o.FC+": does not choose")
			continue
		}
		p.Curves = append(p.Curves, draw.Curve{FC: o.FC, Points: ours},
			draw.Curve{FC: o.FC, Points: closed, Published: true})
	}
	if len(p.Curves) > 0 {
		panels = append(panels, p)
	}
	return panels
}

// watched is the group whose goodput the picture shows: the group that flow control is to protect.
func watched(s *run.Subject) workload.Group {
	counts := s.CountGroups()
	for _, g := range []workload.Group{workload.Vulnerable, workload.Background} {
		if counts[g] > 0 {
			return g
		}
	}
	if counts[workload.Incast] == 0 {
		return workload.GroupAuto // where samples have groups with names of one's own
	}
	return workload.Incast
}
