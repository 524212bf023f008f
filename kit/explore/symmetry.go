package explore

import (
	"slices"

	"github.com/sluicefc/sluice"
)

// symmetry maps a network to itself: nodes, ports and links to their images, which are joined
// alike, flows to flows whose ways are the images of their own, faults to faults.
type symmetry struct {
	node     []int
	port     [][]sluice.PortID // by node, port
	wire     []int             // directions of links
	flow     []int
	flaps    []int // indexes of Faults.Flaps
	restarts []int // indexes of Faults.Restarts
}

// group is symmetries, among them what any two of them come to. The first changes nothing.
type group struct {
	of    []*symmetry
	times [][]int // times[i][k] is the index of what symmetry k and then symmetry i come to
}

// mostSymmetries bounds the group: each state is made in as many ways.
const mostSymmetries = 64

func (s *symmetry) hop(h sluice.Hop) sluice.Hop {
	return sluice.Hop{
		Switch: sluice.SwitchID(s.node[h.Switch]), Port: s.port[h.Switch][h.Port],
	}
}

// step returns the image of a step.
func (s *symmetry) step(t Step) Step {
	switch t.Kind {
	case Enter:
		t.Flow = s.flow[t.Flow]
	case Down, Up:
		t.Link = s.wire[2*t.Link] / 2
	case Restart:
		t.Node = s.node[t.Node]
	case Pass:
	default:
		end := s.hop(t.end())
		t.Node, t.Port = int(end.Switch), int(end.Port)
	}
	return t
}

func (s *symmetry) op(node int, o op) op {
	switch o.kind {
	case opEnter:
		o.flow = s.flow[o.flow]
	case opSend, opReceive, opDown, opUp:
		o.port = s.port[node][o.port]
	}
	return o
}

// after returns the symmetry that does first and then s.
func (s *symmetry) after(first *symmetry) *symmetry {
	chain := func(a, b []int) []int {
		c := make([]int, len(b))
		for i := range b {
			c[i] = a[b[i]]
		}
		return c
	}
	c := &symmetry{
		node: chain(s.node, first.node), wire: chain(s.wire, first.wire),
		flow: chain(s.flow, first.flow), flaps: chain(s.flaps, first.flaps),
		restarts: chain(s.restarts, first.restarts), port: make([][]sluice.PortID, len(s.port)),
	}
	for node, ports := range first.port {
		for _, p := range ports {
			c.port[node] = append(c.port[node], s.port[first.node[node]][p])
		}
	}
	return c
}

func (s *symmetry) equal(o *symmetry) bool {
	return slices.Equal(s.node, o.node) && slices.Equal(s.wire, o.wire) &&
		slices.EqualFunc(s.port, o.port, slices.Equal[[]sluice.PortID])
}

// inverse returns the index of the symmetry that undoes one.
func (g *group) inverse(i int) int { return slices.Index(g.times[i], 0) }

// newGroup returns the group that candidates make. It leaves out a candidate with which the group
// would be too large, or would have one of the refused.
func newGroup(identity *symmetry, candidates, refused []*symmetry) *group {
	all := []*symmetry{identity}
	for _, c := range candidates {
		if indexOf(all, c) >= 0 {
			continue
		}
		larger := closure(append(slices.Clip(all), c))
		bad := func(s *symmetry) bool { return indexOf(refused, s) >= 0 }
		if larger != nil && !slices.ContainsFunc(larger, bad) {
			all = larger
		}
	}
	g := &group{of: all, times: make([][]int, len(all))}
	for i, a := range all {
		for _, b := range all {
			g.times[i] = append(g.times[i], indexOf(all, a.after(b)))
		}
	}
	return g
}

// closure adds what symmetries make of each other; nil if they become too many.
func closure(all []*symmetry) []*symmetry {
	for i := 0; i < len(all); i++ {
		for k := 0; k < len(all); k++ {
			for _, c := range []*symmetry{all[i].after(all[k]), all[k].after(all[i])} {
				if indexOf(all, c) < 0 {
					all = append(all, c)
				}
			}
			if len(all) > mostSymmetries {
				return nil
			}
		}
	}
	return all
}

func indexOf(all []*symmetry, s *symmetry) int { return slices.IndexFunc(all, s.equal) }

// finder looks for symmetries by mapping one link after another.
type finder struct {
	network *Network
	ports   []int // by node
	at      symmetry
	used    []bool // links that others were mapped to
	taken   []bool // nodes
	found   []*symmetry
}

