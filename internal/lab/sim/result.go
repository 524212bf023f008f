package sim

import (
	"fmt"
	"time"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/cc"
	"github.com/sluicefc/sluice/internal/lab/hol"
	"github.com/sluicefc/sluice/internal/lab/probe"
	"github.com/sluicefc/sluice/internal/lab/schedule"
	"github.com/sluicefc/sluice/internal/lab/transport"
	"github.com/sluicefc/sluice/internal/lab/workload"
)

// Result is what a run measured.
type Result struct {
	Flows []FlowResult // in input order
	// Messages are the flows behind them: of jobs whose schedules are read in a window; nil without
	// such jobs.
	Messages *MessageFile

	Jobs []JobResult // in input order

	Completed int
	Dropped   int64 // packets
	Expired   int64 // packets discarded at their hop limit, not in Dropped
	// packets that Config.Loss took, that a failed link carried, or that had no way around it, not in
	// Dropped
	LostOnWire  int64
	LostAnswers int64 // acknowledgements and notices that Config.Answers lost
	Timeouts    int64 // retransmission timers that found no progress
	Marked      int64 // data packets that arrived with CE
	Notices     int64 // congestion notices that receivers and switches sent
	Transport   transport.Counters
	Control     cc.Counters
	// packets that arrived with a sequence number below one seen before, first transmissions only
	Reordered  int64
	Relabelled int64 // flow labels that senders drew anew (PLB)
	// of receivers with Config.Resequence: packets that waited for others, most of one flow at once,
	// and how often they were handed up without
	Resequenced   int64
	MaxResequence int
	GivenUp       int64

	PacketHops int64 // transmissions of any packet on any link, control frames included
	Events     int64
	Simulated  sluice.Time // instant of the last event
	Wall       time.Duration

	MaxSwitchBytes sluice.Bytes // largest amount held in one switch
	MaxPortBytes   sluice.Bytes // largest amount held for one egress port
	MaxRelayBytes  sluice.Bytes // largest amount held in one host that forwards
	MaxDrainBytes  sluice.Bytes // largest amount that a host with a Drain had not taken yet

	// ControlFrames counts control frames sent, by kind.
	ControlFrames map[string]int64

	// Drops says where packets were lost, one entry a (node, port, reason), in order of first loss,
	// then by place.
	Drops []DropRecord

	// Figures are numbers of a protocol's own, by name, such as isolation queues in use at a port.
	Figures map[string]int64

	// Stalled says that the run was ended because nothing moved any more and nothing would: see
	// Config.StallAfter.
	Stalled bool
	// Deadlock names the queues that wait for each other in a circle, at the end of the run; "" if
	// there are none.
	Deadlock string
	Circle   []hol.Node // the same queues; nil if there are none

	// Series has a sample for every Config.SampleEvery since the first flow started, and one at the
	// end; MaxSamples at most, and Notes say when it ended before the run.
	Series []Sample

	// Steered has a sample for each of Series where Config.Steering chose the ways of flows.
	Steered []SteeringSample

	// Seen is what Config.Observer saw, nil without one.
	Seen *probe.Report

	// Notes are sentences for the reader: mechanisms that never acted and how far they
	// were from acting, losses under a lossless protocol with what was missing, a
	// deadlock and its cycle.
	Notes []string
}

// Note adds a sentence for the reader.
func (r *Result) Note(format string, args ...any) {
	r.Notes = append(r.Notes, fmt.Sprintf(format, args...))
}

// Figure sets a number of a protocol's own.
func (r *Result) Figure(what string, value int64) {
	if r.Figures == nil {
		r.Figures = make(map[string]int64)
	}
	r.Figures[what] = value
}

// FlowResult is what happened to a flow.
type FlowResult struct {
	workload.Flow
	// from Start to the last byte's arrival at the receiver; sluice.Never if it did not complete
	FCT sluice.Time
	// from Start to the last acknowledgement's arrival at the sender; sluice.Never if none came
	Acknowledged sluice.Time
	// the same in an empty network; 0 if there is no way to Dst, or only one longer than the hop limit
	Ideal sluice.Time
}

// JobResult is what happened to a job. Instants are sluice.Never where something did not end.
type JobResult struct {
	Name  string
	Start sluice.Time
	// Ends are when the last rank had done each iteration, RankEnds when each rank had done the last.
	Ends, RankEnds []sluice.Time
	// Spent is what the time of ranks was made of: the mean over ranks, from the start until each had
	// done all. SpentByLast is the time of the rank that was done last. Their Sum is 0 if a rank had
	// not done all.
	Spent, SpentByLast schedule.Times
	// Causes are what Spent.Held was for, the longest first.
	Causes []schedule.HeldFor
	// Windowed says that operations were read in a window, so that what held queues did, and the
	// timeline, were not kept.
	Windowed bool
	// Timeline is what each rank did, in the order of time; it was idle between the spans.
	Timeline [][]schedule.Span
	// Critical is the critical path of the last iteration; nil if a rank had not done all.
	Critical []schedule.Step
}

// Iteration returns how long an iteration took: from the end of the one before, or the start, until
// the last rank had done it; sluice.Never if one had not.
func (j *JobResult) Iteration(k int) sluice.Time {
	before := j.Start
	if k > 0 {
		before = j.Ends[k-1]
	}
	if j.Ends[k] == sluice.Never {
		return sluice.Never
	}
	return j.Ends[k] - before
}

// TimelineEnd returns when the last span of the timeline ends; Start without spans.
func (j *JobResult) TimelineEnd() sluice.Time {
	end := j.Start
	for _, spans := range j.Timeline {
		if len(spans) > 0 {
			end = max(end, spans[len(spans)-1].To)
		}
	}
	return end
}

// Slowdown returns FCT over Ideal, 0 if the flow did not complete.
func (f *FlowResult) Slowdown() float64 {
	if f.FCT == sluice.Never || f.Ideal <= 0 {
		return 0
	}
	return float64(f.FCT) / float64(f.Ideal)
}

// DropRecord counts the packets lost at one place for one reason.
type DropRecord struct {
	At      sluice.Hop
	Reason  sluice.Reason
	Packets int64
	First   sluice.Time
}

// Sample is the network at one instant.
type Sample struct {
	At           sluice.Time
	MaxPortBytes sluice.Bytes // backlog of the longest egress port of a switch now
	TotalBytes   sluice.Bytes // held in all switches now
	PausedQueues int          // non-empty queues of switches and hosts that are held now
	// DeliveredBytes is the payload delivered since the last sample, by workload.Group; at GroupAuto
	// of all groups with names of one's own.
	DeliveredBytes [4]sluice.Bytes
}
