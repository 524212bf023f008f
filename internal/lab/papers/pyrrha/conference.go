package pyrrha

import (
	"slices"

	"golang.org/x/exp/stats"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/generate"
	"github.com/sluicefc/sluice/internal/lab/params"
	"github.com/sluicefc/sluice/internal/lab/run"
	"github.com/sluicefc/sluice/internal/lab/topo"
	"github.com/sluicefc/sluice/internal/lab/workload"
	"github.com/sluicefc/sluice/internal/prng"
)

// conference is the figure of what the paper says that its conference paper (NSDI 2025) evaluates:
// "varying incast flow sizes, multiple congestion roots, interleaved MoE traffic, and dynamic
// congestion root scenarios ... CC without sending windows, ... parameter selection and merging
// mechanisms ... (e.g., DRILL [67])", and "how Pyrrha handles link failures" (section VIII-B). Of
// its numbers the paper has one, DRILL's.
const conference = "Pyrrha paper, section VIII-B, of its conference paper"

var conferenceParameters = []params.Definition{
	{Name: "moe.phase", Kind: params.Time, Default: "0", Max: "1s",
		Doc: "scenario pyrrha/moe: by how much the second group of all-to-all is later"},
	{Name: "moe.cycle", Kind: params.Time, Default: "200us", Min: "1us", Max: "1s",
		Doc: "scenario pyrrha/moe: period of an all-to-all"},
	{Name: "moe.bytes", Kind: params.Bytes, Default: "64KB", Min: "1B", Max: "100MB",
		Doc: "scenario pyrrha/moe: what a host sends to each expert of its group; a hot expert gets " +
			"eight times as much"},
	{Name: "moe.rounds", Kind: params.Int, Default: "2", Min: "1", Max: "1000",
		Doc: "scenario pyrrha/moe: how often each group has its all-to-all"},
}

// conferenceTraffic is brief: these scenarios compare an incast and the flows around it.
const conferenceTraffic = "locality=other-racks,duration=300us,pfc.alpha=2"

