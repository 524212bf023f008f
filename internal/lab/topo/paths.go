package topo

import (
	"math"
	"math/bits"

	"github.com/sluicefc/sluice"
)

// Distances returns the number of links from every node to one, along shortest paths that pass
// through no host, unless hosts forward; -1 for nodes from which there is no such path. Linear in
// nodes and links.
func (g *Graph) Distances(to sluice.SwitchID) []int32 {
	distances := make([]int32, len(g.Nodes))
	for i := range distances {
		distances[i] = -1
	}
	distances[to] = 0
	queue := []sluice.SwitchID{to}
	for len(queue) > 0 {
		n := queue[0]
		queue = queue[1:]
		if n != to && !g.Forwards(n) {
			continue
		}
		for _, p := range g.Nodes[n].Ports {
			if distances[p.Peer] < 0 {
				distances[p.Peer] = distances[n] + 1
				queue = append(queue, p.Peer)
			}
		}
	}
	return distances
}

// AppendNextHops appends to dst the ports of node n, in ascending order, that are the first of a
// shortest path to the node that distances, an answer of Distances, belong to. There is none at
// that node itself, nor where it cannot be reached.
func (g *Graph) AppendNextHops(
	dst []sluice.PortID, n sluice.SwitchID, distances []int32,
) []sluice.PortID {
	for i, p := range g.Nodes[n].Ports {
		peer := distances[p.Peer]
		through := peer == 0 || g.Forwards(p.Peer)
		if peer >= 0 && peer == distances[n]-1 && through {
			dst = append(dst, sluice.PortID(i))
		}
	}
	return dst
}

// Diameter returns the number of links between the two hosts that are farthest apart, along
// shortest paths; 0 for fewer than two hosts. A path of h links has h hops in the sense of
// sluice.Path.
func (g *Graph) Diameter() int {
	return int(g.farthest(func(sluice.Link) sluice.Time { return 1 }))
}

// BaseRTT returns the base round-trip time of the pair of hosts that are farthest apart: the
// propagation delay of both ways, and the serialisation of one frame of payload bytes at every hop
// of one way. Headers and the acknowledgement's own serialisation are left out, and the
// serialisation at each hop is truncated to whole nanoseconds, as HPCC's ns-3 and its descendants
// do; there, a window of one BDP is this time at the rate of the host's link. Of several shortest
// paths the slowest counts.
func (g *Graph) BaseRTT(payload sluice.Bytes) sluice.Time {
	return g.farthest(func(l sluice.Link) sluice.Time {
		return l.RoundTrip().Add(wholeNanoseconds(payload, l.Rate))
	})
}

// farthest returns the largest sum of costs along a shortest path between two hosts, where shortest
// is by links. Where hosts do not forward it searches from switches with hosts, not from the many
// more hosts, and from one of those with the same neighbours.
func (g *Graph) farthest(cost func(sluice.Link) sluice.Time) sluice.Time {
	if g.HostsForward {
		return g.farthestOfAll(cost)
	}
	return newQuotient(g, cost).farthest()
}

// farthestOfAll is farthest by a search from every host.
func (g *Graph) farthestOfAll(cost func(sluice.Link) sluice.Time) sluice.Time {
	search := newPathSearch(g, cost)
	var longest sluice.Time
	for _, host := range g.Hosts() {
		for _, n := range search.from(host) {
			if g.IsHost(n) {
				longest = max(longest, search.costs[n])
			}
		}
	}
	return longest
}

// pathSearch is a breadth-first search over the nodes of a network whose hosts forward; the next
// search uses its slices again.
type pathSearch struct {
	graph *Graph
	cost  func(sluice.Link) sluice.Time
	depth []int32       // links from the start; -1 not reached
	costs []sluice.Time // largest sum of costs along a shortest path
	queue []sluice.SwitchID
}

func newPathSearch(g *Graph, cost func(sluice.Link) sluice.Time) pathSearch {
	return pathSearch{
		graph: g, cost: cost, depth: make([]int32, len(g.Nodes)),
		costs: make([]sluice.Time, len(g.Nodes)),
	}
}

// from searches from one node and returns the nodes reached.
func (s *pathSearch) from(start sluice.SwitchID) []sluice.SwitchID {
	for i := range s.depth {
		s.depth[i] = -1
	}
	s.depth[start], s.costs[start] = 0, 0
	s.queue = append(s.queue[:0], start)
	for i := 0; i < len(s.queue); i++ { // s.queue grows
		n := s.queue[i]
		if n != start && !s.graph.Forwards(n) {
			continue
		}
		for _, p := range s.graph.Nodes[n].Ports {
			if s.depth[p.Peer] < 0 {
				s.depth[p.Peer], s.costs[p.Peer] = s.depth[n]+1, 0
				s.queue = append(s.queue, p.Peer)
			}
			if s.depth[p.Peer] == s.depth[n]+1 {
				s.costs[p.Peer] = max(s.costs[p.Peer], s.costs[n].Add(s.cost(p.Link)))
			}
		}
	}
	return s.queue
}

// wholeNanoseconds returns the time of n bytes at a rate, truncated to whole nanoseconds.
func wholeNanoseconds(n sluice.Bytes, rate sluice.Rate) sluice.Time {
	if n <= 0 || rate <= 0 {
		return 0
	}
	hi, lo := bits.Mul64(uint64(n), 8e9)
	if hi >= uint64(rate) {
		return sluice.Never
	}
	nanoseconds, _ := bits.Div64(hi, lo, uint64(rate))
	if nanoseconds > math.MaxInt64/uint64(sluice.Nanosecond) {
		return sluice.Never
	}
	return sluice.Time(nanoseconds) * sluice.Nanosecond
}
