package hashpath

import (
	"net/netip"
	"slices"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/check"
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
	prefixes map[netip.Prefix]*declaration // owners of the addresses
	owned    []owned                       // the same, as they were declared
	routes   []route
	check    *check.Config
	// What declarations and links are made of, many at a time.
	declarations pool[declaration]
	cables       pool[[2]linkEnd]
}

type owned struct {
	prefix netip.Prefix
	owner  *declaration
}

// pool hands out zero values, which it allocates side by side.
type pool[T any] []T

func (p *pool[T]) take() *T {
	const many = 64
	if len(*p) == 0 {
		*p = make([]T, many)
	}
	one := &(*p)[0]
	*p = (*p)[1:]
	return one
}

// declaration is a switch, a host, or whatever is behind a prefix.
type declaration struct {
	id     sluice.SwitchID // none behind a prefix
	kind   kind
	hash   *Hash // nil: the network's
	links  []*linkEnd
	top    int    // the ports of links are below
	routed bool   // a static route leads to it
	index  uint32 // of its node, in Build; none if it needs none
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
func (k kind) isAny() bool      { return true }

type linkEnd struct {
	at     *declaration
	port   sluice.PortID // behind a prefix, just a number
	weight uint8
	far    *linkEnd
}

type route struct {
	at, to *declaration
	ports  []sluice.PortID
}

// NewBuilder returns a builder of an empty network.
func NewBuilder() *Builder {
	return &Builder{
		names:    make(map[sluice.SwitchID]*declaration),
		prefixes: make(map[netip.Prefix]*declaration),
		check:    check.Of("hashpath", ""),
	}
}

// AddSwitch declares a switch.
func (b *Builder) AddSwitch(id sluice.SwitchID) { b.declare(id, isSwitch) }

// AddHost declares a host with its addresses; without any it has the address that HostAddress
// gives. It does not forward packets of others, whatever its number of ports.
func (b *Builder) AddHost(id sluice.SwitchID, addresses ...netip.Addr) {
	b.addHost(id, isHost, addresses)
}

// AddForwardingHost declares a host that also forwards packets of others, as in node-centric
// networks (PortFC). It has addresses as any host, and may have a hash and routes of its own as any
// switch.
func (b *Builder) AddForwardingHost(id sluice.SwitchID, addresses ...netip.Addr) {
	b.addHost(id, isForwardingHost, addresses)
}

func (b *Builder) addHost(id sluice.SwitchID, k kind, addresses []netip.Addr) {
	d := b.declare(id, k)
	if len(addresses) == 0 {
		addresses = []netip.Addr{HostAddress(id)}
	}
	for _, a := range addresses {
		a = a.Unmap().WithZone("")
		p := netip.PrefixFrom(a, a.BitLen())
		that(b, a.IsValid(), a, "must be a valid address", "AddHost")
		that(b, b.prefixes[p] == nil, a, "must be one host's only", "AddHost")
		b.announce(p, d)
	}
}

func (b *Builder) announce(p netip.Prefix, d *declaration) {
	b.prefixes[p] = d
	b.owned = append(b.owned, owned{p, d})
}

func (b *Builder) declare(id sluice.SwitchID, k kind) *declaration {
	that(b, b.names[id] == nil, id, "must be declared once", "Node")
	that(b, id != none, id, "must be below 4,294,967,295", "Node")
	d := b.declarations.take()
	*d = declaration{id: id, kind: k}
	b.names[id] = d
	b.declared = append(b.declared, d)
	return d
}

// Connect declares a link between two ports, each named as the egress that it is.
func (b *Builder) Connect(a, z sluice.Hop) {
	ends := [2]linkEnd{b.end(a), b.end(z)}
	that(b, a.Switch != z.Switch, a, "must lead to another node", "Connect")
	that(b, ends[0].free(), a, "must be in use once", "Connect")
	that(b, ends[1].free(), z, "must be in use once", "Connect")
	b.connect(ends)
}

func (b *Builder) end(h sluice.Hop) linkEnd {
	that(b, h.Port < MaxPorts, h, "must be below 4096", "Port")
	return linkEnd{at: b.node(h.Switch, kind.isAny, nodeRule, "Node"), port: h.Port, weight: 1}
}

// Rules of names.
const (
	nodeRule   = "must be declared before it is used"
	switchRule = "must be a switch declared before"
	hostRule   = "must be a host declared before"
)

// node returns the declaration of a name, if its kind is right; else, after an error, an unused
// one.
func (b *Builder) node(
	id sluice.SwitchID, is func(kind) bool, rule, field string,
) *declaration {
	d, ok := b.names[id]
	if !ok || !is(d.kind) {
		b.check.That(false, id, rule, field)
		return &declaration{}
	}
	return d
}

func (e linkEnd) free() bool {
	return int(e.port) >= e.at.top ||
		!slices.ContainsFunc(e.at.links, func(l *linkEnd) bool { return l.port == e.port })
}

func (b *Builder) connect(given [2]linkEnd) {
	if !b.check.Fine() {
		return
	}
	ends := b.cables.take()
	*ends = given
	for i := range ends {
		e := &ends[i]
		e.far = &ends[1-i]
		e.at.links, e.at.top = append(e.at.links, e), max(e.at.top, int(e.port)+1)
	}
}

// AddPrefix declares that packets to addresses of a prefix leave the network by a port of a switch.
// The same prefix may leave by several ports: packets then take the nearest. Several prefixes may
// leave by one port, which must have no link. The longest prefix that contains an address counts; a
// host's address is a prefix of full length.
func (b *Builder) AddPrefix(p netip.Prefix, at sluice.Hop) {
	x := b.end(at)
	fits := x.at.kind == isSwitch && !slices.ContainsFunc(x.at.links, func(l *linkEnd) bool {
		return l.port == at.Port && l.far.at.kind != isPrefix
	})
	that(b, fits, at, "must be a port of a switch without a link", "AddPrefix")
	valid := p.IsValid() && !p.Addr().Is4In6()
	that(b, valid, p, "must be a valid prefix of IPv4 or IPv6", "AddPrefix")
	p = netip.PrefixFrom(p.Addr().WithZone(""), p.Bits()).Masked()
	d := b.prefixes[p]
	if d == nil {
		d = &declaration{id: none, kind: isPrefix}
		b.announce(p, d)
		b.declared = append(b.declared, d)
	}
	that(b, d.kind == isPrefix, p, "must not be the address of a host", "AddPrefix")
	b.connect([2]linkEnd{x, {at: d, port: sluice.PortID(len(d.links)), weight: 1}})
}

// SetHash gives a switch or a forwarding host a hash of its own, which is used as it stands. Other
// nodes with several ports have the hash of Config.
func (b *Builder) SetHash(id sluice.SwitchID, h Hash) {
	h = h.clone()
	b.node(id, kind.forwards, switchRule, "SetHash").hash = &h
}

// SetWeight gives a port with a link its weight as a member of ECMP groups (WCMP), 1 to MaxWeight.
// The weight of others is 1.
func (b *Builder) SetWeight(at sluice.Hop, weight int) {
	d := b.node(at.Switch, kind.isAny, nodeRule, "Node")
	that(b, isWeight(weight), weight, weightRule, "SetWeight")
	found := false
	for _, l := range d.links {
		if l.port == at.Port {
			l.weight, found = uint8(weight), true
		}
	}
	that(b, found, at, "must be a port in use", "SetWeight")
}

const weightRule = "must be 1 to 255"

func isWeight(weight int) bool { return weight >= 1 && weight <= MaxWeight }

// SetRoute overrides, at one switch or forwarding host, the shortest paths to a host by a group of
// ports, which lead to switches, hosts that forward, or the host itself: Build refuses others.
// Routes may loop; Path then says TooLong.
func (b *Builder) SetRoute(at, host sluice.SwitchID, ports ...sluice.PortID) {
	from := b.node(at, kind.forwards, switchRule, "SetRoute")
	to := b.node(host, kind.isHost, hostRule, "SetRoute")
	to.routed = true
	b.routes = append(b.routes, route{from, to, slices.Clone(ports)})
}

// that notes, unless ok, that a value breaks a rule. It allocates nothing if the value breaks none.
func that[T any](b *Builder, ok bool, value T, rule, field string) {
	if !ok {
		b.check.That(ok, value, rule, field)
	}
}
