package tofino

import (
	"fmt"

	"github.com/sluicefc/sluice/tofino/ir"
)

// What a hop does next, in its kind field.
const (
	kindOver   = iota // the path has ended, or is not known
	kindLink          // by the link of the link field
	kindGroup         // by a member of the group of the group field
	kindDetail        // as the detail table says
	kindArrive        // by the host's port
	kindBits   = 3
)

// hopFields are the fields of one hop.
type hopFields struct {
	kind, node, class, group, link, value, constant *ir.Field
	root                                            RootFields
}

// hopTables are the tables and actions of one hop.
type hopTables struct {
	route, detail, member, link                *ir.Table
	toLink, toGroup, toDetail, arrive, nothing *ir.Action
	pick, leave                                *ir.Action
}

// common are the tables and fields that all hops share.
type common struct {
	block, offset, last, hasLast *ir.Field
	digest                       map[int]*ir.Field
	address, came                *ir.Table
	to, toward, local            *ir.Action
	unknown                      *ir.Action
}

// build makes the program's part of the tables.
func (p *Paths) build() {
	p.fieldsOf()
	p.digests()
	p.destinationTable()
	for at := range p.hops {
		p.hopTables(at)
	}
	p.Steps = append(p.Steps, ir.Apply{Table: p.shared.address})
	if p.hops[0].ingress {
		p.ingressTable()
	}
	for _, h := range p.hops {
		if h.passes {
			p.Steps = append(p.Steps, p.hopSteps(h))
		}
	}
}

// field declares a field of the program's metadata.
func (p *Paths) field(name string, bits int) *ir.Field {
	f := &ir.Field{Name: "path_" + name, Bits: bits}
	p.Metadata = append(p.Metadata, f)
	return f
}

// action declares an action.
func (p *Paths) action(name string, params []*ir.Param, body ...ir.Statement) *ir.Action {
	a := &ir.Action{Name: "path_" + name, Params: params, Body: body}
	p.Actions = append(p.Actions, a)
	return a
}

// fieldsOf declares the fields that hops share and those of each hop.
func (p *Paths) fieldsOf() {
	c := &p.shared
	p.Port, p.HasPort = p.field("port", 9), p.field("has_port", 1)
	c.block, c.offset = p.field(
		"block", width(p.parts.blocks),
	), p.field("offset", width(p.parts.offsets))
	last := 1
	for _, h := range p.hops[1:] {
		last = max(last, h.limits.numbers)
	}
	c.last, c.hasLast = p.field("last", width(last)), p.field("has_last", 1)
	for at, h := range p.hops {
		name := func(what string) string { return fmt.Sprintf("%d_%s", at, what) }
		if h.passes || at == 0 {
			h.fields.kind = p.field(name("kind"), kindBits)
		}
		if h.passes {
			h.fields.link = p.field(name("link"), width(p.mostLinks(h)))
		}
		if at > 0 && h.passes {
			h.fields.node = p.field(name("node"), width(h.limits.nodes))
			h.fields.class = p.field(name("class"), width(h.limits.classes))
		}
		if at > 0 {
			h.fields.root = RootFields{p.field(name("root"), width(last)), p.field(name("has"), 1)}
			p.Roots = append(p.Roots, h.fields.root)
		}
		if h.hashes {
			h.fields.group = p.field(name("group"), width(h.limits.groups))
			h.fields.value = p.field(name("value"), h.value)
			if at > 0 || h.ingress {
				h.fields.constant = p.field(name("constant"), h.value)
			}
		}
	}
}

// mostLinks returns the most links that a node at a hop has, or any node if others may come.
func (p *Paths) mostLinks(h *hop) int {
	most := 1
	for at := range p.snapshot.Nodes {
		if _, here := h.nodes.of[at]; here || p.config.Failures {
			most = max(most, len(p.snapshot.Nodes[at].Links))
		}
	}
	return most
}

// digests declares the hash functions and the digest of each.
func (p *Paths) digests() {
	p.shared.digest = map[int]*ir.Field{}
	for _, h := range p.hops {
		if !h.hashes || p.shared.digest[h.function] != nil {
			continue
		}
		f, _ := function(h.hash, h.function) // these two were tried by hashing
		input, _ := p.input(h.hash)
		p.Functions = append(p.Functions, f)
		digest := p.field(fmt.Sprintf("digest%d", h.function), f.Bits)
		p.shared.digest[h.function] = digest
		sum := p.action(fmt.Sprintf("digest%d", h.function), nil,
			ir.Assign{To: digest, Value: ir.Hash{Function: f, Fields: input}})
		p.Steps = append(p.Steps, ir.Do{Action: sum})
	}
}

