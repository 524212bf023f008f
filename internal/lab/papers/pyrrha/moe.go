package pyrrha

import (
	"fmt"
	"slices"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/generate"
	"github.com/sluicefc/sluice/internal/lab/params"
	"github.com/sluicefc/sluice/internal/lab/run"
	"github.com/sluicefc/sluice/internal/lab/topo"
	"github.com/sluicefc/sluice/internal/lab/workload"
	"github.com/sluicefc/sluice/internal/prng"
)

// The paper gives neither sizes nor experts of Figure 3; these are the defaults of its authors'
// ns-3: 16 hosts a group, the first four of eight racks; 8 MB from each in 100 flows, one every
// round-trip time; each goes to an expert that is drawn, two of which draw 41 and 45 % of all.
var moeParameters = []params.Definition{
	{Name: "moe.phase", Kind: params.Time, Default: "0", Max: "1s",
		Doc: "scenario pyrrha/moe: by how much the second group of all-to-all is later"},
	{Name: "moe.cycle", Kind: params.Time, Default: "10ms", Min: "1us", Max: "1s",
		Doc: "scenario pyrrha/moe: period of an all-to-all"},
	{Name: "moe.bytes", Kind: params.Bytes, Default: "8MB", Min: "1KB", Max: "1GB",
		Doc: "scenario pyrrha/moe: what a host sends in an all-to-all"},
	{Name: "moe.bursts", Kind: params.Int, Default: "100", Min: "1", Max: "10000",
		Doc: "scenario pyrrha/moe: in how many flows, one every round-trip time"},
	{Name: "moe.rounds", Kind: params.Int, Default: "1", Min: "1", Max: "1000",
		Doc: "scenario pyrrha/moe: how often each group has its all-to-all"},
}

var moeScenario = run.Scenario{
	Name: "pyrrha/moe", Figure: "Pyrrha paper, Figure 3", SampleEvery: 20 * sluice.Microsecond,
	Doc: "two groups of 16 experts exchange tokens all to all, most of them with two hot experts of " +
		"each group, under DCQCN: together, or in turns",
	Set:       pyrrhaControlSettings + ",cc=dcqcn",
	Protocols: []string{"pfc", "pyrrha"}, Build: generate.On(experts), Claims: claimExperts,
	Variants: []run.Variant{
		{Name: "collided", Set: "moe.phase=0"}, {Name: "interleaved", Set: "moe.phase=5ms"},
	},
}

// Shares in thousandths of the flows that the first experts of a group receive; the others share
// what is left alike.
var expertShares = []uint64{413, 449, 52}

// hotExperts are the first, whose flows are the incast.
const hotExperts = 2

// experts has flows of two groups of hosts, each among its own hosts: Vulnerable and Background, or
// Incast if they go to hot experts. The groups, and who is hot, are drawn.
func experts(graph *topo.Graph, seed uint64, v *params.Values) ([]workload.Flow, error) {
	const racks, perRack = 8, 4
	random := prng.New(prng.Mix(seed))
	var hosts []sluice.SwitchID
	taken := map[int32]int{}
	for _, h := range graph.Hosts() {
		if rack := graph.Nodes[h].Rack; rack < racks && taken[rack] < perRack {
			taken[rack]++
			hosts = append(hosts, h)
		}
	}
	if len(hosts) != racks*perRack {
		return nil, fmt.Errorf("needs %d racks of %d hosts", racks, perRack)
	}
	prng.Shuffle(&random, hosts)
	half := len(hosts) / 2
	var flows []workload.Flow
	for i, name := range []workload.Group{workload.Vulnerable, workload.Background} {
		group := hosts[i*half : (i+1)*half]
		for round := range v.Int("moe.rounds") {
			start := sluice.Time(round)*v.Time("moe.cycle") + sluice.Time(i)*v.Time("moe.phase")
			flows = append(flows, allToAll(graph, &random, v, group, name, start)...)
		}
	}
	return workload.Merge(flows), nil
}

// allToAll are the flows of a group in one round.
func allToAll(
	graph *topo.Graph, random *prng.Source, v *params.Values,
	group []sluice.SwitchID, name workload.Group, start sluice.Time,
) (flows []workload.Flow) {
	bursts, rtt := v.Int("moe.bursts"), graph.BaseRTT(v.Bytes("payload"))
	bytes := max(v.Bytes("moe.bytes")/sluice.Bytes(bursts), 1)
	for burst := range bursts {
		for i, src := range group {
			expert := i
			for expert == i {
				expert = drawExpert(random, len(group))
			}
			at := start + sluice.Time(burst)*rtt + sluice.Time(random.Below(100))*sluice.Nanosecond
			f := generate.Flow(src, group[expert], bytes, at, name)
			if expert < hotExperts {
				f.Group = workload.Incast
			}
			flows = append(flows, f)
		}
	}
	return flows
}

func drawExpert(random *prng.Source, n int) int {
	x := random.Below(1000)
	for expert, share := range expertShares {
		if x < share {
			return expert
		}
		x -= share
	}
	return len(expertShares) + int(random.Below(uint64(n-len(expertShares))))
}

// claimExperts is what section II-B says of Figure 3.
func claimExperts(*run.Subject) []run.Claim {
	p99 := func(o *run.Outcome) run.Measured {
		return tail(append(uncongested(o), run.CompletionTimes(o, workload.Incast)...))
	}
	const place = "section II-B, paragraph 5; Figure 3"
	return []run.Claim{
		{Statement: "beside DCQCN over PFC Pyrrha shortens the tail 1.46 times where the groups collide",
			Place: place, Source: run.Given, Name: "moe",
			Note: "sizes and experts are of the authors' ns-3, not of the paper",
			Measures: []run.Measurement{{What: "p99 of all flows", Of: []string{"pyrrha"},
				Relation: run.Fold, Alike: (*run.Outcome).Variant, Against: []string{"pfc"}, Value: p99,
				Published: published("pfc collided", 1.46)}}},
		{Statement: "the peak, in which experts that are not hot receive all of theirs, lasts about 1 ms",
			Place: place, Source: run.Given,
			Measures: []run.Measurement{{What: "until when other experts of a group receive", Unit: "ms",
				Of: []string{"pfc collided"}, Value: lastToOthers,
				Published: run.Always(run.About(1))}}},
		run.Beside(
			run.Measurement{What: "p99 of all flows", Unit: "us", Value: p99},
			run.Measurement{What: "p99 of flows to other experts", Unit: "us", Value: tailUncongested}),
		claimQueues(),
		claimDozen(),
	}
}

// lastToOthers is when the last flow to an expert that is not hot ends, in ms.
func lastToOthers(o *run.Outcome) run.Measured {
	var last sluice.Time
	for i := range o.Result.Flows {
		f := &o.Result.Flows[i]
		if slices.Contains(uncongestedGroups[:], o.Groups[i]) && f.FCT != sluice.Never {
			last = max(last, f.Start+f.FCT)
		}
	}
	if last == 0 {
		return run.None()
	}
	return run.Number(last.Microseconds() / 1000)
}
