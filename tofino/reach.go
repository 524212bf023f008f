package tofino

import "github.com/sluicefc/sluice/hashpath"

// transit is what can happen at one hop: a packet for a destination at a node that is not it.
type transit struct{ node, destination int }

// reach is which packets can be where behind a switch, hop by hop.
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

// search follows packets for all destinations from a node for at most so many hops. ok is false if
// some are under way even then.
func search(s *hashpath.Snapshot, from, hops int) (r *reach, ok bool) {
	r = &reach{snapshot: s}
	var at reached
	for destination := range s.Destinations {
		at.enter(s, transit{from, destination})
	}
	for range hops {
		following := at.follow(s)
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

// follow returns what can happen a hop later.
func (r *reached) follow(s *hashpath.Snapshot) reached {
	var after reached
	entered, taken := map[transit]bool{}, map[leap]bool{}
	for _, t := range r.transits {
		node := &s.Nodes[t.node]
		for _, link := range ways(s, s.Replicas[node.Replica][t.destination]) {
			if step := (leap{t.node, link}); !taken[step] {
				taken[step] = true
				r.next = append(r.next, step)
			}
			next := transit{node.Links[link].Peer, t.destination}
			if !entered[next] {
				entered[next] = true
				after.enter(s, next)
			}
		}
	}
	return after
}

// ways returns the numbers of the links by which an entry can send, each once.
func ways(s *hashpath.Snapshot, e hashpath.Entry) []int {
	switch e.Kind {
	case hashpath.ToLink:
		return []int{e.Index}
	case hashpath.ToGroup:
		var links []int
		seen := map[uint16]bool{}
		for _, link := range s.Groups[e.Index] {
			if !seen[link] {
				seen[link] = true
				links = append(links, int(link))
			}
		}
		return links
	}
	return nil
}
