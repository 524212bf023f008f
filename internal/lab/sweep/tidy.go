package sweep

import (
	"io"
	"math"
	"slices"
	"strconv"

	"github.com/sluicefc/sluice/internal/lab/report"
)

// ofNetwork stands for a group in rows of what is measured of the network.
const ofNetwork = "network"

// WriteTidy writes a row per run, group and measure, as programs for statistics read: the flow
// control, the values, the seed, the group, "network" for what is of no group, "job_NAME" for a
// job, the measure, and its value. What a run does not have has no row: completion times where no
// flow of a group completed, and groups without flows.
func (s *Plan) WriteTidy(w io.Writer) error {
	rows := [][]string{slices.Concat([]string{"fc"}, s.parameters(),
		[]string{"seed", "group", "measure", "value"})}
	for i := range s.runs {
		r := &s.runs[i]
		heads := slices.Concat([]string{r.fc}, s.cellsOf(r.value),
			[]string{strconv.FormatUint(r.seed, 10)})
		add := func(group, measure string, value float64) {
			if !math.IsNaN(value) {
				rows = append(rows, slices.Concat(heads, []string{group, measure, formatMetric(value)}))
			}
		}
		for k, name := range networkMetrics {
			add(ofNetwork, name, r.metrics[k])
		}
		for g, group := range s.groups {
			values := r.metrics[len(networkMetrics)+g*len(groupMetrics):][:len(groupMetrics)]
			if slices.IndexFunc(values[1:], func(x float64) bool { return !math.IsNaN(x) }) < 0 &&
				!s.has(group) {
				continue
			}
			for k, name := range groupMetrics {
				add(column(group), name, values[k])
			}
		}
		at := len(networkMetrics) + len(s.groups)*len(groupMetrics)
		for _, job := range s.jobs {
			for _, name := range jobMetrics {
				add(jobColumn(job), name, r.metrics[at])
				at++
			}
		}
	}
	return report.WriteRows(w, rows)
}
