package hashpath

import (
	"slices"

	"github.com/sluicefc/sluice"
)

// FailLink takes down the link at a port, in both directions. Paths are the shortest over the links
// that remain; a Path that is being calculated uses the old state or the new one, whole. With
// Resilient, flows that did not use the link stay where they are wherever their ports are still on
// a shortest path.
//
// It returns a *sluice.ConfigError if the node or the port is unknown. A link that is down stays
// down. The work is that of finding the entries that name the link, and a breadth-first search for
// each destination to which a switch lost its last shortest path.
func (n *Network) FailLink(at sluice.Hop) error {
	return n.setLink("FailLink", at, false)
}

// RestoreLink brings up the link at a port. With Resilient, a member that comes back takes its
// share of buckets, its old ones first, and no other flow moves. Errors and work are as of
// FailLink.
func (n *Network) RestoreLink(at sluice.Hop) error {
	return n.setLink("RestoreLink", at, true)
}

// FailNode takes down all links of a switch or host at once.
func (n *Network) FailNode(at sluice.SwitchID) error { return n.setNode("FailNode", at, false) }

// RestoreNode brings up all links of a switch or host at once, also those that FailLink took down.
func (n *Network) RestoreNode(at sluice.SwitchID) error {
	return n.setNode("RestoreNode", at, true)
}

// SetWeight gives a port its weight as a member of ECMP groups (WCMP), 1 to MaxWeight. With
// Resilient only as many buckets move as the shares demand. It returns a *sluice.ConfigError if the
// node, the port or the weight is none.
func (n *Network) SetWeight(at sluice.Hop, weight int) error {
	if weight < 1 || weight > MaxWeight {
		return configError("SetWeight", weight, "must be 1 to 255")
	}
	return n.change("SetWeight", at, func(u *update, index uint32, port sluice.PortID) {
		for _, i := range u.tables.trunksAt(index, port) {
			if u.layout.weight(i) != uint8(weight) {
				u.layout.setWeight(i, uint8(weight))
				u.reweigh(index, u.member(index, i))
			}
		}
	})
}

// IsUp reports whether the link at a port is up; false too if there is none.
func (n *Network) IsUp(at sluice.Hop) bool {
	n.update.Lock()
	defer n.update.Unlock()
	t := n.now.Load()
	index, port, ok := t.locate(at)
	if trunks := t.trunksAt(index, port); ok && len(trunks) > 0 {
		return n.layout.up[trunks[0]]
	}
	return ok && !t.isDown(index, port)
}

func (n *Network) setLink(call string, at sluice.Hop, up bool) error {
	return n.change(call, at, func(u *update, index uint32, port sluice.PortID) {
		u.setPort(index, port, up)
	})
}

// change makes the next state of the network, in which the port at is other than now.
func (n *Network) change(
	call string, at sluice.Hop, how func(u *update, index uint32, port sluice.PortID),
) error {
	n.update.Lock()
	defer n.update.Unlock()
	index, port, ok := n.now.Load().locate(at)
	if !ok {
		return configError(call, at, "must be a port of the network")
	}
	u := n.open()
	how(u, index, port)
	u.publish(n)
	return nil
}

func (n *Network) setNode(call string, at sluice.SwitchID, up bool) error {
	n.update.Lock()
	defer n.update.Unlock()
	t := n.now.Load()
	p := t.placeOf(at)
	if p == noPlace {
		return configError(call, at, "must be a node of the network")
	}
	u := n.open()
	if p.isHost() {
		u.setPort(p.at(), p.port(), up)
	} else {
		for i := range t.trunksOf(p.node()) {
			u.setTrunk(t.nodes[p.node()].trunks+uint32(i), p.node(), up)
		}
		for port := range sluice.PortID(MaxPorts) {
			u.setExit(p.node(), port, up)
		}
	}
	u.publish(n)
	return nil
}

// locate returns the node and port of a link; of a host on one switch, the switch and its port
// there.
func (t *tables) locate(at sluice.Hop) (index uint32, port sluice.PortID, ok bool) {
	p := t.placeOf(at.Switch)
	switch {
	case p == noPlace:
		return 0, 0, false
	case p.isHost():
		return p.at(), p.port(), at.Port == 0
	}
	return p.node(), at.Port, t.isExit(p.node(), at.Port) || len(t.trunksAt(p.node(), at.Port)) > 0
}

// trunksAt returns the trunks of a node at a port: several if several prefixes leave by it.
func (t *tables) trunksAt(index uint32, port sluice.PortID) (trunks []uint32) {
	for i, by := range t.trunksOf(index) {
		if by.port() == port {
			trunks = append(trunks, t.nodes[index].trunks+uint32(i))
		}
	}
	return trunks
}

// update is a draft that follows changes of links.
type update struct {
	*draft
	down []uint32
}

func (n *Network) open() *update {
	t := n.now.Load()
	return &update{draft: newDraft(n.layout, t), down: slices.Clone(t.down)}
}

// publish makes the state of the draft that of the network.
func (u *update) publish(n *Network) {
	t := u.finish()
	t.down = u.down
	t.generation++
	n.now.Store(t)
}

