package hashpath

import (
	"sync"
	"sync/atomic"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/enum"
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

var statusNames = [numStatuses]string{
	"ok", "unknown node", "no route", "unreachable", "too long", "bad port",
}

// String describes the status.
func (s Status) String() string { return enum.Name(s, "Status", statusNames[:]...) }

// Network calculates paths. Path, Egress and Follow are safe for concurrent use with each other and
// with updates: each works on the forwarding state of one moment.
type Network struct {
	now    atomic.Pointer[tables]
	update sync.Mutex // held while the next tables are made

	// Only updates and snapshots need the rest. Weights change under the lock; the others stay.
	config  Config
	own     []*Hash                // by node, nil without one of its own
	kinds   []kind                 // by node
	tiers   []int32                // by node, hops to the nearest that has or is a host; -1: see rank
	choices []choice               // by node
	ends    []uint16               // by trunk, the port at the other end
	weights map[uint32]uint8       // by trunk, where one was given
	blocks  []uint32               // by block, its first destination; then their number
	homes   []uint32               // node by destination
	static  map[[2]uint32][]uint16 // trunks by node and destination
}

type choice struct {
	selection Selection
	buckets   uint32
}

func (n *Network) weight(trunk uint32) uint8 { return max(1, n.weights[trunk]) }

// Path returns the rest of the way of a packet that is at a switch, having come in by ingress, or
// at a host: this node's egress port first, the port to the destination last, or with
// Config.HostHops the host's own. At the destination the path is empty (with HostHops, the host's
// own hop). Unless the status is OK the path is only as much as is known, or sluice.MaxHops hops.
//
// The ingress is read only by a hash with FieldIngressPort, and only at this node: further on it is
// known. Where no hash has that field sluice.Local will do; a host's own packets have it anyway.
//
// It takes two look-ups, a hash of the flow once for each hash function met, and a few loads for
// each hop; a switch with only one way on, such as any on the way down a fat-tree, hashes nothing
// (Pyrrha, section IV-B).
func (n *Network) Path(
	at sluice.SwitchID, ingress sluice.PortID, f *Flow,
) (path sluice.Path, status Status) {
	t := n.now.Load()
	status = t.walk(at, ingress, f, &path)
	return path, status
}

// Egress returns the port by which a switch or host sends a packet of the flow; false if it has
// none, or is the destination. It is the first hop of Path, and reads the ingress as that does.
func (n *Network) Egress(at sluice.SwitchID, ingress sluice.PortID, f *Flow) (sluice.PortID, bool) {
	t := n.now.Load()
	to := t.addresses.find(f)
	if to == none {
		return 0, false
	}
	p := t.placeOf(at)
	if p.isFlagged() { // a host on one switch sends by port 0
		var path sluice.Path
		here, _, _ := t.leave(at, to, ingress, &path)
		return 0, here != none
	}
	x := &t.nodes[p.index()]
	if x.dest == to.index() {
		return to.port(), to.isFlagged() && (len(t.down) == 0 || !t.isDownAt(p.index(), to.port()))
	}
	e := t.entryOf(x.row, t.dests[to.index()])
	i := uint32(e & entryValue)
	switch {
	case e < entryTrunk:
		return 0, false
	case e >= entryGroup:
		profile := t.profiles[x.tweak.profile]
		i = t.memberOf(i, profile.value(&x.tweak, profile.digest(f), ingress, f))
	}
	return t.links[x.trunks+i].port(), true
}

func (t *tables) walk(
	at sluice.SwitchID, ingress sluice.PortID, f *Flow, path *sluice.Path,
) (status Status) {
	to := t.addresses.quick(f)
	if to == none {
		if to = t.addresses.search(f); to == none {
			return NoRoute
		}
	}
	p := spot(t.places.quick(uint32(at)))
	if p.isFlagged() { // not a node: a host on one switch, unknown, or not found quickly
		if p, ingress, status = t.leave(at, to, ingress, path); p == none {
			return status
		}
	}
	index, where := p.index(), to.index()
	d := t.dests[where]
	family := f.family()
	known, digest := -1, uint32(0) // the profile whose digest is known
	nodes, links, rows := t.nodes, t.links, t.rows
	for {
		x := &nodes[index]
		if x.dest == where {
			return t.arrive(index, to, ingress, path)
		}
		e := rows[x.row+d.block]
		if e >= entryDetail {
			e = t.details[uint32(e&entryValue)+d.offset]
		}
		i := uint32(e & entryValue)
		switch {
		case e < entryTrunk:
			return Unreachable
		case e >= entryGroup:
			if number := int(x.tweak.profile); number != known {
				known, digest = number, t.profiles[number].digest(f)
			}
			var value uint32
			if x.tweak.plain {
				value = x.tweak.value(digest, family)
			} else {
				value = t.profiles[known].value(&x.tweak, digest, ingress, f)
			}
			i = t.memberOf(i, value)
		}
		i += x.trunks
		by := links[i]
		if !path.Append(sluice.Hop{Switch: x.id, Port: by.port()}) {
			return TooLong
		}
		if by >= t.stop {
			return OK
		}
		index = by.index()
		if t.arrivals != nil {
			ingress = sluice.PortID(t.arrivals[i])
		}
	}
}

// leave returns the node at which the path by tables begins, and the ingress there. For a host on
// one switch that is the switch, and its hop is in the path; none if there is no more to say.
func (t *tables) leave(
	at sluice.SwitchID, to spot, in sluice.PortID, path *sluice.Path,
) (spot, sluice.PortID, Status) {
	p := t.placeOf(at)
	switch {
	case p == none:
		return none, in, UnknownNode
	case !p.isFlagged():
		return p, in, OK
	case makeSpot(t.nodes[p.index()].dest, p.port(), true) == to:
		if t.stop == none {
			path.Append(sluice.Hop{Switch: at})
		}
		return none, in, OK
	case len(t.down) > 0 && t.isDownAt(p.index(), p.port()):
		return none, in, Unreachable
	}
	path.Append(sluice.Hop{Switch: at})
	return p, p.port(), OK
}

// isDownAt reports whether a node's exit at a port is among the exits that are down.
func (t *tables) isDownAt(x uint32, port sluice.PortID) bool { return t.isDown(t.exitAt(x, port)) }

// arrive ends a path at the destination's node, with the hops to the host and of the host.
func (t *tables) arrive(index uint32, to spot, ingress sluice.PortID, path *sluice.Path) Status {
	id := t.nodes[index].id
	if to.isFlagged() {
		if len(t.down) > 0 && t.isDownAt(index, to.port()) {
			return Unreachable
		}
		if !path.Append(sluice.Hop{Switch: id, Port: to.port()}) {
			return TooLong
		}
	}
	if t.stop != none {
		return OK
	}
	host := sluice.Hop{Switch: id, Port: ingress}
	if to.isFlagged() {
		host = sluice.Hop{Switch: t.hosts[t.exitAt(index, to.port())-t.exits]}
	}
	if host.Switch != none && host.Port != sluice.Local && !path.Append(host) {
		return TooLong
	}
	return OK
}

// Follow returns the path of a source route: the egress port at each switch or host from at on. A
// port that leads to a host that does not forward, or out of the network, ends the path, and must
// be the last. The status is BadPort, and the path ends before, if a port has no link that leads
// on; TooLong if there are more ports than sluice.MaxHops. Links that are down count as links: a
// source route does not change by itself. Config.HostHops adds nothing to it.
func (n *Network) Follow(
	at sluice.SwitchID, ports []sluice.PortID,
) (path sluice.Path, status Status) {
	t := n.now.Load()
	p := t.placeOf(at)
	if p == none {
		return path, UnknownNode
	}
	if p.isFlagged() && len(ports) > 0 {
		if ports[0] != 0 {
			return path, BadPort
		}
		path.Append(sluice.Hop{Switch: at})
		ports = ports[1:]
	}
	index := p.index()
	for i, port := range ports {
		trunks, last := t.trunksOf(index), i == len(ports)-1
		at, ok := findPort(trunks, port)
		good := ok && (last || !trunks[at].isFlagged())
		if !ok && last {
			_, good = findPort(t.exitsOf(index), port)
		}
		if !good {
			return path, BadPort
		}
		if !path.Append(sluice.Hop{Switch: t.nodes[index].id, Port: port}) {
			return path, TooLong
		}
		if ok {
			index = trunks[at].index()
		}
	}
	return path, OK
}
