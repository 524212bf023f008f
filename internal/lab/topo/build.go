package topo

import (
	"fmt"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/check"
)

func newGraph(name string, nodes int) *Graph {
	return &Graph{Name: name, Nodes: make([]Node, nodes)}
}

// addRacks connects racks of hosts, from the node host on, to switches, from the node tor on,
// and numbers the racks from 0.
func (g *Graph) addRacks(host, tor sluice.SwitchID, racks, hostsPerRack int, link sluice.Link) {
	for rack := range racks {
		g.setSwitch(tor, 1, int32(rack))
		for range hostsPerRack {
			g.Nodes[host].Rack = int32(rack)
			g.Connect(host, tor, link)
			host++
		}
		tor++
	}
}

func (g *Graph) setSwitch(n sluice.SwitchID, tier Tier, rack int32) {
	g.Nodes[n].Tier = tier
	g.Nodes[n].Rack = rack
}

// validateBuilt reports what a constructor's checks cannot see: failed links that cut the
// network in two.
func (g *Graph) validateBuilt() error {
	if err := g.check(); err != nil {
		return &sluice.ConfigError{Package: "topo", Field: "Failed", Value: g.Name, Rule: err.Error()}
	}
	return nil
}

// checkSize notes unless a times b, both counted already, is a network of bearable size.
func checkSize(r *check.Config, field string, value, a, b int) {
	r.That(a <= 0 || b <= (MaxNodes/2)/max(a, 1), value,
		fmt.Sprintf("makes a network of more than %d nodes or %d links", MaxNodes, MaxLinks), field)
}

func checkLink(r *check.Config, field string, l sluice.Link) {
	rule := linkRule(l)
	r.That(rule == "", l, rule, field)
}
