package main

import (
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/cespare/xxhash/v2"
	"github.com/jedib0t/go-pretty/v6/table"
	"golang.org/x/exp/stats"
	"gonum.org/v1/plot/plotter"

	"github.com/sluicefc/sluice/internal/workload"
)

// sweep is a scenario under protocols, values of a parameter, and seeds.
type sweep struct {
	options   *options
	scenario  *scenario
	first     *subject // of the first value and seed, for headings
	parameter string   // "" if only seeds change
	values    []string // of the parameter; one "" if there is none
	seeds     []uint64
	runs      []sweepRun // by protocol, then value, then seed
}

// sweepRun is one run: what was asked for, and the metrics once it is done.
type sweepRun struct {
	fc, value string
	seed      uint64
	metrics   []float64 // NaN where no flow completed; nil until done
}

// sweep is the command "sweep".
func (c command) sweep(args []string) error {
	var o options
	if err := c.parse(&o, "sweep", args); err != nil {
		return err
	}
	s, err := o.newSweep()
	if err != nil {
		return usageError{err}
	}
	journal, err := s.openJournal()
	if err != nil {
		return usageError{err}
	}
	err = c.profiled(&o, func() error { return c.runSweep(s, journal) })
	if err = errors.Join(err, journal.close()); err != nil {
		return err
	}
	w := c.writer(&o)
	if o.csv != "-" && o.plot != "-" {
		w.tables(s.writeTables)
	}
	w.file(o.csv, "points", s.writePoints)
	w.file(journal.path, "runs", s.writeRuns)
	w.picture(o.plot, s.figure)
	return w.finish()
}

// newSweep plans the runs and checks every configuration.
func (o *options) newSweep() (*sweep, error) {
	s := &sweep{options: o, seeds: o.seeds, values: []string{""}}
	if len(s.seeds) == 0 {
		s.seeds = []uint64{o.seed}
	}
	if o.sweep != "" {
		name, list, found := strings.Cut(o.sweep, "=")
		values, err := splitList(list)
		if !found || err != nil {
			return nil, fmt.Errorf("-sweep %s: must be written NAME=VALUE,VALUE,...", o.sweep)
		}
		s.parameter, s.values = strings.TrimSpace(name), values
	}
	var err error
	if s.scenario, err = o.choose(); err != nil {
		return nil, err
	}
	for i, value := range s.values {
		if slices.Contains(s.values[:i], value) {
			return nil, fmt.Errorf("-sweep %s: value %s is given twice", o.sweep, value)
		}
		subject, err := s.prepare(value, s.seeds[0])
		if err == nil {
			err = subject.check()
		}
		if err != nil {
			return nil, err
		}
		if i == 0 {
			s.first = subject
		}
	}
	for _, fc := range s.first.protocols {
		for _, value := range s.values {
			for _, seed := range s.seeds {
				s.runs = append(s.runs, sweepRun{fc: fc, value: value, seed: seed})
			}
		}
	}
	return s, nil
}

// prepare builds the scenario with a value of the parameter.
func (s *sweep) prepare(value string, seed uint64) (*subject, error) {
	o := *s.options
	if s.parameter != "" {
		o.set = append(slices.Clone(o.set), s.parameter+"="+value)
	}
	subject, err := s.scenario.prepare(&o, seed)
	if err == nil {
		subject.sampleEvery = 0
	}
	return subject, err
}

// runSweep carries out the runs that the journal does not have.
func (c command) runSweep(s *sweep, journal *journal) error {
	bars := c.bars(s.options, len(s.runs))
	defer bars.stop()
	return inParallel(len(s.runs), int(s.options.jobs), func(i int) error {
		run := &s.runs[i]
		if run.metrics != nil {
			return nil
		}
		subject, err := s.prepare(run.value, run.seed)
		if err != nil {
			return err
		}
		update, done := bars.add(strings.Join([]string{run.fc, run.value, fmt.Sprint("seed ", run.seed)}, " "))
		defer done()
		outcome, err := subject.run(run.fc, false, update)
		if err != nil {
			return err
		}
		run.metrics = measure(outcome)
		return journal.append(run)
	})
}

