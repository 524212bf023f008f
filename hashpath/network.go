package hashpath

import (
	"strconv"
	"sync"
	"sync/atomic"

	"github.com/sluicefc/sluice"
)

// Status says whether and why a path is incomplete.
type Status uint8

// Statuses.
const (
	OK          Status = iota // the path ends at the destination
	UnknownNode               // the switch or host asked about was not declared
	NoRoute                   // no host or prefix has the destination address
	Unreachable               // the path ends at a switch with no way on: links are down
	TooLong                   // the path is longer than sluice.MaxHops, or loops; it is cut off
	BadPort                   // Follow: a port without a link to go on by
	numStatuses
)

var statusNames = [numStatuses]string{"ok", "unknown node", "no route", "unreachable", "too long", "bad port"}

// String describes the status.
func (s Status) String() string {
	if s < numStatuses {
		return statusNames[s]
	}
	return "Status(" + strconv.Itoa(int(s)) + ")"
}

// Network calculates paths. Path, Egress and Follow are safe for concurrent use with each other
// and with updates, take no lock and allocate nothing: each works on the forwarding state
// of one moment.
type Network struct {
	now    atomic.Pointer[tables]
	update sync.Mutex // held by who makes the next tables
	layout *layout
}

// Path returns the rest of the way of a packet that is at a switch, having come in by ingress, or
// at a host: this node's egress port first, the port to the destination last. At the destination the path is empty.
// Unless the status is OK the path is only as much as is known, or sluice.MaxHops hops.
//
// The time is that of a look-up of the address, of the hash of the flow once for each hash function met,
// and of a few loads for each hop; a switch with only one way on, such as any on the way down a
// fat-tree, hashes nothing (Pyrrha, section IV-B).
func (n *Network) Path(at sluice.SwitchID, ingress sluice.PortID, f *Flow) (path sluice.Path, status Status) {
	t := n.now.Load()
	to := t.addresses.find(f)
	if to == noTarget {
		return path, NoRoute
	}
	index, status := t.start(at, to, &ingress, &path)
	if status != OK || index == noDest {
		return path, status
	}
	where := to.dest()
	d := t.dests[where]
	s := digester{profile: -1}
	family := f.family()
	for {
		x := &t.nodes[index]
		if x.dest == where {
			if t.isDown(index, to.port()) {
				return path, Unreachable
			}
			if !path.Append(sluice.Hop{Switch: x.id, Port: to.port()}) {
				return path, TooLong
			}
			return path, OK
		}
		e := t.entryOf(x, d)
		i := uint32(e & entryValue)
		if e&entryKind != entryTrunk {
			if e == entryNone {
				return path, Unreachable
			}
			var value uint32
			if x.tweak.plain && s.profile == int(x.tweak.profile) {
				value = x.tweak.value(s.digest, family)
			} else {
				value = t.value(x, ingress, f, &s)
			}
			g := &t.groups[i]
			i = uint32(t.members[g.base+g.slot(value)])
		}
		i += x.trunks
		by := t.trunks[i]
		if !path.Append(sluice.Hop{Switch: x.id, Port: by.port()}) {
			return path, TooLong
		}
		if by.toHost() {
			return path, OK
		}
		index = by.peer()
		if t.arrivals != nil {
			ingress = sluice.PortID(t.arrivals[i])
		}
	}
}

// start finds the node index of a name. Of a host on one switch it takes the first hop, to that switch. At the
// destination the index is noDest.
func (t *tables) start(at sluice.SwitchID, to target, ingress *sluice.PortID, path *sluice.Path) (uint32, Status) {
	p := t.places.find(at)
	if p == noPlace {
		return noDest, UnknownNode
	}
	if !p.isHost() {
		if t.nodes[p.node()].dest == to.dest()|flagBit {
			return noDest, OK
		}
		return p.node(), OK
	}
	index := p.at()
	if t.nodes[index].dest == to.dest() && to.port() == p.port() {
		return noDest, OK
	}
	if t.isDown(index, p.port()) {
		return noDest, Unreachable
	}
	path.Append(sluice.Hop{Switch: at})
	*ingress = p.port()
	return index, OK
}

// Egress returns the port by which a switch or host sends a packet of the flow; false if it has
// none, or is the destination. It is the first hop of Path.
func (n *Network) Egress(at sluice.SwitchID, ingress sluice.PortID, f *Flow) (sluice.PortID, bool) {
	t := n.now.Load()
	to := t.addresses.find(f)
	if to == noTarget {
		return 0, false
	}
	var first sluice.Path
	index, status := t.start(at, to, &ingress, &first)
	if status != OK || index == noDest {
		return 0, false
	}
	if first.Len() > 0 {
		return first.At(0).Port, true
	}
	x := &t.nodes[index]
	if x.dest == to.dest() {
		return to.port(), !t.isDown(index, to.port())
	}
	e := t.entryOf(x, t.dests[to.dest()])
	i := uint32(e & entryValue)
	if e&entryKind != entryTrunk {
		if e == entryNone {
			return 0, false
		}
		s := digester{profile: -1}
		g := &t.groups[i]
		i = uint32(t.members[g.base+g.slot(t.value(x, ingress, f, &s))])
	}
	return t.trunks[x.trunks+i].port(), true
}

// Follow returns the path of a source route: the egress port at each switch or host from at on.
// A port that leads to a single-homed host or out of the network ends the path, and must be the last. The status
// is BadPort, and the path ends before, if a port has no link that leads on, TooLong if there are more ports
// than sluice.MaxHops. Links that are down count as links: a source route does not change by itself.
func (n *Network) Follow(at sluice.SwitchID, ports []sluice.PortID) (path sluice.Path, status Status) {
	t := n.now.Load()
	p := t.places.find(at)
	if p == noPlace {
		return path, UnknownNode
	}
	if p.isHost() {
		if len(ports) == 0 {
			return path, OK
		}
		if ports[0] != 0 {
			return path, BadPort
		}
		path.Append(sluice.Hop{Switch: at})
		ports = ports[1:]
		p = place(p.at())
	}
	index := p.node()
	for i, port := range ports {
		x := &t.nodes[index]
		by, ok := t.trunkAt(index, port)
		last := i == len(ports)-1
		switch {
		case ok && (last || !by.toHost()):
		case !ok && last && t.isExit(x.dest, port):
		default:
			return path, BadPort
		}
		if !path.Append(sluice.Hop{Switch: x.id, Port: port}) {
			return path, TooLong
		}
		index = by.peer()
	}
	return path, OK
}
