package tofino

import (
	"fmt"

	"github.com/sluicefc/sluice/tofino/internal/lang"
	"github.com/sluicefc/sluice/tofino/ir"
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

// build makes the program's part of the tables, of programs/paths.txt.
func (p *Paths) build() error {
	program := &ir.Program{}
	src := lang.New(program, p.numbers())
	src.Exprs["dst"] = p.config.Flow.Dst
	for at, h := range p.hops {
		if src.Numbers[fmt.Sprint("digests", at)] == 0 {
			continue
		}
		f, _ := function(h.hash, h.function) // hashing tried both
		input, _ := p.input(h.hash)
		program.Functions = append(program.Functions, f)
		src.Exprs[fmt.Sprint("digest", at)] = ir.Hash{Function: f, Fields: input}
	}
	if err := readText(src, "paths"); err != nil {
		return err
	}
	p.Metadata, p.Functions = program.Metadata[ir.Ingress], program.Functions
	p.Actions, p.Tables, p.Steps = program.Actions, program.Tables, src.Steps["paths"]
	p.Port, p.HasPort = src.Field("path_port"), src.Field("path_has_port")
	p.shared = common{address: src.Table("path_dst"), to: src.Action("path_to"),
		toward: src.Action("path_toward"), local: src.Action("path_local"),
		unknown: src.Action("path_unknown")}
	if p.hops[0].ingress {
		p.shared.came = src.Table("path_ingress")
	}
	for at, h := range p.hops {
		table := func(name string) *ir.Table { return src.Table(fmt.Sprintf("path%d_%s", at, name)) }
		action := func(name string) *ir.Action { return src.Action(fmt.Sprintf("path_%d_%s", at, name)) }
		if at > 0 {
			p.Roots = append(p.Roots, RootFields{src.Field(fmt.Sprintf("path_%d_root", at)),
				src.Field(fmt.Sprintf("path_%d_has", at))})
		}
		if !h.passes {
			continue // packets that come have arrived, as the link before says
		}
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
	return nil
}

// numbers are the constants by which the text knows the hops.
func (p *Paths) numbers() map[string]int {
	n := map[string]int{"last_hop": len(p.hops) - 1, "block_bits": width(p.parts.blocks),
		"offset_bits": width(p.parts.offsets), "addresses": p.room(len(p.addresses())),
		"host_routes": bit(p.hostRoutesOnly()), "ingress_port": bit(p.hops[0].ingress)}
	last, digested := 1, map[int]bool{}
	for at, h := range p.hops {
		if at > 0 {
			last = max(last, h.limits.numbers)
		}
		beside := h.detailed && !h.grouped
		for name, value := range map[string]int{
			"looked_up": bit(h.passes || at == 0), "passes": bit(h.passes), "hashes": bit(h.hashes),
			"constant": bit(h.hashes && (at > 0 || h.ingress)), "detailed": bit(h.detailed),
			"blocks": bit(h.blocks), "by_groups": bit(h.hashes && h.grouped),
			"one_stage": bit(h.hashes && beside), "apart": bit(h.hashes && !beside),
			"onward": bit(at+1 < len(p.hops)), "link_bits": width(p.mostLinks(h)),
			"node_bits": width(h.limits.nodes), "class_bits": width(h.limits.classes),
			"group_bits": width(h.limits.groups), "value_bits": h.value, "function": h.function,
			"hash_low": int(h.hash.Offset), "hash_high": int(h.hash.Offset) + h.value - 1,
		} {
			n[fmt.Sprint(name, at)] = value
		}
		if h.hashes && !digested[h.function] {
			f, _ := function(h.hash, h.function)
			digested[h.function] = true
			n[fmt.Sprint("digests", at)], n[fmt.Sprint("digest_bits", at)] = 1, f.Bits
		} else {
			n[fmt.Sprint("digests", at)] = 0
		}
	}
	n["last_bits"] = width(last)
	return n
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
