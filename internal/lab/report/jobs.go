package report

import (
	"cmp"
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
	HeldFor      []HeldUS   `json:"held_for" jsonschema:"what spent_us.held was for, mean over ranks, the longest first; where messages wait for several causes at once the time counts for each"`
	CriticalPath []StepUS   `json:"critical_path" jsonschema:"the operations that the end of the last iteration hung on, one after another"`
}

// SpentUS is schedule.Times.
type SpentUS struct {
	Computation float64  `json:"computation" jsonschema:"at least one computation is under way"`
	Overlap     float64  `json:"overlap" jsonschema:"of that: messages are, too"`
	Exposed     float64  `json:"exposed" jsonschema:"a message is under way, and no computation"`
	Held        *float64 `json:"held" jsonschema:"of exposed: a packet of the messages waits in a held queue; null where operations are read in a window"`
	Idle        float64  `json:"idle" jsonschema:"neither: what comes next has not been sent"`
}

// HeldUS is schedule.HeldFor.
type HeldUS struct {
	At   string  `json:"at" jsonschema:"switch:port"`
	Root bool    `json:"root" jsonschema:"it is the congestion root that pauses named; else the port whose queue the next device paused"`
	US   float64 `json:"us"`
}

// WaitUS is schedule.Wait.
type WaitUS struct {
	At       string   `json:"at" jsonschema:"switch:port, or host:port"`
	QueuedUS float64  `json:"queued_us" jsonschema:"at least one packet of the message waited; behind others at its own host"`
	HeldUS   float64  `json:"held_us" jsonschema:"at least one waited in a held queue"`
	HeldFor  []HeldUS `json:"held_for"`
}

// StepUS is schedule.Step.
type StepUS struct {
	Rank      int      `json:"rank"`
	Operation int      `json:"operation" jsonschema:"of the rank, from 1 in the order of the file"`
	Kind      string   `json:"kind" jsonschema:"send, recv or calc"`
	Peer      *int32   `json:"peer" jsonschema:"null of a computation"`
	Bytes     *int64   `json:"bytes" jsonschema:"null of a computation"`
	BeginUS   float64  `json:"begin_us"`
	EndUS     float64  `json:"end_us" jsonschema:"of a send before a receive: when the message arrived"`
	Waits     []WaitUS `json:"waits" jsonschema:"where packets of its message waited"`
}

func spentUS(t *schedule.Times, windowed bool) *SpentUS {
	if t.Sum() == 0 {
		return nil
	}
	us := func(t sluice.Time) float64 { return run.Round6(t.Microseconds()) }
	spent := &SpentUS{us(t.Computation), us(t.Overlap), us(t.Exposed), nil, us(t.Idle)}
	if !windowed {
		held := us(t.Held)
		spent.Held = &held
	}
	return spent
}

func heldUS(all []schedule.HeldFor) []HeldUS {
	return column(all, func(h *schedule.HeldFor) HeldUS {
		return HeldUS{h.At.String(), h.Root, run.Round6(h.Time.Microseconds())}
	})
}

func waitsUS(all []schedule.Wait) []WaitUS {
	return column(all, func(w *schedule.Wait) WaitUS {
		return WaitUS{
			w.At.String(), run.Round6(w.Queued.Microseconds()), run.Round6(w.Held.Microseconds()),
			heldUS(w.For),
		}
	})
}

func pathUS(steps []schedule.Step) []StepUS {
	list := []StepUS{}
	for i := range steps {
		s := &steps[i]
		one := StepUS{
			Rank: s.Rank, Operation: s.Number, Kind: s.Kind.String(),
			BeginUS: run.Round6(s.Begin.Microseconds()), EndUS: run.Round6(s.End.Microseconds()),
			Waits: waitsUS(s.Waits),
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
			SpentUS:     spentUS(&j.Spent, j.Windowed),
			LastSpentUS: spentUS(&j.SpentByLast, j.Windowed),
			HeldFor:     heldUS(j.Causes), CriticalPath: pathUS(j.Critical),
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
	t := show.NewTable(1, "  fc", "computes", "overlap", "exposed", "held", "for", "idle")
	path := show.NewTable(1, "  fc", "steps", "us", "of messages", "queued", "held", "at")
	for i := range outcomes[0].Result.Jobs {
		t.Add(outcomes[0].Result.Jobs[i].Name)
		path.Add(outcomes[0].Result.Jobs[i].Name)
		for _, o := range outcomes {
			j := &o.Result.Jobs[i]
			t.Add(spentCells(o.FC, j)...)
			path.Add(pathCells(o.FC, j.Critical, j.Windowed)...)
		}
	}
	b.WriteString("\nTime of ranks, us, mean over ranks\n\n" + t.String() + "\n")
	b.WriteString("\n")
	writeLines(b, "held: share of exposed in which packets of its messages waited in a held queue; "+
		"for: the congestion root, or the port that was paused, for which they did longest, with its share.")
	b.WriteString("\nCritical path of the last iteration\n\n" + path.String() + "\n")
	b.WriteString("\n")
	writeLines(b, "shares of its time: a message was under way; packets of it waited behind others, and in a "+
		"held queue, summed over the ports; at: the port where they were held longest.")
}

func spentCells(fc string, j *sim.JobResult) show.Row {
	if j.Spent.Sum() == 0 {
		return show.Row{"  " + fc, "-", "-", "-", "-", "-", "-"}
	}
	us := func(t sluice.Time) string { return show.Significant(t.Microseconds()) }
	most := "-"
	if len(j.Causes) > 0 {
		c := &j.Causes[0]
		kind := "port"
		if c.Root {
			kind = "root"
		}
		most = fmt.Sprintf("%s %v: %s", kind, c.At, share(c.Time, j.Spent.Exposed))
	}
	held := share(j.Spent.Held, j.Spent.Exposed)
	if j.Windowed {
		held = "-"
	}
	return show.Row{
		"  " + fc, us(j.Spent.Computation), us(j.Spent.Overlap), us(j.Spent.Exposed), held, most,
		us(j.Spent.Idle),
	}
}

// pathCells says of a critical path how long messages were under way, and what they waited.
func pathCells(fc string, steps []schedule.Step, windowed bool) show.Row {
	var all, messages, queued, held sluice.Time
	var at string
	most := sluice.Time(0)
	byPort := map[sluice.Hop]sluice.Time{}
	for i := range steps {
		s := &steps[i]
		all += s.End - s.Begin
		if s.Kind != schedule.Calc {
			messages += s.End - s.Begin
		}
		for k := range s.Waits {
			w := &s.Waits[k]
			queued += w.Queued
			held += w.Held
			if byPort[w.At] += w.Held; byPort[w.At] > most {
				most, at = byPort[w.At], w.At.String()
			}
		}
	}
	if all == 0 {
		return show.Row{"  " + fc, "-", "-", "-", "-", "-", "-"}
	}
	row := show.Row{
		"  " + fc, show.Thousands(len(steps)), show.Significant(all.Microseconds()),
		share(messages, all), share(queued, all), share(held, all), cmp.Or(at, "-"),
	}
	if windowed {
		row[4], row[5] = "-", "-"
	}
	return row
}

// share writes a part of a time in per cent.
func share(part, all sluice.Time) string {
	if all == 0 {
		return "-"
	}
	return fmt.Sprintf("%.1f %%", 100*float64(part)/float64(all))
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
