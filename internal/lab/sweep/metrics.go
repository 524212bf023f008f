package sweep

import (
	"math"
	"slices"
	"strings"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/run"
	"github.com/sluicefc/sluice/internal/lab/sim"
	"github.com/sluicefc/sluice/internal/lab/workload"
)

// networkMetrics are what a sweep measures of the network of a run, groupMetrics of each group of
// flows, jobMetrics of each job; the names of their columns.
var (
	networkMetrics = []string{
		"flows", "completed", "deadlocks", "stalls", "dropped_packets", "reordered_packets",
		"marked_packets", "timeouts", "control_frames", "max_switch_bytes", "max_port_bytes",
		"simulated_us",
	}
	groupMetrics = []string{
		"completed", "fct_us", "fct_us_p50", "fct_us_p95", "fct_us_p99", "fct_us_p999", "slowdown",
		"gbps", // mean of size over completion time
	}
	jobMetrics = []string{
		"iterations",   // that all ranks have done
		"iteration_us", // their mean: from the end of the one before, or the start
		"us",           // from the start until all ranks have done all
		"exposed_us",   // of that, mean over ranks: messages were under way, and no computation
		"held_us",      // of that: packets of them waited in a held queue
	}
)

// metricsOf returns the names of what is measured of a run with these groups and jobs.
func metricsOf(groups []workload.Group, jobs []string) []string {
	names := append([]string{}, networkMetrics...)
	for _, g := range groups {
		for _, of := range groupMetrics {
			names = append(names, column(g)+"_"+of)
		}
	}
	for _, job := range jobs {
		for _, of := range jobMetrics {
			names = append(names, jobColumn(job)+"_"+of)
		}
	}
	return names
}

// jobColumn is what stands for a job in names of columns.
func jobColumn(job string) string { return "job_" + job }

// column is what stands for a group in names of columns.
func column(g workload.Group) string { return strings.ReplaceAll(run.GroupTitle(g), " ", "_") }

// Groups are the groups of the flows of every run, and all others that papers have.
func (s *Plan) Groups() []workload.Group { return s.groups }

// Measured returns one thing that is measured of a run, by the name of its column.
func Measured(o *run.Outcome, name string) float64 {
	groups := run.ReportGroups(o.Groups)
	var jobs []string
	for i := range o.Result.Jobs {
		jobs = append(jobs, o.Result.Jobs[i].Name)
	}
	return Measure(o, groups)[slices.Index(metricsOf(groups, jobs), name)]
}

// Measure returns what is measured of a run with these groups, and of its jobs.
func Measure(o *run.Outcome, groups []workload.Group) []float64 {
	r := o.Result
	deadlocks, stalls := 0.0, 0.0
	if r.Deadlock != "" {
		deadlocks = 1
	}
	if r.Stalled {
		stalls = 1
	}
	m := []float64{
		float64(o.Subject.Count()), float64(r.Completed), deadlocks, stalls, float64(r.Dropped),
		float64(r.Reordered), float64(r.Marked), float64(r.Timeouts), float64(o.Frames()),
		float64(r.MaxSwitchBytes), float64(r.MaxPortBytes), run.Round6(r.Simulated.Microseconds()),
	}
	for _, g := range groups {
		m = append(m, float64(o.Completed(g)))
		if fct, slowdown := *o.FCT.Of(g), *o.Slowdown.Of(g); fct != nil {
			m = append(m, fct.Mean, fct.P50, fct.P95, fct.P99, fct.P999, slowdown.Mean,
				run.Round6(run.FlowThroughput(g)(o)))
		} else {
			for range groupMetrics[1:] {
				m = append(m, math.NaN())
			}
		}
	}
	for i := range r.Jobs {
		m = append(m, measureJob(&r.Jobs[i])...)
	}
	return m
}

// measureJob returns jobMetrics of a job. What did not end is NaN.
func measureJob(j *sim.JobResult) []float64 {
	done, whole, exposed, held := 0, math.NaN(), math.NaN(), math.NaN()
	for _, end := range j.Ends {
		if end < sluice.Never {
			done++
		}
	}
	if done == len(j.Ends) {
		whole = run.Round6((j.Ends[done-1] - j.Start).Microseconds())
		exposed = run.Round6(j.Spent.Exposed.Microseconds())
		held = run.Round6(j.Spent.Held.Microseconds())
	}
	if done == 0 {
		return []float64{0, math.NaN(), whole, exposed, held}
	}
	mean := (j.Ends[done-1] - j.Start).Microseconds() / float64(done)
	return []float64{float64(done), run.Round6(mean), whole, exposed, held}
}
