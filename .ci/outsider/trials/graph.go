package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/portfc"
)

// graph is a network: nodes, the ports that join them, and ways through it.
type graph struct {
	name  string
	nodes []vertex
	loops bool       // ways may close circles of queues that wait for each other
	turns bool       // ways may pass a port twice
	ndc   portfc.NDC // of portfc alone
}

// vertex is a node. Its tier is 0 for a host, which has one port unless hosts forward.
type vertex struct {
	tier  int
	ports []edge
}

type edge struct {
	peer     int
	peerPort sluice.PortID
	link     sluice.Link
}

func (g *graph) add(tier int) int {
	g.nodes = append(g.nodes, vertex{tier: tier})
	return len(g.nodes) - 1
}

func (g *graph) join(a, b int, link sluice.Link) {
	pa, pb := sluice.PortID(len(g.nodes[a].ports)), sluice.PortID(len(g.nodes[b].ports))
	g.nodes[a].ports = append(g.nodes[a].ports, edge{b, pb, link})
	g.nodes[b].ports = append(g.nodes[b].ports, edge{a, pa, link})
}

// links draws the links of a network: of one kind, or each its own.
func links(r *random) func() sluice.Link {
	draw := func() sluice.Link {
		return sluice.Link{
			Rate:  pick[sluice.Rate](r, 10, 25, 40, 100, 100, 400) * sluice.Gbps,
			Delay: pick[sluice.Time](r, 0, 50, 200, 500, 500, 2000) * sluice.Nanosecond,
		}
	}
	if r.one(3) {
		return draw
	}
	common := draw()
	return func() sluice.Link { return common }
}

// drawGraph draws a chain, a tree, a leaf-spine, a ring or two hosts back to back, of at most 12
// nodes.
func drawGraph(r *random) *graph {
	g := &graph{}
	link := links(r)
	hosts := func(n int, at func(i int) int) {
		for i := range n {
			g.join(g.add(0), at(i), link())
		}
	}
	switch r.below(8) {
	case 0:
		g.name = "pair"
		g.join(g.add(0), g.add(0), link())
	case 1, 2:
		g.name = "chain"
		switches := r.between(1, 5)
		for i := range switches {
			g.add(1)
			if i > 0 {
				g.join(i-1, i, link())
			}
		}
		g.join(g.add(0), 0, link())
		g.join(g.add(0), switches-1, link())
		hosts(r.below(12-len(g.nodes)+1), func(int) int { return r.below(switches) })
	case 3:
		g.name = "tree"
		switches := r.between(1, 5)
		g.add(4)
		for i := 1; i < switches; i++ {
			parent := r.below(i)
			g.join(g.add(max(1, g.nodes[parent].tier-1)), parent, link())
		}
		hosts(r.between(2, 12-switches), func(int) int { return r.below(switches) })
	case 4, 5:
		g.name = "leaf-spine"
		leaves, spines := r.between(2, 3), r.between(1, 2)
		for range leaves {
			g.add(1)
		}
		for range spines {
			s := g.add(2)
			for leaf := range leaves {
				g.join(leaf, s, link())
			}
		}
		hosts(r.between(leaves, 12-leaves-spines), func(i int) int { return i % leaves })
	default:
		g.name = "ring"
		switches := r.between(3, 5)
		for range switches {
			g.add(1)
		}
		for i := range switches {
			g.join(i, (i+1)%switches, link())
		}
		hosts(r.between(switches, 12-switches), func(i int) int { return i % switches })
		g.loops = r.one(2)
		g.turns = g.loops && r.one(3)
	}
	return g
}

func drawNDC(r *random) *graph {
	n := portfc.NDC{N: 2, K: 1}
	switch r.below(8) {
	case 0:
		n = portfc.NDC{N: 3, K: 1}
	case 1:
		n = portfc.NDC{N: 2, K: 2}
	}
	g := &graph{name: n.String(), ndc: n}
	link := links(r)
	for id := range n.Devices() {
		tier := 0
		if !n.IsNode(sluice.SwitchID(id)) {
			tier = 1
		}
		v := vertex{tier: tier}
		for port := range n.Ports(sluice.SwitchID(id)) {
			peer, _ := n.Peer(sluice.Hop{Switch: sluice.SwitchID(id), Port: sluice.PortID(port)})
			e := edge{peer: int(peer.Switch), peerPort: peer.Port, link: link()}
			if e.peer < id {
				e.link = g.nodes[e.peer].ports[e.peerPort].link
			}
			v.ports = append(v.ports, e)
		}
		g.nodes = append(g.nodes, v)
	}
	return g
}

