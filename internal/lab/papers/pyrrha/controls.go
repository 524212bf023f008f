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
		Build: general.BuildReference, Variants: pyrrhaControls, Claims: claimCooperation},
	{Name: "pyrrha/cc-fig2", Figure: "Pyrrha paper, Figure 2 and section VIII",
		SampleEvery: 5 * sluice.Microsecond,
		Doc:         "the flows of pyrrha/fig2 under every congestion control, for 0.3 ms of its 12",
		Set: pyrrhaControlSettings + ",locality=other-racks,duration=300us,incast.min=149," +
			"incast.max=199,pfc.alpha=2",
		Protocols: []string{"pfc", "pyrrha"},
		Build:     generate.Build, Variants: pyrrhaControls, Claims: claimCooperation},
	{Name: "pyrrha/fig15-small", Figure: "Pyrrha paper, Figure 15",
		SampleEvery: 5 * sluice.Microsecond,
		Doc:         "pyrrha/fig15 for 0.1 ms, with and without congestion control: flows of less than 100 KB",
		Set: pyrrhaControlSettings + ",topology=fat-tree,k=16,fabric.rate=100Gbps," +
			"locality=other-racks,duration=100us,pfc.alpha=2",
		Protocols: []string{"pfc", "bfc-pyrrha", "pyrrha"}, Build: generate.Build, Claims: claimScale,
		Variants: []run.Variant{
			{Name: "alone", Set: "cc=none"}, {FC: "pfc", Name: "dcqcn", Set: "cc=dcqcn"},
			{FC: "pfc", Name: "hpcc", Set: "cc=hpcc"}, {FC: "pfc", Name: "timely", Set: "cc=timely"},
			{FC: "pyrrha", Name: "dcqcn", Set: "cc=dcqcn"}, {FC: "pyrrha", Name: "hpcc", Set: "cc=hpcc"},
			{FC: "pyrrha", Name: "timely", Set: "cc=timely"},
		}},
}

// smallFlow is the size below which the paper calls a flow small.
const smallFlow = 100 * sluice.KB

// small measures flows that are small and that no incast receives.
var small = run.Measurement{
	What: "mean FCT of small uncongested flows", Value: run.AboveZero(smallUncongested),
}

// claimCooperation is what section VIII-B says of congestion controls, of which it names three.
func claimCooperation(*run.Subject) []run.Claim {
	const place = "section VIII-B, paragraph 2"
	control := func(o *run.Outcome) string { return o.Subject.Values.String("cc") }
	shorter, queue, alone := small, small, small
	shorter.Of, shorter.Relation, shorter.Against = []string{"pyrrha"}, run.Fold, []string{"pfc"}
	shorter.Alike = control
	queue = shorter
	queue.What, queue.Value = "longest queue of a port", run.LongestQueue
	named := func(r run.Range) run.Ranges {
		return run.Ranges{"pfc dcqcn": r, "pfc hpcc": r, "pfc timely": r}
	}
	shorter.Published, queue.Published = named(run.UpTo(32.7)), named(run.AtLeast(1))
	alone.Unit = "us"
	return []run.Claim{
		{Statement: "with congestion control Pyrrha shortens flows of less than 100 KB by up to 32.7 times",
			Place: place, Source: run.Given, Name: "small", Measures: []run.Measurement{shorter},
			Note: "of which control and traffic is not said"},
		{Statement: "with congestion control Pyrrha takes much off the buffer of congestion roots",
			Place: place, Source: run.Given, Measures: []run.Measurement{queue},
			Note: "the text has no number"},
		run.Beside(alone),
	}
}

// claimScale is what section VIII-B says of Figure 15 and flows of less than 100 KB.
func claimScale(*run.Subject) []run.Claim {
	const place = "section VIII-B, paragraph 1; Figure 15"
	ahead := func(of, of2 []string) run.Measurement {
		m := small
		m.Relation, m.Of, m.Against, m.Published = run.Less, of, of2, run.Always(run.AtLeast(0))
		return m
	}
	alone := small
	alone.Unit = "us"
	return []run.Claim{
		{Statement: "small flows are faster under BFC and under Pyrrha than under PFC, or PFC with " +
			"congestion control",
			Place: place, Source: run.Given, Name: "fig15-alone",
			Measures: []run.Measurement{
				ahead([]string{"bfc-pyrrha alone", "pyrrha alone"}, []string{"pfc"}),
			}},
		{Statement: "small flows are fastest under Pyrrha with congestion control",
			Place: place + "(c)", Source: run.Given, Name: "fig15-together",
			Measures: []run.Measurement{ahead([]string{"pyrrha dcqcn", "pyrrha hpcc", "pyrrha timely"},
				[]string{"pfc", "bfc-pyrrha alone", "pyrrha alone"})}},
		run.Beside(alone),
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
