package tofino

import (
	"fmt"
	"strings"

	"github.com/sluicefc/sluice/hashpath"
	"github.com/sluicefc/sluice/tofino/ir"
	"github.com/sluicefc/sluice/tofino/p4"
)

// hopTables are the tables and actions of one hop; tables and actions that it does not need are
// nil.
type hopTables struct {
	route, detail, member, link                     *ir.Table
	toLink, toGroup, toDetail, nothing, pick, leave *ir.Action
}

// common are the tables and actions that all hops share.
type common struct {
	address, came              *ir.Table
	to, toward, local, unknown *ir.Action
}

// define sets what programs/path_tables.p4 leaves to a configuration. The room in tables is known
// when they are filled.
func (p *Paths) define(d *defines) {
	last, digested := 1, map[int]bool{}
	for at, h := range p.hops {
		if at > 0 {
			last = max(last, h.limits.numbers)
		}
		h.digests = h.hashes && !digested[h.function]
		digested[h.function] = digested[h.function] || h.hashes
	}
	d.set("HOPS", len(p.hops), "BLOCK_BITS", width(p.parts.blocks),
		"OFFSET_BITS", width(p.parts.offsets), "ROOT_BITS", width(last),
		"HOST_ROUTES", bit(p.hostRoutesOnly()), "CAME_BY", bit(p.hops[0].ingress), "ADDRESSES", 1)
	for _, mask := range []struct {
		name string
		has  func(h *hop) bool
	}{
		{"PASSES", func(h *hop) bool { return h.passes }},
		{"HASHES", func(h *hop) bool { return h.hashes }},
		{"DETAILED", func(h *hop) bool { return h.detailed }},
		{"GROUPED", func(h *hop) bool { return h.grouped }},
		{"OF_BLOCKS", func(h *hop) bool { return h.blocks }},
		{"CONSTANTS", func(h *hop) bool { return h.hashes && (h.at > 0 || h.ingress) }},
		{"DIGESTS", func(h *hop) bool { return h.digests }},
		{"POLYNOMIAL", func(h *hop) bool { return h.digests && h.digest().Kind == ir.CRC }},
	} {
		bits := 0
		for at, h := range p.hops {
			bits |= bit(mask.has(h)) << at
		}
		d.set(mask.name, fmt.Sprintf("%#x", bits))
	}
	for _, h := range p.hops {
		p.defineHop(d, h)
	}
}

// defineHop sets what the text wants to know of one hop.
func (p *Paths) defineHop(d *defines, h *hop) {
	set := func(is bool, pairs ...any) {
		for at := 0; is && at < len(pairs); at += 2 {
			d.set(fmt.Sprint(pairs[at], "_", h.at), pairs[at+1])
		}
	}
	set(h.passes, "LINK_BITS", width(p.mostLinks(h)), "ROUTES", 1, "LINKS", 1)
	set(h.passes && h.at > 0, "NODE_BITS", width(h.limits.nodes), "CLASS_BITS",
		width(h.limits.classes))
	set(h.passes && h.detailed, "DETAILS", 1)
	set(h.hashes, "GROUP_BITS", width(h.limits.groups), "VALUE_BITS", h.value, "MEMBERS", 1,
		"FUNCTION", h.function, "VALUE_LOW", int(h.hash.Offset),
		"VALUE_HIGH", int(h.hash.Offset)+h.value-1)
	if h.digests {
		f := h.digest()
		set(true, "DIGEST_BITS", f.Bits, "DIGEST_INPUT", p.input(h.hash))
		set(f.Kind == ir.CRC, "DIGEST_CRC", fmt.Sprintf("%#x, %t, false, false, %#x, %#x",
			f.Polynomial, f.Reflected, f.Init, f.XorOut))
	}
}

// input returns the fields of a packet that a hash reads, in order, as the text of a program names
// them. A field that the packet does not have is zero: the port by which the packet comes is part
// of the constants.
func (p *Paths) input(h hashpath.Hash) string {
	fields := map[hashpath.Field]string{
		hashpath.FieldSrcAddress: "PATH_SRC", hashpath.FieldDstAddress: "PATH_DST",
		hashpath.FieldSrcPort: "PATH_SRC_PORT", hashpath.FieldDstPort: "PATH_DST_PORT",
		hashpath.FieldProtocol: "PATH_PROTOCOL", hashpath.FieldIngressPort: "16w0",
		hashpath.FieldFlowLabel: "4w0, PATH_FLOW_LABEL",
	}
	var input []string
	for _, field := range h.Fields {
		name, known := fields[field]
		switch {
		case !known:
			name = "8w0"
		case field == hashpath.FieldFlowLabel && !p.config.IPv6:
			continue
		}
		input = append(input, name)
	}
	return strings.Join(input, ", ")
}

// bind finds in a program what the path tables are there, and fills the tables with what was found
// in the network. It sets their sizes, and the definitions of these.
func (p *Paths) bind(src *p4.Program, d *defines, r *reach) ([]ir.TableConfig, error) {
	p.Port, p.HasPort = src.Field("path_port"), src.Field("path_has_port")
	p.shared = common{address: src.Table("path_dst"), to: src.Action("path_to"),
		toward: src.Action("path_toward"), local: src.Action("path_local"),
		unknown: src.Action("path_unknown")}
	if p.hops[0].ingress {
		p.shared.came = src.Table("path_ingress")
	}
	for at, h := range p.hops {
		if at > 0 {
			p.Roots = append(p.Roots, RootFields{src.Field(fmt.Sprintf("path_%d_root", at)),
				src.Field(fmt.Sprintf("path_%d_has", at))})
		}
		if h.passes { // else packets that come have arrived, as the link before says
			h.bind(src)
		}
	}
	tables, err := p.fill(r)
	if err != nil {
		return nil, err
	}
	for _, filled := range tables {
		filled.Table.Size = p.room(len(filled.Entries))
	}
	p.size(d)
	return tables, nil
}

// bind finds the tables and actions of a hop.
func (h *hop) bind(src *p4.Program) {
	table := func(name string) *ir.Table { return src.Table(fmt.Sprintf("path%d_%s", h.at, name)) }
	action := func(name string) *ir.Action { return src.Action(fmt.Sprintf("path_%d_%s", h.at, name)) }
	t := &h.tables
	*t = hopTables{route: table("route"), link: table("link"), toLink: action("to_link"),
		toDetail: action("to_detail"), nothing: action("nothing"), leave: action("leave")}
	if h.detailed {
		t.detail = table("detail")
	}
	if h.hashes {
		t.member, t.pick, t.toGroup = table("member"), action("pick"), action("to_group")
	}
}

// size defines the sizes of tables.
func (p *Paths) size(d *defines) {
	set := func(name string, t *ir.Table) {
		if t != nil {
			d.set(name, t.Size)
		}
	}
	set("ADDRESSES", p.shared.address)
	set("CAME_BY", p.shared.came)
	for at, h := range p.hops {
		t := &h.tables
		if t.member != nil && p.config.Failures {
			t.member.Size = h.limits.groups << h.value
		}
		set(fmt.Sprint("ROUTES_", at), t.route)
		set(fmt.Sprint("DETAILS_", at), t.detail)
		set(fmt.Sprint("MEMBERS_", at), t.member)
		set(fmt.Sprint("LINKS_", at), t.link)
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
