package topo

import (
	"fmt"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/check"
)

// FatTreeConfig describes a three-tier fat-tree of switches with K ports (Al-Fares, Loukissas,
// Vahdat: A scalable, commodity data center network architecture, SIGCOMM 2008).
type FatTreeConfig struct {
	K int // ports of a switch: even, 2 to 128

	// HostsPerToR is how many hosts hang below a top-of-rack switch. 0: K/2, which makes the network
	// non-blocking; K makes it oversubscribed 2:1.
	HostsPerToR int

	Link   sluice.Link  // of every link; the rate is positive, the delay not negative
	Fabric *sluice.Link // of the links between switches, if they differ; nil: Link
}

// FatTree makes a fat-tree: K pods of K/2 top-of-rack and K/2 aggregation switches, and (K/2)^2
// cores. Nodes are numbered hosts first, then top-of-rack switches, then aggregation switches, pod
// by pod each, then cores. Ports of a top-of-rack switch are its hosts, then its pod's aggregation
// switches; of an aggregation switch, its pod's top-of-rack switches, then cores; port p of a core
// leads to pod p. Aggregation switch i of a pod has the cores i*K/2 to (i+1)*K/2-1.
func FatTree(c FatTreeConfig) (*Graph, error) {
	if err := c.validate(); err != nil {
		return nil, err
	}
	half := c.K / 2
	perToR := c.HostsPerToR
	if perToR == 0 {
		perToR = half
	}
	fabric := c.Link
	if c.Fabric != nil {
		fabric = *c.Fabric
	}
	tors := c.K * half
	hosts := tors * perToR
	g := newGraph(fmt.Sprintf("fat-tree k=%d", c.K), hosts+2*tors+half*half)
	if perToR != half {
		g.Name += fmt.Sprintf(" %d:%d", perToR, half)
	}
	tor := sluice.SwitchID(hosts)
	aggregation := tor + sluice.SwitchID(tors)
	core := aggregation + sluice.SwitchID(tors)
	g.addRacks(0, tor, tors, perToR, c.Link)
	g.setTier(aggregation, tors, 2)
	g.setTier(core, half*half, 3)
	for i := range tors {
		pod := i / half * half
		for j := range half {
			g.Connect(tor+sluice.SwitchID(i), aggregation+sluice.SwitchID(pod+j), fabric)
		}
	}
	for i := range tors {
		for j := range half {
			g.Connect(aggregation+sluice.SwitchID(i), core+sluice.SwitchID(i%half*half+j), fabric)
		}
	}
	return g, g.validateBuilt()
}

func (c *FatTreeConfig) validate() error {
	r := check.Of("topo", "FatTreeConfig")
	check.Within(r, c.K, 2, 128, "K")
	r.That(c.K%2 == 0, c.K, "must be even", "K")
	check.Within(r, c.HostsPerToR, 0, MaxPorts-c.K, "HostsPerToR")
	checkSize(r, "HostsPerToR", c.HostsPerToR, c.K*c.K/2, max(c.HostsPerToR, c.K/2))
	checkLink(r, "Link", c.Link)
	if c.Fabric != nil {
		checkLink(r, "Fabric", *c.Fabric)
	}
	return r.Err()
}
