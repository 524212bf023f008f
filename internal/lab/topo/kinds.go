package topo

import (
	"encoding/binary"

	"github.com/sluicefc/sluice"
)

// Kinds returns the lowest node of each kind, in ascending order. Two nodes are of one kind if they
// are both hosts, or switches of one tier, and their ports, number by number, have the same links
// to nodes of one kind, as far as eight links away. A fat-tree has four kinds whatever its size.
// Linear in nodes and links.
func (g *Graph) Kinds() (first []sluice.SwitchID) {
	const sight = 8
	kinds, next := make([]int32, len(g.Nodes)), make([]int32, len(g.Nodes))
	links, last := map[sluice.Link]uint32{}, sluice.Link{Rate: -1}
	for range sight {
		count := len(first)
		first = first[:0]
		known := make(map[string]int32, count)
		var key []byte
		number := uint32(0)
		for id := range g.Nodes {
			n := &g.Nodes[id]
			key = append(key[:0], byte(n.Tier))
			key = binary.NativeEndian.AppendUint32(key, uint32(kinds[id]))
			for i := range n.Ports {
				if link := n.Ports[i].Link; link != last {
					is, ok := links[link]
					if !ok {
						is = uint32(len(links))
						links[link] = is
					}
					last, number = link, is
				}
				key = binary.NativeEndian.AppendUint32(key, number)
				key = binary.NativeEndian.AppendUint32(key, uint32(kinds[n.Ports[i].Peer]))
			}
			kind, ok := known[string(key)]
			if !ok {
				kind = int32(len(known))
				known[string(key)] = kind
				first = append(first, sluice.SwitchID(id))
			}
			next[id] = kind
		}
		if kinds, next = next, kinds; len(first) == count {
			break // nothing more will tell any apart
		}
	}
	return first
}
