package topo

import (
	"fmt"
	"slices"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/check"
)

// PodsConfig describes a three-tier Clos network of pods, whose top-of-rack and leaf switches may
// be joined by several links, as in section 7.4 of the PCN paper (NSDI 2020).
type PodsConfig struct {
	Pods        int // at least 1
	Leafs       int // of a pod, at least 1
	ToRs        int // of a pod, at least 1
	HostsPerToR int // at least 1
	Spines      int // at least 1; 0 with a single pod
	// Parallel is how many links join a top-of-rack switch and a leaf of its pod. 0: 1.
	Parallel int

	// Rates are positive, delays not negative.
	HostLink   sluice.Link // between a host and its switch
	FabricLink sluice.Link // between switches

	// Failed lists the top-of-rack switches and leafs that no link joins, in every pod. The ports of
	// the switches are numbered as if they had never been.
	Failed []PodLink
}

// PodLink names the links between a top-of-rack switch and a leaf of a pod, both counted from 0.
type PodLink struct{ ToR, Leaf int }

// Pods makes a Clos network of pods: every leaf has a link to every spine. Nodes are numbered
// hosts first, then top-of-rack switches, then leafs, pod by pod each, then spines. The ports of a
// top-of-rack switch are its hosts, then its leafs, with all links to a leaf before the links to
// the next; the ports of a leaf are its top-of-rack switches in the same way, then the spines; a
// spine has the leafs in order.
func Pods(c PodsConfig) (*Graph, error) {
	if err := c.validate(); err != nil {
		return nil, err
	}
	parallel := max(1, c.Parallel)
	tors, leafs := c.Pods*c.ToRs, c.Pods*c.Leafs
	hosts := tors * c.HostsPerToR
	g := newGraph(fmt.Sprintf("pods %dx(%d+%d) %d", c.Pods, c.ToRs, c.Leafs, c.Spines),
		hosts+tors+leafs+c.Spines)
	tor := sluice.SwitchID(hosts)
	leaf := tor + sluice.SwitchID(tors)
	spine := leaf + sluice.SwitchID(leafs)
	g.addRacks(0, tor, tors, c.HostsPerToR, c.HostLink)
	g.setTier(leaf, leafs, 2)
	g.setTier(spine, c.Spines, 3)
	for t := range tors {
		for l := range c.Leafs {
			if slices.Contains(c.Failed, PodLink{t % c.ToRs, l}) {
				continue
			}
			for range parallel {
				g.Connect(tor+sluice.SwitchID(t), leaf+sluice.SwitchID(t/c.ToRs*c.Leafs+l), c.FabricLink)
			}
		}
	}
	for l := range leafs {
		for s := range c.Spines {
			g.Connect(leaf+sluice.SwitchID(l), spine+sluice.SwitchID(s), c.FabricLink)
		}
	}
	return g, g.validateBuilt()
}

func (c *PodsConfig) validate() error {
	spines := 1
	if c.Pods == 1 {
		spines = 0
	}
	r := check.Of("topo", "PodsConfig")
	check.Within(r, c.Pods, 1, MaxPorts, "Pods")
	check.Within(r, c.Leafs, 1, MaxPorts, "Leafs")
	check.Within(r, c.ToRs, 1, MaxPorts, "ToRs")
	check.Within(r, c.HostsPerToR, 1, MaxPorts, "HostsPerToR")
	check.Within(r, c.Spines, spines, MaxPorts, "Spines")
	check.Within(r, c.Parallel, 0, MaxPorts, "Parallel")
	if !r.Fine() {
		return r.Err()
	}
	parallel := max(1, c.Parallel)
	check.Within(r, c.HostsPerToR, 1, MaxPorts-c.Leafs*parallel, "HostsPerToR")
	check.Within(r, c.Spines, spines, MaxPorts-c.ToRs*parallel, "Spines")
	checkSize(r, "HostsPerToR", c.HostsPerToR, c.Pods*c.ToRs, c.HostsPerToR+c.Leafs*parallel)
	checkSize(r, "Spines", c.Spines, c.Pods*c.Leafs, c.Spines)
	check.Within(r, c.Pods*c.Leafs, 1, MaxPorts, "Leafs")
	checkLink(r, "HostLink", c.HostLink)
	checkLink(r, "FabricLink", c.FabricLink)
	for i, f := range c.Failed {
		r.That(0 <= f.ToR && f.ToR < c.ToRs && 0 <= f.Leaf && f.Leaf < c.Leafs, f,
			"must name a top-of-rack switch and a leaf that are there", "Failed[%d]", i)
	}
	return r.Err()
}