// symmetries returns the identity and other candidates: maps of links that fit the flows and the
// faults. Whether machines behave alike is seen as they are run.
func (n *Network) symmetries(ports []int) (identity *symmetry, others []*symmetry) {
	f := &finder{
		network: n, ports: ports, used: make([]bool, len(n.Links)), taken: make([]bool, len(n.Nodes)),
	}
	f.at.wire = make([]int, 2*len(n.Links))
	for _, count := range ports {
		f.at.node = append(f.at.node, -1)
		f.at.port = append(f.at.port, slices.Repeat([]sluice.PortID{sluice.Local}, count))
	}
	identity = f.identity()
	f.at.flow, f.at.flaps, f.at.restarts = identity.flow, identity.flaps, identity.restarts
	f.link(0)
	return identity, slices.DeleteFunc(f.found, identity.equal)
}

func (f *finder) identity() *symmetry {
	n := f.network
	s := &symmetry{
		node: upTo[int](len(n.Nodes)), wire: upTo[int](2 * len(n.Links)), flow: upTo[int](len(n.Flows)),
		flaps:    upTo[int](len(n.Faults.Flaps)),
		restarts: upTo[int](len(n.Faults.Restarts)),
	}
	for _, ports := range f.ports {
		s.port = append(s.port, upTo[sluice.PortID](ports))
	}
	return s
}

func upTo[T int | sluice.PortID](n int) (all []T) {
	for i := range n {
		all = append(all, T(i))
	}
	return all
}

// mostFound ends the search for symmetries.
const mostFound = 1000

// link maps a link to each that fits, and all links after it.
func (f *finder) link(l int) {
	links := f.network.Links
	if l == len(links) {
		f.complete()
		return
	}
	for to, m := range links {
		for turned, ends := range [][2]sluice.Hop{{m.A, m.B}, {m.B, m.A}} {
			if f.used[to] || len(f.found) >= mostFound || turned == 1 && m.A.Switch == m.B.Switch {
				continue
			}
			undoA, ok := f.end(links[l].A, ends[0])
			if ok {
				undoB, ok := f.end(links[l].B, ends[1])
				if ok {
					f.used[to] = true
					f.at.wire[2*l], f.at.wire[2*l+1] = 2*to+turned, 2*to+1-turned
					f.link(l + 1)
					f.used[to] = false
				}
				undoB()
			}
			undoA()
		}
	}
}

// end maps a port to another, if their nodes can be mapped. undo takes the map back.
func (f *finder) end(from, to sluice.Hop) (undo func(), ok bool) {
	undo = func() {}
	node := int(to.Switch)
	if known := f.at.node[from.Switch]; known >= 0 && known != node || known < 0 && f.taken[node] ||
		f.ports[from.Switch] != f.ports[node] {
		return undo, false
	}
	before, taken := f.at.node[from.Switch], f.taken[node]
	f.at.node[from.Switch], f.taken[node] = node, true
	f.at.port[from.Switch][from.Port] = to.Port
	return func() {
		f.at.node[from.Switch], f.taken[node] = before, taken
		f.at.port[from.Switch][from.Port] = sluice.Local
	}, true
}

// complete maps what no link leads to, flows, and faults, and notes the symmetry if all fit.
func (f *finder) complete() {
	identity := f.identity()
	s := f.at.after(identity) // a copy
	for i := range s.node {
		if s.node[i] < 0 {
			if f.taken[i] {
				return
			}
			s.node[i] = i
		}
		for p, to := range s.port[i] {
			if to == sluice.Local { // without a link: to the same port
				if slices.Contains(s.port[i], sluice.PortID(p)) {
					return
				}
				s.port[i][p] = sluice.PortID(p)
			}
		}
	}
	n := f.network
	var ok [3]bool
	s.flow, ok[0] = match(len(n.Flows), func(i, k int) bool { return n.alike(s, i, k) })
	s.flaps, ok[1] = match(len(n.Faults.Flaps), func(i, k int) bool {
		return s.wire[2*n.Faults.Flaps[i]]/2 == n.Faults.Flaps[k]
	})
	s.restarts, ok[2] = match(len(n.Faults.Restarts), func(i, k int) bool {
		return s.node[n.Faults.Restarts[i]] == n.Faults.Restarts[k]
	})
	for _, id := range n.Faults.Restarts { // whose links come back in the order of ports
		ok[2] = ok[2] && slices.IsSorted(s.port[id])
	}
	if ok == [3]bool{true, true, true} {
		f.found = append(f.found, s)
	}
}

// alike reports whether a symmetry can map a flow to another.
func (n *Network) alike(s *symmetry, i, k int) bool {
	a, b := &n.Flows[i], &n.Flows[k]
	return a.Packets == b.Packets && a.Late == b.Late &&
		slices.EqualFunc(a.Way, b.Way, func(x, y sluice.Hop) bool { return s.hop(x) == y })
}

// match gives each of n things the first free thing that it fits.
func match(n int, fits func(i, k int) bool) (to []int, ok bool) {
	used := make([]bool, n)
	to = make([]int, n)
	for i := range n {
		k := 0
		for k < n && (used[k] || !fits(i, k)) {
			k++
		}
		if k == n {
			return nil, false
		}
		to[i], used[k] = k, true
	}
	return to, true
}
