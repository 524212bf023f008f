package hol

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/sluicefc/sluice"
)

// Node is a queue of an egress port, by name.
type Node struct {
	At    sluice.Hop
	Queue sluice.QueueID
}

// String formats n as "160:17 q0".
func (n Node) String() string { return n.At.String() + " q" + strconv.Itoa(int(n.Queue)) }

// Describe formats a circle of waits, as in `160:17 q0 waits for 171:3 q0 waits for 160:17 q0`. No
// nodes give "".
func Describe(cycle []Node) string {
	if len(cycle) == 0 {
		return ""
	}
	var names []string
	for _, n := range cycle {
		names = append(names, n.String())
	}
	return strings.Join(append(names, names[0]), " waits for ")
}

// WaitGraph says which queues wait for which. A paused queue waits for a downstream queue if the
// downstream queue has to send before the pause ends. A circle of waits is a cyclic buffer
// dependency: a deadlock, or a deadlock in the making.
//
// A running simulator adds, for each queue that is paused and not empty, an edge to every queue of
// the switch downstream whose bytes keep it paused. A queue that may send waits for no queue, and
// has no edge from it. The zero value is an empty graph.
type WaitGraph struct {
	nodes []Node
	ids   map[Node]int32
	edges []edge
}

type edge struct{ from, to int32 }

// Reset empties the graph and keeps its memory.
func (g *WaitGraph) Reset() {
	g.nodes, g.edges = g.nodes[:0], g.edges[:0]
	clear(g.ids)
}

// Each visits all edges, doubles as often as they were noted.
func (g *WaitGraph) Each(visit func(from, to Node)) {
	for _, e := range g.edges {
		visit(g.nodes[e.from], g.nodes[e.to])
	}
}

// Edge notes that queue from waits for queue to. Doubles are harmless.
func (g *WaitGraph) Edge(from, to Node) {
	g.edges = append(g.edges, edge{g.id(from), g.id(to)})
}

// Free removes every edge from a queue: it has sent, and waits for no queue.
func (g *WaitGraph) Free(n Node) {
	if id, known := g.ids[n]; known {
		g.edges = slices.DeleteFunc(g.edges, func(e edge) bool { return e.from == id })
	}
}

// Len returns how many queues wait or are waited for.
func (g *WaitGraph) Len() int { return len(g.nodes) }

// Waits reports whether an edge leads from one queue to the other.
func (g *WaitGraph) Waits(from, to Node) bool {
	f, fromKnown := g.ids[from]
	t, toKnown := g.ids[to]
	return fromKnown && toKnown && slices.Contains(g.edges, edge{f, t})
}

// Cycle returns a circle of waits, each queue waiting for the next and the last for the first, or
// nil if there is none. It begins with its smallest queue, and no circle through that queue is
// shorter. The answer depends on the edges only, not on their order. It takes time in proportion to
// the edges, sorting aside, unless it has to look for the smallest queue more than once.
//
// A queue in a circle may still get free if it also waits for a queue outside: see Stuck.
func (g *WaitGraph) Cycle() []Node {
	out, in := g.adjacency()
	return g.cycleAmong(out, remaining(out, in, false))
}

// Stuck returns a circle of waits as Cycle does, but of queues that cannot get free: every queue
// that any of them waits for, directly or not, waits too. A queue that waits for several counts as
// free as soon as one of them is, so that what Stuck finds is a deadlock for certain.
func (g *WaitGraph) Stuck() []Node {
	out, in := g.adjacency()
	return g.cycleAmong(out, remaining(out, in, true))
}

func (g *WaitGraph) id(n Node) int32 {
	id, known := g.ids[n]
	if !known {
		if g.ids == nil {
			g.ids = make(map[Node]int32)
		}
		id = int32(len(g.nodes))
		g.nodes = append(g.nodes, n)
		g.ids[n] = id
	}
	return id
}

// adjacency returns the nodes that each node waits for, smallest first, and the nodes that wait for
// it. Neither has doubles.
func (g *WaitGraph) adjacency() (out, in [][]int32) {
	out = make([][]int32, len(g.nodes))
	in = make([][]int32, len(g.nodes))
	for _, e := range g.edges {
		out[e.from] = append(out[e.from], e.to)
	}
	for from := range out {
		slices.SortFunc(out[from], g.compare)
		out[from] = slices.Compact(out[from])
		for _, to := range out[from] {
			in[to] = append(in[to], int32(from))
		}
	}
	return out, in
}

// remaining returns the nodes that cannot get free. Nodes that wait for none are free; other nodes
// get free once all nodes that they wait for are, or with first, once the first of them is.
func remaining(out, in [][]int32, first bool) []bool {
	rest, needs := make([]bool, len(out)), make([]int, len(out))
	var free []int32
	for n := range out {
		rest[n] = true
		if needs[n] = len(out[n]); needs[n] == 0 {
			free = append(free, int32(n))
		} else if first {
			needs[n] = 1
		}
	}
	for len(free) > 0 {
		n := free[len(free)-1]
		free = free[:len(free)-1]
		rest[n] = false
		for _, from := range in[n] {
			if needs[from]--; needs[from] == 0 {
				free = append(free, from)
			}
		}
	}
	return rest
}

// cycleAmong finds a circle among the nodes of rest: each waits for another of them.
func (g *WaitGraph) cycleAmong(out [][]int32, rest []bool) []Node {
	start := int32(-1)
	for n := range rest {
		if rest[n] && (start < 0 || g.compare(int32(n), start) < 0) {
			start = int32(n)
		}
	}
	if start < 0 {
		return nil
	}
	step := func(n int32) int32 {
		return out[n][slices.IndexFunc(out[n], func(to int32) bool { return rest[to] })]
	}
	seen := make([]bool, len(rest))
	n := start
	for ; !seen[n]; n = step(n) {
		seen[n] = true
	}
	for { // n is on a circle; its shortest may pass a smaller node
		cycle := shortest(out, n)
		smallest := slices.MinFunc(cycle, g.compare)
		if smallest == n {
			return g.name(cycle)
		}
		n = smallest
	}
}

// shortest returns a shortest circle through a node, which is on some circle, beginning there.
func shortest(out [][]int32, through int32) []int32 {
	before := make([]int32, len(out))
	for n := range before {
		before[n] = -1
	}
	for queue := []int32{through}; len(queue) > 0; queue = queue[1:] {
		for _, to := range out[queue[0]] {
			if to == through {
				return wayBetween(through, queue[0], before)
			}
			if before[to] < 0 {
				before[to] = queue[0]
				queue = append(queue, to)
			}
		}
	}
	return nil // not reached: a circle goes through the node
}

// wayBetween returns the way from a node to another, given the node before each.
func wayBetween(from, to int32, before []int32) []int32 {
	var way []int32
	for n := to; n != from; n = before[n] {
		way = append(way, n)
	}
	way = append(way, from)
	slices.Reverse(way)
	return way
}

func (g *WaitGraph) name(ids []int32) []Node {
	nodes := make([]Node, len(ids))
	for i, id := range ids {
		nodes[i] = g.nodes[id]
	}
	return nodes
}

func (g *WaitGraph) compare(a, b int32) int {
	x, y := g.nodes[a], g.nodes[b]
	return cmp.Or(compareHops(x.At, y.At), cmp.Compare(x.Queue, y.Queue))
}