// setPort changes the state of the links at a port of a node.
func (u *update) setPort(index uint32, port sluice.PortID, up bool) {
	for _, i := range u.tables.trunksAt(index, port) {
		u.setTrunk(i, index, up)
	}
	u.setExit(index, port, up)
}

// setExit changes the state of the link to a host or prefix that is no node, if there is one.
func (u *update) setExit(index uint32, port sluice.PortID, up bool) {
	if !u.tables.isExit(index, port) {
		return
	}
	key := exitKey(index, port)
	i, isDown := slices.BinarySearch(u.down, key)
	switch {
	case up && isDown:
		u.down = slices.Delete(u.down, i, i+1)
	case !up && !isDown:
		u.down = slices.Insert(u.down, i, key)
	}
}

// setTrunk changes the state of a trunk of node x and of its other direction, and then the entries
// for every destination.
func (u *update) setTrunk(i, x uint32, up bool) {
	if u.layout.up[i] == up {
		return
	}
	y := u.tables.trunks[i].peer()
	j := u.reverse(i, x)
	u.layout.up[i], u.layout.up[j] = up, up
	for d := range u.tables.dests {
		where := uint32(d)
		a, b := u.distanceTo(x, where), u.distanceTo(y, where)
		switch {
		case u.layout.static != nil:
			u.reroute(where)
		case a > b && u.leadsTo(y, where):
			u.relink(x, u.member(x, i), where, a-b, up)
		case b > a && u.leadsTo(x, where):
			u.relink(y, u.member(y, j), where, b-a, up)
		}
	}
}

// member returns the number of a trunk among those of node x.
func (u *update) member(x, trunk uint32) uint16 { return uint16(trunk - u.tables.nodes[x].trunks) }

// reverse returns the other direction of a trunk.
func (u *update) reverse(i, x uint32) uint32 {
	by := u.tables.trunks[i]
	for k, back := range u.tables.trunksOf(by.peer()) {
		j := u.tables.nodes[by.peer()].trunks + uint32(k)
		if back.peer() == x && back.port() == sluice.PortID(u.layout.arrivals[i])&portMask &&
			sluice.PortID(u.layout.arrivals[j])&portMask == by.port() {
			return j
		}
	}
	return i
}

// relink follows a link of node x, to one that is nearer to a destination by so many hops, that
// came up or went down. If the distance of x stays, or x does not forward, no other node is
// concerned.
func (u *update) relink(x uint32, member uint16, where uint32, nearer int32, up bool) {
	old := u.get(x, where)
	members := u.membersOf(x, old)
	at := slices.Index(members, member)
	switch {
	case !u.layout.kinds[x].forwards():
		u.approach(x, where)
		members = slices.Clone(u.collect(x, where))
	case up && nearer > 1, !up && at >= 0 && len(members) == 1:
		u.reroute(where)
		return
	case up && at < 0:
		members = append(members, member)
		u.sortByPort(x, members)
	case !up && at >= 0:
		members = slices.Delete(members, at, at+1)
	}
	u.follow(x, where, old, members)
}

// follow gives a node other members for a destination. If they are the same the entry stays.
func (u *update) follow(x, where uint32, old entry, members []uint16) {
	if !slices.Equal(members, u.membersOf(x, old)) {
		u.set(x, where, u.transition(x, old, members, false))
	}
}

// reroute finds the paths from everywhere to a destination anew.
func (u *update) reroute(where uint32) {
	u.search(where)
	for i := range u.tables.nodes {
		if x := uint32(i); x != u.layout.homes[where] {
			u.follow(x, where, u.get(x, where), slices.Clone(u.collect(x, where)))
		}
	}
}

// reweigh refills the groups of node x that have a member whose weight changed.
func (u *update) reweigh(x uint32, member uint16) {
	for d := range u.tables.dests {
		where := uint32(d)
		old := u.get(x, where)
		members := u.membersOf(x, old)
		if u.layout.homes[where] != x && slices.Contains(members, member) {
			u.set(x, where, u.transition(x, old, members, true))
		}
	}
}

// distanceTo returns the hops from node x to a destination by the entries as they are; unreached if
// there is no way. Without static routes the way has no loop.
func (u *update) distanceTo(x, where uint32) int32 {
	if u.layout.static != nil {
		return unreached
	}
	for hops := int32(0); ; hops++ {
		if x == u.layout.homes[where] {
			return hops
		}
		e := u.get(x, where)
		if e == entryNone {
			return unreached
		}
		m := uint32(e & entryValue)
		if e&entryKind == entryGroup {
			m = uint32(u.groups[m][0])
		}
		x = u.tables.trunks[u.tables.nodes[x].trunks+m].peer()
	}
}

// approach finds the distances of a node that does not forward and of its neighbours, for collect.
func (u *update) approach(x, where uint32) {
	nearest := int32(unreached)
	for m, by := range u.tables.trunksOf(x) {
		peer := by.peer()
		u.distance[peer] = u.distanceTo(peer, where)
		if u.layout.up[u.tables.nodes[x].trunks+uint32(m)] && u.leadsTo(peer, where) {
			nearest = min(nearest, u.distance[peer])
		}
	}
	if u.distance[x] = unreached; nearest != unreached {
		u.distance[x] = nearest + 1
	}
}
