package sim

import (
	"slices"

	"github.com/sluicefc/sluice"
)

// partsPerThread is how much finer than the threads a network is cut, so that one which has little
// to do can take more.
const partsPerThread = 4

// maxParts bounds the boxes: there is one for each two parts.
const maxParts = 256

// cut divides the network into parts. Only links that delay are cut, and the shortest cut link is
// as long as the windows: cables that are shorter than most stay within a part.
func (s *Simulator) cut() {
	graph := s.config.Topology
	s.partOf, s.ahead = make([]int16, len(graph.Nodes)), sluice.Never
	number := 1
	if most := s.config.Parts; s.mayCut() {
		if most == 0 && s.config.Threads > 1 {
			most = s.config.Threads * partsPerThread
		}
		if most > 1 {
			number = s.group(min(most, maxParts))
		}
	}
	reach, many := horizon(&s.config), manyEvents(number)
	for i := range number {
		s.parts = append(s.parts, s.newPart(int16(i), reach, many))
	}
	for _, p := range s.parts {
		for parity := range p.boxes {
			if number > 1 {
				p.boxes[parity] = slices.Repeat([]box{{first: sluice.Never}}, number)
			}
		}
	}
}

// mayCut reports whether no two places of the network have to do with each other at once, as they
// have where an observer sees one order. Links fail between windows, which changes nothing except
// where switches draw ways, as both ends of a flow ask for both, and where hosts hear of a first
// loss: of a loss that the failure brings they hear after the window. The receiver of a job's
// message asks for its way when the first packet comes.
func (s *Simulator) mayCut() bool {
	c := &s.config
	alone := c.RetransmitFromLoss || c.Balance.Kind == Spray || c.Balance.Kind == DRILL
	alone = alone || len(c.Jobs) > 0
	return c.Observer == nil && c.Watcher == nil && c.Inspect == nil &&
		!(alone && len(c.Failures) > 0)
}

// group numbers the parts of nodes, at most most, and returns how many there are.
func (s *Simulator) group(most int) int {
	graph := s.config.Topology
	groups := make([]int, len(graph.Nodes))
	for _, shortest := range s.delays() {
		// Nodes stay together over links that are shorter, and hosts stay with their switch.
		for i := range groups {
			groups[i] = i
		}
		for id := range graph.Nodes {
			for _, end := range graph.Nodes[id].Ports {
				lone := len(graph.Nodes[id].Ports) == 1
				if end.Link.Delay < shortest || lone && !graph.Forwards(sluice.SwitchID(id)) {
					join(groups, id, int(end.Peer))
				}
			}
		}
		if s.gather(groups, most) {
			break
		}
	}
	s.ahead = sluice.Never
	for id := range graph.Nodes {
		for _, end := range graph.Nodes[id].Ports {
			if s.partOf[id] != s.partOf[end.Peer] {
				s.ahead = min(s.ahead, end.Link.Delay)
			}
		}
	}
	return int(slices.Max(s.partOf)) + 1
}

// delays returns the delays of links, the longest first; none that is 0.
func (s *Simulator) delays() (all []sluice.Time) {
	graph := s.config.Topology
	for id := range graph.Nodes {
		for _, end := range graph.Nodes[id].Ports {
			if end.Link.Delay > 0 && !slices.Contains(all, end.Link.Delay) {
				all = append(all, end.Link.Delay)
			}
		}
	}
	slices.Sort(all)
	slices.Reverse(all)
	return all
}

// join puts two nodes into one group; the least member names it.
func join(groups []int, a, b int) {
	a, b = leader(groups, a), leader(groups, b)
	groups[max(a, b)] = min(a, b)
}

func leader(groups []int, a int) int {
	for groups[a] != a {
		groups[a] = groups[groups[a]]
		a = groups[a]
	}
	return a
}