var conferenceScenarios = []run.Scenario{
	{Name: "pyrrha/drill", Figure: conference, SampleEvery: 5 * sluice.Microsecond,
		Doc: "720-to-1 incast amid web-server traffic at load 0.8, for 1 ms, where switches choose a " +
			"way for every packet (DRILL), or draw it, and where a flow keeps its way (ECMP) or " +
			"changes it (PLB)",
		Set:       "locality=other-racks,duration=1ms,pfc.alpha=2",
		Protocols: []string{"pyrrha"}, Build: generate.Build, Claims: run.Unread(claimBalance),
		Variants: []run.Variant{
			{Name: "ecmp", Set: "lb=ecmp"}, {Name: "drill", Set: "lb=drill,resequence=1ms"},
			{Name: "drill irn", Set: "lb=drill,transport=irn"},
			{Name: "spray", Set: "lb=spray,resequence=1ms"}, {Name: "plb", Set: "lb=plb,resequence=1ms"},
		}},
	{Name: "pyrrha/sizes", Figure: conference, SampleEvery: 5 * sluice.Microsecond,
		Doc: "incasts of 720 flows of a quarter to four bandwidth-delay products amid web-server traffic",
		Set: conferenceTraffic, Protocols: []string{"pfc", "pyrrha"}, Build: generate.Build,
		Claims: run.Unread(claimUncongested),
		Variants: []run.Variant{
			{Name: "quarter", Set: "incast.min=9,incast.max=13"},
			{Name: "one", Set: "incast.min=39,incast.max=49"},
			{Name: "four", Set: "incast.min=149,incast.max=199"},
		}},
	{Name: "pyrrha/roots", Figure: conference, SampleEvery: 5 * sluice.Microsecond,
		Doc: "720-to-1 incasts to several hosts at once, amid web-server traffic",
		Set: conferenceTraffic, Protocols: []string{"pfc", "pyrrha"}, Build: generate.Build,
		Claims: run.Unread(claimUncongested),
		Variants: []run.Variant{
			{Name: "1 root", Set: "incast.roots=1"},
			{Name: "2 roots", Set: "incast.roots=2"},
			{Name: "4 roots", Set: "incast.roots=4"},
		}},
	{Name: "pyrrha/moving", Figure: conference, SampleEvery: 5 * sluice.Microsecond,
		Doc: "the same, but one host after another: the root moves while the one before still drains",
		Set: conferenceTraffic + ",incast.roots=4", Protocols: []string{"pfc", "pyrrha"},
		Build: generate.Build, Claims: run.Unread(claimUncongested),
		Variants: []run.Variant{
			{Name: "20us", Set: "incast.shift=20us"},
			{Name: "100us", Set: "incast.shift=100us"},
		}},
	{Name: "pyrrha/moe", Figure: "Pyrrha paper, Figure 3", SampleEvery: 5 * sluice.Microsecond,
		Doc: "two groups of experts, of every other host each, exchange tokens all to all, a hot " +
			"expert in eight, again and again, under DCQCN: together, or in turns",
		Set:       pyrrhaControlSettings + ",cc=dcqcn,racks=4,hosts=8,spines=2",
		Protocols: []string{"pfc", "pyrrha"}, Build: generate.On(experts), Claims: run.Unread(claimExperts),
		Variants: []run.Variant{
			{Name: "collided", Set: "moe.phase=0"}, {Name: "interleaved", Set: "moe.phase=100us"},
		}},
	{Name: "pyrrha/thresholds", Figure: conference, SampleEvery: 5 * sluice.Microsecond,
		Doc: "720-to-1 incast amid web-server traffic with other K_pause and K_resume",
		Set: conferenceTraffic, Protocols: []string{"pyrrha"}, Build: generate.Build,
		Claims: run.Unread(claimUncongested),
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
		Protocols: []string{"pyrrha"}, Build: buildMerge, Claims: run.Unread(claimMerging),
		Variants: []run.Variant{
			{Name: "on", Set: "pyrrha.merge=always,pyrrha.abdicate=on,pyrrha.up=always"},
			{Name: "calm", Set: "pyrrha.merge=calm,pyrrha.abdicate=on,pyrrha.up=always"},
			{Name: "off", Set: "pyrrha.merge=never,pyrrha.abdicate=on,pyrrha.up=always"},
		}},
	{Name: "pyrrha/windows", Figure: conference, SampleEvery: 5 * sluice.Microsecond,
		Doc: "720-to-1 incast amid web-server traffic under DCQCN and TIMELY, with a window of one " +
			"bandwidth-delay product, and without",
		Set:       pyrrhaControlSettings + "," + conferenceTraffic,
		Protocols: []string{"pfc", "pyrrha"}, Build: generate.Build, Claims: run.Unread(claimUncongested),
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
		Protocols: []string{"pfc", "pyrrha"}, Build: generate.Build, Claims: run.Unread(claimUncongested)},
}

// One expert in hotShare is hot, and gets hotShare times as much.
const hotShare = 8

