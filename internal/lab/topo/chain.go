package topo

import (
	"fmt"

	"github.com/sluicefc/sluice"
)

// ChainConfig describes switches in a row with hosts around each.
type ChainConfig struct {
	Switches       int // at least 1
	HostsPerSwitch int // at least 1

	HostLink sluice.Link // the rate is positive, the delay not negative
	Link     sluice.Link // between neighbours; alike
}

// Chain makes a row of switches: the parking lot of the PCN paper, appendix B.3, has two hosts at
// each. Nodes are numbered hosts first, switch by switch, then switches. After its hosts' ports, a
// switch has the port to the one before it, then the port to the one after it.
func Chain(c ChainConfig) (*Graph, error) {
	g, err := c.row("chain", 1, "Link")
	if err != nil {
		return nil, err
	}
	return g, g.validateBuilt()
}

// row makes the chain under a name, of at least so many switches; linkField is the field of the
// user's configuration that Link is from.
func (c *ChainConfig) row(name string, least int, linkField string) (*Graph, error) {
	check := checker{}
	check.count("Switches", c.Switches, least, MaxNodes)
	check.count("HostsPerSwitch", c.HostsPerSwitch, 1, MaxPorts-2)
	check.size("HostsPerSwitch", c.HostsPerSwitch, c.Switches, c.HostsPerSwitch+1)
	check.link("HostLink", c.HostLink)
	check.link(linkField, c.Link)
	if check.err != nil {
		return nil, check.err
	}
	hosts := c.Switches * c.HostsPerSwitch
	g := newGraph(fmt.Sprintf("%s %dx%d", name, c.Switches, c.HostsPerSwitch), hosts+c.Switches)
	first := sluice.SwitchID(hosts)
	g.addRacks(0, first, c.Switches, c.HostsPerSwitch, c.HostLink)
	for i := range sluice.SwitchID(c.Switches - 1) {
		g.Connect(first+i, first+i+1, c.Link)
	}
	return g, nil
}
