package topo

import (
	"fmt"
	"math"
	"slices"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/check"
)

func newGraph(name string, nodes int) *Graph {
	return &Graph{Name: name, Nodes: make([]Node, nodes)}
}

// addRacks connects racks of hosts, from the node host on, to switches, from the node tor on.
func (g *Graph) addRacks(host, tor sluice.SwitchID, racks, hostsPerRack int, link sluice.Link) {
	for rack := range racks {
		g.addRack(host, tor, int32(rack), hostsPerRack, link)
		host += sluice.SwitchID(hostsPerRack)
		tor++
	}
}

func (g *Graph) addRack(host, tor sluice.SwitchID, rack int32, hosts int, link sluice.Link) {
	g.Nodes[tor] = Node{Tier: 1, Rack: rack}
	for range hosts {
		g.Nodes[host].Rack = rack
		g.Connect(host, tor, link)
		host++
	}
}

// setTier makes nodes switches without a rack.
func (g *Graph) setTier(first sluice.SwitchID, count int, tier Tier) {
	for i := range count {
		g.Nodes[int(first)+i] = Node{Tier: tier, Rack: -1}
	}
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

// unknownTier is the tier of a switch before deriveTiers.
const unknownTier Tier = math.MaxInt8

// deriveTiers sets the tier of every switch to its distance from the nearest host, and numbers
// the racks: one for each switch that is the home of a host, in ascending order. It returns the
// number of racks.
func (g *Graph) deriveTiers() (racks int, err error) {
	g.dropRacks()
	var queue []sluice.SwitchID
	for id := range g.Nodes {
		n := sluice.SwitchID(id)
		if g.IsHost(n) || !g.hasHost(n) {
			continue
		}
		g.Nodes[n].Tier = 1
		if g.numberRack(n, int32(racks)) {
			racks++
		}
		queue = append(queue, n)
	}
	for len(queue) > 0 {
		n := queue[0]
		queue = queue[1:]
		for _, p := range g.Nodes[n].Ports {
			if g.Nodes[p.Peer].Tier != unknownTier {
				continue
			}
			if g.Nodes[n].Tier == unknownTier-1 {
				return racks, fmt.Errorf("switch %d is more than %d links from the nearest host", p.Peer,
					unknownTier-1)
			}
			g.Nodes[p.Peer].Tier = g.Nodes[n].Tier + 1
			queue = append(queue, p.Peer)
		}
	}
	return racks, nil
}

func (g *Graph) dropRacks() {
	for id := range g.Nodes {
		if g.IsHost(sluice.SwitchID(id)) {
			g.Nodes[id].Rack = -1
		}
	}
}

// numberRack gives a switch, and the hosts whose home it is, the number of a rack. It reports
// whether there is such a host.
func (g *Graph) numberRack(n sluice.SwitchID, rack int32) bool {
	found := false
	for _, p := range g.Nodes[n].Ports {
		if g.IsHost(p.Peer) && g.isHome(p.Peer, n, p.PeerPort) {
			g.Nodes[p.Peer].Rack, g.Nodes[n].Rack = rack, rack
			found = true
		}
	}
	return found
}

// isHome reports whether a host's port, which leads to switch n, is its first port that leads to a
// switch.
func (g *Graph) isHome(host, n sluice.SwitchID, port sluice.PortID) bool {
	ports := g.Nodes[host].Ports
	first := slices.IndexFunc(ports, func(p Port) bool { return !g.IsHost(p.Peer) })
	return first == int(port) && ports[first].Peer == n
}

func (g *Graph) hasHost(n sluice.SwitchID) bool {
	return slices.ContainsFunc(g.Nodes[n].Ports, func(p Port) bool { return g.IsHost(p.Peer) })
}
