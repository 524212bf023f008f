package topo

import (
	"cmp"
	"container/heap"

	"github.com/sluicefc/sluice"
)

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

// take returns the ready link of the lowest node and port, and offers those that follow it.
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
