package topo

import (
	"fmt"
	"slices"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/check"
)

// LeafSpineConfig describes a two-tier Clos network: racks of hosts under a top-of-rack switch
// each, and spines that every top-of-rack switch has a link to.
type LeafSpineConfig struct {
	Racks        int // at least 1
	Spines       int // at least 1; 0 with a single rack
	HostsPerRack int // at least 1

	// Rates are positive, delays not negative.
	HostLink sluice.Link // between a host and its switch
	Uplink   sluice.Link // between a top-of-rack switch and a spine

	// Failed lists the uplinks that are not there. The ports of the switches are numbered as if
	// they had never been.
	Failed []Uplink
}

// Uplink names the link between a rack and a spine, both counted from 0.
type Uplink struct{ Rack, Spine int }

// LeafSpine makes a two-tier Clos network. Nodes are numbered hosts first, rack by rack, then
// top-of-rack switches, then spines. The ports of a top-of-rack switch are its hosts, then
// the spines in order; port r of a spine leads to rack r. It answers a *sluice.ConfigError for a
// configuration that breaks a rule.
func LeafSpine(c LeafSpineConfig) (*Graph, error) {
	if err := c.validate(); err != nil {
		return nil, err
	}
	hosts := c.Racks * c.HostsPerRack
	g := newGraph(fmt.Sprintf("leaf-spine %dx%dx%d", c.Racks, c.Spines, c.HostsPerRack),
		hosts+c.Racks+c.Spines)
	tor, spine := sluice.SwitchID(hosts), sluice.SwitchID(hosts+c.Racks)
	g.addRacks(0, tor, c.Racks, c.HostsPerRack, c.HostLink)
	g.setTier(spine, c.Spines, 2)
	for rack := range c.Racks {
		for s := range c.Spines {
			if !slices.Contains(c.Failed, Uplink{rack, s}) {
				g.Connect(tor+sluice.SwitchID(rack), spine+sluice.SwitchID(s), c.Uplink)
			}
		}
	}
	return g, g.validateBuilt()
}

func (c *LeafSpineConfig) validate() error {
	spines := 1
	if c.Racks == 1 {
		spines = 0
	}
	r := check.Of("topo", "LeafSpineConfig")
	check.Within(r, c.Racks, 1, MaxPorts, "Racks")
	check.Within(r, c.Spines, spines, MaxPorts, "Spines")
	check.Within(r, c.HostsPerRack, 1, MaxPorts, "HostsPerRack")
	checkSize(r, "HostsPerRack", c.HostsPerRack, c.Racks, c.HostsPerRack)
	checkSize(r, "Spines", c.Spines, c.Racks, c.Spines)
	check.Within(r, c.HostsPerRack, 1, MaxPorts-c.Spines, "HostsPerRack")
	checkLink(r, "HostLink", c.HostLink)
	if c.Spines > 0 {
		checkLink(r, "Uplink", c.Uplink)
	}
	for i, f := range c.Failed {
		r.That(0 <= f.Rack && f.Rack < c.Racks && 0 <= f.Spine && f.Spine < c.Spines, f,
			"must name a rack and a spine that are there", "Failed[%d]", i)
	}
	return r.Err()
}

// ThreeToRs makes the testbed of the Pyrrha paper, section V-B: three top-of-rack switches with two
// hosts each, two cores, every link alike (100 Gb/s there). It is the network of the paper's
// Figures 9 and 10. Hosts are 0 to 5, top-of-rack switches 6 to 8, cores 9 and 10; the constants
// name the hosts as the paper does.
func ThreeToRs(link sluice.Link) (*Graph, error) {
	g, err := LeafSpine(LeafSpineConfig{
		Racks: 3, Spines: 2, HostsPerRack: 2, HostLink: link, Uplink: link,
	})
	if g != nil {
		g.Name = "three ToRs"
	}
	return g, err
}

// The hosts of ThreeToRs. S1 and S2 send the incast to R1, VS the vulnerable flow to VR, which sits
// beside R1. The paper's Figure 8 places them; its text only says that the flows from S2 and VS
// meet at the core's port to the receivers' rack. We give each sender of that pair a rack of its
// own, so that they meet nowhere before.
const (
	TestbedS1 sluice.SwitchID = 0
	TestbedVS sluice.SwitchID = 1
	TestbedS2 sluice.SwitchID = 2
	TestbedR1 sluice.SwitchID = 4
	TestbedVR sluice.SwitchID = 5
)
