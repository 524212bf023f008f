package topo

import (
	"fmt"
	"math"

	"github.com/sluicefc/sluice"
)

// unknownTier is that of a switch before deriveTiers.
const unknownTier Tier = math.MaxInt8

// deriveTiers sets the tier of every switch to its distance from the nearest host, and numbers
// the racks: one for each switch with a host, in ascending order. It returns the number of racks.
func (g *Graph) deriveTiers() (racks int, err error) {
	var queue []sluice.SwitchID
	for id := range g.Nodes {
		n := sluice.SwitchID(id)
		if g.IsHost(n) || !g.hasHost(n) {
			continue
		}
		g.setSwitch(n, 1, int32(racks))
		for _, p := range g.Nodes[n].Ports {
			if g.IsHost(p.Peer) {
				g.Nodes[p.Peer].Rack = int32(racks)
			}
		}
		racks++
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
				return racks, fmt.Errorf("switch %d is more than %d links from the nearest host", p.Peer, unknownTier-1)
			}
			g.Nodes[p.Peer].Tier = g.Nodes[n].Tier + 1
			queue = append(queue, p.Peer)
		}
	}
	return racks, nil
}

func (g *Graph) hasHost(n sluice.SwitchID) bool {
	for _, p := range g.Nodes[n].Ports {
		if g.IsHost(p.Peer) {
			return true
		}
	}
	return false
}
