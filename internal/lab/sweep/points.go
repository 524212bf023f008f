package sweep

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/exp/stats"

	"github.com/sluicefc/sluice/internal/lab/report"
	"github.com/sluicefc/sluice/internal/lab/run"
	"github.com/sluicefc/sluice/internal/lab/show"
)

// spread is the mean of a metric over seeds, and the standard deviation if there are two or more.
type spread struct {
	mean, deviation float64
	seeds           int
}

// confidence returns the distance from the mean within which the true mean is with 95 %.
// It is 0 for one seed.
func (s *spread) confidence() float64 {
	if s.seeds < 2 {
		return 0
	}
	return run.Student(s.deviation, s.seeds)
}

// over returns the spread of a metric at a point, over the seeds that have it.
func (s *Plan) over(fc, value, metric string) spread {
	var values []float64
	column := slices.Index(s.metrics, metric)
	for i := range s.runs {
		if r := &s.runs[i]; r.metrics != nil && r.fc == fc && r.value == value &&
			!math.IsNaN(r.metrics[column]) {
			values = append(values, r.metrics[column])
		}
	}
	if s.repeated() {
		values = values[:min(len(values), 1)]
	}
	switch len(values) {
	case 0:
		return spread{math.NaN(), math.NaN(), 0}
	case 1:
		return spread{values[0], math.NaN(), 1}
	}
	mean, deviation := stats.MeanAndStdDev(values)
	return spread{run.Round6(mean), run.Round6(deviation), len(values)}
}

func (s *Plan) WritePoints(w io.Writer) error {
	header := slices.Concat([]string{"fc"}, s.columns(), []string{"seeds"})
	for _, metric := range s.metrics {
		header = append(header, metric+"_mean", metric+"_sd")
	}
	for _, metric := range countedMetrics {
		header = append(header, metric+"_low", metric+"_high")
	}
	rows := [][]string{header}
	for _, fc := range s.labels {
		for _, value := range s.values {
			row := append([]string{fc}, strings.Split(value, valueSeparator)...)
			row = append(row, fmt.Sprint(len(s.Seeds)))
			for _, metric := range s.metrics {
				at := s.over(fc, value, metric)
				row = append(row, formatMetric(at.mean), formatMetric(at.deviation))
			}
			for _, metric := range countedMetrics {
				low, high := run.Wilson(s.count(fc, value, metric), len(s.Seeds))
				row = append(row, formatMetric(low), formatMetric(high))
			}
			rows = append(rows, row)
		}
	}
	return report.WriteRows(w, rows)
}

type pointRecord struct {
	FC         string                  `json:"fc"`
	Parameters map[string]string       `json:"parameters"` // that are swept
	Seeds      []uint64                `json:"seeds"`
	Metrics    map[string]metricRecord `json:"metrics"` // metrics that a run had
}

type metricRecord struct {
	Mean float64  `json:"mean"`
	SD   *float64 `json:"sd"` // standard deviation; null for one run
}

// WriteJSON writes an array with an object per point.
func (s *Plan) WriteJSON(w io.Writer) error {
	points := []pointRecord{}
	s.eachPoint(func(fc, value string) {
		p := pointRecord{
			FC: fc, Parameters: map[string]string{}, Seeds: s.Seeds, Metrics: map[string]metricRecord{},
		}
		for i, one := range s.cellsOf(value) {
			p.Parameters[s.Axes[i].Parameter] = one
		}
		for _, metric := range s.metrics {
			at := s.over(fc, value, metric)
			if math.IsNaN(at.mean) {
				continue
			}
			m := metricRecord{Mean: at.mean}
			if !math.IsNaN(at.deviation) {
				m.SD = &at.deviation
			}
			p.Metrics[metric] = m
		}
		points = append(points, p)
	})
	encoder := json.NewEncoder(w)
	encoder.SetIndent("", "  ")
	return encoder.Encode(points)
}

// countedMetrics are 1 or 0 in a run; their share among the runs has a confidence interval.
var countedMetrics = []string{"deadlocks", "stalls"}

// count returns in how many runs of a point a counted metric is 1.
func (s *Plan) count(fc, value, metric string) int {
	return int(math.Round(s.over(fc, value, metric).mean * float64(len(s.Seeds))))
}

// countCells are a count and, if there are several runs, the interval of its probability.
func (s *Plan) countCells(fc, value, metric string) show.Row {
	n := s.count(fc, value, metric)
	if len(s.Seeds) == 1 {
		return show.Row{strconv.Itoa(n), ""}
	}
	low, high := run.Wilson(n, len(s.Seeds))
	return show.Row{strconv.Itoa(n), fmt.Sprintf("%.3f-%.3f", low, high)}
}

// columns names the parameters in files: one empty column if only seeds change.
func (s *Plan) columns() []string {
	if len(s.Axes) == 0 {
		return []string{"value"}
	}
	return s.parameters()
}

