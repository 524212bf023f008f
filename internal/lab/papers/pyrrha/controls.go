package pyrrha

import (
	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/generate"
	"github.com/sluicefc/sluice/internal/lab/papers/general"
	"github.com/sluicefc/sluice/internal/lab/run"
	"github.com/sluicefc/sluice/internal/lab/workload"
)

// pyrrhaControls are the congestion controls that Pyrrha is combined with, and none.
var pyrrhaControls = run.Controls(
	"none", "dcqcn", "dcqcn-hpcc", "timely", "timely-pcn", "hpcc", "qcn", "dctcp", "pcn",
)

// pyrrhaControlSettings mark at the thresholds of the authors' files that run congestion control
// alone, for 100 Gb/s. Switches tell HPCC and QCN of the queue that a packet leaves: with all that
// waits for the port, packets that Pyrrha holds for a root elsewhere slow down flows that pass
// them.
const pyrrhaControlSettings = "ecn.kmin=400KB,ecn.kmax=1600KB,ecn.pmax=1/5,cc.queue=packet"

// pyrrhaControlScenarios are Pyrrha beside PFC under each control.
var pyrrhaControlScenarios = []run.Scenario{
	{Name: "pyrrha/cc", Figure: "Pyrrha paper, section VIII: cooperating with congestion control",
		SampleEvery: 5 * sluice.Microsecond,
		Doc:         "the flows of reference under every congestion control",
		Set:         pyrrhaControlSettings, Protocols: []string{"pfc", "pyrrha"},
		Build: general.BuildReference, Variants: pyrrhaControls, Claims: run.Unread(claimCooperation)},
	{Name: "pyrrha/cc-fig2", Figure: "Pyrrha paper, Figure 2 and section VIII",
		SampleEvery: 5 * sluice.Microsecond,
		Doc:         "the flows of pyrrha/fig2 under every congestion control, for 0.3 ms of its 12",
		Set: pyrrhaControlSettings + ",locality=other-racks,duration=300us,incast.min=149," +
			"incast.max=199,pfc.alpha=2",
		Protocols: []string{"pfc", "pyrrha"},
		Build:     generate.Build, Variants: pyrrhaControls, Claims: run.Unread(claimCooperation)},
}

// smallFlow is the size below which the paper calls a flow small.
const smallFlow = 100 * sluice.KB

// claimCooperation says by what factor Pyrrha shortens small flows that no incast receives, and the
// longest queue of a switch, under each control: "Pyrrha reduces the FCT of small flows (less than
// 100KB) by up to 32.7x and substantially decreases buffer occupancy at congestion roots".
func claimCooperation(*run.Subject) []run.Measurement {
	control := func(o *run.Outcome) string { return o.Subject.Values.String("cc") }
	small := run.AboveZero(smallUncongested)
	ours, pfc := []string{"pyrrha"}, []string{"pfc"}
	return []run.Measurement{
		{What: "mean FCT of small uncongested flows", Of: ours, Relation: run.Fold, Against: pfc,
			Alike: control, Value: small, Published: run.Always(run.AtMost(32.7))},
		{What: "mean FCT of small uncongested flows", Unit: "us", Value: small},
		{What: "longest queue of a port", Of: ours, Relation: run.Fold, Against: pfc,
			Alike: control, Value: run.LongestQueue},
	}
}

// smallUncongested returns the mean completion time in microseconds of small flows that the
// incast's host does not receive; 0 if none completed.
func smallUncongested(o *run.Outcome) float64 {
	sum, n := 0.0, 0
	for i := range o.Result.Flows {
		f := &o.Result.Flows[i]
		if o.Groups[i] != workload.Incast && f.Bytes < smallFlow && f.FCT != sluice.Never &&
			f.Start >= o.From {
			sum += f.FCT.Microseconds()
			n++
		}
	}
	return sum / float64(max(n, 1))
}
