package hashpath

import "github.com/sluicefc/sluice"

// Levels returns, for each egress port of the network, how many hops at most follow it on any path
// that leaves by it: the distance of the farthest congestion root there. "The number of layers of
// the HIQ is determined by its location in the network" (Pyrrha, section IV-C); in a two-tier
// network an uplink of a ToR switch has two. Ports that no hop follows, such as those to hosts
// without Config.HostHops, are not in the map.
//
// Paths from every node count, with every choice that a hash could make, over the links that are up
// at the time. Ports from which a path is longer than sluice.MaxHops, or loops, have
// sluice.MaxHops-1.
//
// The work is that of visiting every member of every entry once: half a second for the 1,620
// switches of a fat-tree with k = 36.
func (n *Network) Levels() map[sluice.Hop]int {
	t := n.now.Load()
	s := survey{
		tables: t, kinds: n.layout.kinds,
		after: make([]int8, len(t.nodes)), farthest: make([]int8, len(t.nodes)),
		levels: make([]int8, len(t.trunks)), beyond: make([][2]int, len(t.nodes)),
	}
	for _, g := range t.groups {
		s.members = append(s.members, distinct(t.slotsOf(g)))
	}
	for i, exit := range t.exits {
		kind := 0
		if t.hosts[i] != none {
			kind = 1
		}
		if !t.isDown(exit) {
			s.beyond[exit.index()][kind]++
		}
	}
	for where, home := range n.layout.homes {
		for i := range s.after {
			s.after[i] = unvisited
		}
		s.after[home] = s.atHome(home, s.beyond[home])
		for i := range t.nodes {
			if x := uint32(i); x != home {
				s.farthest[x] = max(s.farthest[x], s.visit(x, t.dests[where]))
			}
		}
	}
	return s.result()
}

// survey measures how long paths can become.
type survey struct {
	*tables
	kinds    []kind     // by node
	members  [][]uint16 // by group, each once
	after    []int8     // by node, hops from there to the destination at hand
	farthest []int8     // by node, the most for any destination but its own
	levels   []int8     // by trunk, the most hops after it
	beyond   [][2]int   // by node, how many ways out and hosts are on it by a link that is up
}

const (
	unvisited = -1
	maxLevels = sluice.MaxHops - 1
)

// atHome returns how many hops follow at most at the node that is a destination with these beyond it.
func (s *survey) atHome(home uint32, beyond [2]int) int8 {
	switch {
	case beyond[1] > 0 && s.hostHops:
		return 2
	case beyond != [2]int{}, s.hostHops && s.kinds[home].isHost():
		return 1
	}
	return 0
}

// visit returns how many hops follow at most on the way from a node to a destination, and notes
// those after each of its members.
func (s *survey) visit(x uint32, to dest) int8 {
	if s.after[x] != unvisited {
		return s.after[x]
	}
	s.after[x] = maxLevels + 1 // if the path comes here again it loops
	var members []uint16
	switch e := s.entryOf(s.nodes[x].row, to); e & entryKind {
	case entryTrunk:
		members = []uint16{uint16(e & entryValue)}
	case entryGroup:
		members = s.members[e&entryValue]
	}
	hops := int8(0)
	for _, m := range members {
		i := s.nodes[x].trunks + uint32(m)
		next := min(s.visit(s.trunks[i].index(), to), maxLevels)
		s.levels[i] = max(s.levels[i], next)
		hops = max(hops, next+1)
	}
	s.after[x] = hops
	return hops
}

// result returns the levels by port.
func (s *survey) result() map[sluice.Hop]int {
	levels := map[sluice.Hop]int{}
	note := func(at sluice.SwitchID, port sluice.PortID, hops int8) {
		if hop := (sluice.Hop{Switch: at, Port: port}); hops > 0 {
			levels[hop] = max(levels[hop], int(min(hops, maxLevels)))
		}
	}
	for i := range s.named {
		x := &s.nodes[i]
		for k, by := range s.trunksOf(i) {
			note(x.id, by.port(), s.levels[int(x.trunks)+k])
		}
	}
	for i, exit := range s.exits {
		if s.hosts[i] == none || s.isDown(exit) {
			continue
		}
		index := exit.index()
		others := s.beyond[index]
		others[1]--
		note(s.hosts[i], 0, max(s.farthest[index], s.atHome(index, others)))
		if s.hostHops {
			note(s.nodes[index].id, exit.port(), 1)
		}
	}
	return levels
}
