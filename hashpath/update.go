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
// down. It takes a search for the entries that name the link, and a breadth-first search for each
// destination to which a switch lost its last shortest path.
func (n *Network) FailLink(at sluice.Hop) error {
	return n.setLinks("FailLink", at.Switch, int(at.Port), false)
}

// RestoreLink brings up the link at a port. With Resilient, a member that comes back takes its
// share of buckets, its old ones first, and no other flow moves. Errors and work are as of
// FailLink.
func (n *Network) RestoreLink(at sluice.Hop) error {
	return n.setLinks("RestoreLink", at.Switch, int(at.Port), true)
}

// FailNode takes down all links of a switch or host at once.
func (n *Network) FailNode(at sluice.SwitchID) error {
	return n.setLinks("FailNode", at, allPorts, false)
}

// RestoreNode brings up all links of a switch or host at once, also those that FailLink took down.
func (n *Network) RestoreNode(at sluice.SwitchID) error {
	return n.setLinks("RestoreNode", at, allPorts, true)
}

// SetWeight gives a port its weight as a member of ECMP groups (WCMP), 1 to MaxWeight. With
// Resilient only as many buckets move as the shares demand. It returns a *sluice.ConfigError if the
// node, the port or the weight is none.
func (n *Network) SetWeight(at sluice.Hop, weight int) error {
	if !isWeight(weight) {
		return refuse("SetWeight", weight, weightRule)
	}
	return n.change("SetWeight", at.Switch, int(at.Port), func(d *draft, x, link uint32) {
		if link < d.was.exits && d.weight(link) != uint8(weight) {
			d.weights[link] = uint8(weight)
			d.reweigh(x, uint16(link-d.was.nodes[x].trunks))
		}
	})
}

// IsUp reports whether the link at a port is up; false too if there is none.
func (n *Network) IsUp(at sluice.Hop) bool {
	t := n.now.Load()
	_, links, ok := t.find(at.Switch, int(at.Port))
	return ok && !t.isDown(links[0])
}

func (n *Network) setLinks(call string, id sluice.SwitchID, port int, up bool) error {
	return n.change(call, id, port, func(d *draft, x, link uint32) { d.setLink(x, link, up) })
}

// change makes the next state of the network: how changes links at a port of a node, or all.
func (n *Network) change(
	call string, id sluice.SwitchID, port int, how func(d *draft, x, link uint32),
) error {
	n.update.Lock()
	defer n.update.Unlock()
	d := newDraft(n, n.now.Load())
	x, links, ok := d.was.find(id, port)
	switch {
	case ok:
	case port == allPorts:
		return refuse(call, id, "must be a node of the network")
	default:
		at := sluice.Hop{Switch: id, Port: sluice.PortID(port)}
		return refuse(call, at, "must be a port of the network")
	}
	for _, link := range links {
		how(d, x, link)
	}
	n.now.Store(d.finish())
	return nil
}

// setLink changes the state of a link of node x. If it is a trunk it changes the state of the other
// direction too, and then the entries for every destination.
func (d *draft) setLink(x, i uint32, up bool) {
	if !d.put(i, up) || i >= d.was.exits {
		return
	}
	d.open()
	y, j := d.was.links[i].index(), d.reverse(i, x)
	d.put(j, up)
	d.up[i], d.up[j] = up, up
	for k := range d.was.dests {
		where := uint32(k)
		if d.static != nil {
			d.reroute(where)
			continue
		}
		a, b := d.distanceTo(x, where), d.distanceTo(y, where)
		switch {
		case a > b && d.leadsTo(y, where):
			d.relink(x, i, where, a-b, up)
		case b > a && d.leadsTo(x, where):
			d.relink(y, j, where, b-a, up)
		}
	}
}

func (d *draft) put(link uint32, up bool) bool {
	i, isDown := slices.BinarySearch(d.down, link)
	switch {
	case up && isDown:
		d.down = slices.Delete(d.down, i, i+1)
	case !up && !isDown:
		d.down = slices.Insert(d.down, i, link)
	}
	return up == isDown
}

func (d *draft) reverse(i, x uint32) uint32 {
	by := d.was.links[i]
	base := d.was.nodes[by.index()].trunks
	for k, back := range d.was.trunksOf(by.index()) {
		j := base + uint32(k)
		if back.index() == x && uint16(back.port()) == d.ends[i] && d.ends[j] == uint16(by.port()) {
			return j
		}
	}
	return i
}

// relink updates the tables after a trunk of node x came up or went down. The trunk leads to node
// where, which is nearer hops closer to a destination. If the distance of x stays, no other node
// changes.
func (d *draft) relink(x, trunk, where uint32, nearer int32, up bool) {
	members, member := d.membersOf(d.rows[x][where]), uint16(trunk-d.was.nodes[x].trunks)
	at, is := slices.BinarySearch(members, member)
	switch {
	case up && nearer > 1, !up && is && len(members) == 1:
		d.reroute(where)
		return
	case up && !is:
		members = slices.Insert(slices.Clone(members), at, member)
	case !up && is:
		members = slices.Delete(slices.Clone(members), at, at+1)
	}
	d.follow(x, where, members)
}

// reweigh refills the groups of node x that have a member whose weight changed.
func (d *draft) reweigh(x uint32, member uint16) {
	d.open()
	d.last[x] = made{}
	for where, old := range d.rows[x] {
		members := d.membersOf(old)
		if d.homes[where] != x && slices.Contains(members, member) {
			d.set(x, uint32(where), d.next(x, old, members, true))
		}
	}
}

// distanceTo returns the hops to a destination by the entries as they are, without static routes.
func (d *draft) distanceTo(x, where uint32) int32 {
	for hops := int32(0); ; hops++ {
		if x == d.homes[where] {
			return hops
		}
		e := d.rows[x][where]
		if e == entryNone {
			return unreached
		}
		m := uint32(e & entryValue)
		if e&entryKind == entryGroup {
			m = uint32(d.groups[m].slots[0])
		}
		x = d.was.links[d.was.nodes[x].trunks+m].index()
	}
}
