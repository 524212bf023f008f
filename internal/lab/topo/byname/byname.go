// Package byname makes the usual networks from named parameters: -set topology=fat-tree,k=36.
package byname

import (
	"fmt"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/params"
	"github.com/sluicefc/sluice/internal/lab/topo"
)

// Definitions returns the parameters. The defaults are the numbers of Pyrrha's section VIII.
func Definitions() []params.Definition {
	const section = "scenario"
	return []params.Definition{
		{Name: "topology", Kind: params.Choice, Default: "leaf-spine", Section: section,
			Choices: []string{"single", "dumbbell", "leaf-spine", "fat-tree", "ndc"}, Doc: "the network"},
		{Name: "racks", Kind: params.Int, Default: "10", Min: "1", Max: "1024", Section: section,
			Doc: "racks of a leaf-spine network"},
		{Name: "spines", Kind: params.Int, Default: "4", Min: "0", Max: "1024", Section: section,
			Doc: "spines of a leaf-spine network"},
		{Name: "hosts", Kind: params.Int, Default: "16", Min: "1", Max: "1024", Section: section,
			Doc: "hosts of a rack, of either side of a dumbbell, or around a single switch"},
		{Name: "k", Kind: params.Int, Default: "", Min: "0", Max: "128", Section: section,
			Doc: "ports of a switch of a fat-tree, even, unset: 4; k of NDC(n,k), unset: 1"},
		{Name: "n", Kind: params.Int, Default: "4", Min: "2", Max: "1024", Section: section,
			Doc: "ports of a switch of NDC(n,k), the node-centric network of PortFC"},
		{Name: "layer.rate", Kind: params.Rate, Default: "", Min: "1Mbps", Section: section,
			Doc: "rate of the links of NDC(n,k) above layer 0, whose rate is host.rate; unset: host.rate"},
		{Name: "host.rate", Kind: params.Rate, Default: "100Gbps", Min: "1Mbps", Section: section,
			Doc: "rate of the hosts' links"},
		{Name: "fabric.rate", Kind: params.Rate, Default: "400Gbps", Min: "1Mbps", Section: section,
			Doc: "rate of the links between switches"},
		{Name: "link.delay", Kind: params.Time, Default: "600ns", Max: "10ms", Section: section,
			Doc: "propagation delay of every link, one way"},
	}
}

func Build(v *params.Values) (*topo.Graph, error) {
	hostLink := sluice.Link{Rate: v.Rate("host.rate"), Delay: v.Time("link.delay")}
	fabricLink := sluice.Link{Rate: v.Rate("fabric.rate"), Delay: v.Time("link.delay")}
	hosts := int(v.Int("hosts"))
	k := func(unset int) int {
		if v.IsSet("k") {
			return int(v.Int("k"))
		}
		return unset
	}
	switch topology := v.String("topology"); topology {
	case "single":
		return topo.SingleSwitch(topo.SingleSwitchConfig{Hosts: hosts, Link: hostLink})
	case "dumbbell":
		return topo.Dumbbell(topo.DumbbellConfig{
			Left: hosts, Right: hosts, HostLink: hostLink, Bottleneck: fabricLink,
		})
	case "leaf-spine":
		return topo.LeafSpine(topo.LeafSpineConfig{
			Racks: int(v.Int("racks")), Spines: int(v.Int("spines")), HostsPerRack: hosts,
			HostLink: hostLink, Uplink: fabricLink,
		})
	case "fat-tree":
		return topo.FatTree(topo.FatTreeConfig{K: k(4), Link: hostLink, Fabric: &fabricLink})
	case "ndc":
		c := topo.NDCConfig{N: int(v.Int("n")), K: k(1), Links: []sluice.Link{hostLink}}
		upper := hostLink
		if v.IsSet("layer.rate") {
			upper.Rate = v.Rate("layer.rate")
		}
		for range c.K {
			c.Links = append(c.Links, upper)
		}
		return topo.NDC(c)
	default:
		return nil, fmt.Errorf("no topology is called %q", topology)
	}
}
