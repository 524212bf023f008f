// Package bfc follows the evaluation of the BFC paper.
package bfc

import (
	"fmt"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/generate"
	"github.com/sluicefc/sluice/internal/lab/params"
	"github.com/sluicefc/sluice/internal/lab/run"
	"github.com/sluicefc/sluice/internal/lab/topo"
	"github.com/sluicefc/sluice/internal/lab/workload"
)

// authors are settings of the authors' simulator: packets, the buffer, acknowledgements apart.
const authors = "payload=1000B,header=48B,buffer=12MB,ack.class=7"

// Library follows the evaluation of the BFC paper, as far as its authors' simulator shows it.
var Library = &run.Library{Scenarios: []run.Scenario{
	{Name: "bfc/incast", Figure: "BFC, NSDI 2022, evaluation set-up",
		SampleEvery: 10 * sluice.Microsecond,
		Doc: "128 hosts, 8 racks, 8 spines, 100 Gb/s, 1 us: Hadoop traffic at 0.60 of the " +
			"uplinks, log-normal arrivals, and 0.05 of incasts of 100 senders by 200 packets",
		Build: buildIncast, Set: authors + ",window=1GB,duration=1ms", Claims: claimIncast, // no window
		Protocols: []string{"pfc", "bfc", "bfc-128", "bfc-ideal", "pyrrha", "ideal"}},
	{Name: "bfc/end-to-end", Figure: "BFC, NSDI 2022, abstract",
		SampleEvery: 10 * sluice.Microsecond,
		Doc:         "bfc/incast without incasts, for 3 ms: BFC beside congestion controls of hosts over PFC",
		Build:       buildIncast, Set: authors + ",duration=3ms,incast.uplinks=0", Claims: claimEndToEnd,
		Protocols: []string{"bfc", "bfc-ideal", "ideal", "pfc"},
		Variants: []run.Variant{
			{FC: "bfc", Set: "window=1GB"}, {FC: "bfc-ideal", Set: "window=1GB"},
			{FC: "ideal", Set: "window=1GB"}, {FC: "pfc", Name: "dcqcn", Set: "cc=dcqcn,window=1GB"},
			{FC: "pfc", Name: "dcqcn, window", Set: "cc=dcqcn"}, {FC: "pfc", Name: "hpcc", Set: "cc=hpcc"},
		}},
}, Notes: notes, Panels: panels,
	Messages: messages, Untested: untested, Parameters: []params.Definition{
		{Name: "incast.uplinks", Kind: params.Rational, Default: "1/20", Max: "1",
			Doc: "scenarios bfc: share of the racks' uplinks that incasts fill; 0 for none"},
	}}

func buildIncast(seed uint64, v *params.Values) (*topo.Graph, []workload.Flow, error) {
	link := sluice.Link{Rate: 100 * sluice.Gbps, Delay: sluice.Microsecond}
	const racks, spines, perRack = 8, 8, 16
	graph, err := topo.LeafSpine(topo.LeafSpineConfig{
		Racks: racks, Spines: spines, HostsPerRack: perRack, HostLink: link, Uplink: link,
	})
	if err != nil {
		return nil, nil, err
	}
	const (
		uplinks = racks * spines * 100 * sluice.Gbps
		sigma   = 2000 // thousandths
	)
	duration := v.Time("duration")
	sizes, err := workload.DistributionByName("hadoop")
	if err != nil {
		return nil, nil, err
	}
	background, err := workload.LogNormal(graph, workload.TrafficConfig{
		Seed: seed, Sizes: sizes, LoadPerMille: 600, Capacity: uplinks, Racks: workload.OtherRacks,
		Duration: duration,
	}, sigma)
	if err != nil {
		return nil, nil, err
	}
	for i := range background {
		background[i].Group = workload.Background
	}
	load, err := generate.PerMille(v, "incast.uplinks")
	if load == 0 || err != nil {
		return graph, workload.Merge(background), err
	}
	incasts, err := workload.PeriodicIncast(graph, workload.PeriodicIncastConfig{
		Incast: workload.IncastConfig{
			Seed: seed, Degree: 100, MinPackets: 200, MaxPackets: 200, PacketBytes: v.Bytes("payload"),
			Racks: workload.OtherRacks,
		},
		Destinations: graph.Hosts(), LoadPerMille: load, Capacity: uplinks, Duration: duration,
	})
	if err != nil {
		return nil, nil, fmt.Errorf("incasts: %w", err)
	}
	return graph, workload.Merge(incasts, background), nil
}
