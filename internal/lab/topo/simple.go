package topo

import (
	"fmt"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/check"
)

// SingleSwitchConfig describes hosts around one switch.
type SingleSwitchConfig struct {
	Hosts int         // at least 1
	Link  sluice.Link // the rate is positive, the delay not negative
}

// SingleSwitch makes a star: hosts 0 to Hosts-1, then the switch, whose port i leads to host i.
func SingleSwitch(c SingleSwitchConfig) (*Graph, error) {
	r := check.Of("topo", "SingleSwitchConfig")
	check.Within(r, c.Hosts, 1, MaxPorts, "Hosts")
	checkLink(r, "Link", c.Link)
	if err := r.Err(); err != nil {
		return nil, err
	}
	g := newGraph(fmt.Sprintf("single switch %d", c.Hosts), c.Hosts+1)
	g.addRack(0, sluice.SwitchID(c.Hosts), 0, c.Hosts, c.Link)
	return g, g.validateBuilt()
}

// DumbbellConfig describes two switches with a link between them and hosts around each.
type DumbbellConfig struct {
	Left, Right int // hosts around either switch; at least 1

	// Rates are positive, delays not negative.
	HostLink   sluice.Link
	Bottleneck sluice.Link // between the switches
}

// Dumbbell makes two racks with one link between their switches. Nodes are numbered left hosts,
// right hosts, left switch, right switch; a switch's last port leads to the other.
func Dumbbell(c DumbbellConfig) (*Graph, error) {
	r := check.Of("topo", "DumbbellConfig")
	check.Within(r, c.Left, 1, MaxPorts-1, "Left")
	check.Within(r, c.Right, 1, MaxPorts-1, "Right")
	checkLink(r, "HostLink", c.HostLink)
	checkLink(r, "Bottleneck", c.Bottleneck)
	if err := r.Err(); err != nil {
		return nil, err
	}
	g := newGraph(fmt.Sprintf("dumbbell %d+%d", c.Left, c.Right), c.Left+c.Right+2)
	left := sluice.SwitchID(c.Left + c.Right)
	right := left + 1
	g.addRack(0, left, 0, c.Left, c.HostLink)
	g.addRack(sluice.SwitchID(c.Left), right, 1, c.Right, c.HostLink)
	g.Connect(left, right, c.Bottleneck)
	return g, g.validateBuilt()
}

// ChainConfig describes switches in a row with hosts around each.
type ChainConfig struct {
	Switches       int // at least 1
	HostsPerSwitch int // at least 1

	// Rates are positive, delays not negative.
	HostLink sluice.Link
	Link     sluice.Link // between neighbours
}

// Chain makes a row of switches: the parking lot of the PCN paper, appendix B.3, has two hosts at
// each. Nodes are numbered hosts first, switch by switch, then switches. After its hosts' ports, a
// switch has the port to the one before it, then the port to the one after it.
func Chain(c ChainConfig) (*Graph, error) {
	g, err := c.row("chain", "ChainConfig", 1, "Link")
	if err != nil {
		return nil, err
	}
	return g, g.validateBuilt()
}

// row makes the chain under a name, of at least least switches, for a user's configuration whose
// type is called of; linkField is its field that Link is from.
func (c *ChainConfig) row(name, of string, least int, linkField string) (*Graph, error) {
	r := check.Of("topo", of)
	check.Within(r, c.Switches, least, MaxNodes, "Switches")
	check.Within(r, c.HostsPerSwitch, 1, MaxPorts-2, "HostsPerSwitch")
	checkSize(r, "HostsPerSwitch", c.HostsPerSwitch, c.Switches, c.HostsPerSwitch+1)
	checkLink(r, "HostLink", c.HostLink)
	checkLink(r, linkField, c.Link)
	if err := r.Err(); err != nil {
		return nil, err
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

// RingConfig describes switches in a circle with hosts around each.
type RingConfig struct {
	Switches       int // at least 3
	HostsPerSwitch int // at least 1

	// Rates are positive, delays not negative.
	HostLink sluice.Link
	RingLink sluice.Link // between neighbours
}

// Ring makes a circle of switches, for studies of deadlock: where routes go round it, buffers
// depend on one another in a cycle (Pyrrha paper, section VII, Figure 13). Nodes are numbered hosts
// first, switch by switch, then switches. After its hosts' ports, switch 0 has the port to switch
// 1, then the port to the last one; every other switch has the port to the one before it, then the
// port to the one after it: PortTo finds them.
func Ring(c RingConfig) (*Graph, error) {
	chain := ChainConfig{c.Switches, c.HostsPerSwitch, c.HostLink, c.RingLink}
	g, err := chain.row("ring", "RingConfig", 3, "RingLink")
	if err != nil {
		return nil, err
	}
	first := sluice.SwitchID(c.Switches * c.HostsPerSwitch)
	g.Connect(first+sluice.SwitchID(c.Switches-1), first, c.RingLink)
	return g, g.validateBuilt()
}
