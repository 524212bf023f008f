// Package general has the scenarios that follow no figure: the reference, networks with an incast,
// long flows that share a link.
package general

import (
	"bytes"
	"embed"
	"slices"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/generate"
	"github.com/sluicefc/sluice/internal/lab/params"
	"github.com/sluicefc/sluice/internal/lab/run"
	"github.com/sluicefc/sluice/internal/lab/topo"
	"github.com/sluicefc/sluice/internal/lab/workload"
)

// Library has the scenarios that follow no paper's figure.
var Library = &run.Library{
	Scenarios:  slices.Concat(generalScenarios, trainingScenarios, hostScenarios),
	Parameters: trainingParameters, Notes: notes, Panels: panels,
}

// generalScenarios show what flow control does; they follow no figure.
var generalScenarios = []run.Scenario{
	{Name: "reference", Figure: "Pyrrha paper, section VIII", SampleEvery: 5 * sluice.Microsecond,
		Doc:   "720-to-1 incast amid web-server traffic, flow list of a run of the authors' ns-3",
		Build: BuildReference, Published: publishedReference, Claims: claimReference},
	{
		Name: "reference-bfc", Figure: "Pyrrha paper, section VIII", SampleEvery: 5 * sluice.Microsecond,
		Doc:   "the flows of the reference under forms of BFC that the authors' ns-3 was run with",
		Build: BuildReference, Published: publishedReference, Protocols: []string{"bfc-pyrrha"},
		Variants: []run.Variant{
			{Name: "bfc-pyrrha"},
			{Name: "bfc-pyrrha-in-turn", Set: "bfc.scheduler=packet-round-robin"},
			{Name: "bfc-pyrrha-acks-first", Set: "bfc.scheduler=packet-round-robin,bfc.acks=control"},
			{Name: "bfc-pyrrha-random", Set: "bfc.scheduler=packet-round-robin,bfc.assignment=random," +
				"bfc.vfids=3200,bfc.paused=kept"},
		},
	},
	{Name: "incast", Doc: "64 flows into one of 17 hosts of a switch, the others exchange " +
		"web-server traffic", SampleEvery: sluice.Microsecond,
		Set:   "topology=single,hosts=17,buffer=2MiB,incast.degree=64,load=1/2,duration=100us",
		Build: generate.Build},
	{Name: "dumbbell", Doc: "48 flows cross a link of 400 Gb/s into one of 16 hosts, the others " +
		"exchange web-server traffic", SampleEvery: sluice.Microsecond,
		Set:   "topology=dumbbell,hosts=8,buffer=2MiB,incast.degree=48,load=1/5,duration=200us",
		Build: generate.Build},
	{Name: "scale", Doc: "720-to-1 incast amid web-server traffic on a fat-tree of 11,664 hosts; " +
		"-set k=48: of 27,648",
		SampleEvery: sluice.Microsecond, Until: 100 * sluice.Microsecond,
		Set: "topology=fat-tree,k=36,fabric.rate=100Gbps,load=1/5,duration=100us," +
			"pyrrha.roots=32,pyrrha.iqs=8",
		Build: generate.Build, Protocols: []string{"pfc", "pyrrha"}},
	{Name: "fattree", Doc: "256-to-1 incast amid Hadoop traffic on a fat-tree of 8-port switches",
		SampleEvery: 2 * sluice.Microsecond,
		Set: "topology=fat-tree,k=8,buffer=4MiB,fabric.rate=100Gbps,incast.degree=256,workload=hadoop," +
			"load=1/2,duration=200us",
		Build: generate.Build},
	{Name: "permutation",
		Doc:         "fat-tree of 8-port switches: every host sends one flow to another, every host receives one",
		SampleEvery: 5 * sluice.Microsecond,
		Set:         "topology=fat-tree,k=8,fabric.rate=100Gbps", Build: generate.Permutation},
	{Name: "mix", Doc: "any network, with an incast into host 0 amid Poisson traffic: every " +
		"parameter can be set", SampleEvery: 5 * sluice.Microsecond,
		Build: generate.Build},
}

const ReferenceDir = "testdata/pyrrha-ns3"

//go:embed testdata/pyrrha-ns3
var ReferenceFiles embed.FS

func BuildReference(uint64, *params.Values) (*topo.Graph, []workload.Flow, error) {
	topology, err := ReferenceFiles.ReadFile(ReferenceDir + "/topology.txt")
	if err != nil {
		return nil, nil, err
	}
	flows, err := ReferenceFiles.ReadFile(ReferenceDir + "/flows.txt")
	if err != nil {
		return nil, nil, err
	}
	graph, list, err := run.ReadNetwork("leaf-spine 10x4x16", topology, "flows.txt", flows)
	if err != nil {
		return nil, nil, err
	}
	return graph, list, run.NameIncast(graph, list, []sluice.SwitchID{generate.Victim})
}

func publishedReference(flows []workload.Flow) (*run.Published, error) {
	results, err := ReferenceFiles.ReadFile(ReferenceDir + "/results.csv")
	if err != nil {
		return nil, err
	}
	return run.ReadPublished(bytes.NewReader(results), "the authors' ns-3", flows)
}
