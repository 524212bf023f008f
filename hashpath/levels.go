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
		Network: n, tables: t, after: make([]int8, len(t.nodes)), farthest: make([]int8, len(t.nodes)),
		levels: make([]int8, t.exits),
	}
	for _, g := range t.groups {
		s.members = append(s.members, distinct(t.slotsOf(g)))
	}
	for where, home := range n.homes {
		for i := range s.after {
			s.after[i] = unvisited
		}
		s.after[home] = s.afterHome(home, none)
		for i := range t.nodes {
			if x := uint32(i); x != home {
				s.farthest[x] = max(s.farthest[x], s.visit(x, t.dests[where]))
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
			note(x.id, by.port(), s.levels[int(x.trunks)+k])
		}
		for k, exit := range t.exitsOf(uint32(i)) {
			link := t.exitBase[i] + uint32(k)
			if host := t.hosts[link-t.exits]; host != none && !t.isDown(link) {
				note(host, 0, max(s.farthest[i], s.afterHome(uint32(i), link)))
				if t.stop == none {
					note(x.id, exit.port(), 1)
				}
			}
		}
	}
	return levels
}

// survey measures how long paths can become.
type survey struct {
	*Network
	*tables
	members  [][]uint16 // by group, each once
	after    []int8     // by node, hops from there to the destination at hand
	farthest []int8     // by node, the most for any destination but its own
	levels   []int8     // by trunk, the most hops after it
}

const (
	unvisited = -1
	maxLevels = sluice.MaxHops - 1
)

// afterHome returns how many hops follow at most at the node that is a destination: those to the
// exits that are up, but for one, and of the hosts there, or of itself.
func (s *survey) afterHome(home, but uint32) (hops int8) {
	if s.stop == none && s.kinds[home].isHost() {
		hops = 1
	}
	for link := s.exitBase[home]; link < s.exitBase[home+1]; link++ {
		switch {
		case link == but || s.isDown(link):
		case s.stop == none && s.hosts[link-s.exits] != none:
			return 2
		default:
			hops = 1
		}
	}
	return hops
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
		next := min(s.visit(s.links[i].index(), to), maxLevels)
		s.levels[i] = max(s.levels[i], next)
		hops = max(hops, next+1)
	}
	s.after[x] = hops
	return hops
}
