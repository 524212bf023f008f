package sim

import (
	"cmp"
	"slices"
)

// gathering makes clusters of groups of nodes, so that few links lead from one to another.
type gathering struct {
	groups  []int // as of join: of each node the least of its cluster
	weights []int // ports, by the least node of a cluster
	links   []int // that lead to other clusters, by the same
	most    int   // weight
}

// gather makes parts of groups, at most as many as asked, and reports whether none has much more
// than its share of the ports. Hops should stay within a part, as to cross costs more: the clusters
// that share most of their links are joined first, of a fat-tree the switches of a pod, which then
// take the cores one by one.
func (s *Simulator) gather(groups []int, parts int) bool {
	graph := s.config.Topology
	g := gathering{groups: groups, weights: make([]int, len(groups)), links: make([]int, len(groups))}
	total, largest := 0, 0
	for id := range groups {
		ports := len(graph.Nodes[id].Ports)
		g.weights[leader(groups, id)] += ports
		total += ports
	}
	g.most = (total + parts - 1) / parts
	for s.joinPairs(&g) {
	}
	var clusters []int
	for id, weight := range g.weights {
		if weight > 0 {
			clusters = append(clusters, id)
			largest = max(largest, weight)
		}
	}
	s.number(&g, clusters, parts)
	return largest <= 2*g.most
}

// neighbours are two clusters with links between them.
type neighbours struct{ a, b, links int }

// joinPairs joins clusters two by two, and reports whether it joined any.
func (s *Simulator) joinPairs(g *gathering) bool {
	pairs := s.pairs(g)
	slices.SortFunc(pairs, func(p, q neighbours) int { // the larger share of the links of both first
		return cmp.Or(
			cmp.Compare(q.links*g.links[p.a]*g.links[p.b], p.links*g.links[q.a]*g.links[q.b]),
			cmp.Compare(p.a, q.a), cmp.Compare(p.b, q.b),
		)
	})
	joined := make([]bool, len(g.groups))
	any := false
	for _, p := range pairs {
		if joined[p.a] || joined[p.b] || g.weights[p.a]+g.weights[p.b] > g.most {
			continue
		}
		joined[p.a], joined[p.b], any = true, true, true
		join(g.groups, p.a, p.b)
		g.weights[min(p.a, p.b)] += g.weights[max(p.a, p.b)]
		g.weights[max(p.a, p.b)] = 0
	}
	return any
}

// pairs returns the clusters between which there are links, and counts the links of each cluster.
func (s *Simulator) pairs(g *gathering) (pairs []neighbours) {
	graph := s.config.Topology
	clear(g.links)
	for id := range graph.Nodes {
		for _, end := range graph.Nodes[id].Ports {
			a, b := leader(g.groups, id), leader(g.groups, int(end.Peer))
			if a != b {
				g.links[a]++
			}
			if a < b {
				pairs = append(pairs, neighbours{a, b, 1})
			}
		}
	}
	slices.SortFunc(pairs, func(p, q neighbours) int {
		return cmp.Or(cmp.Compare(p.a, q.a), cmp.Compare(p.b, q.b))
	})
	distinct := pairs[:0]
	for _, p := range pairs {
		if last := len(distinct) - 1; last >= 0 && distinct[last].a == p.a && distinct[last].b == p.b {
			distinct[last].links++
		} else {
			distinct = append(distinct, p)
		}
	}
	return distinct
}

// number makes parts of clusters: the heaviest that is left goes to the part that has least.
func (s *Simulator) number(g *gathering, clusters []int, parts int) {
	slices.SortStableFunc(clusters, func(a, b int) int {
		return cmp.Compare(g.weights[b], g.weights[a])
	})
	parts = min(parts, len(clusters))
	sums := make([]int, parts)
	for _, id := range clusters {
		least := slices.Index(sums, slices.Min(sums))
		sums[least] += g.weights[id]
		s.partOf[id] = int16(least)
	}
	for id := range g.groups {
		s.partOf[id] = s.partOf[leader(g.groups, id)]
	}
}
