package tofino

import (
	"fmt"
	"slices"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/hashpath"
	"github.com/sluicefc/sluice/tofino/ir"
)

func (p *Paths) fill(r *reach) ([]ir.TableConfig, error) {
	tables := []ir.TableConfig{p.fillAddresses()}
	if p.shared.came != nil {
		filled, err := p.fillIngress()
		if err != nil {
			return nil, err
		}
		tables = append(tables, filled)
	}
	for at, h := range p.hops {
		if !h.passes {
			continue
		}
		tables = append(tables, p.fillRoutes(h)...)
		if h.tables.member != nil {
			filled, err := p.fillMembers(h)
			if err != nil {
				return nil, err
			}
			tables = append(tables, filled)
		}
		filled, err := p.fillLinks(r, at)
		if err != nil {
			return nil, err
		}
		tables = append(tables, filled)
	}
	return tables, nil
}

// addresses returns the prefixes of the address family of the tables.
func (p *Paths) addresses() []hashpath.SnapshotPrefix {
	var family []hashpath.SnapshotPrefix
	for _, prefix := range p.snapshot.Prefixes {
		if prefix.Prefix.Addr().Is6() == p.config.IPv6 {
			family = append(family, prefix)
		}
	}
	return family
}

// hostRoutesOnly reports whether every prefix is one address.
func (p *Paths) hostRoutesOnly() bool {
	return !slices.ContainsFunc(p.addresses(), func(a hashpath.SnapshotPrefix) bool {
		return !a.Prefix.IsSingleIP()
	})
}

func (p *Paths) fillAddresses() ir.TableConfig {
	filled := ir.TableConfig{Table: p.shared.address}
	exact := p.shared.address.Keys[0].Kind == ir.Exact
	for _, prefix := range p.addresses() {
		octets := prefix.Prefix.Addr().As16()
		value := ir.BytesValue(octets[16-p.shared.address.Keys[0].X.Width()/8:])
		keys := p.entries.keys.take(1)
		if keys[0].Value = value; !exact {
			keys[0] = ir.PrefixKey(value, prefix.Prefix.Bits())
		}
		filled.Entries = append(filled.Entries, ir.Entry{Keys: keys, Call: p.call(prefix)})
	}
	return filled
}

// call returns what is known of an address: where it is, and the number of the path's last port
// unless the link behind that port is down or missing.
func (p *Paths) call(prefix hashpath.SnapshotPrefix) ir.Call {
	c, d := &p.shared, &p.snapshot.Destinations[prefix.Destination]
	up := false
	for _, exit := range d.Exits {
		up = up || !prefix.Node && exit.Port == prefix.Port && exit.Up
	}
	if d.Node == p.node {
		if !up || int(prefix.Port) >= len(p.config.Ports) {
			return ir.Call{Action: c.unknown}
		}
		return p.entries.call(c.local, int(p.config.Ports[prefix.Port]))
	}
	last, reached := p.hosts[hostPort{prefix.Destination, prefix.Port}]
	if !up || !reached {
		return p.entries.call(c.toward, d.Block, d.Offset)
	}
	return p.entries.call(c.to, d.Block, d.Offset, last.number)
}

// fillIngress returns the constant that each port by which a packet comes adds to the hash value.
func (p *Paths) fillIngress() (ir.TableConfig, error) {
	filled := ir.TableConfig{Table: p.shared.came}
	for port, chipPort := range p.config.Ports {
		constant, err := p.constant(p.hops[0], p.node, sluice.PortID(port))
		if err != nil {
			return filled, err
		}
		filled.Entries = append(filled.Entries,
			p.entries.exact(p.entries.call(p.shared.came.Actions[0], int(constant)), int(chipPort)))
	}
	return filled, nil
}

// constant returns the hash value of a flow of zeros at a node to which it comes by a port: the
// digest is exclusive-ored with it.
func (p *Paths) constant(h *hop, node int, ingress sluice.PortID) (uint32, error) {
	hasher, err := hashpath.NewHasher(p.snapshot.Nodes[node].Hash)
	if err != nil {
		return 0, err
	}
	return hasher.Sum(ingress, &hashpath.Flow{Is6: p.config.IPv6}) & (1<<h.value - 1), nil
}

// fillRoutes returns the entries by block and by destination of a hop.
func (p *Paths) fillRoutes(h *hop) []ir.TableConfig {
	byBlock := ir.TableConfig{Table: h.tables.route}
	for _, one := range h.routes {
		call := p.way(h, one.entry)
		if one.detail {
			call = p.entries.call(h.tables.toDetail)
		}
		keys := h.ofClass(one.class, one.block)
		byBlock.Entries = append(byBlock.Entries, p.entries.exact(call, keys...))
	}
	if h.tables.detail == nil {
		return []ir.TableConfig{byBlock}
	}
	inDetail := ir.TableConfig{Table: h.tables.detail}
	for _, one := range h.details {
		keys := h.ofClass(one.class, one.offset)
		if h.blocks {
			keys = append(keys, one.block)
		}
		inDetail.Entries = append(inDetail.Entries, p.entries.exact(p.way(h, one.entry), keys...))
	}
	return []ir.TableConfig{byBlock, inDetail}
}