// experts has two groups of hosts, with even and with odd numbers. Each host sends to all of its
// group again and again: "an imbalanced all-to-all where a significant portion of the traffic is
// sent to a few hot experts ... the traffic exhibits a periodic on-off pattern ... two groups of
// periodic traffic are generated" (section II-B). Flows to hot experts are the incast.
func experts(graph *topo.Graph, seed uint64, v *params.Values) ([]workload.Flow, error) {
	random := prng.New(prng.Mix(seed))
	hosts := graph.Hosts()
	var flows []workload.Flow
	for group, name := range []workload.Group{workload.Vulnerable, workload.Background} {
		hot := map[sluice.SwitchID]bool{}
		for range max(1, len(hosts)/2/hotShare) {
			hot[hosts[2*int(random.Below(uint64(len(hosts)/2)))+group]] = true
		}
		for round := range v.Int("moe.rounds") {
			start := sluice.Time(round)*v.Time("moe.cycle") + sluice.Time(group)*v.Time("moe.phase")
			for i, src := range hosts {
				for j, dst := range hosts {
					if i == j || i%2 != group || j%2 != group {
						continue
					}
					f := generate.Flow(src, dst, v.Bytes("moe.bytes"), start, name)
					if hot[dst] {
						f.Bytes, f.Group = hotShare*f.Bytes, workload.Incast
					}
					flows = append(flows, f)
				}
			}
		}
	}
	return workload.Merge(flows), nil
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

// claimUncongested says how long flows that pass no root take, and by what factor Pyrrha shortens
// that; the longest queue and the isolation queues. The paper gives none of these numbers.
func claimUncongested(*run.Subject) []run.Measurement {
	mean := run.Value(func(o *run.Outcome) float64 { return stats.Mean(uncongested(o)) })
	return slices.Concat([]run.Measurement{
		{What: "mean FCT of uncongested flows", Unit: "us", Value: mean},
		{What: "p99 of uncongested flows", Unit: "us", Value: tailUncongested},
		{What: "p99 of uncongested flows", Of: []string{"pyrrha"}, Relation: run.Fold,
			Against: []string{"pfc"}, Alike: (*run.Outcome).Variant, Value: tailUncongested},
		{What: "mean FCT of incast flows", Unit: "us", Value: run.MeanFCT(workload.Incast)},
	}, claimsOfQueues)
}

// claimsOfQueues say how long queues became, and how many there were.
var claimsOfQueues = []run.Measurement{
	{What: "longest queue of a port", Unit: "KB", Value: run.LongestQueue},
	{What: "most IQs in use at a port", Of: []string{"pyrrha"}, Value: mostIQs},
}

// claimBalance sets DRILL beside ECMP: "Pyrrha is compatible with DRILL and further improves the
// tail latency by 18.3% compared to pure Pyrrha" (section IV-B). What it costs is reordering.
func claimBalance(s *run.Subject) []run.Measurement {
	return append([]run.Measurement{
		{What: "p99 of uncongested flows", Of: []string{"drill", "drill irn", "spray", "plb"},
			Relation: run.Less, Against: []string{"ecmp"}, Figure: "section IV-B",
			Value: tailUncongested, Published: run.Ranges{"ecmp": run.Exactly(18.3)}},
		{What: "p99 of the slowdown of uncongested flows", Value: slowdownTail},
		{What: "packets that came out of order", Unit: "%",
			Value: run.Value(func(o *run.Outcome) float64 {
				sent := o.Result.Transport.Sent - o.Result.Transport.Resent
				return 100 * float64(o.Result.Reordered) / float64(sent)
			})},
		{What: "packets that were sent again", Unit: "%",
			Value: run.Value(func(o *run.Outcome) float64 {
				return 100 * float64(o.Result.Transport.Resent) / float64(o.Result.Transport.Sent)
			})},
		{What: "most packets of a flow that waited at its receiver",
			Value: run.Value(func(o *run.Outcome) float64 { return float64(o.Result.MaxResequence) })},
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

// claimExperts says how much sooner the slowest flows end: "accelerating the tail latency by a
// factor of 1.46", where the two groups collide.
func claimExperts(*run.Subject) []run.Measurement {
	p99 := func(o *run.Outcome) run.Measured {
		return tail(append(uncongested(o), run.CompletionTimes(o, workload.Incast)...))
	}
	return slices.Concat([]run.Measurement{
		{What: "p99 of all flows", Unit: "us", Value: p99},
		{What: "p99 of flows to other experts", Unit: "us", Value: tailUncongested},
		{What: "p99 of all flows", Of: []string{"pyrrha"}, Relation: run.Fold,
			Alike: (*run.Outcome).Variant, Against: []string{"pfc"}, Value: p99,
			Published: run.Ranges{"pfc collided": run.Exactly(1.46)}},
	}, claimsOfQueues)
}

// claimMerging says what merging spares where the root moves.
func claimMerging(*run.Subject) []run.Measurement {
	frames := run.Value(func(o *run.Outcome) float64 { return float64(o.Frames()) })
	return slices.Concat([]run.Measurement{
		{What: "mean FCT of vulnerable flows", Unit: "us", Value: run.MeanFCT(workload.Vulnerable)},
		{What: "mean FCT of incast flows", Unit: "us", Value: run.MeanFCT(workload.Incast)},
		{What: "control frames", Value: frames},
	}, claimsOfQueues)
}
