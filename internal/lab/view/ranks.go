package view

import (
	"encoding/binary"
	"fmt"
	"image/color"
	"slices"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/draw"
	"github.com/sluicefc/sluice/internal/lab/run"
	"github.com/sluicefc/sluice/internal/lab/schedule"
	"github.com/sluicefc/sluice/internal/lab/sim"
)

// mostOperations bounds how many operations a recorder keeps: of more it keeps none.
const mostOperations = 1_000_000

// oneState is a state of a rank, with its colour in pictures.
type oneState struct{ Name, Colour string }

// oneJob is what is known of a job beside its timeline.
type oneJob struct {
	Name       string
	Start, End int64 // of the timeline, ps
	First      int   // index of its first message in the list of flows
	Hosts      []int32
}

func states() (all []oneState) {
	for s := schedule.Computing; s <= schedule.Held; s++ {
		c := color.NRGBAModel.Convert(draw.LineOf(s.String()).Color).(color.NRGBA)
		all = append(all, oneState{s.String(), fmt.Sprintf("#%02x%02x%02x", c.R, c.G, c.B)})
	}
	return all
}

func describeJobs(o *run.Outcome) (all []oneJob) {
	for i := range o.Result.Jobs {
		j, of := &o.Result.Jobs[i], &o.Subject.Jobs[i]
		one := oneJob{
			Name: j.Name, Start: int64(j.Start), End: int64(j.TimelineEnd()), First: of.First,
		}
		for _, host := range of.Hosts {
			one.Hosts = append(one.Hosts, int32(host))
		}
		all = append(all, one)
	}
	return all
}

func (r *Recorder) Begin(b *sim.Begun) {
	if r.operations == mostOperations {
		r.begun = nil
		return
	}
	r.operations++
	for len(r.begun) <= b.Job {
		r.begun = append(r.begun, nil)
	}
	job := &r.begun[b.Job]
	for len(*job) <= b.Rank {
		*job = append(*job, nil)
	}
	(*job)[b.Rank] = append((*job)[b.Rank], *b)
}

// packRanks returns timelines of jobs as text of at most a number of bytes, and of coarser ones a
// note. Without jobs both are "".
func packRanks(jobs []sim.JobResult, most int) (text, note string) {
	longest := 0
	for i := range jobs {
		for _, spans := range jobs[i].Timeline {
			longest = max(longest, len(spans))
		}
	}
	if longest == 0 {
		return "", ""
	}
	for pieces := longest; ; pieces /= 2 {
		var raw []byte
		for i := range jobs {
			raw = appendTimeline(raw, &jobs[i], pieces)
		}
		if text = packed(raw); len(text) <= most || pieces <= 1 {
			return text, note
		}
		note = fmt.Sprintf("the timeline of a rank has at most %d pieces, each with what it does most",
			max(1, pieces/2))
	}
}

// appendTimeline appends what ranks can be held for: how many ports, and of each node and number,
// and 1 if it is a root, else 0. Then of each rank how many spans it has; and column by column the
// gap before each, since the span before or the start, how long it is, and what it is: a
// schedule.State, and of held ones that with the number of the cause added. All are varints.
func appendTimeline(dst []byte, j *sim.JobResult, pieces int) []byte {
	end := j.TimelineEnd()
	numbers := map[schedule.Cause]int{}
	var causes []schedule.Cause
	var gaps, lengths, states, counts []byte
	for _, spans := range j.Timeline {
		spans = schedule.Coarse(spans, j.Start, end, pieces)
		counts = binary.AppendUvarint(counts, uint64(len(spans)))
		last := j.Start
		for _, s := range spans {
			gaps = binary.AppendUvarint(gaps, uint64(s.From-last))
			lengths = binary.AppendUvarint(lengths, uint64(s.To-s.From))
			last = s.To
			state := uint64(s.State)
			if s.State == schedule.Held {
				number, known := numbers[s.For]
				if !known {
					number = len(causes)
					numbers[s.For] = number
					causes = append(causes, s.For)
				}
				state += uint64(number)
			}
			states = binary.AppendUvarint(states, state)
		}
	}
	dst = binary.AppendUvarint(dst, uint64(len(causes)))
	for _, c := range causes {
		root := uint64(0)
		if c.Root {
			root = 1
		}
		dst = binary.AppendUvarint(dst, uint64(c.At.Switch))
		dst = binary.AppendUvarint(dst, uint64(c.At.Port))
		dst = binary.AppendUvarint(dst, root)
	}
	return slices.Concat(dst, counts, gaps, lengths, states)
}

// packOperations returns the operations of jobs as text of at most a number of bytes; none, and a
// note, if there are too many.
func (r *Recorder) packOperations(jobs []sim.JobResult, most int) (text, note string) {
	if r.operations == 0 {
		return "", ""
	}
	var raw []byte
	for i := range jobs {
		var ranks [][]sim.Begun
		if i < len(r.begun) {
			ranks = r.begun[i]
		}
		raw = appendOperations(raw, len(jobs[i].RankEnds), ranks)
	}
	if text = packed(raw); r.begun == nil || len(text) > most {
		return "", "the operations of ranks, of which there are too many"
	}
	return text, ""
}

// appendOperations appends of each rank how many operations it began, in the order of time; and
// column by column the number of each, as differences; when it began, as differences; the rank that
// its message goes to, counted from 1, or 0 of a computation; and how long that is, or as
// differences the message's index in the list of flows. All are varints.
func appendOperations(dst []byte, ranks int, begun [][]sim.Begun) []byte {
	var numbers, times, peers, rest []byte
	for rank := range ranks {
		var all []sim.Begun
		if rank < len(begun) {
			all = begun[rank]
		}
		dst = binary.AppendUvarint(dst, uint64(len(all)))
		number, flow, at := 0, 0, sluice.Time(0)
		for i := range all {
			b := &all[i]
			numbers = binary.AppendVarint(numbers, int64(b.Number-number))
			times = binary.AppendUvarint(times, uint64(b.At-at))
			number, at = b.Number, b.At
			if b.Flow < 0 {
				peers = binary.AppendUvarint(peers, 0)
				rest = binary.AppendUvarint(rest, uint64(b.Lasts))
				continue
			}
			peers = binary.AppendUvarint(peers, uint64(b.Peer)+1)
			rest = binary.AppendVarint(rest, int64(b.Flow-flow))
			flow = b.Flow
		}
	}
	return slices.Concat(dst, numbers, times, peers, rest)
}
