package topo

import (
	"fmt"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/check"
)

// NDCConfig describes NDC(n,k), a node-centric network (PortFC, section II-A): nodes that forward,
// each with a port to a switch of every layer.
type NDCConfig struct {
	N int // ports of a switch, 2 to MaxPorts
	K int // layers beyond the first, 0 to 15
	// Links are the links of each layer, K+1 in all: rates are positive, delays not negative.
	Links []sluice.Link
}

// NDC makes NDC(n,k). Its n^(k+1) nodes come first; the digits of a node's number to the base n,
// the lowest counted as 0, are its address. The n^k switches of layer 0 follow, then the switches
// of layer 1, and so on. Port l of a node leads to the switch of layer l that its address with
// digit l removed numbers; port p of that switch leads to the node whose digit l is p. The rack of
// a node is its switch of layer 0.
//
// In NDC(4,1), the network of the paper's Figure 6, nodes are 0 to 15, the switches of layer 0 are
// 16 to 19, the switches of layer 1 are 20 to 23.
func NDC(c NDCConfig) (*Graph, error) {
	nodes, perLayer, err := c.validate()
	if err != nil {
		return nil, err
	}
	g := newGraph(fmt.Sprintf("NDC(%d,%d)", c.N, c.K), nodes+(c.K+1)*perLayer)
	g.HostsForward = c.K > 0
	weight := 1 // of digit l
	for l, link := range c.Links {
		first := nodes + l*perLayer
		g.setTier(sluice.SwitchID(first), perLayer, 1)
		for node := range nodes {
			s := node/(weight*c.N)*weight + node%weight // the address without digit l
			if l == 0 {
				g.Nodes[node].Rack, g.Nodes[first+s].Rack = int32(s), int32(s)
			}
			g.Connect(sluice.SwitchID(node), sluice.SwitchID(first+s), link)
		}
		weight *= c.N
	}
	return g, g.validateBuilt()
}

// validate returns the number of nodes and of switches of a layer.
func (c *NDCConfig) validate() (nodes, perLayer int, err error) {
	r := check.Of("topo", "NDCConfig")
	check.Within(r, c.N, 2, MaxPorts, "N")
	check.Within(r, c.K, 0, 15, "K")
	if err := r.Err(); err != nil {
		return 0, 0, err
	}
	perLayer = 1
	for range c.K {
		checkSize(r, "K", c.K, perLayer*(c.K+1), c.N)
		if err := r.Err(); err != nil {
			return 0, 0, err
		}
		perLayer *= c.N
	}
	checkSize(r, "N", c.N, perLayer*(c.K+1), c.N)
	r.That(len(c.Links) == c.K+1, len(c.Links), "must be as many as layers, K+1", "Links")
	for i, link := range c.Links {
		checkLink(r, fmt.Sprintf("Links[%d]", i), link)
	}
	return perLayer * c.N, perLayer, r.Err()
}