// destinationTable makes the table that knows addresses.
func (p *Paths) destinationTable() {
	c := &p.shared
	block, offset := param("block", c.block), param("offset", c.offset)
	last, port := param("last", c.last), param("port", p.Port)
	first := p.hops[0]
	on := func(field *ir.Field) ir.Statement { return set(field, 1) }
	transit := set(first.fields.kind, kindDetail) // hop 0 looks it up, as a detail does
	c.to = p.action("to", []*ir.Param{block, offset, last}, assign(c.block, block),
		assign(c.offset, offset), assign(c.last, last), on(c.hasLast), transit)
	c.toward = p.action("toward", []*ir.Param{block, offset}, assign(c.block, block),
		assign(c.offset, offset), transit)
	c.local = p.action("local", []*ir.Param{port}, assign(p.Port, port), on(p.HasPort))
	c.unknown = p.action("unknown", nil)
	kind := ir.Prefix
	if p.hostRoutesOnly() {
		kind = ir.Exact
	}
	c.address = &ir.Table{Name: "path_dst", Source: "addresses of the network, by switch and port",
		Keys:    []ir.Key{{Name: "dst", X: p.config.Flow.Dst, Kind: kind}},
		Actions: []*ir.Action{c.to, c.toward, c.local, c.unknown}, Default: ir.Call{Action: c.unknown},
		Size: p.room(len(p.addresses()))}
	p.Tables = append(p.Tables, c.address)
}

// hopTables makes the tables and actions of a hop. What they hold is decided before: their sizes
// are set when they are filled.
func (p *Paths) hopTables(at int) {
	h := p.hops[at]
	f, t := &h.fields, &h.tables
	name := func(what string) string { return fmt.Sprintf("%d_%s", at, what) }
	if !h.passes {
		return // who comes has arrived, which the link before says
	}
	if at > 0 {
		t.arrive = p.action(name("arrive"), nil, append(p.arrives(h), set(f.kind, kindOver))...)
	}
	link := param("link", f.link)
	t.toLink = p.action(
		name("to_link"), []*ir.Param{link}, assign(f.link, link), set(f.kind, kindLink),
	)
	t.toDetail = p.action(name("to_detail"), nil, set(f.kind, kindDetail))
	t.nothing = p.action(name("nothing"), nil, set(f.kind, kindOver))
	ways := []*ir.Action{t.toLink, t.toDetail, t.nothing}
	if at == 0 {
		t.arrive = t.nothing
	} else {
		ways = append(ways, t.arrive)
	}
	if h.hashes {
		group := param("group", f.group)
		digest := p.shared.digest[h.function]
		low := int(h.hash.Offset)
		var value ir.Expr = ir.Slice{X: digest, High: low + h.value - 1, Low: low}
		if f.constant != nil {
			value = ir.Binary{Op: ir.Xor, X: value, Y: f.constant}
		}
		t.toGroup = p.action(name("to_group"), []*ir.Param{group}, assign(f.group, group),
			assign(f.value, value), set(f.kind, kindGroup))
		ways = append(ways, t.toGroup)
	}
	p.routeTables(h, name, ways)
	p.linkTable(h, name)
}

// arrives gives the last port's number as that of a hop.
func (p *Paths) arrives(h *hop) []ir.Statement {
	root := &h.fields.root
	return []ir.Statement{assign(root.Number, p.shared.last), assign(root.Has, p.shared.hasLast)}
}

// routeTables makes the tables that say by which link or group.
func (p *Paths) routeTables(h *hop, name func(string) string, ways []*ir.Action) {
	f, t, c := &h.fields, &h.tables, &p.shared
	exact := func(name string, x *ir.Field) ir.Key { return ir.Key{Name: name, X: x} }
	var class []ir.Key
	if h.at > 0 {
		class = []ir.Key{exact("node_class", f.class)}
	}
	table := func(
		what, source string, keys []ir.Key, actions []*ir.Action, otherwise *ir.Action,
	) *ir.Table {
		made := &ir.Table{Name: "path" + name(what), Source: source, Keys: keys, Actions: actions,
			Default: ir.Call{Action: otherwise}, Size: 1}
		p.Tables = append(p.Tables, made)
		return made
	}
	block, offset := exact("block", c.block), exact("offset", c.offset)
	t.route = table("route", "forwarding tables of the nodes at this hop", append(class, block), ways,
		t.arrive)
	if h.detailed {
		keys := append(append([]ir.Key{}, class...), offset)
		if h.blocks {
			keys = append(keys, block)
		}
		var plain []*ir.Action
		for _, way := range ways {
			if way != t.toDetail && (way != t.toGroup || h.grouped) {
				plain = append(plain, way)
			}
		}
		t.detail = table("detail", "where a block does not go one way", keys, plain, t.arrive)
	}
	if h.hashes {
		member := &ir.Param{Name: "link", Bits: f.link.Bits}
		t.pick = p.action(
			name("pick"), []*ir.Param{member}, assign(f.link, member), set(f.kind, kindLink),
		)
		t.member = table("member", "members of groups by hash value",
			[]ir.Key{exact("group", f.group), exact("value", f.value)},
			[]*ir.Action{t.pick, t.nothing}, t.nothing)
	}
}

