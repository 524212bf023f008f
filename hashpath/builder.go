package hashpath

import (
	"net/netip"
	"slices"

	"github.com/sluicefc/sluice"
)

// Limits of a network.
const (
	MaxPorts  = 1 << portBits   // ports of a switch or host
	MaxNodes  = 1<<nodeBits - 1 // switches, and hosts not on one switch by port 0
	MaxWeight = 255             // of a member
)

// Builder declares a network. The zero value is not usable; use NewBuilder. Its methods keep the
// first error for Build to return, and after it do nothing. It is for set-up, not for hot paths.
type Builder struct {
	declared []*declaration
	names    map[sluice.SwitchID]*declaration
	prefixes map[netip.Prefix]*declaration // who has the addresses
	routes   []route
	err      error
}

// declaration is a switch, a host, or whatever is behind a prefix.
type declaration struct {
	id     sluice.SwitchID
	kind   kind
	hash   *Hash // nil: the network's
	links  []*linkEnd
	routed bool   // a static route leads to it
	index  uint32 // of its node, in Build; noNode if it needs none
}

type kind uint8

const (
	isSwitch kind = iota
	isHost
	isForwardingHost
	isPrefix // without a name
)

func (k kind) forwards() bool   { return k == isSwitch || k == isForwardingHost }
func (k kind) hasAddress() bool { return k != isSwitch }
func (k kind) isHost() bool     { return k == isHost || k == isForwardingHost }

// linkEnd is one of the two ends of a link.
type linkEnd struct {
	at     *declaration
	port   sluice.PortID // anyPort at a prefix, which has none
	weight uint8
	far    *linkEnd
}

const anyPort sluice.PortID = MaxPorts

type route struct {
	at, to *declaration
	ports  []sluice.PortID
}

// NewBuilder returns a builder of an empty network.
func NewBuilder() *Builder {
	return &Builder{
		names:    make(map[sluice.SwitchID]*declaration),
		prefixes: make(map[netip.Prefix]*declaration),
	}
}

// AddSwitch declares a switch.
func (b *Builder) AddSwitch(id sluice.SwitchID) { b.declare(id, isSwitch, nil) }

// AddHost declares a host with its addresses; without any it has that of HostAddress. It does not
// forward packets of others, whatever its number of ports.
func (b *Builder) AddHost(id sluice.SwitchID, addresses ...netip.Addr) {
	b.declare(id, isHost, addresses)
}

// AddForwardingHost declares a host that also forwards packets of others, as in node-centric
// networks (PortFC). It has addresses as any host, and may have a hash and routes of its own as any
// switch.
func (b *Builder) AddForwardingHost(id sluice.SwitchID, addresses ...netip.Addr) {
	b.declare(id, isForwardingHost, addresses)
}

func (b *Builder) declare(id sluice.SwitchID, k kind, addresses []netip.Addr) {
	if b.names[id] != nil {
		b.fail("Node", id, "must be declared once")
	}
	if id == none {
		b.fail("Node", id, "must be below 4,294,967,295")
	}
	d := &declaration{id: id, kind: k}
	if len(addresses) == 0 && k.hasAddress() {
		addresses = []netip.Addr{HostAddress(id)}
	}
	for _, a := range addresses {
		a = a.Unmap().WithZone("")
		if !a.IsValid() {
			b.fail("AddHost", a, "must be a valid address")
		}
		p := netip.PrefixFrom(a, a.BitLen())
		if b.prefixes[p] != nil {
			b.fail("AddHost", a, "must be one host's only")
		}
		if b.err == nil {
			b.prefixes[p] = d
		}
	}
	if b.err == nil {
		b.names[id] = d
		b.declared = append(b.declared, d)
	}
}

// Connect declares a link between two ports, each named as the egress that it is.
func (b *Builder) Connect(a, z sluice.Hop) {
	ends := [2]linkEnd{b.end(a), b.end(z)}
	if a.Switch == z.Switch {
		b.fail("Connect", a, "must lead to another node")
	}
	for i, h := range []sluice.Hop{a, z} {
		if b.err == nil && ends[i].at.linkAt(h.Port) != nil {
			b.fail("Connect", h, "must be in use once")
		}
	}
	b.connect(ends)
}

