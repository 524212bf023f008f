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
	return n.change("SetWeight", at, func(d *draft, index uint32, port sluice.PortID) {
		for _, i := range d.tables.trunksAt(index, port) {
			if d.layout.weight(i) != uint8(weight) {
				d.layout.weights[i] = uint8(weight)
				d.reweigh(index, d.member(index, i))
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
	return ok && !t.isDown(makeSpot(index, port, false))
}

func (n *Network) setLink(call string, at sluice.Hop, up bool) error {
	return n.change(call, at, func(d *draft, index uint32, port sluice.PortID) {
		d.setPort(index, port, up)
	})
}

// change makes the next state of the network, in which the port at is other than now.
func (n *Network) change(
	call string, at sluice.Hop, how func(d *draft, index uint32, port sluice.PortID),
) error {
	n.update.Lock()
	defer n.update.Unlock()
	t := n.now.Load()
	index, port, ok := t.locate(at)
	if !ok {
		return configError(call, at, "must be a port of the network")
	}
	d := newDraft(n.layout, t)
	how(d, index, port)
	n.now.Store(d.finish())
	return nil
}

func (n *Network) setNode(call string, at sluice.SwitchID, up bool) error {
	n.update.Lock()
	defer n.update.Unlock()
	t := n.now.Load()
	p := t.placeOf(at)
	if p == none {
		return configError(call, at, "must be a node of the network")
	}
	d := newDraft(n.layout, t)
	if index := p.index(); p.isFlagged() {
		d.setPort(index, p.port(), up)
	} else {
		for i := range t.trunksOf(index) {
			d.setTrunk(t.nodes[index].trunks+uint32(i), index, up)
		}
		for _, exit := range t.exitsOf(index) {
			d.setExit(exit, up)
		}
	}
	n.now.Store(d.finish())
	return nil
}

// locate returns the node and port of a link; of a host on one switch, the switch and its port
// there.
func (t *tables) locate(at sluice.Hop) (index uint32, port sluice.PortID, ok bool) {
	p := t.placeOf(at.Switch)
	switch {
	case p == none:
		return 0, 0, false
	case p.isFlagged():
		return p.index(), p.port(), at.Port == 0
	}
	_, isTrunk := findPort(t.trunksOf(p.index()), at.Port)
	return p.index(), at.Port, isTrunk || t.isExit(p.index(), at.Port)
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

// setPort changes the state of the links at a port of a node.
func (d *draft) setPort(index uint32, port sluice.PortID, up bool) {
	for _, i := range d.tables.trunksAt(index, port) {
		d.setTrunk(i, index, up)
	}
	exits := d.tables.exitsOf(index)
	if i, ok := findPort(exits, port); ok {
		d.setExit(exits[i], up)
	}
}

// setExit changes the state of the link to a host or prefix that is no node.
func (d *draft) setExit(exit spot, up bool) {
	i, isDown := slices.BinarySearch(d.down, exit)
	switch {
	case up && isDown:
		d.down = slices.Delete(d.down, i, i+1)
	case !up && !isDown:
		d.down = slices.Insert(d.down, i, exit)
	}
}

// setTrunk changes the state of a trunk of node x and of its other direction, and then the entries
// for every destination.
func (d *draft) setTrunk(i, x uint32, up bool) {
	if d.layout.up[i] == up {
		return
	}
	y := d.tables.trunks[i].index()
	j := d.reverse(i, x)
	d.layout.up[i], d.layout.up[j] = up, up
	for k := range d.tables.dests {
		where := uint32(k)
		if d.layout.static != nil {
			d.reroute(where)
			continue
		}
		a, b := d.distanceTo(x, where), d.distanceTo(y, where)
		switch {
		case a > b && d.leadsTo(y, where):
			d.relink(x, d.member(x, i), where, a-b, up)
		case b > a && d.leadsTo(x, where):
			d.relink(y, d.member(y, j), where, b-a, up)
		}
	}
}

// member returns the number of a trunk among those of node x.
func (d *draft) member(x, trunk uint32) uint16 { return uint16(trunk - d.tables.nodes[x].trunks) }

// reverse returns the other direction of a trunk.
func (d *draft) reverse(i, x uint32) uint32 {
	by := d.tables.trunks[i]
	for k, back := range d.tables.trunksOf(by.index()) {
		j := d.tables.nodes[by.index()].trunks + uint32(k)
		if back.index() == x && back.port() == sluice.PortID(d.layout.arrivals[i])&portMask &&
			sluice.PortID(d.layout.arrivals[j])&portMask == by.port() {
			return j
		}
	}
	return i
}

// relink follows a link of node x that came up or went down, to a node that is nearer to a
// destination by so many hops. If the distance of x stays, or x does not forward, no other node is
// concerned.
func (d *draft) relink(x uint32, member uint16, where uint32, nearer int32, up bool) {
	members := d.membersOf(x, d.get(x, where))
	at := slices.Index(members, member)
	switch {
	case !d.layout.kinds[x].forwards():
		d.approach(x, where)
		members = d.collect(x, where)
	case up && nearer > 1, !up && at == 0 && len(members) == 1:
		d.reroute(where)
		return
	case up && at < 0:
		members = insertByPort(d.tables.trunksOf(x), members, member)
	case !up && at >= 0:
		members = slices.Delete(members, at, at+1)
	}
	d.follow(x, where, members)
}

// reweigh refills the groups of node x that have a member whose weight changed.
func (d *draft) reweigh(x uint32, member uint16) {
	for i := range d.tables.dests {
		where := uint32(i)
		old := d.get(x, where)
		members := d.membersOf(x, old)
		if d.layout.homes[where] != x && slices.Contains(members, member) {
			d.set(x, where, d.next(x, old, members, true))
		}
	}
}

// distanceTo returns the hops from node x to a destination by the entries as they are; unreached if
// there is no way. There are no static routes, so that the way has no loop.
func (d *draft) distanceTo(x, where uint32) int32 {
	for hops := int32(0); ; hops++ {
		if x == d.layout.homes[where] {
			return hops
		}
		e := d.get(x, where)
		if e == entryNone {
			return unreached
		}
		m := uint32(e & entryValue)
		if e&entryKind == entryGroup {
			m = uint32(d.groups[m][0])
		}
		x = d.tables.trunks[d.tables.nodes[x].trunks+m].index()
	}
}

// approach finds the distances of a node that does not forward and of its neighbours, for collect.
func (d *draft) approach(x, where uint32) {
	nearest := int32(unreached)
	for m, by := range d.tables.trunksOf(x) {
		peer := by.index()
		d.distance[peer] = d.distanceTo(peer, where)
		if d.layout.up[d.tables.nodes[x].trunks+uint32(m)] && d.leadsTo(peer, where) {
			nearest = min(nearest, d.distance[peer])
		}
	}
	if d.distance[x] = unreached; nearest != unreached {
		d.distance[x] = nearest + 1
	}
}
