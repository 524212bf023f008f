package report

import (
	"fmt"
	"strings"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/run"
	"github.com/sluicefc/sluice/internal/lab/schedule"
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
	SpentUS      *SpentUS   `json:"spent_us" jsonschema:"what the time of ranks was made of, mean over ranks, from the start until each had done all; null if one had not"`
	LastSpentUS  *SpentUS   `json:"last_spent_us" jsonschema:"the same of the rank that was done last"`
	CriticalPath []StepUS   `json:"critical_path" jsonschema:"the operations that the end of the last iteration hung on, one after another"`
}

// SpentUS is schedule.Times.
type SpentUS struct {
	Computation float64 `json:"computation" jsonschema:"at least one computation is under way"`
	Overlap     float64 `json:"overlap" jsonschema:"of that: messages are, too"`
	Exposed     float64 `json:"exposed" jsonschema:"a message is under way, and no computation"`
	Idle        float64 `json:"idle" jsonschema:"neither: what comes next has not been sent"`
}

// StepUS is schedule.Step.
type StepUS struct {
	Rank      int     `json:"rank"`
	Operation int     `json:"operation" jsonschema:"of the rank, from 1 in the order of the file"`
	Kind      string  `json:"kind" jsonschema:"send, recv or calc"`
	Peer      *int32  `json:"peer" jsonschema:"null of a computation"`
	Bytes     *int64  `json:"bytes" jsonschema:"null of a computation"`
	BeginUS   float64 `json:"begin_us"`
	EndUS     float64 `json:"end_us" jsonschema:"of a send before a receive: when the message arrived"`
}

func spentUS(t *schedule.Times) *SpentUS {
	if t.Sum() == 0 {
		return nil
	}
	us := func(t sluice.Time) float64 { return run.Round6(t.Microseconds()) }
	return &SpentUS{us(t.Computation), us(t.Overlap), us(t.Exposed), us(t.Idle)}
}

func pathUS(steps []schedule.Step) []StepUS {
	list := []StepUS{}
	for i := range steps {
		s := &steps[i]
		one := StepUS{
			Rank: s.Rank, Operation: s.Number, Kind: s.Kind.String(),
			BeginUS: run.Round6(s.Begin.Microseconds()), EndUS: run.Round6(s.End.Microseconds()),
		}
		if s.Kind != schedule.Calc {
			one.Peer, one.Bytes = &s.Peer, &s.Size
		}
		list = append(list, one)
	}
	return list
}

func makeJobs(jobs []sim.JobResult) []JobRecord {
	records := []JobRecord{}
	for i := range jobs {
		j := &jobs[i]
		r := JobRecord{
			Name: j.Name, Ranks: len(j.RankEnds), StartUS: run.Round6(j.Start.Microseconds()),
			EndUS: instant(j.Ends[len(j.Ends)-1]), IterationsUS: []*float64{}, RankEndsUS: []*float64{},
			SpentUS: spentUS(&j.Spent), LastSpentUS: spentUS(&j.SpentByLast),
			CriticalPath: pathUS(j.Critical),
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
	writeSpent(b, outcomes)
}

// writeSpent writes what the time of the ranks of jobs was made of, and the critical path.
func writeSpent(b *strings.Builder, outcomes []*run.Outcome) {
	t := show.NewTable(1, "  fc", "computes", "overlap", "exposed", "idle", "path", "of messages")
	for i := range outcomes[0].Result.Jobs {
		t.Add(outcomes[0].Result.Jobs[i].Name)
		for _, o := range outcomes {
			j := &o.Result.Jobs[i]
			row := show.Row{"  " + o.FC, "-", "-", "-", "-", "-", "-"}
			if j.Spent.Sum() > 0 {
				row = row[:1]
				for _, span := range []sluice.Time{
					j.Spent.Computation, j.Spent.Overlap, j.Spent.Exposed, j.Spent.Idle,
				} {
					row = append(row, show.Significant(span.Microseconds()))
				}
				row = append(row, show.Plural(len(j.Critical), "step"), messagesOf(j.Critical))
			}
			t.Add(row...)
		}
	}
	b.WriteString("\nTime of ranks, us, mean over ranks; the critical path of the last iteration\n\n" +
		t.String() + "\n")
}

// messagesOf is the share of a critical path in which a message was under way.
func messagesOf(steps []schedule.Step) string {
	sum, all := sluice.Time(0), sluice.Time(0)
	for i := range steps {
		all += steps[i].End - steps[i].Begin
		if steps[i].Kind != schedule.Calc {
			sum += steps[i].End - steps[i].Begin
		}
	}
	if all == 0 {
		return "-"
	}
	return fmt.Sprintf("%.1f %%", 100*float64(sum)/float64(all))
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
