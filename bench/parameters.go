package main

import "github.com/sluicefc/sluice/internal/params"

// Names of the parameters of scenarios.
const (
	paramTopology = "topology"
	paramRacks    = "racks"
	paramSpines   = "spines"
	paramHosts    = "hosts"
	paramK        = "k"
	paramN        = "n"
	paramLayer    = "layer.rate"
	paramHostRate = "host.rate"
	paramRate     = "fabric.rate"
	paramDelay    = "link.delay"
	paramWorkload = "workload"
	paramLoad     = "load"
	paramDuration = "duration"
	paramDegree   = "incast.degree"
	paramFewest   = "incast.min"
	paramMost     = "incast.max"

	paramSenders = "senders"
	paramStagger = "stagger"

	paramFlowBytes  = "flow.bytes"
	paramLocality   = "locality"
	paramIncastLoad = "incast.load"
)

// Topologies of generated scenarios.
const (
	topologySingle    = "single"
	topologyDumbbell  = "dumbbell"
	topologyLeafSpine = "leaf-spine"
	topologyFatTree   = "fat-tree"
	topologyNDC       = "ndc"
)

// scenarioParameters are those of generated networks and traffic. The defaults are the Pyrrha
// paper's (section VIII), shortened.
var scenarioParameters = []params.Definition{
	{Name: paramTopology, Kind: params.Choice, Default: topologyLeafSpine, Section: "scenario",
		Choices: []string{topologySingle, topologyDumbbell, topologyLeafSpine, topologyFatTree, topologyNDC}, Doc: "the network"},
	{Name: paramRacks, Kind: params.Int, Default: "10", Min: "1", Max: "1024", Section: "scenario",
		Doc: "racks of a leaf-spine network"},
	{Name: paramSpines, Kind: params.Int, Default: "4", Min: "0", Max: "1024", Section: "scenario",
		Doc: "spines of a leaf-spine network"},
	{Name: paramHosts, Kind: params.Int, Default: "16", Min: "1", Max: "1024", Section: "scenario",
		Doc: "hosts of a rack, of either side of a dumbbell, or around a single switch"},
	{Name: paramK, Kind: params.Int, Default: "", Min: "0", Max: "128", Section: "scenario",
		Doc: "ports of a switch of a fat-tree, even, unset: 4; k of NDC(n,k), unset: 1"},
	{Name: paramN, Kind: params.Int, Default: "4", Min: "2", Max: "1024", Section: "scenario",
		Doc: "ports of a switch of NDC(n,k), the node-centric network of PortFC"},
	{Name: paramLayer, Kind: params.Rate, Default: "", Min: "1Mbps", Section: "scenario",
		Doc: "rate of the links of NDC(n,k) but for those of layer 0, which is host.rate; unset: that of layer 0"},
	{Name: paramM, Kind: params.Int, Default: "2", Min: "2", Max: "72", Section: "scenario",
		Doc: "scenario pyrrha/fig7: the first 1/m of the hosts receive"},
	{Name: paramHostRate, Kind: params.Rate, Default: "100Gbps", Min: "1Mbps", Section: "scenario",
		Doc: "rate of the hosts' links"},
	{Name: paramRate, Kind: params.Rate, Default: "400Gbps", Min: "1Mbps", Section: "scenario",
		Doc: "rate of the links between switches"},
	{Name: paramDelay, Kind: params.Time, Default: "600ns", Max: "1s", Section: "scenario",
		Doc: "propagation delay of every link, one way"},
	{Name: paramWorkload, Kind: params.Choice, Default: "webserver", Choices: workloadNames(), Section: "scenario",
		Doc: "distribution of flow sizes of the Poisson traffic"},
	{Name: paramLoad, Kind: params.Rational, Default: "4/5", Max: "1", Section: "scenario",
		Doc: "share of the hosts' links that the Poisson traffic fills; 0 for none"},
	{Name: paramLocality, Kind: params.Choice, Default: "any", Choices: []string{"any", "other-racks", "same-rack"}, Section: "scenario",
		Doc: "which destinations a host's Poisson traffic has"},
	{Name: paramFlowBytes, Kind: params.Bytes, Default: "1MiB", Min: "1B", Max: "1000GB", Section: "scenario",
		Doc: "size of every flow of a permutation"},
	{Name: paramDuration, Kind: params.Time, Default: "1ms", Min: "1ns", Max: "10s", Section: "scenario",
		Doc: "span in which flows start"},
	{Name: paramSenders, Kind: params.Int, Default: "4", Min: "1", Max: "1000", Section: "scenario",
		Doc: "scenario hosts/convergence: hosts that send to one"},
	{Name: paramStagger, Kind: params.Time, Default: "100us", Max: "1s", Section: "scenario",
		Doc: "scenario hosts/convergence: time between the starts of two of them"},
	{Name: paramDegree, Kind: params.Int, Default: "720", Max: "1000000", Section: "scenario",
		Doc: "flows that start together into host 0, from random hosts, of other racks if there are any; 0 for none"},
	{Name: paramIncastLoad, Kind: params.Rational, Default: "0", Max: "1", Section: "scenario",
		Doc: "share of the victim's link that incasts fill, one after another for the duration; 0 for one incast at time 0"},
	{Name: paramFewest, Kind: params.Int, Default: "30", Min: "1", Max: "1000000", Section: "scenario",
		Doc: "smallest flow of the incast in packets of the payload"},
	{Name: paramMost, Kind: params.Int, Default: "40", Min: "1", Max: "1000000", Section: "scenario",
		Doc: "largest flow of the incast in packets of the payload"},
}
