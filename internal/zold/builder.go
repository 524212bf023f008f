package zold

import (
	"net/netip"
	"slices"

	"github.com/sluicefc/sluice"
)

// Limits of a network.
const (
	MaxPorts  = 1 << portBits   // ports of a switch or host
	MaxNodes  = 1<<nodeBits - 1 // switches, and hosts other than those on one switch by their port 0
	MaxWeight = 255             // of a member
)

// use says what a port is used for.
type use uint8

const (
	usedByLink use = iota + 1
	usedByPrefix
)

// anyPort is the port of a prefix's end of a link, which has none.
const anyPort sluice.PortID = MaxPorts

// Builder declares a network. The zero value is not usable; use NewBuilder. Its methods keep the first error
// for Build to return, and after it do nothing. It is for set-up, not for hot paths.
type Builder struct {
	switches  []switchDeclaration
	endpoints []endpoint
	names     map[sluice.SwitchID]name
	prefixes  map[netip.Prefix]int // endpoint by prefix
	links     []link
	ends      map[sluice.Hop]use // ports in use
	weights   map[sluice.Hop]uint8
	routes    []routeDeclaration
	err       error
}

type name struct {
	host  bool
	index int // in switches or endpoints
}

type switchDeclaration struct {
	id   sluice.SwitchID
	hash *Hash // nil: the network's
}

// endpoint is where packets leave the network: a host, or whatever is behind a prefix.
type endpoint struct {
	id       sluice.SwitchID
	host     bool // it has an id
	prefixes []netip.Prefix
	links    []int // in Builder.links
	routed   bool  // a static route leads to it
}

type link struct{ a, z linkEnd }

type linkEnd struct {
	name
	port sluice.PortID
}

type routeDeclaration struct {
	at, to sluice.SwitchID
	ports  []sluice.PortID
}

// NewBuilder returns a builder of an empty network.
func NewBuilder() *Builder {
	return &Builder{
		names:    make(map[sluice.SwitchID]name),
		prefixes: make(map[netip.Prefix]int),
		ends:     make(map[sluice.Hop]use),
		weights:  make(map[sluice.Hop]uint8),
	}
}

// AddSwitch declares a switch.
func (b *Builder) AddSwitch(id sluice.SwitchID) {
	if b.declare(id, name{false, len(b.switches)}) {
		b.switches = append(b.switches, switchDeclaration{id: id})
	}
}

// AddHost declares a host with its addresses; without any it has that of HostAddress. Hosts do not forward.
func (b *Builder) AddHost(id sluice.SwitchID, addresses ...netip.Addr) {
	if !b.declare(id, name{true, len(b.endpoints)}) {
		return
	}
	if len(addresses) == 0 {
		addresses = []netip.Addr{HostAddress(id)}
	}
	e := endpoint{id: id, host: true}
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
		b.prefixes[p] = len(b.endpoints)
		e.prefixes = append(e.prefixes, p)
	}
	b.endpoints = append(b.endpoints, e)
}

func (b *Builder) declare(id sluice.SwitchID, n name) bool {
	if b.err != nil {
		return false
	}
	if _, taken := b.names[id]; taken {
		b.fail("Node", id, "must be declared once")
		return false
	}
	b.names[id] = n
	return true
}

// Connect declares a link between two ports, each named as the egress that it is.
func (b *Builder) Connect(a, z sluice.Hop) {
	from, ok1 := b.end(a)
	to, ok2 := b.end(z)
	if !ok1 || !ok2 {
		return
	}
	if a.Switch == z.Switch {
		b.fail("Connect", a, "must lead to another node")
		return
	}
	for _, h := range []sluice.Hop{a, z} {
		if b.ends[h] != 0 {
			b.fail("Connect", h, "must be in use once")
			return
		}
	}
	b.ends[a], b.ends[z] = usedByLink, usedByLink
	b.connect(from, to)
}