// metrics are what a sweep measures of a run, and the names of their columns.
var metrics = append([]string{
	"flows", "completed", "deadlocks", "dropped_packets", "reordered_packets", "control_frames",
	"max_switch_bytes", "max_port_bytes", "simulated_us",
}, groupMetrics()...)

func groupMetrics() (names []string) {
	for _, g := range reportGroups {
		name := strings.ReplaceAll(groupTitle(g), " ", "_")
		names = append(names, name+"_completed", name+"_fct_us", name+"_fct_us_p99", name+"_slowdown")
	}
	return names
}

func measure(o *outcome) []float64 {
	r := o.result
	deadlocks := 0.0
	if r.Deadlock != "" {
		deadlocks = 1
	}
	m := []float64{
		float64(len(r.Flows)), float64(r.Completed), deadlocks, float64(r.Dropped), float64(r.Reordered), float64(o.frames()),
		float64(r.MaxSwitchBytes), float64(r.MaxPortBytes), round6(r.Simulated.Microseconds()),
	}
	for _, g := range reportGroups {
		m = append(m, float64(o.completed(g)))
		if fct, slowdown := *o.fct.of(g), *o.slowdown.of(g); fct != nil {
			m = append(m, fct.Mean, fct.P99, slowdown.Mean)
		} else {
			m = append(m, math.NaN(), math.NaN(), math.NaN())
		}
	}
	return m
}

// spread is the mean of a metric over seeds, and the standard deviation if there are two.
type spread struct{ mean, deviation float64 }

// over returns the spread of a metric at a point, over the seeds that have it.
func (s *sweep) over(fc, value, metric string) spread {
	var values []float64
	column := slices.Index(metrics, metric)
	for i := range s.runs {
		if r := &s.runs[i]; r.fc == fc && r.value == value && !math.IsNaN(r.metrics[column]) {
			values = append(values, r.metrics[column])
		}
	}
	switch len(values) {
	case 0:
		return spread{math.NaN(), math.NaN()}
	case 1:
		return spread{values[0], math.NaN()}
	}
	mean, deviation := stats.MeanAndStdDev(values)
	return spread{round6(mean), round6(deviation)}
}

// settings say what the runs have in common; those of another sweep are not ours.
func (s *sweep) settings() string {
	o := s.options
	digest := xxhash.New()
	fmt.Fprint(digest, s.first.graph, s.first.flows)
	return fmt.Sprintf("# sweep of %s: scenario %s, set %s, until %v, incast %v, version %s, flows %x",
		s.parameter, s.scenario.name, strings.Join(o.set, ","), &o.until, o.incast, version(), digest.Sum64())
}

// writePoints writes a row per point.
func (s *sweep) writePoints(w io.Writer) error {
	header := []string{"fc", s.column(), "seeds"}
	for _, metric := range metrics {
		header = append(header, metric+"_mean", metric+"_sd")
	}
	rows := [][]string{header}
	for _, fc := range s.first.protocols {
		for _, value := range s.values {
			row := []string{fc, value, fmt.Sprint(len(s.seeds))}
			for _, metric := range metrics {
				at := s.over(fc, value, metric)
				row = append(row, formatMetric(at.mean), formatMetric(at.deviation))
			}
			rows = append(rows, row)
		}
	}
	return writeRows(w, rows)
}

// column names the parameter in tables.
func (s *sweep) column() string {
	if s.parameter == "" {
		return "value"
	}
	return s.parameter
}

