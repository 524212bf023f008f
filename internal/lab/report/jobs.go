package report

import (
	"fmt"
	"strings"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/run"
	"github.com/sluicefc/sluice/internal/lab/show"
	"github.com/sluicefc/sluice/internal/lab/sim"
)

// JobRecord is what happened to a job.
type JobRecord struct {
	Name         string     `json:"name"`
	Ranks        int        `json:"ranks"`
	StartUS      float64    `json:"start_us"`
	EndUS        *float64   `json:"end_us" jsonschema:"when the last rank had done all; null if one had not"`
	IterationsUS []*float64 `json:"iterations_us" jsonschema:"of each repetition: from the end of the one before, or the start, until the last rank had done it"`
	RankEndsUS   []*float64 `json:"rank_ends_us" jsonschema:"when each rank had done all"`
}

func makeJobs(jobs []sim.JobResult) []JobRecord {
	records := []JobRecord{}
	for i := range jobs {
		j := &jobs[i]
		r := JobRecord{
			Name: j.Name, Ranks: len(j.RankEnds), StartUS: run.Round6(j.Start.Microseconds()),
			EndUS: instant(j.Ends[len(j.Ends)-1]), IterationsUS: []*float64{}, RankEndsUS: []*float64{},
		}
		for k := range j.Ends {
			r.IterationsUS = append(r.IterationsUS, instant(j.Iteration(k)))
		}
		for _, end := range j.RankEnds {
			r.RankEndsUS = append(r.RankEndsUS, instant(end))
		}
		records = append(records, r)
	}
	return records
}

// instant returns microseconds; nil for Never.
func instant(t sluice.Time) *float64 {
	if t == sluice.Never {
		return nil
	}
	us := run.Round6(t.Microseconds())
	return &us
}

// writeJobs writes the table of jobs, if there are any.
func writeJobs(b *strings.Builder, outcomes []*run.Outcome) {
	if len(outcomes[0].Result.Jobs) == 0 {
		return
	}
	t := show.NewTable(1, "  fc", "ranks", "start", "end", "iterations", "mean", "shortest", "longest")
	for i := range outcomes[0].Result.Jobs {
		first := &outcomes[0].Result.Jobs[i]
		t.Add(first.Name)
		for _, o := range outcomes {
			t.Add(jobCells(o.FC, &o.Result.Jobs[i])...)
		}
	}
	b.WriteString("\nJobs, us\n\n" + t.String() + "\n")
}

func jobCells(fc string, j *sim.JobResult) show.Row {
	us := func(t sluice.Time) string {
		if t == sluice.Never {
			return "-"
		}
		return show.Significant(t.Microseconds())
	}
	done, sum, least, most := 0, sluice.Time(0), sluice.Never, sluice.Time(0)
	for k := range j.Ends {
		if span := j.Iteration(k); span < sluice.Never {
			done++
			sum += span
			least, most = min(least, span), max(most, span)
		}
	}
	row := show.Row{
		"  " + fc, show.Thousands(len(j.RankEnds)), us(j.Start), us(j.Ends[len(j.Ends)-1]),
		fmt.Sprintf("%d of %d", done, len(j.Ends)),
	}
	if done == 0 {
		return append(row, "-", "-", "-")
	}
	return append(row, us(sum/sluice.Time(done)), us(least), us(most))
}