func (b *Builder) connect(from, to linkEnd) {
	for _, e := range []linkEnd{from, to} {
		if e.host {
			b.endpoints[e.index].links = append(b.endpoints[e.index].links, len(b.links))
		}
	}
	b.links = append(b.links, link{from, to})
}

func (b *Builder) end(h sluice.Hop) (linkEnd, bool) {
	n, ok := b.node(h.Switch)
	if !ok {
		return linkEnd{}, false
	}
	if h.Port >= MaxPorts {
		b.fail("Port", h, "must be below 4096")
		return linkEnd{}, false
	}
	return linkEnd{n, h.Port}, true
}

func (b *Builder) node(id sluice.SwitchID) (name, bool) {
	n, ok := b.names[id]
	if !ok {
		b.fail("Node", id, "must be declared before it is used")
	}
	return n, ok && b.err == nil
}

// AddPrefix declares that packets to addresses of a prefix leave the network by a port of a switch. The same prefix may leave
// by several ports: packets then take the nearest. Several prefixes may leave by one port, which
// must have no link. The longest prefix that contains an address counts; a host's address is
// a prefix of full length.
func (b *Builder) AddPrefix(p netip.Prefix, at sluice.Hop) {
	from, ok := b.end(at)
	if !ok {
		return
	}
	if from.host || b.ends[at] == usedByLink {
		b.fail("AddPrefix", at, "must be a port of a switch without a link")
		return
	}
	if !p.IsValid() || p.Addr().Is4In6() {
		b.fail("AddPrefix", p, "must be a valid prefix of IPv4 or IPv6")
		return
	}
	p = netip.PrefixFrom(p.Addr().WithZone(""), p.Bits()).Masked()
	i, known := b.prefixes[p]
	if !known {
		i = len(b.endpoints)
		b.prefixes[p] = i
		b.endpoints = append(b.endpoints, endpoint{prefixes: []netip.Prefix{p}})
	}
	if b.endpoints[i].host {
		b.fail("AddPrefix", p, "must not be the address of a host")
		return
	}
	b.ends[at] = usedByPrefix
	b.connect(from, linkEnd{name{true, i}, anyPort})
}

// SetHash gives a switch a hash of its own, which is used as it stands. Other switches, and hosts with
// several ports, have that of Config.
func (b *Builder) SetHash(id sluice.SwitchID, h Hash) {
	n, ok := b.names[id]
	if !ok || n.host || b.err != nil {
		b.fail("SetHash", id, "must be a switch declared before")
		return
	}
	h.Fields, h.Key = slices.Clone(h.Fields), slices.Clone(h.Key)
	b.switches[n.index].hash = &h
}

// SetWeight gives a port its weight as a member of ECMP groups (WCMP), 1 to MaxWeight. The
// weight of others is 1.
func (b *Builder) SetWeight(at sluice.Hop, weight int) {
	if _, ok := b.end(at); !ok {
		return
	}
	if weight < 1 || weight > MaxWeight {
		b.fail("SetWeight", weight, "must be 1 to 255")
		return
	}
	b.weights[at] = uint8(weight)
}

// SetRoute overrides, at one switch, the shortest paths to a host by a group of ports. Routes may
// loop; Path then says TooLong.
func (b *Builder) SetRoute(at, host sluice.SwitchID, ports ...sluice.PortID) {
	from, fromOK := b.node(at)
	to, toOK := b.node(host)
	if !fromOK || from.host {
		b.fail("SetRoute", at, "must be a switch declared before")
		return
	}
	if !toOK || !to.host {
		b.fail("SetRoute", host, "must be a host declared before")
		return
	}
	b.endpoints[to.index].routed = true
	b.routes = append(b.routes, routeDeclaration{at, host, slices.Clone(ports)})
}

func (b *Builder) fail(field string, value any, rule string) {
	if b.err == nil {
		b.err = &sluice.ConfigError{Package: "hashpath", Field: field, Value: value, Rule: rule}
	}
}