// writeTables writes the points for people.
func (s *sweep) writeTables(w io.Writer) error {
	var b strings.Builder
	writeHeading(&b, s.first)
	fmt.Fprintf(&b, "%s; means over the seeds and, behind +-, standard deviations\n", plural(len(s.seeds), "seed"))
	b.WriteString("\nFlow completion time, us\n\n")
	t := newTable()
	t.AppendHeader(table.Row{"  fc", s.column(), "done", "mean", "+-", "p99", "+-", "slowdown", "+-"})
	counts := countGroups(s.first.groups)
	for _, g := range reportGroups {
		if counts[g] == 0 {
			continue
		}
		name := strings.ReplaceAll(groupTitle(g), " ", "_")
		t.AppendRow(table.Row{groupTitle(g)})
		s.eachPoint(func(fc, value string) {
			row := table.Row{"  " + fc, value, significant(s.over(fc, value, name+"_completed").mean)}
			for _, metric := range []string{"_fct_us", "_fct_us_p99", "_slowdown"} {
				row = append(row, s.cells(fc, value, name+metric, 1)...)
			}
			t.AppendRow(row)
		})
	}
	t.SetColumnConfigs(rightAligned(2, 9))
	b.WriteString(t.Render() + "\n\nNetwork\n\n")
	t = newTable()
	t.AppendHeader(table.Row{"  fc", s.column(), "deadlocks", "dropped", "+-", "control", "+-", "port MB", "+-"})
	s.eachPoint(func(fc, value string) {
		row := table.Row{"  " + fc, value, significant(s.over(fc, value, "deadlocks").mean * float64(len(s.seeds)))}
		row = append(append(row, s.cells(fc, value, "dropped_packets", 1)...), s.cells(fc, value, "control_frames", 1)...)
		t.AppendRow(append(row, s.cells(fc, value, "max_port_bytes", 1e6)...))
	})
	t.SetColumnConfigs(rightAligned(2, 9))
	b.WriteString(t.Render() + "\n")
	_, err := io.WriteString(w, b.String())
	return err
}

func (s *sweep) eachPoint(visit func(fc, value string)) {
	for _, fc := range s.first.protocols {
		for _, value := range s.values {
			visit(fc, value)
		}
	}
}

func (s *sweep) cells(fc, value, metric string, unit float64) table.Row {
	at := s.over(fc, value, metric)
	var row table.Row
	for _, x := range []float64{at.mean, at.deviation} {
		if math.IsNaN(x) {
			row = append(row, "-")
		} else {
			row = append(row, significant(x/unit))
		}
	}
	return row
}

// figure draws mean completion times over the values, or over the protocols if only seeds change.
func (s *sweep) figure() *figure {
	f := &figure{title: "sweep of " + s.first.name + ": " + s.first.describe(), legend: s.first.protocols}
	f.subtitle = fmt.Sprintf("%s, %s; bars are standard deviations", s.first.graph.Name, plural(len(s.seeds), "seed"))
	names, xLabel := s.values, s.parameter
	if s.parameter == "" {
		names, xLabel = s.first.protocols, "flow control"
	}
	counts := countGroups(s.first.groups)
	var row []*panel
	for _, g := range reportGroups {
		if counts[g] == 0 || g == workload.GroupAuto && len(row) == 1 {
			continue
		}
		p := &panel{title: groupTitle(g) + ": mean completion time", xLabel: xLabel, yLabel: "us", names: names}
		metric := strings.ReplaceAll(groupTitle(g), " ", "_") + "_fct_us"
		for i, fc := range s.first.protocols {
			line := curve{fc: fc, spread: []float64{}}
			for j, value := range s.values {
				at := s.over(fc, value, metric)
				if math.IsNaN(at.mean) {
					p.notes = append(p.notes, strings.TrimSpace(fc+" "+value)+": none completed")
					continue
				}
				x := j
				if s.parameter == "" {
					x = i
				}
				line.points = append(line.points, plotter.XY{X: float64(x), Y: at.mean})
				line.spread = append(line.spread, max(0, at.deviation))
			}
			if len(line.points) > 0 {
				p.curves = append(p.curves, line)
			}
		}
		row = append(row, p)
	}
	f.rows = [][]*panel{row}
	for _, fc := range s.first.protocols {
		for _, value := range s.values {
			if n := s.over(fc, value, "deadlocks").mean * float64(len(s.seeds)); n > 0 {
				f.notes = append(f.notes, fmt.Sprintf("%s: deadlock in %.0f of %s", strings.TrimSpace(fc+" "+value), n, plural(len(s.seeds), "run")))
			}
		}
	}
	return f
}
