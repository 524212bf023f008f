package zold

import (
	"slices"

	"github.com/sluicefc/sluice"
)

// FailLink takes down the link at a port, in both directions. Paths are the shortest over the links that
// remain; a Path that is being calculated uses the old state or the new one, whole. With Resilient, flows that did not
// use the link stay where they are wherever their ports are still on a shortest path.
//
// It returns a *sluice.ConfigError if the node or the port is unknown. A link that is down stays down.
// The work is that of finding the entries that name the link, and a breadth-first search for each destination to which a
// switch lost its last shortest path.
func (n *Network) FailLink(at sluice.Hop) error {
	return n.setLink("FailLink", at, false)
}

// RestoreLink brings up the link at a port. With Resilient, a member that comes back takes its share of
// buckets, its old ones first, and no other flow moves. Errors and work are as of FailLink.
func (n *Network) RestoreLink(at sluice.Hop) error {
	return n.setLink("RestoreLink", at, true)
}

// FailNode takes down all links of a switch or host at once.
func (n *Network) FailNode(at sluice.SwitchID) error { return n.setNode("FailNode", at, false) }

// RestoreNode brings up all links of a switch or host at once, also those that FailLink took down.
func (n *Network) RestoreNode(at sluice.SwitchID) error { return n.setNode("RestoreNode", at, true) }

// SetWeight gives a port its weight as a member of ECMP groups (WCMP), 1 to MaxWeight. With Resilient only as many
// buckets move as the shares demand. It returns a *sluice.ConfigError if the node, the port
// or the weight is none.
func (n *Network) SetWeight(at sluice.Hop, weight int) error {
	if weight < 1 || weight > MaxWeight {
		return configError("SetWeight", weight, "must be 1 to 255")
	}
	n.update.Lock()
	defer n.update.Unlock()
	ends, err := n.find("SetWeight", at)
	if err != nil {
		return err
	}
	u := n.open()
	for _, i := range ends.trunks {
		if n.layout.weight(int(i)) != uint8(weight) {
			n.layout.setWeight(int(i), uint8(weight))
			u.reweigh(ends.index, uint16(i-u.tables.nodes[ends.index].trunks))
		}
	}
	n.now.Store(u.finish())
	return nil
}

// IsUp reports whether the link at a port is up; false too if there is none.
func (n *Network) IsUp(at sluice.Hop) bool {
	n.update.Lock()
	defer n.update.Unlock()
	ends, err := n.find("IsUp", at)
	if err != nil {
		return false
	}
	if len(ends.trunks) > 0 {
		return n.layout.up[ends.trunks[0]]
	}
	return !n.now.Load().isDown(ends.index, ends.port)
}

// linkEnds is what a port's link is in the tables: the trunks of node index at the port (several if
// several prefixes leave by it), or, if exit, the way to hosts that are in no table.
type linkEnds struct {
	index  uint32
	port   sluice.PortID
	trunks []uint32
	exit   bool
}

func (n *Network) find(call string, at sluice.Hop) (linkEnds, error) {
	t := n.now.Load()
	p := t.places.find(at.Switch)
	if p == noPlace || p.isHost() && at.Port != 0 {
		return linkEnds{}, configError(call, at, "must be a port of the network")
	}
	if p.isHost() {
		return linkEnds{index: p.at(), port: p.port(), exit: true}, nil
	}
	ends := linkEnds{index: p.node(), port: at.Port}
	for i, by := range t.trunksOf(ends.index) {
		if by.port() == at.Port {
			ends.trunks = append(ends.trunks, t.nodes[ends.index].trunks+uint32(i))
		}
	}
	ends.exit = t.isExit(t.nodes[ends.index].dest, at.Port)
	if !ends.exit && ends.trunks == nil {
		return linkEnds{}, configError(call, at, "must be a port of the network")
	}
	return ends, nil
}

func (n *Network) setLink(call string, at sluice.Hop, up bool) error {
	n.update.Lock()
	defer n.update.Unlock()
	ends, err := n.find(call, at)
	if err != nil {
		return err
	}
	u := n.open()
	u.setEnds(ends, up)
	n.now.Store(u.finish())
	return nil
}

func (n *Network) setNode(call string, at sluice.SwitchID, up bool) error {
	n.update.Lock()
	defer n.update.Unlock()
	t := n.now.Load()
	p := t.places.find(at)
	if p == noPlace {
		return configError(call, at, "must be a node of the network")
	}
	u := n.open()
	if p.isHost() {
		u.setEnds(linkEnds{index: p.at(), port: p.port(), exit: true}, up)
	} else {
		index := p.node()
		first := t.nodes[index].trunks
		for i := range t.trunksOf(index) {
			u.setTrunk(first+uint32(i), index, up)
		}
		for port := range sluice.PortID(t.exitsWords * 64) {
			if t.isExit(t.nodes[index].dest, port) {
				u.setExit(index, port, up)
			}
		}
	}
	n.now.Store(u.finish())
	return nil
}

// update is a draft that follows changes of links.
type update struct {
	*draft
	down []uint32
}

func (n *Network) open() *update {
	t := n.now.Load()
	return &update{reopen(n.layout, t), slices.Clone(t.down)}
}

func (u *update) finish() *tables {
	t := u.draft.finish()
	t.down = u.down
	t.generation++
	return t
}

func (u *update) setEnds(ends linkEnds, up bool) {
	for _, i := range ends.trunks {
		u.setTrunk(i, ends.index, up)
	}
	if ends.exit {
		u.setExit(ends.index, ends.port, up)
	}
}

