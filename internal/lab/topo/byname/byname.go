// Package byname makes the usual networks from named parameters: -set topology=fat-tree,k=36.
package byname

import (
	"fmt"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/params"
	"github.com/sluicefc/sluice/internal/lab/topo"
)

// Names of the parameters.
const (
	Topology = "topology"
	Racks    = "racks"
	Spines   = "spines"
	Hosts    = "hosts"
	K        = "k"
	N        = "n"
	Layer    = "layer.rate"
	HostRate = "host.rate"
	Rate     = "fabric.rate"
	Delay    = "link.delay"
)

// Values of the parameter Topology.
const (
	Single    = "single"
	Dumbbell  = "dumbbell"
	LeafSpine = "leaf-spine"
	FatTree   = "fat-tree"
	NDC       = "ndc"
)

// Definitions returns the parameters. The defaults are the Pyrrha paper's (section VIII).
func Definitions() []params.Definition {
	const section = "scenario"
	return []params.Definition{
		{Name: Topology, Kind: params.Choice, Default: LeafSpine, Section: section,
			Choices: []string{Single, Dumbbell, LeafSpine, FatTree, NDC}, Doc: "the network"},
		{Name: Racks, Kind: params.Int, Default: "10", Min: "1", Max: "1024", Section: section,
			Doc: "racks of a leaf-spine network"},
		{Name: Spines, Kind: params.Int, Default: "4", Min: "0", Max: "1024", Section: section,
			Doc: "spines of a leaf-spine network"},
		{Name: Hosts, Kind: params.Int, Default: "16", Min: "1", Max: "1024", Section: section,
			Doc: "hosts of a rack, of either side of a dumbbell, or around a single switch"},
		{Name: K, Kind: params.Int, Default: "", Min: "0", Max: "128", Section: section,
			Doc: "ports of a switch of a fat-tree, even, unset: 4; k of NDC(n,k), unset: 1"},
		{Name: N, Kind: params.Int, Default: "4", Min: "2", Max: "1024", Section: section,
			Doc: "ports of a switch of NDC(n,k), the node-centric network of PortFC"},
		{Name: Layer, Kind: params.Rate, Default: "", Min: "1Mbps", Section: section,
			Doc: "rate of the links of NDC(n,k) but for those of layer 0, which is host.rate; unset: " +
				"that of layer 0"},
		{Name: HostRate, Kind: params.Rate, Default: "100Gbps", Min: "1Mbps", Section: section,
			Doc: "rate of the hosts' links"},
		{Name: Rate, Kind: params.Rate, Default: "400Gbps", Min: "1Mbps", Section: section,
			Doc: "rate of the links between switches"},
		{Name: Delay, Kind: params.Time, Default: "600ns", Max: "10ms", Section: section,
			Doc: "propagation delay of every link, one way"},
	}
}

// Build makes the network of the parameters.
func Build(v *params.Values) (*topo.Graph, error) {
	hostLink := sluice.Link{Rate: v.Rate(HostRate), Delay: v.Time(Delay)}
	fabricLink := sluice.Link{Rate: v.Rate(Rate), Delay: v.Time(Delay)}
	hosts := int(v.Int(Hosts))
	k := func(unset int) int {
		if v.IsSet(K) {
			return int(v.Int(K))
		}
		return unset
	}
	switch topology := v.String(Topology); topology {
	case Single:
		return topo.SingleSwitch(topo.SingleSwitchConfig{Hosts: hosts, Link: hostLink})
	case Dumbbell:
		return topo.Dumbbell(topo.DumbbellConfig{
			Left: hosts, Right: hosts, HostLink: hostLink, Bottleneck: fabricLink,
		})
	case LeafSpine:
		return topo.LeafSpine(topo.LeafSpineConfig{
			Racks: int(v.Int(Racks)), Spines: int(v.Int(Spines)), HostsPerRack: hosts, HostLink: hostLink,
			Uplink: fabricLink,
		})
	case FatTree:
		return topo.FatTree(topo.FatTreeConfig{K: k(4), Link: hostLink, Fabric: &fabricLink})
	case NDC:
		c := topo.NDCConfig{N: int(v.Int(N)), K: k(1), Links: []sluice.Link{hostLink}}
		upper := hostLink
		if v.IsSet(Layer) {
			upper.Rate = v.Rate(Layer)
		}
		for range c.K {
			c.Links = append(c.Links, upper)
		}
		return topo.NDC(c)
	default:
		return nil, fmt.Errorf("no topology is called %q", topology)
	}
}
