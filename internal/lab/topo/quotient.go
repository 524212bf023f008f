package topo

import (
	"cmp"
	"slices"

	"github.com/sluicefc/sluice"
)

// quotient is a network of switches, hosts left out, in which switches with the same neighbours, at
// the same costs, are one place: the top-of-rack switches of a pod, or cores that differ in their
// number alone. From anywhere else they are equally far, and no shortest path between two other
// switches passes two of them. So a search from one of them serves all. In a fat-tree of 27,648
// hosts, 48 searches over 1,224 places take the place of 1,152 over 2,880 switches.
type quotient struct {
	places []place
	edges  []edge

	depth []int32       // by place, links from the start of the search at hand; -1 not reached
	costs []sluice.Time // by place, the largest sum of costs along a shortest path
	queue []int32
}

// place is switches with the same neighbours.
type place struct {
	edges, end int32       // of one of them: quotient.edges[edges:end], by their ends
	reach      twoLargest  // the largest costs of the way down to a host, one of each switch
	inside     sluice.Time // the largest costs between two hosts of one switch; -1 if none has two
}

type edge struct {
	to   int32 // a switch, and in the quotient a place
	cost sluice.Time
}

// newQuotient makes the quotient of a network, whose links are as Validate asks. Linear in links,
// times the logarithm of the ports of a switch.
func newQuotient(g *Graph, cost func(sluice.Link) sluice.Time) *quotient {
	cost = remembered(cost)
	q := &quotient{edges: make([]edge, 0, 2*g.Links())}
	placeOf := make([]int32, len(g.Nodes))
	alike := map[uint64][]int32{} // places by the hash of their edges
	for id := range g.Nodes {
		if g.Nodes[id].Tier == 0 {
			continue
		}
		n := q.read(g, sluice.SwitchID(id), cost)
		placeOf[id] = q.placeOf(n, alike)
		q.places[placeOf[id]].take(n)
	}
	for i := range q.edges {
		q.edges[i].to = placeOf[q.edges[i].to]
	}
	for i := range q.places {
		q.merge(&q.places[i])
	}
	q.depth, q.costs = make([]int32, len(q.places)), make([]sluice.Time, len(q.places))
	return q
}

// remembered is a function of links that is called once for links that follow each other and are
// equal, as most are.
func remembered(cost func(sluice.Link) sluice.Time) func(sluice.Link) sluice.Time {
	last, known := sluice.Link{}, cost(sluice.Link{})
	return func(l sluice.Link) sluice.Time {
		if l != last {
			last, known = l, cost(l)
		}
		return known
	}
}

// read returns a switch as a place of its own, and appends its edges: to each neighbour one, of
// parallel links the costliest.
func (q *quotient) read(
	g *Graph, n sluice.SwitchID, cost func(sluice.Link) sluice.Time,
) (p place) {
	p.edges = int32(len(q.edges))
	var below twoLargest
	for i := range g.Nodes[n].Ports {
		port := &g.Nodes[n].Ports[i]
		if g.IsHost(port.Peer) {
			below.add(cost(port.Link))
		} else {
			q.edges = append(q.edges, edge{int32(port.Peer), cost(port.Link)})
		}
	}
	p.end = int32(len(q.edges))
	q.merge(&p)
	q.edges = q.edges[:p.end]
	if p.inside = -1; below.count > 1 {
		p.inside = below.first.Add(below.second)
	}
	if below.count > 0 {
		p.reach.add(below.first)
	}
	return p
}

// merge puts the edges of a place in order, and makes those to one neighbour one.
func (q *quotient) merge(p *place) {
	own := q.edges[p.edges:p.end]
	byEnd := func(a, b edge) int {
		return cmp.Or(cmp.Compare(a.to, b.to), cmp.Compare(b.cost, a.cost))
	}
	if !slices.IsSortedFunc(own, byEnd) {
		slices.SortFunc(own, byEnd)
	}
	p.end = p.edges + int32(len(slices.CompactFunc(own, func(a, b edge) bool { return a.to == b.to })))
}

// placeOf returns the place of a switch that was read last: a new one, or one that has its edges,
// which are given back then.
func (q *quotient) placeOf(n place, alike map[uint64][]int32) int32 {
	own, hash := q.edges[n.edges:n.end], uint64(0)
	for _, e := range own {
		hash = (hash^uint64(e.to))*0x9e3779b97f4a7c15 ^ uint64(e.cost)
	}
	for _, i := range alike[hash] {
		if p := &q.places[i]; slices.Equal(own, q.edges[p.edges:p.end]) {
			q.edges = q.edges[:n.edges]
			return i
		}
	}
	i := int32(len(q.places))
	alike[hash] = append(alike[hash], i)
	q.places = append(q.places, place{edges: n.edges, end: n.end, inside: -1})
	return i
}

// take adds a switch to its place.
func (p *place) take(n place) {
	p.inside = max(p.inside, n.inside)
	if n.reach.count > 0 {
		p.reach.add(n.reach.first)
	}
}

// farthest returns the largest sum of costs along a shortest path between two hosts.
func (q *quotient) farthest() (longest sluice.Time) {
	for i := range q.places {
		p := &q.places[i]
		if longest = max(longest, p.inside); p.reach.count == 0 {
			continue
		}
		if p.reach.count > 1 && p.edges < p.end { // to another switch of the place, by a neighbour
			var dearest sluice.Time
			for _, e := range q.edges[p.edges:p.end] {
				dearest = max(dearest, e.cost)
			}
			longest = max(longest, p.reach.first.Add(dearest).Add(dearest).Add(p.reach.second))
		}
		for _, n := range q.search(int32(i)) {
			if far := &q.places[n].reach; far.count > 0 && int(n) != i {
				longest = max(longest, p.reach.first.Add(q.costs[n]).Add(far.first))
			}
		}
	}
	return longest
}

// search goes breadth-first from a place, and returns those reached.
func (q *quotient) search(start int32) []int32 {
	for i := range q.depth {
		q.depth[i] = -1
	}
	q.depth[start], q.costs[start] = 0, 0
	q.queue = append(q.queue[:0], start)
	for i := 0; i < len(q.queue); i++ { // q.queue grows
		n := q.queue[i]
		farther, costs := q.depth[n]+1, q.costs[n]
		for _, e := range q.edges[q.places[n].edges:q.places[n].end] {
			if q.depth[e.to] < 0 {
				q.depth[e.to], q.costs[e.to] = farther, 0
				q.queue = append(q.queue, e.to)
			}
			if q.depth[e.to] == farther {
				q.costs[e.to] = max(q.costs[e.to], costs.Add(e.cost))
			}
		}
	}
	return q.queue
}

// twoLargest keeps the two largest of the values added, each value counted as often as it was
// added.
type twoLargest struct {
	first, second sluice.Time
	count         int
}

func (t *twoLargest) add(v sluice.Time) {
	t.count++
	switch {
	case t.count == 1 || v > t.first:
		t.first, t.second = v, t.first
	case t.count == 2 || v > t.second:
		t.second = v
	}
}
