package tofino

import (
	"slices"

	"github.com/sluicefc/sluice/hashpath"
)

// transit is a packet for a destination at a node that is not the destination.
type transit struct{ node, destination int }

// reach says which packets can be at which nodes behind a switch, hop by hop.
type reach struct {
	snapshot *hashpath.Snapshot
	hops     []reached
}

// reached is what can happen at one hop.
type reached struct {
	transits []transit
	arrivals []transit // the node is the destination
	next     []leap    // by which links transits go on
}

// leap is a link that packets can take at a hop.
type leap struct{ node, link int }

// search follows packets for all destinations from a node, within the given hops. ok is false if
// some are under way even then.
func search(s *hashpath.Snapshot, from, hops int) (r *reach, ok bool) {
	r = &reach{snapshot: s}
	f := newFollower(s)
	var at reached
	for destination := range s.Destinations {
		at.enter(s, transit{from, destination})
	}
	for range hops {
		following := f.follow(&at)
		r.hops = append(r.hops, at)
		if len(following.transits)+len(following.arrivals) == 0 {
			return r, true
		}
		at = following
	}
	return r, false
}

// enter notes a packet at a node.
func (r *reached) enter(s *hashpath.Snapshot, t transit) {
	if s.Nodes[t.node].Destination == t.destination {
		r.arrivals = append(r.arrivals, t)
		return
	}
	r.transits = append(r.transits, t)
}

// owns returns the nodes at which packets arrive.
func (r *reached) owns() map[int]bool {
	owns := map[int]bool{}
	for _, t := range r.arrivals {
		owns[t.node] = true
	}
	return owns
}

// follower goes from hop to hop. A packet for one destination can come to a node by several ways,
// and packets for several destinations can take one link: each packet and each link is noted once,
// in the order in which it is met.
type follower struct {
	snapshot *hashpath.Snapshot
	groups   [][]int // different links of each group
	links    []int   // number of each node's first link, among all
	all      int     // links
}

func newFollower(s *hashpath.Snapshot) *follower {
	f := &follower{snapshot: s, groups: make([][]int, len(s.Groups)), links: make([]int, len(s.Nodes))}
	for at := range s.Nodes {
		f.links[at] = f.all
		f.all += len(s.Nodes[at].Links)
	}
	for at, slots := range s.Groups {
		for _, link := range slots {
			if !slices.Contains(f.groups[at], link) {
				f.groups[at] = append(f.groups[at], link)
			}
		}
	}
	return f
}

// follow returns what can happen a hop later.
func (f *follower) follow(r *reached) reached {
	s := f.snapshot
	var after reached
	entered, taken := newMarks(len(s.Nodes)*len(s.Destinations)), newMarks(f.all)
	var single [1]int
	for _, t := range r.transits {
		node := &s.Nodes[t.node]
		var ways []int
		switch e := s.Replicas[node.Replica][t.destination]; e.Kind {
		case hashpath.ToLink:
			single[0] = e.Index
			ways = single[:]
		case hashpath.ToGroup:
			ways = f.groups[e.Index]
		}
		for _, link := range ways {
			if taken.first(f.links[t.node] + link) {
				r.next = append(r.next, leap{t.node, link})
			}
			peer := node.Links[link].Peer
			if entered.first(peer*len(s.Destinations) + t.destination) {
				after.enter(s, transit{peer, t.destination})
			}
		}
	}
	return after
}

// marks are a bit for each of many things.
type marks []uint64

func newMarks(count int) marks { return make(marks, (count+63)/64) }

// first marks a thing, and reports whether it was not marked before.
func (m marks) first(at int) bool {
	bit := uint64(1) << (at % 64)
	was := m[at/64] & bit
	m[at/64] |= bit
	return was == 0
}
