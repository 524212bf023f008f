package pyrrha

import (
	"slices"

	"golang.org/x/exp/stats"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/generate"
	"github.com/sluicefc/sluice/internal/lab/run"
	"github.com/sluicefc/sluice/internal/lab/workload"
)

// conference is the figure of what, by section VIII-B, the conference paper (NSDI 2025) evaluates:
// incasts of other sizes, several roots, groups of experts in turns, roots that move, congestion
// controls without windows, parameters, merging, DRILL, links that fail. Of its numbers the paper
// has one, DRILL's.
const conference = "Pyrrha paper, section VIII-B, of its conference paper"

// conferenceTraffic is brief: these scenarios compare an incast and the flows around it.
const conferenceTraffic = "locality=other-racks,duration=300us,pfc.alpha=2"

var conferenceScenarios = []run.Scenario{
	{Name: "pyrrha/drill", Figure: conference, SampleEvery: 5 * sluice.Microsecond,
		Doc: "720-to-1 incast amid web-server traffic at load 0.8, for 1 ms, where switches choose a " +
			"way for every packet (DRILL), or draw it, and where a flow keeps its way (ECMP) or " +
			"changes it (PLB)",
		Set:       "locality=other-racks,duration=1ms,pfc.alpha=2",
		Protocols: []string{"pyrrha"}, Build: generate.Build, Claims: claimBalance,
		Variants: []run.Variant{
			{Name: "ecmp", Set: "lb=ecmp"}, {Name: "drill", Set: "lb=drill,resequence=1ms"},
			{Name: "drill irn", Set: "lb=drill,transport=irn"},
			{Name: "spray", Set: "lb=spray,resequence=1ms"}, {Name: "plb", Set: "lb=plb,resequence=1ms"},
		}},
	{Name: "pyrrha/sizes", Figure: conference, SampleEvery: 5 * sluice.Microsecond,
		Doc: "incasts of 720 flows of a quarter to four bandwidth-delay products amid web-server traffic",
		Set: conferenceTraffic, Protocols: []string{"pfc", "pyrrha"}, Build: generate.Build,
		Claims: claimUncongested,
		Variants: []run.Variant{
			{Name: "quarter", Set: "incast.min=9,incast.max=13"},
			{Name: "one", Set: "incast.min=39,incast.max=49"},
			{Name: "four", Set: "incast.min=149,incast.max=199"},
		}},
	{Name: "pyrrha/roots", Figure: conference, SampleEvery: 5 * sluice.Microsecond,
		Doc: "720-to-1 incasts to several hosts at once, amid web-server traffic",
		Set: conferenceTraffic, Protocols: []string{"pfc", "pyrrha"}, Build: generate.Build,
		Claims: claimUncongested,
		Variants: []run.Variant{
			{Name: "1 root", Set: "incast.roots=1"},
			{Name: "2 roots", Set: "incast.roots=2"},
			{Name: "4 roots", Set: "incast.roots=4"},
		}},
	{Name: "pyrrha/moving", Figure: conference, SampleEvery: 5 * sluice.Microsecond,
		Doc: "the same, but one host after another: the root moves while the one before still drains",
		Set: conferenceTraffic + ",incast.roots=4", Protocols: []string{"pfc", "pyrrha"},
		Build: generate.Build, Claims: claimUncongested,
		Variants: []run.Variant{
			{Name: "20us", Set: "incast.shift=20us"},
			{Name: "100us", Set: "incast.shift=100us"},
		}},
	moeScenario,
	{Name: "pyrrha/thresholds", Figure: conference, SampleEvery: 5 * sluice.Microsecond,
		Doc: "720-to-1 incast amid web-server traffic with other K_pause and K_resume",
		Set: conferenceTraffic, Protocols: []string{"pyrrha"}, Build: generate.Build,
		Claims: claimUncongested,
		Variants: []run.Variant{
			{Name: "pause 1", Set: "pyrrha.pause=1,pyrrha.resume=1/2"},
			{Name: "pause 2", Set: "pyrrha.pause=2,pyrrha.resume=1"},
			{Name: "both 2", Set: "pyrrha.pause=2,pyrrha.resume=2"},
			{Name: "pause 4", Set: "pyrrha.pause=4,pyrrha.resume=2"},
			{Name: "pause 8", Set: "pyrrha.pause=8,pyrrha.resume=4"},
		}},
	{Name: "pyrrha/merging", Figure: conference, SampleEvery: 2 * sluice.Microsecond,
		Doc: "the network of pyrrha/merge, whose root moves from the core to a host, with and without " +
			"merging",
		Protocols: []string{"pyrrha"}, Build: buildMerge, Claims: claimMerging,
		Variants: []run.Variant{
			{Name: "on", Set: "pyrrha.merge=always,pyrrha.abdicate=on,pyrrha.up=always"},
			{Name: "calm", Set: "pyrrha.merge=calm,pyrrha.abdicate=on,pyrrha.up=always"},
			{Name: "off", Set: "pyrrha.merge=never,pyrrha.abdicate=on,pyrrha.up=always"},
		}},
	{Name: "pyrrha/windows", Figure: conference, SampleEvery: 5 * sluice.Microsecond,
		Doc: "720-to-1 incast amid web-server traffic under DCQCN and TIMELY, with a window of one " +
			"bandwidth-delay product, and without",
		Set:       pyrrhaControlSettings + "," + conferenceTraffic,
		Protocols: []string{"pfc", "pyrrha"}, Build: generate.Build, Claims: claimUncongested,
		Variants: []run.Variant{
			{Name: "dcqcn", Set: "cc=dcqcn"}, {Name: "dcqcn open", Set: "cc=dcqcn,window=1GB"},
			{Name: "timely", Set: "cc=timely"}, {Name: "timely open", Set: "cc=timely,window=1GB"},
		}},
	{Name: "pyrrha/failure", Figure: conference, SampleEvery: 5 * sluice.Microsecond,
		Doc: "720-to-1 incast amid web-server traffic at load 0.5 while links of three racks to the " +
			"core fail, one for good",
		Set: "locality=other-racks,duration=300us,load=1/2,pfc.alpha=2,transport=irn",
		Failures: run.Failures{
			{At: sluice.Hop{Switch: 160, Port: 16}, Down: 50 * sluice.Microsecond,
				Up: 200 * sluice.Microsecond},
			{At: sluice.Hop{Switch: 164, Port: 17}, Down: 100 * sluice.Microsecond,
				Up: 250 * sluice.Microsecond},
			{At: sluice.Hop{Switch: 168, Port: 18}, Down: 150 * sluice.Microsecond},
		},
		Protocols: []string{"pfc", "pyrrha"}, Build: generate.Build, Claims: claimUncongested},
}

