package main

import (
	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/sim"
	"github.com/sluicefc/sluice/internal/lab/workload"
)

// outcome is what one protocol did on one scenario: what all reports read.
type outcome struct {
	subject *subject         // that was run
	run     string           // flow control
	fc      string           // the same; where a scenario has variants, with the variant
	groups  []workload.Group // of each flow
	result  *sim.Result
	peakRSS *int64 // bytes; nil if it was not measured
	capture []byte // a pcapng file; nil if there is none

	from     sluice.Time       // flows that start before are not counted
	fct      byGroup[*summary] // microseconds
	slowdown byGroup[*summary]
}

func newOutcome(s *subject, fc string, result *sim.Result) *outcome {
	return &outcome{
		subject: s, run: fc, fc: fc, groups: s.groups, result: result,
		from: s.warmUp,
		fct: summariseFlows(result.Flows, s.groups, s.warmUp, func(f *sim.FlowResult) float64 {
			return f.FCT.Microseconds()
		}),
		slowdown: summariseFlows(result.Flows, s.groups, s.warmUp, (*sim.FlowResult).Slowdown),
	}
}

// hopsPerSecond returns the simulator's speed in packet-hops per wall second, 0 if the time was too
// short to measure.
func (o *outcome) hopsPerSecond() float64 {
	seconds := o.result.Wall.Seconds()
	if seconds <= 0 {
		return 0
	}
	return float64(o.result.PacketHops) / seconds
}

// frames returns how many control frames were sent.
func (o *outcome) frames() (n int64) {
	for _, frames := range o.result.ControlFrames {
		n += frames
	}
	return n
}

// completion returns the time in microseconds from the first start of a group's flows to the last
// arrival; nil unless all have completed.
func (o *outcome) completion(g workload.Group) *float64 {
	first, last, any := sluice.Never, sluice.Time(0), false
	for i := range o.result.Flows {
		f := &o.result.Flows[i]
		if f.Start < o.from || g != workload.GroupAuto && o.groups[i] != g {
			continue
		}
		if f.FCT == sluice.Never {
			return nil
		}
		first, last, any = min(first, f.Start), max(last, f.Start+f.FCT), true
	}
	if !any {
		return nil
	}
	us := round6((last - first).Microseconds())
	return &us
}

// completed counts the flows of a group that completed; GroupAuto means all.
func (o *outcome) completed(g workload.Group) int {
	n := 0
	for i := range o.result.Flows {
		if o.result.Flows[i].Start >= o.from && o.result.Flows[i].FCT != sluice.Never &&
			(g == workload.GroupAuto || o.groups[i] == g) {
			n++
		}
	}
	return n
}
