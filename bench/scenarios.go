package main

import (
	"bytes"
	"embed"
	"fmt"
	"os"
	"slices"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/params"
	"github.com/sluicefc/sluice/internal/lab/topo"
	"github.com/sluicefc/sluice/internal/lab/workload"
)

// generalLibrary has the scenarios that follow no paper's figure.
var generalLibrary = &library{scenarios: slices.Concat(generalScenarios, hostScenarios)}

// generalScenarios show what flow control does; they follow no figure.
var generalScenarios = []scenario{
	{
		name: "reference", figure: "Pyrrha paper, section VIII", sampleEvery: 5 * sluice.Microsecond,
		doc:   "720-to-1 incast amid web-server traffic, flow list of a run of the authors' ns-3",
		build: buildReference, published: publishedReference,
	},
	{
		name: "incast", doc: "64 flows into one of 17 hosts of a switch, the others exchange " +
			"web-server traffic", sampleEvery: sluice.Microsecond,
		set:   "topology=single,hosts=17,buffer=2MiB,incast.degree=64,load=1/2,duration=100us",
		build: buildGenerated,
	},
	{
		name: "dumbbell", doc: "48 flows cross a link of 400 Gb/s into one of 16 hosts, the others " +
			"exchange web-server traffic", sampleEvery: sluice.Microsecond,
		set:   "topology=dumbbell,hosts=8,buffer=2MiB,incast.degree=48,load=1/5,duration=200us",
		build: buildGenerated,
	},
	{
		name: "fattree", doc: "256-to-1 incast amid Hadoop traffic on a fat-tree of 8-port switches",
		sampleEvery: 2 * sluice.Microsecond,
		set: "topology=fat-tree,k=8,buffer=4MiB,fabric.rate=100Gbps,incast.degree=256,workload=hadoop," +
			"load=1/2,duration=200us",
		build: buildGenerated,
	},
	{
		name:        "permutation",
		doc:         "fat-tree of 8-port switches: every host sends one flow to another, every host receives one",
		sampleEvery: 5 * sluice.Microsecond,
		set:         "topology=fat-tree,k=8,fabric.rate=100Gbps", build: buildPermutation,
	},
	{
		name: "mix", doc: "any network, with an incast into host 0 amid Poisson traffic: every " +
			"parameter can be set", sampleEvery: 5 * sluice.Microsecond,
		build: buildGenerated,
	},
}

const referenceDir = "testdata/pyrrha-ns3"

//go:embed testdata/pyrrha-ns3
var referenceFiles embed.FS

func buildReference(uint64, *params.Values) (*topo.Graph, []workload.Flow, error) {
	topology, err := referenceFiles.ReadFile(referenceDir + "/topology.txt")
	if err != nil {
		return nil, nil, err
	}
	flows, err := referenceFiles.ReadFile(referenceDir + "/flows.txt")
	if err != nil {
		return nil, nil, err
	}
	graph, list, err := readNetwork("leaf-spine 10x4x16", topology, "flows.txt", flows)
	if err != nil {
		return nil, nil, err
	}
	return graph, list, nameIncast(graph, list, []sluice.SwitchID{victim})
}

func publishedReference(flows []workload.Flow) (*published, error) {
	results, err := referenceFiles.ReadFile(referenceDir + "/results.csv")
	if err != nil {
		return nil, err
	}
	return readPublished(bytes.NewReader(results), "the authors' ns-3", flows)
}

// fileScenario is a topology and a flow list of the user's.
func fileScenario(topology, flows string) *scenario {
	return &scenario{
		name: flows, doc: "flows of a file on the network of " + topology,
		sampleEvery: 5 * sluice.Microsecond,
		build: func(uint64, *params.Values) (*topo.Graph, []workload.Flow, error) {
			topologyText, err := readFile(topology)
			if err != nil {
				return nil, nil, err
			}
			flowText, err := readFile(flows)
			if err != nil {
				return nil, nil, err
			}
			return readNetwork(topology, topologyText, flows, flowText)
		},
	}
}

func readFile(path string) ([]byte, error) {
	content, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("cannot read: %w", err)
	}
	return content, nil
}

func readNetwork(
	topologyName string, topology []byte, flowsName string, flowText []byte,
) (*topo.Graph, []workload.Flow, error) {
	graph, err := topo.Read(bytes.NewReader(topology), topologyName)
	if err != nil {
		return nil, nil, err
	}
	flows, err := workload.ReadFlows(bytes.NewReader(flowText), flowsName, graph)
	return graph, flows, err
}
