package main

import (
	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/sim"
	"github.com/sluicefc/sluice/internal/workload"
)

// outcome is what one protocol did on one scenario: what all reports read.
type outcome struct {
	scenario string
	fc       string
	seed     uint64
	result   *sim.Result
	groups   []workload.Group // of each flow
	peakRSS  int64            // bytes

	fct      groupSummaries // microseconds
	slowdown groupSummaries
}

func newOutcome(scenario, fc string, seed uint64, groups []workload.Group, result *sim.Result, peakRSS int64) *outcome {
	return &outcome{
		scenario: scenario, fc: fc, seed: seed, result: result, groups: groups, peakRSS: peakRSS,
		fct:      summariseFlows(result.Flows, groups, func(f *sim.FlowResult) float64 { return f.FCT.Microseconds() }),
		slowdown: summariseFlows(result.Flows, groups, (*sim.FlowResult).Slowdown),
	}
}

// hopsPerSecond returns the simulator's speed in packet-hops a wall second, 0 if the time was too short to
// measure.
func (o *outcome) hopsPerSecond() float64 {
	seconds := o.result.Wall.Seconds()
	if seconds <= 0 {
		return 0
	}
	return float64(o.result.PacketHops) / seconds
}

// completed counts the flows of a group that completed; GroupAuto means all.
func (o *outcome) completed(g workload.Group) int {
	n := 0
	for i := range o.result.Flows {
		if o.result.Flows[i].FCT != sluice.Never && (g == workload.GroupAuto || o.groups[i] == g) {
			n++
		}
	}
	return n
}