// setExit changes the state of the link between a switch and hosts that are in no table.
func (u *update) setExit(index uint32, port sluice.PortID, up bool) {
	key := index<<portBits | uint32(port)
	i, isDown := slices.BinarySearch(u.down, key)
	switch {
	case up && isDown:
		u.down = slices.Delete(u.down, i, i+1)
	case !up && !isDown:
		u.down = slices.Insert(u.down, i, key)
	}
}

// setTrunk changes the state of a trunk of node x and of its other direction.
func (u *update) setTrunk(i, x uint32, up bool) {
	if u.layout.up[i] == up {
		return
	}
	y := u.tables.trunks[i].peer()
	j := u.reverse(i, x)
	u.layout.up[i], u.layout.up[j] = up, up
	switch {
	case u.layout.static != nil:
		for where := range u.tables.dests {
			u.reroute(uint32(where))
		}
	case up:
		u.attach(i, x, j, y)
	default:
		lost := make([]bool, len(u.tables.dests))
		u.detach(x, uint16(i-u.tables.nodes[x].trunks), lost)
		u.detach(y, uint16(j-u.tables.nodes[y].trunks), lost)
		for where, redo := range lost {
			if redo {
				u.reroute(uint32(where))
			}
		}
	}
}

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

// detach removes a member from all entries of node x. Where it was the last the distance grows: lost
// says to which destinations. A host has no bearing on others' paths, so it looks for its next best at once.
func (u *update) detach(x uint32, member uint16, lost []bool) {
	isHost := u.layout.tiers[x] < 0
	u.replace(x, func(where uint32, old entry) entry {
		members := u.membersOf(x, old)
		at := slices.Index(members, member)
		if at < 0 {
			return old
		}
		members = slices.Delete(members, at, at+1)
		if len(members) == 0 && !isHost {
			lost[where] = true
			return old
		}
		if len(members) == 0 {
			members = u.nearestMembers(x, where)
		}
		return u.transition(x, old, members, false)
	})
}

// replace passes every entry of node x through change, once for each destination.
func (u *update) replace(x uint32, change func(where uint32, old entry) entry) {
	for block, dests := range u.layout.blocks {
		vector := slices.Clone(u.vectorOf(x, uint32(block)))
		u.markOwn(x, uint32(block), vector)
		changed := false
		for offset, where := range dests {
			if e := vector[offset]; e != entryOwn {
				vector[offset] = change(where, e)
				changed = changed || vector[offset] != e
			}
		}
		if changed {
			u.setBlock(x, uint32(block), vector)
		}
	}
}

// reweigh refills the groups of node x that have a member whose weight changed.
func (u *update) reweigh(x uint32, member uint16) {
	u.replace(x, func(_ uint32, old entry) entry {
		members := u.membersOf(x, old)
		if !slices.Contains(members, member) {
			return old
		}
		return u.transition(x, old, members, true)
	})
}

// attach enters a link that came up between nodes x and y into the paths that it is on: those to destinations from which
// its ends are at different distances.
func (u *update) attach(i, x, j, y uint32) {
	if u.layout.tiers[x] < 0 || u.layout.tiers[y] < 0 {
		u.attachHost(x)
		u.attachHost(y)
		return
	}
	for d := range u.tables.dests {
		where := uint32(d)
		a, b := u.distanceTo(x, where), u.distanceTo(y, where)
		switch {
		case a == b:
		case a == b+1:
			u.gain(x, uint16(i-u.tables.nodes[x].trunks), where)
		case b == a+1:
			u.gain(y, uint16(j-u.tables.nodes[y].trunks), where)
		default:
			u.reroute(where)
		}
	}
}

// attachHost finds the paths from and to a host one of whose links came up.
func (u *update) attachHost(x uint32) {
	if u.layout.tiers[x] >= 0 {
		return
	}
	u.reroute(u.tables.nodes[x].dest &^ flagBit)
	u.replace(x, func(where uint32, old entry) entry {
		members := u.nearestMembers(x, where)
		if slices.Equal(members, u.membersOf(x, old)) {
			return old
		}
		return u.transition(x, old, members, false)
	})
}

// gain adds a member to the entry of node x for a destination.
func (u *update) gain(x uint32, member uint16, where uint32) {
	old := u.get(x, where)
	members := append(u.membersOf(x, old), member)
	u.sortByPort(x, members)
	u.set(x, where, u.transition(x, old, members, false))
}

// reroute finds the paths from everywhere to a destination anew. Entries whose members are the same stay.
func (u *update) reroute(where uint32) {
	u.search(where)
	for i := range u.tables.nodes {
		x := uint32(i)
		if x == u.layout.homes[where] {
			continue
		}
		old := u.get(x, where)
		members := slices.Clone(u.collect(x, where))
		if !slices.Equal(members, u.membersOf(x, old)) {
			u.set(x, where, u.transition(x, old, members, false))
		}
	}
}

// distanceTo returns the hops from node x to a destination by the entries as they are; unreached if there
// is no way. There are no static routes, so the way has no loop.
func (u *update) distanceTo(x, where uint32) int32 {
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

// nearestMembers returns the trunks of host x that are up and lead to the nearest switches to a destination.
func (u *update) nearestMembers(x, where uint32) []uint16 {
	var members []uint16
	least := int32(unreached)
	for m, by := range u.tables.trunksOf(x) {
		if !u.layout.up[u.tables.nodes[x].trunks+uint32(m)] || by.toHost() && by.peer() != u.layout.homes[where] {
			continue
		}
		distance := u.distanceTo(by.peer(), where)
		if distance < least {
			least, members = distance, members[:0]
		}
		if distance == least && distance != unreached {
			members = append(members, uint16(m))
		}
	}
	u.sortByPort(x, members)
	return members
}
