package main

import (
	"fmt"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/workload"
)

// pyrrhaControls are the congestion controls that Pyrrha is combined with, and none.
var pyrrhaControls = controls(
	"none", "dcqcn", "dcqcn-hpcc", "timely", "timely-pcn", "hpcc", "qcn", "dctcp", "pcn",
)

// pyrrhaControlSettings mark at the thresholds of the authors' files that run congestion control
// alone, for 100 Gb/s. Switches tell HPCC and QCN of the queue that a packet leaves: with all that
// waits for the port, packets that Pyrrha holds for a root elsewhere slow down flows that pass
// them.
const pyrrhaControlSettings = "ecn.kmin=400KB,ecn.kmax=1600KB,ecn.pmax=1/5,cc.queue=packet"

// pyrrhaControlScenarios are Pyrrha beside PFC under each control.
var pyrrhaControlScenarios = []scenario{
	{
		name: "pyrrha/cc", figure: "Pyrrha paper, section VIII: cooperating with congestion control",
		sampleEvery: 5 * sluice.Microsecond,
		doc:         "the flows of reference under every congestion control",
		set:         pyrrhaControlSettings, protocols: []string{"pfc", "pyrrha"},
		build: buildReference, variants: pyrrhaControls, claims: claimCooperation,
	},
	{
		name: "pyrrha/cc-fig2", figure: "Pyrrha paper, Figure 2 and section VIII",
		sampleEvery: 5 * sluice.Microsecond,
		doc:         "the flows of pyrrha/fig2 under every congestion control, for 0.3 ms of its 12",
		set: pyrrhaControlSettings + ",locality=other-racks,duration=300us,incast.min=149,incast.max=199," +
			"pfc.alpha=2",
		protocols: []string{"pfc", "pyrrha"},
		build:     buildGenerated, variants: pyrrhaControls, claims: claimCooperation,
	},
}

// smallFlow is the size below which the paper calls a flow small.
const smallFlow = 100 * sluice.KB

// claimCooperation says by what factor Pyrrha shortens small flows that no incast receives, and the
// longest queue of a switch, under each control: "Pyrrha reduces the FCT of small flows (less than
// 100KB) by up to 32.7x and substantially decreases buffer occupancy at congestion roots".
func claimCooperation(_ *subject, outcomes []*outcome) (claims []claim) {
	under := map[string]*outcome{}
	for _, o := range outcomes {
		control := o.subject.values.String("cc")
		pfc := under[control]
		if o.run == "pfc" {
			under[control] = o
		}
		if o.run == "pfc" || pfc == nil {
			continue
		}
		before, after := pfc.smallUncongested(), o.smallUncongested()
		factor, buffers := "none completed", "no queue"
		if after > 0 {
			factor = fmt.Sprintf("%.1f (%.1f and %.1f us)", before/after, before, after)
		}
		if most := o.result.MaxPortBytes; most > 0 {
			buffers = fmt.Sprintf("%.2f", float64(pfc.result.MaxPortBytes)/float64(most))
		}
		claims = append(claims,
			claim{"mean time of small uncongested flows, PFC's over Pyrrha's", o.fc, "up to 32.7", factor},
			claim{"longest queue of a port, PFC's over Pyrrha's", o.fc, "", buffers})
	}
	return claims
}

// smallUncongested returns the mean completion time in microseconds of small flows that the
// incast's host does not receive; 0 if none completed.
func (o *outcome) smallUncongested() float64 {
	var sum float64
	n := 0
	for i := range o.result.Flows {
		f := &o.result.Flows[i]
		if o.groups[i] != workload.Incast && f.Bytes < smallFlow && f.FCT != sluice.Never &&
			f.Start >= o.from {
			sum += f.FCT.Microseconds()
			n++
		}
	}
	if n == 0 {
		return 0
	}
	return sum / float64(n)
}