// ingressTable makes the table of what the port by which the packet came adds to the hash value.
func (p *Paths) ingressTable() {
	f := &p.hops[0].fields
	constant := param("constant", f.constant)
	came := p.action("came", []*ir.Param{constant}, assign(f.constant, constant))
	nowhere := p.action("came_nowhere", nil)
	p.shared.came = &ir.Table{Name: "path_ingress", Source: "the ingress port as the hash has it",
		Keys:    []ir.Key{{Name: "ingress_port", X: ir.IngressPort}},
		Actions: []*ir.Action{came, nowhere}, Default: ir.Call{Action: nowhere}, Size: 1}
	p.Tables = append(p.Tables, p.shared.came)
	p.Steps = append(p.Steps, ir.Apply{Table: p.shared.came})
}

// linkTable makes the table that goes over to the next hop.
func (p *Paths) linkTable(h *hop, name func(string) string) {
	f, t := &h.fields, &h.tables
	var params []*ir.Param
	var body []ir.Statement
	give := func(what string, to *ir.Field) {
		datum := param(what, to)
		params, body = append(params, datum), append(body, assign(to, datum))
	}
	keys := []ir.Key{{Name: "link", X: f.link}}
	if h.at == 0 {
		give("port", p.Port)
		body = append(body, set(p.HasPort, 1))
	} else {
		keys = append([]ir.Key{{Name: "node", X: f.node}}, keys...)
		give("root", f.root.Number)
		body = append(body, set(f.root.Has, 1))
	}
	if h.at+1 < len(p.hops) {
		next := p.hops[h.at+1]
		if next.passes {
			give("next_node", next.fields.node)
			give("next_class", next.fields.class)
		}
		if next.hashes {
			give("constant", next.fields.constant)
		}
		if next.passes {
			body = append(body, set(next.fields.kind, kindDetail))
		} else {
			body = append(body, p.arrives(next)...)
		}
	}
	t.leave = p.action(name("leave"), params, body...)
	t.link = &ir.Table{Name: "path" + name("link"), Source: "links of the nodes at this hop",
		Keys:    keys,
		Actions: []*ir.Action{t.leave, t.nothing}, Default: ir.Call{Action: t.nothing}, Size: 1}
	p.Tables = append(p.Tables, t.link)
}

// hopSteps applies the tables of a hop to a packet whose path comes to it: its kind says detail.
func (p *Paths) hopSteps(h *hop) ir.Step {
	is := func(kind uint64) ir.Expr {
		return ir.Compare{Op: ir.Equal, X: h.fields.kind, Y: ir.Number(kindBits, kind)}
	}
	steps := []ir.Step{ir.Apply{Table: h.tables.route}}
	detail, member := ir.If{Condition: is(kindDetail)}, []ir.Step(nil)
	if h.tables.member != nil {
		member = []ir.Step{ir.If{Condition: is(kindGroup),
			Then: []ir.Step{ir.Apply{Table: h.tables.member}}}}
	}
	if h.tables.detail != nil {
		detail.Then = []ir.Step{ir.Apply{Table: h.tables.detail}}
		if !h.grouped { // beside each other, in one stage
			detail.Else, member = member, nil
		}
		steps = append(steps, detail)
	}
	steps = append(append(steps, member...),
		ir.If{Condition: is(kindLink), Then: []ir.Step{ir.Apply{Table: h.tables.link}}})
	return ir.If{Condition: is(kindDetail), Then: steps}
}

// param is the datum of a field.
func param(name string, to *ir.Field) *ir.Param { return &ir.Param{Name: name, Bits: to.Bits} }

func assign(to *ir.Field, value ir.Expr) ir.Statement { return ir.Assign{To: to, Value: value} }

func set(to *ir.Field, value uint64) ir.Statement {
	return ir.Assign{To: to, Value: ir.Number(to.Bits, value)}
}
