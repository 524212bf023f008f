package topo

import (
	"bufio"
	"fmt"
	"io"
	"strconv"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/topo/textfile"
)

// WriteHPCC writes the graph in HPCC's format, see Read, which reads back the same nodes, ports and
// links; tiers, racks and whether hosts forward too, if they are what Read derives. The graph must
// pass Validate.
func (g *Graph) WriteHPCC(w io.Writer) error {
	links, err := g.linksInOrder()
	if err != nil {
		return err
	}
	out := bufio.NewWriter(w)
	switches := g.switches()
	fmt.Fprintf(out, "%d %d %d\n", len(g.Nodes), len(switches), len(links))
	for i, id := range switches {
		if i > 0 {
			out.WriteByte(' ')
		}
		fmt.Fprint(out, id)
	}
	out.WriteByte('\n')
	var line []byte
	for _, l := range links {
		line = appendEnds(line[:0], l)
		line = textfile.AppendQuantity(line, int64(l.link.Rate), textfile.RateUnits)
		line = append(line, ' ')
		line = textfile.AppendQuantity(line, int64(l.link.Delay), textfile.DelayUnits)
		line = append(line, " 0\n"...)
		out.Write(line)
	}
	return out.Flush()
}

// WritePyrrha writes the graph in Pyrrha's format, as WriteHPCC does in HPCC's. The format asks
// that all racks have as many hosts; an error says so if they have not. As number of spines it has
// that of the switches of the highest tier.
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
	fmt.Fprintf(
		out, "%d %d %d %d %d %d\n", len(g.Nodes), len(switches), hostsPerRack, tors, spines, len(links),
	)
	for _, id := range switches {
		fmt.Fprintln(out, id)
	}
	var line []byte
	for _, l := range links {
		line = appendEnds(line[:0], l)
		line = textfile.AppendDecimal(line, int64(l.link.Rate), 9, 0)
		line = append(line, ' ')
		line = textfile.AppendDecimal(line, int64(l.link.Delay), 3, 0)
		line = append(line, '\n')
		out.Write(line)
	}
	return out.Flush()
}

func appendEnds(dst []byte, l fileLink) []byte {
	dst = strconv.AppendUint(dst, uint64(l.a), 10)
	dst = append(dst, ' ')
	dst = strconv.AppendUint(dst, uint64(l.b), 10)
	return append(dst, ' ')
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

// shape counts for the first line of Pyrrha's format.
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
// again, lower node first. Among the links that may come next it takes that of the lowest node and
// port, so that a file of the usual kind is written as it was read.
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
