package topo

import (
	"bufio"
	"cmp"
	"container/heap"
	"fmt"
	"io"
	"strings"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/topo/textfile"
)

// WriteHPCC writes the graph in HPCC's format, see Read, which reads back the same nodes, ports,
// links and groups; tiers, racks and whether hosts forward too, if they are what Read derives. The
// graph must pass Validate.
func (g *Graph) WriteHPCC(w io.Writer) error {
	links, err := g.linksInOrder()
	if err != nil {
		return err
	}
	out := bufio.NewWriter(w)
	switches := g.switches()
	fmt.Fprintf(out, "%d %d %d\n", len(g.Nodes), len(switches), len(links))
	fmt.Fprintln(out, strings.Trim(fmt.Sprint(switches), "[]"))
	for _, l := range links {
		fmt.Fprintf(out, "%d %d %s %s 0\n", l.a, l.b,
			textfile.AppendQuantity(nil, int64(l.link.Rate), textfile.RateUnits),
			textfile.AppendQuantity(nil, int64(l.link.Delay), textfile.DelayUnits))
	}
	return g.writeGroups(out)
}

// WritePyrrha writes the graph in Pyrrha's format, as WriteHPCC does in HPCC's. The format asks
// that all racks have as many hosts; an error says so if they have not. Spines are the switches of
// the highest tier.
func (g *Graph) WritePyrrha(w io.Writer) error {
	links, err := g.linksInOrder()
	if err != nil {
		return err
	}
	hostsPerRack, tors, spines, err := g.shape()
	if err != nil {
		return err
	}
	out := bufio.NewWriter(w)
	switches := g.switches()
	fmt.Fprintf(out, "%d %d %d %d %d %d\n", len(g.Nodes), len(switches), hostsPerRack, tors, spines,
		len(links))
	for _, id := range switches {
		fmt.Fprintln(out, id)
	}
	for _, l := range links {
		fmt.Fprintf(out, "%d %d %s %s\n", l.a, l.b,
			textfile.AppendDecimal(nil, int64(l.link.Rate), 9, 0),
			textfile.AppendDecimal(nil, int64(l.link.Delay), 3, 0))
	}
	return g.writeGroups(out)
}

func (g *Graph) writeGroups(out *bufio.Writer) error {
	for i := range g.Groups {
		out.Write(g.Groups[i].appendTo(nil))
	}
	return out.Flush()
}

func (g *Graph) switches() []sluice.SwitchID {
	var ids []sluice.SwitchID
	for id := range g.Nodes {
		if !g.IsHost(sluice.SwitchID(id)) {
			ids = append(ids, sluice.SwitchID(id))
		}
	}
	return ids
}

func (g *Graph) shape() (hostsPerRack, tors, spines int, err error) {
	var highest Tier
	for id := range g.Nodes {
		n := sluice.SwitchID(id)
		if g.IsHost(n) {
			continue
		}
		if highest < g.Nodes[id].Tier {
			highest, spines = g.Nodes[id].Tier, 0
		}
		if highest > 1 && highest == g.Nodes[id].Tier {
			spines++
		}
		hosts := 0
		for _, p := range g.Nodes[id].Ports {
			if g.IsHost(p.Peer) && g.isHome(p.Peer, n, p.PeerPort) {
				hosts++
			}
		}
		switch {
		case hosts == 0:
		case tors > 0 && hosts != hostsPerRack:
			return 0, 0, 0, fmt.Errorf(
				"topo: switch %d has %d hosts, an earlier one %d: the format asks for equal racks", id, hosts,
				hostsPerRack,
			)
		default:
			hostsPerRack = hosts
			tors++
		}
	}
	return hostsPerRack, tors, spines, nil
}

// linksInOrder returns the links in an order in which Connect would give every port its number
// again, lower node first. Among the links that may come next it takes the link of the lowest node
// and port, so that a file of the usual kind is written as it was read.
func (g *Graph) linksInOrder() ([]fileLink, error) {
	if err := g.Validate(); err != nil {
		return nil, err
	}
	order := linkOrder{graph: g, next: make([]int, len(g.Nodes))}
	for id := range g.Nodes {
		if n := sluice.SwitchID(id); n < g.Nodes[id].Ports[0].Peer {
			order.offer(n)
		}
	}
	links := make([]fileLink, 0, g.Links())
	for len(order.ready) > 0 {
		links = append(links, order.take())
	}
	if len(links) < g.Links() {
		return nil, fmt.Errorf(
			"topo: no order of links gives the ports their numbers; make the graph with Connect",
		)
	}
	return links, nil
}

// linkOrder finds an order of links: a link is ready when it has the next port at both ends.
type linkOrder struct {
	graph *Graph
	next  []int // of each node, the port whose link comes next
	ready linkHeap
}

// offer adds the link of node n's next port if it is ready.
func (o *linkOrder) offer(n sluice.SwitchID) {
	if o.next[n] == len(o.graph.Nodes[n].Ports) {
		return
	}
	at := sluice.PortID(o.next[n])
	p := o.graph.Nodes[n].Ports[at]
	if o.next[p.Peer] != int(p.PeerPort) {
		return
	}
	end := sluice.Hop{Switch: n, Port: at}
	if p.Peer < n {
		end = sluice.Hop{Switch: p.Peer, Port: p.PeerPort}
	}
	heap.Push(&o.ready, end)
}

// take returns the ready link of the lowest node and port, and offers the links that follow it.
func (o *linkOrder) take() fileLink {
	end := heap.Pop(&o.ready).(sluice.Hop)
	p := o.graph.Nodes[end.Switch].Ports[end.Port]
	o.next[end.Switch]++
	o.next[p.Peer]++
	o.offer(end.Switch)
	if !o.parallel(end.Switch, p.Peer) {
		o.offer(p.Peer)
	}
	return fileLink{a: end.Switch, b: p.Peer, link: p.Link}
}

// parallel reports whether the next link of a is the next link of b, which is then offered once.
func (o *linkOrder) parallel(a, b sluice.SwitchID) bool {
	if o.next[b] == len(o.graph.Nodes[b].Ports) {
		return false
	}
	p := o.graph.Nodes[b].Ports[o.next[b]]
	return p.Peer == a && int(p.PeerPort) == o.next[a]
}

// linkHeap is a heap of links, each named by its lower end.
type linkHeap []sluice.Hop

func (h linkHeap) Len() int           { return len(h) }
func (h linkHeap) Less(i, j int) bool { return cmp.Less(h[i].Key(), h[j].Key()) }
func (h linkHeap) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *linkHeap) Push(x any)        { *h = append(*h, x.(sluice.Hop)) }

func (h *linkHeap) Pop() any {
	last := (*h)[len(*h)-1]
	*h = (*h)[:len(*h)-1]
	return last
}