// ofClass puts the class in front of a key: at hop 0 there is one class only.
func (h *hop) ofClass(class, key int) []int {
	if h.at == 0 {
		return []int{key}
	}
	return []int{class, key}
}

func (p *Paths) way(h *hop, e hashpath.Entry) ir.Call {
	switch e.Kind {
	case hashpath.ToLink:
		return p.entries.call(h.tables.toLink, e.Index)
	case hashpath.ToGroup:
		return p.entries.call(h.tables.toGroup, h.groups.number(e.Index))
	default:
		return p.entries.call(h.tables.nothing)
	}
}

// fillMembers returns the link of each value of each group. At hop 0 the switch's own constant is
// part of the entries.
func (p *Paths) fillMembers(h *hop) (ir.TableConfig, error) {
	filled := ir.TableConfig{Table: h.tables.member}
	var own uint32
	if h.at == 0 && !h.ingress {
		var err error
		if own, err = p.constant(h, p.node, 0); err != nil {
			return filled, err
		}
	}
	for number, group := range h.groups.list {
		if now, used := h.groups.of[group]; !used || now != number {
			continue
		}
		slots := p.snapshot.Groups[group]
		for value := range uint32(1) << h.value {
			link := slots[(value^own)%uint32(len(slots))]
			filled.Entries = append(filled.Entries,
				p.entries.exact(p.entries.call(h.tables.pick, link), number, int(value)))
		}
	}
	return filled, nil
}

// fillLinks returns what each link that packets can take at a hop leads to.
func (p *Paths) fillLinks(r *reach, at int) (ir.TableConfig, error) {
	h := p.hops[at]
	filled := ir.TableConfig{Table: h.tables.link}
	if at >= len(r.hops) {
		return filled, nil
	}
	filled.Entries = make([]ir.Entry, 0, len(r.hops[at].next))
	for _, step := range r.hops[at].next {
		entry, err := p.link(h, step)
		if err != nil {
			return filled, err
		}
		filled.Entries = append(filled.Entries, entry)
	}
	return filled, nil
}

// link returns the entry of one link. A node at which packets only arrive has no number, and the
// class of such nodes.
func (p *Paths) link(h *hop, step leap) (ir.Entry, error) {
	x := &p.snapshot.Nodes[step.node]
	link := &x.Links[step.link]
	keys, values := append(make([]int, 0, 2), step.link), append(make([]int, 0, 4), 0)
	if h.at == 0 {
		if int(link.Port) >= len(p.config.Ports) {
			return ir.Entry{}, refused("Ports", len(p.config.Ports), fmt.Sprintf("must name port %d of the "+
				"switch", link.Port))
		}
		values[0] = int(p.config.Ports[link.Port])
	} else {
		keys = append(keys[:0], h.nodes.number(step.node), step.link)
		values[0] = h.roots[sluice.Hop{Switch: x.Name, Port: link.Port}]
	}
	if h.at+1 < len(p.hops) {
		next := p.hops[h.at+1]
		class, number := 0, 0
		if next.classAt != nil {
			class = next.classAt[link.Peer]
		}
		if class != 0 {
			number = next.nodes.number(link.Peer)
		}
		if next.passes {
			values = append(values, number, class)
		}
		if next.hashes {
			constant := uint32(0)
			if class != 0 {
				var err error
				if constant, err = p.constant(next, link.Peer, link.PeerPort); err != nil {
					return ir.Entry{}, err
				}
			}
			values = append(values, int(constant))
		}
	}
	return p.entries.exact(p.entries.call(h.tables.leave, values...), keys...), nil
}

// entryRoom has room for the keys and the data of tens of thousands of entries.
type entryRoom struct {
	keys   room[ir.KeyValue]
	values room[ir.Value]
}

// room hands out short lists that are parts of long lists.
type room[T any] struct{ rest []T }

func (r *room[T]) take(count int) []T {
	if len(r.rest) < count {
		r.rest = make([]T, max(count, 1<<10))
	}
	taken := r.rest[:count:count]
	r.rest = r.rest[count:]
	return taken
}

// call is an action with data, exact an entry of exact keys that runs it.
func (r *entryRoom) call(action *ir.Action, values ...int) ir.Call {
	data := r.values.take(len(values))
	for at, value := range values {
		data[at] = ir.Uint(uint64(value))
	}
	return ir.Call{Action: action, Data: data}
}

func (r *entryRoom) exact(call ir.Call, keys ...int) ir.Entry {
	e := ir.Entry{Call: call, Keys: r.keys.take(len(keys))}
	for at, key := range keys {
		e.Keys[at] = ir.ExactKey(uint64(key))
	}
	return e
}