func (s *Plan) column() string { return strings.Join(s.columns(), valueSeparator) }

func (s *Plan) WriteTables(w io.Writer) error {
	var b strings.Builder
	report.WriteHeading(&b, s.first, s.Seeds...)
	if s.networks {
		fmt.Fprintf(&b, "at the first point; %s changes the network\n", s.column())
	}
	fmt.Fprintf(
		&b,
		"%s; means over the seeds; +-: standard deviations; 95 %%: Wilson's interval of the share of "+
			"runs\n",
		show.Plural(len(s.Seeds), "seed"),
	)
	if said := s.seedsSay(); said != "" {
		fmt.Fprintln(&b, said)
	}
	b.WriteString("\nFlow completion time, us\n\n")
	t := show.NewTable(1, "  fc", s.column(), "done", "mean", "+-", "p50", "+-", "p99", "+-",
		"slowdown", "+-")
	counts := s.first.CountGroups()
	for _, g := range s.groups {
		if counts[g] == 0 {
			continue
		}
		name := column(g)
		t.Add(run.GroupTitle(g))
		s.eachPoint(func(fc, value string) {
			r := show.Row{"  " + fc, value, show.Significant(s.over(fc, value, name+"_completed").mean)}
			for _, metric := range []string{"_fct_us", "_fct_us_p50", "_fct_us_p99", "_slowdown"} {
				r = append(r, s.cells(fc, value, name+metric, 1)...)
			}
			t.Add(r...)
		})
	}
	b.WriteString(t.String() + "\n\n")
	s.writeJobs(&b)
	b.WriteString("Network\n\n")
	t = show.NewTable(
		1, "  fc", s.column(), "deadlocks", "95 %", "stalls", "95 %", "dropped", "+-", "control", "+-",
		"port MB", "+-",
	)
	s.eachPoint(func(fc, value string) {
		t.Add(slices.Concat(show.Row{"  " + fc, value},
			s.countCells(fc, value, "deadlocks"), s.countCells(fc, value, "stalls"),
			s.cells(fc, value, "dropped_packets", 1), s.cells(fc, value, "control_frames", 1),
			s.cells(fc, value, "max_port_bytes", 1e6))...)
	})
	b.WriteString(t.String() + "\n")
	s.writeNotes(&b)
	_, err := io.WriteString(w, b.String())
	return err
}

// writeJobs writes the table of jobs, if there are any.
func (s *Plan) writeJobs(b *strings.Builder) {
	if len(s.jobs) == 0 {
		return
	}
	b.WriteString("Jobs, us\n\n")
	t := show.NewTable(1, "  fc", s.column(), "iterations", "mean", "+-", "all", "+-",
		"exposed", "+-", "held", "+-")
	for _, job := range s.jobs {
		t.Add(job)
		name := jobColumn(job)
		s.eachPoint(func(fc, value string) {
			t.Add(slices.Concat(
				show.Row{"  " + fc, value, show.Significant(s.over(fc, value, name+"_iterations").mean)},
				s.cells(fc, value, name+"_iteration_us", 1), s.cells(fc, value, name+"_us", 1),
				s.cells(fc, value, name+"_exposed_us", 1), s.cells(fc, value, name+"_held_us", 1),
			)...)
		})
	}
	b.WriteString(t.String() + "\n\n")
}

// writeNotes says what the simulator noted of the runs of each flow control: each text before a
// colon once, with how many runs have it.
func (s *Plan) writeNotes(b *strings.Builder) {
	for _, fc := range s.labels {
		said, runs := map[string]int{}, 0
		for i := range s.runs {
			if s.runs[i].fc != fc {
				continue
			}
			runs++
			for note := range strings.Lines(s.runs[i].notes) {
				note, _, _ = strings.Cut(strings.TrimSuffix(note, "\n"), ": ")
				said[note]++
			}
		}
		var notes []string
		for _, note := range slices.Sorted(maps.Keys(said)) {
			notes = append(notes, fmt.Sprintf("%s, in %d of %s", note, said[note], show.Plural(runs, "run")))
		}
		if len(notes) > 0 {
			fmt.Fprintf(b, "\n%s\n", fc)
			report.WriteList(b, notes)
		}
	}
}

func (s *Plan) eachPoint(visit func(fc, value string)) {
	for _, fc := range s.labels {
		for _, value := range s.values {
			visit(fc, value)
		}
	}
}

func (s *Plan) cells(fc, value, metric string, unit float64) (cells show.Row) {
	at := s.over(fc, value, metric)
	for _, x := range []float64{at.mean, at.deviation} {
		if math.IsNaN(x) {
			cells = append(cells, "-")
		} else {
			cells = append(cells, show.Significant(x/unit))
		}
	}
	return cells
}