func (g *graph) hosts() (hosts []int) {
	for i := range g.nodes {
		if g.nodes[i].tier == 0 {
			hosts = append(hosts, i)
		}
	}
	return hosts
}

// way draws a way between two nodes; its length is 0 if no way is short enough.
func (g *graph) way(r *random, src, dst int) sluice.Path {
	if g.ndc.N > 0 {
		from, to := sluice.SwitchID(src), sluice.SwitchID(dst)
		path, _ := g.ndc.Path(from, to, r.below(max(1, g.ndc.Orders(from, to))))
		return path
	}
	if g.loops && r.below(4) > 0 {
		return g.round(r, src, dst)
	}
	return g.shortest(r, src, dst)
}

// round is a way that goes round a ring in one direction, perhaps more than once.
func (g *graph) round(r *random, src, dst int) (path sluice.Path) {
	at := src
	if g.nodes[at].tier == 0 {
		path.Append(sluice.Hop{Switch: sluice.SwitchID(at)})
		at = g.nodes[at].ports[0].peer
	}
	more := g.turns && r.one(2) // a turn more
	for path.Len() < sluice.MaxHops {
		for port, e := range g.nodes[at].ports {
			if e.peer == dst && (!more || path.Len() == sluice.MaxHops-1) {
				path.Append(sluice.Hop{Switch: sluice.SwitchID(at), Port: sluice.PortID(port)})
				return path
			}
		}
		if path.Len() >= 3 && more && r.one(2) {
			more = false
		}
		for port, e := range g.nodes[at].ports {
			if g.nodes[e.peer].tier > 0 && e.peer == g.clockwise(at) {
				path.Append(sluice.Hop{Switch: sluice.SwitchID(at), Port: sluice.PortID(port)})
				at = e.peer
				break
			}
		}
	}
	return sluice.Path{}
}

// clockwise is the next switch of a ring, whose switches come first.
func (g *graph) clockwise(at int) int {
	if at+1 < len(g.nodes) && g.nodes[at+1].tier > 0 {
		return at + 1
	}
	return 0
}

// shortest is a shortest way on which no host forwards. A ring is cut between its last switch
// and its first, so that no circle of waiting queues can form.
func (g *graph) shortest(r *random, src, dst int) (path sluice.Path) {
	const far = 1 << 20
	distance := slices.Repeat([]int{far}, len(g.nodes))
	distance[dst] = 0
	last := 0
	for i := range g.nodes {
		if g.nodes[i].tier > 0 {
			last = i
		}
	}
	cut := func(a, b int) bool { return g.name == "ring" && a+b == last && a*b == 0 }
	queue := []int{dst}
	for len(queue) > 0 {
		at := queue[0]
		queue = queue[1:]
		for _, e := range g.nodes[at].ports {
			if distance[e.peer] == far && !cut(at, e.peer) && (g.nodes[at].tier > 0 || at == dst) {
				distance[e.peer] = distance[at] + 1
				queue = append(queue, e.peer)
			}
		}
	}
	salt := r.next()
	for at := src; at != dst; {
		var ways []int
		for port, e := range g.nodes[at].ports {
			if distance[e.peer] < distance[at] && !cut(at, e.peer) {
				ways = append(ways, port)
			}
		}
		if len(ways) == 0 {
			return sluice.Path{}
		}
		port := ways[salt%uint64(len(ways))]
		if !path.Append(sluice.Hop{Switch: sluice.SwitchID(at), Port: sluice.PortID(port)}) {
			return sluice.Path{}
		}
		at = g.nodes[at].ports[port].peer
	}
	return path
}

func (g *graph) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s of %d nodes", g.name, len(g.nodes))
	if g.loops {
		b.WriteString(", with routes that loop")
	}
	if g.turns {
		b.WriteString(" and pass ports twice")
	}
	for i, v := range g.nodes {
		for port, e := range v.ports {
			if e.peer > i {
				fmt.Fprintf(&b, "\n    %d:%d - %d:%d %v %v", i, port, e.peer, e.peerPort, e.link.Rate,
					e.link.Delay)
			}
		}
		fmt.Fprintf(&b, "\n    node %d: tier %d", i, v.tier)
	}
	return b.String()
}
