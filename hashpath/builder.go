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
	nodes    []declaration
	names    map[sluice.SwitchID]int // in nodes
	prefixes map[netip.Prefix]int    // in nodes
	links    []link
	ends     map[sluice.Hop]use // ports in use
	weights  map[sluice.Hop]uint8
	routes   []routeDeclaration
	err      error
}

// declaration is a switch, a host, or whatever is behind a prefix.
type declaration struct {
	id       sluice.SwitchID
	kind     kind
	hash     *Hash // nil: the network's
	prefixes []netip.Prefix
	links    []int // in Builder.links
	routed   bool  // a static route leads to it
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

// use says what a port is used for.
type use uint8

const (
	usedByLink use = iota + 1
	usedByPrefix
)

type link struct{ a, z linkEnd }

type linkEnd struct {
	node int // in Builder.nodes
	port sluice.PortID
}

// anyPort is the port of a prefix's end of a link, which has none.
const anyPort sluice.PortID = MaxPorts

type routeDeclaration struct {
	at, to int // in Builder.nodes
	ports  []sluice.PortID
}

// NewBuilder returns a builder of an empty network.
func NewBuilder() *Builder {
	return &Builder{
		names:    make(map[sluice.SwitchID]int),
		prefixes: make(map[netip.Prefix]int),
		ends:     make(map[sluice.Hop]use),
		weights:  make(map[sluice.Hop]uint8),
	}
}

// AddSwitch declares a switch.
func (b *Builder) AddSwitch(id sluice.SwitchID) { b.declare(id, isSwitch) }

// AddHost declares a host with its addresses; without any it has that of HostAddress. It does not
// forward packets of others, whatever its number of ports.
func (b *Builder) AddHost(id sluice.SwitchID, addresses ...netip.Addr) {
	if b.declare(id, isHost) {
		b.address(id, addresses)
	}
}

// AddForwardingHost declares a host that also forwards packets of others, as in node-centric
// networks (PortFC). It has addresses as any host, and may have a hash and routes of its own as any
// switch.
func (b *Builder) AddForwardingHost(id sluice.SwitchID, addresses ...netip.Addr) {
	if b.declare(id, isForwardingHost) {
		b.address(id, addresses)
	}
}

func (b *Builder) declare(id sluice.SwitchID, k kind) bool {
	switch _, taken := b.names[id]; {
	case b.err != nil:
	case taken:
		b.fail("Node", id, "must be declared once")
	case id == none:
		b.fail("Node", id, "must be below 4,294,967,295")
	default:
		b.names[id] = len(b.nodes)
		b.nodes = append(b.nodes, declaration{id: id, kind: k})
	}
	return b.err == nil
}

// address gives the host declared last its addresses.
func (b *Builder) address(id sluice.SwitchID, addresses []netip.Addr) {
	if len(addresses) == 0 {
		addresses = []netip.Addr{HostAddress(id)}
	}
	d := &b.nodes[len(b.nodes)-1]
	for _, a := range addresses {
		a = a.Unmap().WithZone("")
		if !a.IsValid() {
			b.fail("AddHost", a, "must be a valid address")
			return
		}
		p := netip.PrefixFrom(a, a.BitLen())
		if _, taken := b.prefixes[p]; taken {
			b.fail("AddHost", a, "must be one host's only")
			return
		}
		b.prefixes[p] = len(b.nodes) - 1
		d.prefixes = append(d.prefixes, p)
	}
}

// Connect declares a link between two ports, each named as the egress that it is.
func (b *Builder) Connect(a, z sluice.Hop) {
	from, to := b.end(a), b.end(z)
	if b.err == nil && a.Switch == z.Switch {
		b.fail("Connect", a, "must lead to another node")
	}
	for _, h := range []sluice.Hop{a, z} {
		if b.err == nil && b.ends[h] != 0 {
			b.fail("Connect", h, "must be in use once")
		}
	}
	if b.err == nil {
		b.ends[a], b.ends[z] = usedByLink, usedByLink
		b.connect(from, to)
	}
}

func (b *Builder) connect(from, to linkEnd) {
	for _, e := range []linkEnd{from, to} {
		b.nodes[e.node].links = append(b.nodes[e.node].links, len(b.links))
	}
	b.links = append(b.links, link{from, to})
}

func (b *Builder) end(h sluice.Hop) linkEnd {
	e := linkEnd{b.node(h.Switch), h.Port}
	if b.err == nil && h.Port >= MaxPorts {
		b.fail("Port", h, "must be below 4096")
	}
	return e
}

func (b *Builder) node(id sluice.SwitchID) int {
	i, ok := b.names[id]
	if !ok {
		b.fail("Node", id, "must be declared before it is used")
	}
	return i
}

// AddPrefix declares that packets to addresses of a prefix leave the network by a port of a switch.
// The same prefix may leave by several ports: packets then take the nearest. Several prefixes may
// leave by one port, which must have no link. The longest prefix that contains an address counts; a
// host's address is a prefix of full length.
func (b *Builder) AddPrefix(p netip.Prefix, at sluice.Hop) {
	from := b.end(at)
	switch {
	case b.err != nil:
		return
	case b.nodes[from.node].kind != isSwitch || b.ends[at] == usedByLink:
		b.fail("AddPrefix", at, "must be a port of a switch without a link")
		return
	case !p.IsValid() || p.Addr().Is4In6():
		b.fail("AddPrefix", p, "must be a valid prefix of IPv4 or IPv6")
		return
	}
	p = netip.PrefixFrom(p.Addr().WithZone(""), p.Bits()).Masked()
	i, known := b.prefixes[p]
	if !known {
		i = len(b.nodes)
		b.prefixes[p] = i
		b.nodes = append(b.nodes, declaration{kind: isPrefix, prefixes: []netip.Prefix{p}})
	}
	if b.nodes[i].kind != isPrefix {
		b.fail("AddPrefix", p, "must not be the address of a host")
		return
	}
	b.ends[at] = usedByPrefix
	b.connect(from, linkEnd{i, anyPort})
}

// SetHash gives a switch or a forwarding host a hash of its own, which is used as it stands. Other
// nodes with several ports have that of Config.
func (b *Builder) SetHash(id sluice.SwitchID, h Hash) {
	if i, ok := b.forwarder("SetHash", id); ok {
		h.Fields, h.Key = slices.Clone(h.Fields), slices.Clone(h.Key)
		b.nodes[i].hash = &h
	}
}

func (b *Builder) forwarder(call string, id sluice.SwitchID) (int, bool) {
	i, ok := b.names[id]
	if !ok || !b.nodes[i].kind.forwards() {
		b.fail(call, id, "must be a switch declared before")
	}
	return i, b.err == nil
}

// SetWeight gives a port its weight as a member of ECMP groups (WCMP), 1 to MaxWeight. The
// weight of others is 1.
func (b *Builder) SetWeight(at sluice.Hop, weight int) {
	if b.end(at); b.err == nil && (weight < 1 || weight > MaxWeight) {
		b.fail("SetWeight", weight, "must be 1 to 255")
	}
	if b.err == nil {
		b.weights[at] = uint8(weight)
	}
}

// SetRoute overrides, at one switch or forwarding host, the shortest paths to a host by a group of
// ports. Routes may loop; Path then says TooLong.
func (b *Builder) SetRoute(at, host sluice.SwitchID, ports ...sluice.PortID) {
	from, ok := b.forwarder("SetRoute", at)
	if !ok {
		return
	}
	to := b.node(host)
	if b.err == nil && !b.nodes[to].kind.isHost() {
		b.fail("SetRoute", host, "must be a host declared before")
	}
	if b.err == nil {
		b.nodes[to].routed = true
		b.routes = append(b.routes, routeDeclaration{from, to, slices.Clone(ports)})
	}
}

func (b *Builder) fail(field string, value any, rule string) {
	if b.err == nil {
		b.err = configError(field, value, rule)
	}
}