// end returns a new end of a link at a port.
func (b *Builder) end(h sluice.Hop) linkEnd {
	d := b.node(h.Switch)
	if h.Port >= MaxPorts {
		b.fail("Port", h, "must be below 4096")
	}
	return linkEnd{at: d, port: h.Port, weight: 1}
}

// node returns what was declared under a name, nil after an error.
func (b *Builder) node(id sluice.SwitchID) *declaration {
	d := b.names[id]
	if d == nil {
		b.fail("Node", id, "must be declared before it is used")
	}
	return d
}

// linkAt returns a link of a node at a port, nil if it has none there.
func (d *declaration) linkAt(port sluice.PortID) *linkEnd {
	for _, l := range d.links {
		if l.port == port {
			return l
		}
	}
	return nil
}

func (b *Builder) connect(ends [2]linkEnd) {
	if b.err != nil {
		return
	}
	for i := range ends {
		e := &ends[i]
		e.far = &ends[1-i]
		e.at.links = append(e.at.links, e)
	}
}

// AddPrefix declares that packets to addresses of a prefix leave the network by a port of a switch.
// The same prefix may leave by several ports: packets then take the nearest. Several prefixes may
// leave by one port, which must have no link. The longest prefix that contains an address counts; a
// host's address is a prefix of full length.
func (b *Builder) AddPrefix(p netip.Prefix, at sluice.Hop) {
	from := b.end(at)
	if b.err != nil {
		return
	}
	if l := from.at.linkAt(at.Port); from.at.kind != isSwitch || l != nil && l.far.port != anyPort {
		b.fail("AddPrefix", at, "must be a port of a switch without a link")
	}
	if !p.IsValid() || p.Addr().Is4In6() {
		b.fail("AddPrefix", p, "must be a valid prefix of IPv4 or IPv6")
	}
	p = netip.PrefixFrom(p.Addr().WithZone(""), p.Bits()).Masked()
	d := b.prefixes[p]
	if d == nil {
		d = &declaration{kind: isPrefix}
	}
	if d.kind != isPrefix {
		b.fail("AddPrefix", p, "must not be the address of a host")
	}
	if b.err == nil && b.prefixes[p] == nil {
		b.prefixes[p] = d
		b.declared = append(b.declared, d)
	}
	b.connect([2]linkEnd{from, {at: d, port: anyPort, weight: 1}})
}

// SetHash gives a switch or a forwarding host a hash of its own, which is used as it stands. Other
// nodes with several ports have that of Config.
func (b *Builder) SetHash(id sluice.SwitchID, h Hash) {
	if d := b.forwarder("SetHash", id); d != nil {
		h.Fields, h.Key = slices.Clone(h.Fields), slices.Clone(h.Key)
		d.hash = &h
	}
}

// forwarder returns a node that forwards, nil after an error.
func (b *Builder) forwarder(call string, id sluice.SwitchID) *declaration {
	d := b.names[id]
	if d == nil || !d.kind.forwards() {
		b.fail(call, id, "must be a switch declared before")
	}
	if b.err != nil {
		return nil
	}
	return d
}

// SetWeight gives a port with a link its weight as a member of ECMP groups (WCMP), 1 to MaxWeight.
// The weight of others is 1.
func (b *Builder) SetWeight(at sluice.Hop, weight int) {
	d := b.node(at.Switch)
	if weight < 1 || weight > MaxWeight {
		b.fail("SetWeight", weight, "must be 1 to 255")
	}
	if b.err == nil && d.linkAt(at.Port) == nil {
		b.fail("SetWeight", at, "must be a port in use")
	}
	if b.err != nil {
		return
	}
	for _, l := range d.links {
		if l.port == at.Port {
			l.weight = uint8(weight)
		}
	}
}

// SetRoute overrides, at one switch or forwarding host, the shortest paths to a host by a group of
// ports. Routes may loop; Path then says TooLong.
func (b *Builder) SetRoute(at, host sluice.SwitchID, ports ...sluice.PortID) {
	from, to := b.forwarder("SetRoute", at), b.node(host)
	if b.err == nil && !to.kind.isHost() {
		b.fail("SetRoute", host, "must be a host declared before")
	}
	if b.err == nil {
		to.routed = true
		b.routes = append(b.routes, route{from, to, slices.Clone(ports)})
	}
}

func (b *Builder) fail(field string, value any, rule string) {
	if b.err == nil {
		b.err = configError(field, value, rule)
	}
}