// uncongested are the completion times of flows that pass no congestion root, in us.
func uncongested(o *run.Outcome) (times []float64) {
	for _, g := range uncongestedGroups {
		times = append(times, run.CompletionTimes(o, g)...)
	}
	return times
}

// tail is the 99th percentile.
func tail(times []float64) run.Measured {
	if len(times) == 0 {
		return run.None()
	}
	slices.Sort(times)
	return run.Number(stats.Quantiles(times, 0.99)[0])
}

// tailUncongested is the tail of flows that pass no root, in us.
func tailUncongested(o *run.Outcome) run.Measured { return tail(uncongested(o)) }

// meanUncongested measures what flows that pass no root take.
var meanUncongested = run.Measurement{
	What: "mean FCT of uncongested flows", Unit: "us",
	Value: run.Value(func(o *run.Outcome) float64 { return stats.Mean(uncongested(o)) }),
}

// claimUncongested says how long flows that pass no root take, and by what factor Pyrrha shortens
// that; the longest queue and the isolation queues. The paper gives the last alone.
func claimUncongested(*run.Subject) []run.Claim {
	return []run.Claim{
		run.Beside(
			meanUncongested,
			run.Measurement{What: "p99 of uncongested flows", Unit: "us", Value: tailUncongested},
			run.Measurement{What: "p99 of uncongested flows", Of: []string{"pyrrha"}, Relation: run.Fold,
				Against: []string{"pfc"}, Alike: (*run.Outcome).Variant, Value: tailUncongested},
			run.Measurement{What: "mean FCT of incast flows", Unit: "us",
				Value: run.MeanFCT(workload.Incast)},
		),
		claimQueues(),
		claimDozen(),
	}
}

// claimQueues is how long queues became.
func claimQueues() run.Claim {
	return run.Beside(run.Measurement{What: "longest queue of a port", Unit: "KB",
		Value: run.LongestQueue})
}

// claimBalance sets DRILL beside ECMP. What it costs is reordering.
func claimBalance(s *run.Subject) []run.Claim {
	tails := run.Measurement{What: "p99 of uncongested flows", Of: []string{"drill"},
		Relation: run.Less, Against: []string{"ecmp"}, Value: tailUncongested}
	others := tails
	tails.Published = published("ecmp", 18.3)
	others.Of = []string{"drill irn", "spray", "plb"}
	return append([]run.Claim{
		{Statement: "with DRILL Pyrrha's tail is 18.3 % lower than without",
			Place: "section IV-B, paragraph 4", Source: run.Given, Name: "drill",
			Note:     "of the conference paper: network, traffic and flows are not said",
			Measures: []run.Measurement{tails}},
		run.Beside(
			others,
			run.Measurement{What: "p99 of the slowdown of uncongested flows", Value: slowdownTail},
			run.Measurement{What: "packets that came out of order", Unit: "%",
				Value: run.Value(func(o *run.Outcome) float64 {
					sent := o.Result.Transport.Sent - o.Result.Transport.Resent
					return 100 * float64(o.Result.Reordered) / float64(sent)
				})},
			run.Measurement{What: "packets that were sent again", Unit: "%",
				Value: run.Value(func(o *run.Outcome) float64 {
					return 100 * float64(o.Result.Transport.Resent) / float64(o.Result.Transport.Sent)
				})},
			run.Measurement{What: "most packets of a flow that waited at its receiver",
				Value: run.Value(func(o *run.Outcome) float64 { return float64(o.Result.MaxResequence) })},
		),
	}, claimUncongested(s)...)
}

// slowdownTail is the 99th percentile of the slowdowns of uncongested flows.
func slowdownTail(o *run.Outcome) run.Measured {
	var all []float64
	for i := range o.Result.Flows {
		if f := &o.Result.Flows[i]; o.Groups[i] != workload.Incast && f.Slowdown() > 0 {
			all = append(all, f.Slowdown())
		}
	}
	return tail(all)
}

// claimMerging says what merging spares where the root moves.
func claimMerging(*run.Subject) []run.Claim {
	frames := run.Value(func(o *run.Outcome) float64 { return float64(o.Frames()) })
	return []run.Claim{
		run.Beside(
			run.Measurement{What: "mean FCT of vulnerable flows", Unit: "us",
				Value: run.MeanFCT(workload.Vulnerable)},
			run.Measurement{What: "mean FCT of incast flows", Unit: "us",
				Value: run.MeanFCT(workload.Incast)},
			run.Measurement{What: "control frames", Value: frames},
		),
		claimQueues(),
		claimDozen(),
	}
}
