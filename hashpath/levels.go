package hashpath

import "github.com/sluicefc/sluice"

// Levels returns, for each egress port of the network, how many hops at most follow it on any path
// that leaves by it: the distance of the farthest congestion root there. A port needs a level of
// isolation queues for each (Pyrrha, section IV-C); in a two-tier network an uplink of a ToR switch
// has two. The map lacks ports that no hop follows, such as ports to hosts without Config.HostHops.
//
// Paths from every node count, with every choice that a hash could make, over the links that are up
// at the time. Ports from which a path is longer than sluice.MaxHops, or loops, have
// sluice.MaxHops-1.
//
// It visits every member of every entry once: 0.2 s for the 1,620 switches of a fat-tree with k =
// 36.
func (n *Network) Levels() map[sluice.Hop]int {
	t := n.now.Load()
	members := make([][]uint16, len(t.groups)) // by group, each once
	for i, g := range t.groups {
		members[i] = distinct(t.slotsOf(g))
	}
	after := make([]int8, len(t.nodes))    // hops from a node to the destination at hand
	farthest := make([]int8, len(t.nodes)) // the most for any destination but its own
	most := make([]int8, t.exits)          // by trunk, hops after it
	var visit func(x uint32, to dest) int8
	visit = func(x uint32, to dest) int8 {
		if after[x] != unvisited {
			return after[x]
		}
		after[x] = maxLevels + 1 // if the path comes here again it loops
		var ways []uint16
		switch e := t.entryOf(t.nodes[x].row, to); e & entryKind {
		case entryTrunk:
			ways = []uint16{uint16(e & entryValue)}
		case entryGroup:
			ways = members[e&entryValue]
		}
		hops := int8(0)
		for _, m := range ways {
			i := t.nodes[x].trunks + uint32(m)
			next := min(visit(t.links[i].index(), to), maxLevels)
			most[i] = max(most[i], next)
			hops = max(hops, next+1)
		}
		after[x] = hops
		return hops
	}
	for where, home := range n.homes {
		for i := range after {
			after[i] = unvisited
		}
		after[home] = n.afterHome(t, home, none)
		for x := range after {
			if uint32(x) != home {
				farthest[x] = max(farthest[x], visit(uint32(x), t.dests[where]))
			}
		}
	}
	levels := map[sluice.Hop]int{}
	note := func(at sluice.SwitchID, port sluice.PortID, hops int8) {
		if hop := (sluice.Hop{Switch: at, Port: port}); hops > 0 && at != none {
			levels[hop] = max(levels[hop], int(min(hops, maxLevels)))
		}
	}
	for i := range t.nodes {
		x := &t.nodes[i]
		for k, by := range t.trunksOf(uint32(i)) {
			note(x.id, by.port(), most[int(x.trunks)+k])
		}
		for link := t.exitBase[i]; link < t.exitBase[i+1]; link++ {
			if host := t.hosts[link-t.exits]; host != none && !t.isDown(link) {
				note(host, 0, max(farthest[i], n.afterHome(t, uint32(i), link)))
				if n.config.HostHops {
					note(x.id, t.links[link].port(), 1)
				}
			}
		}
	}
	return levels
}

const (
	unvisited = -1
	maxLevels = sluice.MaxHops - 1
)

// afterHome returns how many hops follow at most at the node that is a destination: the hops to the
// exits that are up, except exit "but", of the hosts there, or of the node itself.
func (n *Network) afterHome(t *tables, home, but uint32) (hops int8) {
	if n.config.HostHops && n.kinds[home].isHost() {
		hops = 1
	}
	for link := t.exitBase[home]; link < t.exitBase[home+1]; link++ {
		switch {
		case link == but || t.isDown(link):
		case n.config.HostHops && t.hosts[link-t.exits] != none:
			return 2
		default:
			hops = 1
		}
	}
	return hops
}
