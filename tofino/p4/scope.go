package p4

import (
	"strings"

	"github.com/sluicefc/sluice/tofino/ir"
)

// intrinsicKinds are the structures of intrinsic metadata, with the names by which package ir calls
// them.
var intrinsicKinds = map[string]string{
	"ingress_intrinsic_metadata_t":                   "ig_intr_md",
	"ingress_intrinsic_metadata_from_parser_t":       "ig_prsr_md",
	"ingress_intrinsic_metadata_for_deparser_t":      "ig_dprsr_md",
	"ingress_intrinsic_metadata_for_tm_t":            "ig_tm_md",
	"egress_intrinsic_metadata_t":                    "eg_intr_md",
	"egress_intrinsic_metadata_from_parser_t":        "eg_prsr_md",
	"egress_intrinsic_metadata_for_deparser_t":       "eg_dprsr_md",
	"egress_intrinsic_metadata_for_output_port_t":    "eg_oport_md",
	"ghost_intrinsic_metadata_t":                     "g_intr_md",
	"ingress_intrinsic_metadata_for_mirror_buffer_t": "",
}

// gresses are the parts of a program, by name.
var gresses = map[string]ir.Gress{"IngressParser": ir.Ingress, "Ingress": ir.Ingress,
	"IngressDeparser": ir.Ingress, "EgressParser": ir.Egress, "Egress": ir.Egress,
	"EgressDeparser": ir.Egress, "Ghost": ir.Ghost}

// enter begins a parser or control: it reads its name and its parameters.
func (r *reader) enter() {
	name := r.name()
	gress, known := gresses[name]
	r.failIf(!known, "%s must be one of IngressParser, Ingress, IngressDeparser, EgressParser, Egress, "+
		"EgressDeparser and Ghost", name)
	r.failIf(r.parts[name], "%s is declared twice", name)
	r.parts[name] = true
	r.scope = scope{part: name, gress: gress, fields: map[string]*ir.Field{},
		valid: map[string]*ir.Header{}}
	r.list("(", ")", func() {
		if !r.take("in") && !r.take("out") {
			r.take("inout")
		}
		of := r.name()
		r.parameter(of, r.name())
	})
}

func (r *reader) parameter(of, name string) {
	if prefix, is := intrinsicKinds[of]; is {
		read, written := ir.Intrinsics(r.gress)
		for _, field := range append(append([]*ir.Field{}, read...), written...) {
			if own, is := strings.CutPrefix(field.Name, prefix+"."); is {
				r.fields[name+"."+own] = field
			}
		}
		return
	}
	if of == "packet_in" || of == "packet_out" {
		r.pkt = name
		return
	}
	members := r.types[of].members
	_, declared := r.types[of]
	r.failIf(!declared, "%s is no type that was declared", of)
	if len(members) > 0 && members[0].kind != "" {
		r.headersOf(of, name, members)
		return
	}
	r.metadataOf(of, name, members)
}

// headersOf makes the program's headers of a structure, and names them.
func (r *reader) headersOf(of, name string, members []member) {
	r.failIf(r.hdrKind != "" && r.hdrKind != of, "the headers are %s: all parts must have the same",
		r.hdrKind)
	r.hdrKind = of
	for _, one := range members {
		r.failIf(one.kind == "", "%s is no header", one.name)
		header := r.headers[one.name]
		if header == nil {
			header = &ir.Header{Name: one.name}
			for _, f := range r.types[one.kind].members {
				field := &ir.Field{Name: f.name, Bits: f.bits}
				header.Fields = append(header.Fields, field)
				r.made.fields[one.name+"."+f.name] = field
			}
			r.headers[one.name], r.made.Headers = header, append(r.made.Headers, header)
		}
		r.valid[name+"."+one.name] = header
		for _, field := range header.Fields {
			r.fields[name+"."+one.name+"."+field.Name] = field
		}
	}
}

// metadataOf makes the metadata of a gress of a structure, once, and names it.
func (r *reader) metadataOf(of, name string, members []member) {
	r.scope.kind = of
	list := &r.made.Metadata[r.gress]
	if len(*list) == 0 {
		for _, one := range members {
			field := &ir.Field{Name: one.name, Bits: one.bits}
			if *list = append(*list, field); r.gress == ir.Ingress {
				r.made.fields[one.name] = field
			}
		}
	}
	same := len(*list) == len(members)
	for at := range min(len(*list), len(members)) {
		same = same && (*list)[at].Name == members[at].name
	}
	r.failIf(!same, "%s is not the metadata that the parser of %v has", of, r.gress)
	for _, field := range *list {
		r.fields[name+"."+field.Name] = field
	}
}
