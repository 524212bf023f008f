package hashpath

import (
	"github.com/sluicefc/sluice"
)

// Choice is the equally short ways that a node has for a flow: the node's hash chooses from them,
// or a user in another way, such as per-packet spraying and DRILL. It holds for one moment, as an
// answer of Path does.
type Choice struct {
	t      *tables
	trunks uint32
	group  group
}

// Choice returns the choice that a switch or host has for a flow; an empty one where its next hop
// is the only one, or there is none. A port of weight w is in it w times, and under resilient
// hashing once for each of its buckets. Two look-ups; it allocates nothing.
func (n *Network) Choice(at sluice.SwitchID, f *Flow) Choice {
	t := n.now.Load()
	to, p := t.addresses.find(f), t.placeOf(at)
	if to == none || p.isFlagged() { // none is flagged, too
		return Choice{}
	}
	x := &t.nodes[p.index()]
	if x.dest == to.index() {
		return Choice{}
	}
	e := t.entryOf(x.row, t.dests[to.index()])
	if e < entryGroup {
		return Choice{}
	}
	return Choice{t: t, trunks: x.trunks, group: t.groups[uint32(e&entryValue)]}
}

// Len returns how many members there are: 0, or at least two.
func (c *Choice) Len() int { return int(c.group.slots) }

// Port returns the i-th, which must be below Len.
func (c *Choice) Port(i int) sluice.PortID {
	return c.t.links[c.trunks+uint32(c.t.slotsOf(c.group)[i])].port()
}

// Has reports whether a port is among them. Linear in Len.
func (c *Choice) Has(port sluice.PortID) bool {
	for i := range c.Len() {
		if c.Port(i) == port {
			return true
		}
	}
	return false
}

// Certain returns the hops of a packet's way that no hash decides: the hops up to the first node
// that has a choice, and the last hop, by which the destination's switch sends to the host. So two
// hops need not be neighbours; without any choice they are the path of [Network.Path]. If the host
// has several links, the hop of the destination's switch is missing. The status is the status of
// Path, but Unreachable only if a node without a way on comes before the first choice. Certain
// takes a look-up, and a few loads for each hop.
func (n *Network) Certain(
	at sluice.SwitchID, ingress sluice.PortID, f *Flow,
) (path sluice.Path, status Status) {
	t := n.now.Load()
	to := t.addresses.find(f)
	if to == none {
		return path, NoRoute
	}
	p, ingress, status := t.leave(at, to, ingress, &path)
	if p == none {
		return path, status
	}
	index, where := p.index(), to.index()
	for {
		x := &t.nodes[index]
		if x.dest == where {
			return path, t.arrive(index, to, ingress, &path)
		}
		e := t.entryOf(x.row, t.dests[where])
		switch {
		case e < entryTrunk:
			return path, Unreachable
		case e >= entryGroup:
			if !to.isFlagged() {
				return path, OK
			}
			return path, t.arrive(n.homes[where], to, sluice.Local, &path)
		}
		i := x.trunks + uint32(e&entryValue)
		by := t.links[i]
		if !path.Append(sluice.Hop{Switch: x.id, Port: by.port()}) {
			return path, TooLong
		}
		if by >= t.stop {
			return path, OK
		}
		index = by.index()
		if t.arrivals != nil {
			ingress = sluice.PortID(t.arrivals[i])
		}
	}
}
