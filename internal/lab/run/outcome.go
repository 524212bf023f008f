package run

import (
	"fmt"
	"slices"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/fabric"
	"github.com/sluicefc/sluice/internal/lab/sim"
	"github.com/sluicefc/sluice/internal/lab/workload"
)

func CompletionTimes(o *Outcome, g workload.Group) []float64 {
	var times []float64
	o.EachFlow(func(f *sim.FlowResult, of workload.Group) {
		if of == g && f.Start >= o.From && f.FCT != sluice.Never {
			times = append(times, f.FCT.Microseconds())
		}
	})
	return times
}

// EachFlow visits all flows and messages with their groups, in the order of the input.
func (o *Outcome) EachFlow(visit func(*sim.FlowResult, workload.Group)) {
	for i := range o.Result.Flows {
		visit(&o.Result.Flows[i], o.Groups[i])
	}
	if o.Result.Messages != nil {
		o.Result.Messages.Each(func(f *sim.FlowResult) { visit(f, f.Group) })
	}
}

// Outcome is what one protocol did on one scenario: what all reports read.
type Outcome struct {
	Subject *Subject         // that was run
	Run     string           // flow control
	FC      string           // flow control, with the variant where a scenario has variants
	Groups  []workload.Group // of each flow
	Result  *sim.Result
	PeakRSS *int64 // bytes; nil if it was not measured
	Capture []byte // a pcapng file; nil if there is none

	From     sluice.Time       // flows that start before are not counted
	FCT      ByGroup[*Summary] // microseconds
	Slowdown ByGroup[*Summary]
}

func NewOutcome(s *Subject, fc string, result *sim.Result) *Outcome {
	o := &Outcome{
		Subject: s, Run: fc, FC: fc, Groups: s.Groups, Result: result, From: s.WarmUp,
	}
	o.FCT = o.summarise(func(f *sim.FlowResult) float64 { return f.FCT.Microseconds() })
	o.Slowdown = o.summarise((*sim.FlowResult).Slowdown)
	return o
}

// HopsPerSecond returns the simulator's speed in packet-hops per wall second, 0 if the time was too
// short to measure.
func (o *Outcome) HopsPerSecond() float64 {
	seconds := o.Result.Wall.Seconds()
	if seconds <= 0 {
		return 0
	}
	return float64(o.Result.PacketHops) / seconds
}

func (o *Outcome) Frames() (n int64) {
	for _, frames := range o.Result.ControlFrames {
		n += frames
	}
	return n
}

// Completion returns the time in microseconds from the first start of a group's flows to the last
// arrival; nil unless all have completed.
func (o *Outcome) Completion(g workload.Group) *float64 {
	first, last, any := sluice.Never, sluice.Time(0), false
	o.EachFlow(func(f *sim.FlowResult, of workload.Group) {
		switch {
		case f.Start < o.From || g != workload.GroupAuto && of != g || last == sluice.Never:
		case f.FCT == sluice.Never:
			last = sluice.Never
		default:
			first, last, any = min(first, f.Start), max(last, f.Start+f.FCT), true
		}
	})
	if !any || last == sluice.Never {
		return nil
	}
	us := Round6((last - first).Microseconds())
	return &us
}

// Completed counts the flows of a group that completed; GroupAuto means all.
func (o *Outcome) Completed(g workload.Group) int {
	n := 0
	o.EachFlow(func(f *sim.FlowResult, of workload.Group) {
		if f.Start >= o.From && f.FCT != sluice.Never && (g == workload.GroupAuto || of == g) {
			n++
		}
	})
	return n
}

// FlowThroughput is the mean of size over completion time, in Gb/s: "throughput" of flows.
func FlowThroughput(g workload.Group) func(*Outcome) float64 {
	return func(o *Outcome) float64 {
		sum, n := 0.0, 0
		o.EachFlow(func(f *sim.FlowResult, of workload.Group) {
			if f.FCT != sluice.Never && (g == workload.GroupAuto || of == g) {
				sum += Gbps(f.Bytes, f.FCT)
				n++
			}
		})
		return sum / float64(max(n, 1))
	}
}

func (s *Subject) Simulate(
	fc string, memory bool, progress func(delivered, total sluice.Bytes),
) (*Outcome, error) {
	if memory {
		resetPeakRSS()
	}
	r := s.FabricRun(fc)
	r.Progress = progress
	observer, file := s.observer()
	r.Observer = observer
	result, err := r.Do()
	if err != nil {
		return nil, fmt.Errorf("%s under %s: %w", s.Name, fc, err)
	}
	kept := *result // a copy, which keeps nothing else of the simulation
	if last := s.lastStart(); last < s.WarmUp {
		kept.Notes = append(slices.Clip(kept.Notes), fmt.Sprintf(
			"no flow is counted: the last starts at %v, within the warm-up of %v", last, s.WarmUp,
		))
	}
	o := NewOutcome(s, fc, &kept)
	if kept.Messages != nil && kept.Messages.Err() != nil {
		return nil, kept.Messages.Err()
	}
	if file != nil {
		o.Capture = file.Bytes()
	}
	if memory {
		peak := peakRSS()
		o.PeakRSS = &peak
	}
	return o, nil
}

// WatchedBy returns the subject with a watcher of one run.
func (s *Subject) WatchedBy(w sim.Watcher) *Subject {
	watched := *s
	watched.watcher = w
	return &watched
}

func (s *Subject) FabricRun(fc string) fabric.Run {
	return fabric.Run{
		Protocol: fc, Topology: s.Graph, Flows: s.Flows, Jobs: s.Jobs, Routes: s.Routes,
		Values: s.Values, Seed: s.Seed, Until: s.Until, SampleEvery: s.SampleEvery,
		Failures: s.Failures, SONiC: s.SONiC, Threads: s.Threads, Watcher: s.watcher,
	}
}
