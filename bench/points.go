package main

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/exp/stats"

	"github.com/sluicefc/sluice/internal/lab/workload"
)

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

// writePoints writes a row per point.
func (s *sweep) writePoints(w io.Writer) error {
	header := []string{"fc", s.column(), "seeds"}
	for _, metric := range metrics {
		header = append(header, metric+"_mean", metric+"_sd")
	}
	for _, metric := range countedMetrics {
		header = append(header, metric+"_low", metric+"_high")
	}
	rows := [][]string{header}
	for _, fc := range s.labels {
		for _, value := range s.values {
			row := []string{fc, value, fmt.Sprint(len(s.seeds))}
			for _, metric := range metrics {
				at := s.over(fc, value, metric)
				row = append(row, formatMetric(at.mean), formatMetric(at.deviation))
			}
			for _, metric := range countedMetrics {
				low, high := wilson(s.count(fc, value, metric), len(s.seeds))
				row = append(row, formatMetric(low), formatMetric(high))
			}
			rows = append(rows, row)
		}
	}
	return writeRows(w, rows)
}

// countedMetrics are 1 or 0 in a run; their share among the runs has a confidence interval.
var countedMetrics = []string{"deadlocks", "stalls"}

// count returns in how many runs of a point a counted metric is 1.
func (s *sweep) count(fc, value, metric string) int {
	return int(math.Round(s.over(fc, value, metric).mean * float64(len(s.seeds))))
}

// countCells are a count and, if there are several runs, the interval of its probability.
func (s *sweep) countCells(fc, value, metric string) row {
	n := s.count(fc, value, metric)
	if len(s.seeds) == 1 {
		return row{strconv.Itoa(n), ""}
	}
	low, high := wilson(n, len(s.seeds))
	return row{strconv.Itoa(n), fmt.Sprintf("%.3f-%.3f", low, high)}
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
	fmt.Fprintf(
		&b,
		"%s; means over the seeds; +-: standard deviations; 95 %%: Wilson's interval of the share of "+
			"runs\n",
		plural(len(s.seeds), "seed"),
	)
	b.WriteString("\nFlow completion time, us\n\n")
	t := newTable(1, "  fc", s.column(), "done", "mean", "+-", "p99", "+-", "slowdown", "+-")
	counts := countGroups(s.first.groups)
	for _, g := range reportGroups {
		if counts[g] == 0 {
			continue
		}
		name := strings.ReplaceAll(groupTitle(g), " ", "_")
		t.add(groupTitle(g))
		s.eachPoint(func(fc, value string) {
			r := row{"  " + fc, value, significant(s.over(fc, value, name+"_completed").mean)}
			for _, metric := range []string{"_fct_us", "_fct_us_p99", "_slowdown"} {
				r = append(r, s.cells(fc, value, name+metric, 1)...)
			}
			t.add(r...)
		})
	}
	b.WriteString(t.String() + "\n\nNetwork\n\n")
	t = newTable(
		1, "  fc", s.column(), "deadlocks", "95 %", "stalls", "95 %", "dropped", "+-", "control", "+-",
		"port MB", "+-",
	)
	s.eachPoint(func(fc, value string) {
		t.add(slices.Concat(
			row{"  " + fc, value},
			s.countCells(fc, value, "deadlocks"), s.countCells(fc, value, "stalls"),
			s.cells(fc, value, "dropped_packets", 1), s.cells(fc, value, "control_frames", 1),
			s.cells(fc, value, "max_port_bytes", 1e6),
		)...)
	})
	b.WriteString(t.String() + "\n")
	_, err := io.WriteString(w, b.String())
	return err
}

func (s *sweep) eachPoint(visit func(fc, value string)) {
	for _, fc := range s.labels {
		for _, value := range s.values {
			visit(fc, value)
		}
	}
}

func (s *sweep) cells(fc, value, metric string, unit float64) (cells row) {
	at := s.over(fc, value, metric)
	for _, x := range []float64{at.mean, at.deviation} {
		if math.IsNaN(x) {
			cells = append(cells, "-")
		} else {
			cells = append(cells, significant(x/unit))
		}
	}
	return cells
}

// figure draws mean completion times over the values, or over the protocols if only seeds change.
func (s *sweep) figure() *figure {
	f := &figure{
		title: "sweep of " + s.first.name + ": " + s.first.describe(), legend: s.labels,
	}
	f.subtitle = fmt.Sprintf(
		"%s, %s; bars are standard deviations", s.first.graph.Name, plural(len(s.seeds), "seed"),
	)
	names, xLabel := s.values, s.parameter
	if s.parameter == "" {
		names, xLabel = s.labels, "flow control"
	}
	counts := countGroups(s.first.groups)
	var row []*panel
	for _, g := range reportGroups {
		if counts[g] == 0 || g == workload.GroupAuto && len(row) == 1 {
			continue
		}
		p := &panel{
			title: groupTitle(g) + ": mean completion time", xLabel: xLabel, yLabel: "us", names: names,
		}
		metric := strings.ReplaceAll(groupTitle(g), " ", "_") + "_fct_us"
		for i, fc := range s.labels {
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
				line.points = append(line.points, point{X: float64(x), Y: at.mean})
				line.spread = append(line.spread, max(0, at.deviation))
			}
			if len(line.points) > 0 {
				p.curves = append(p.curves, line)
			}
		}
		row = append(row, p)
	}
	f.rows = [][]*panel{row}
	for _, fc := range s.labels {
		for _, value := range s.values {
			if n := s.over(fc, value, "deadlocks").mean * float64(len(s.seeds)); n > 0 {
				f.notes = append(f.notes, fmt.Sprintf(
					"%s: deadlock in %.0f of %s", strings.TrimSpace(fc+" "+value), n, plural(len(s.seeds), "run"),
				))
			}
		}
	}
	return f
}
