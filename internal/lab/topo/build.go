package topo

import "github.com/sluicefc/sluice"

// newGraph makes a graph of unconnected hosts.
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

// checker keeps the first rule that a configuration breaks.
type checker struct{ err error }

func (c *checker) fail(field string, value any, rule string) {
	if c.err == nil {
		c.err = &sluice.ConfigError{Package: "topo", Field: field, Value: value, Rule: rule}
	}
}

func (c *checker) count(field string, n, least, most int) {
	if n < least || n > most {
		c.fail(field, n, "must be "+itoa(least)+" to "+itoa(most))
	}
}

// size checks that a times b, both counted already, is a network of bearable size.
func (c *checker) size(field string, value, a, b int) {
	if c.err == nil && a > 0 && b > (MaxNodes/2)/a {
		c.fail(
			field, value,
			"makes a network of more than "+itoa(MaxNodes)+" nodes or "+itoa(MaxLinks)+" links",
		)
	}
}

func (c *checker) link(field string, l sluice.Link) {
	if rule := linkRule(l); rule != "" {
		c.fail(field, l, rule)
	}
}
