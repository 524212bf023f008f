package emit

import (
	"fmt"
	"strings"

	"github.com/sluicefc/sluice/tofino/ir"
)

// parser writes the parser of ingress or egress. The parser first sets all metadata to zeros, with
// which the program begins.
func (t *text) parser(gress ir.Gress) {
	t.gress = gress
	intrinsic := gressPrefix(gress) + "_intr_md"
	fmt.Fprintf(&t.b, "\nparser %sParser(\n        packet_in pkt,\n        out headers_t hdr,\n"+
		"        out %v_metadata_t md,\n        out %v_intrinsic_metadata_t %s) {\n    state start {\n"+
		"        pkt.extract(%s);\n", control(gress), gress, gress, intrinsic, intrinsic)
	if gress == ir.Ingress {
		t.b.WriteString("        pkt.advance(PORT_METADATA_SIZE);\n")
	}
	for _, field := range t.program.Metadata[gress] {
		fmt.Fprintf(&t.b, "        md.%s = %s;\n", field.Name, literal(ir.Value{}, field.Bits))
	}
	p := &parserText{text: t, names: map[*ir.State]string{}, taken: names{"start": true}}
	fmt.Fprintf(&t.b, "        transition %s;\n    }\n", p.name(t.program.Parse[gress], false))
	for at := 0; at < len(p.order); at++ { // states name their successors while they are written
		p.state(p.order[at])
	}
	t.b.WriteString("}\n")
}

// parserText writes the states of a parser.
type parserText struct {
	*text
	names map[*ir.State]string
	taken names
	order []*ir.State
}

// name returns the name of a state in the text. A state that was not known is to be written.
func (p *parserText) name(s *ir.State, refuse bool) string {
	switch {
	case s == nil && refuse:
		return "reject"
	case s == nil:
		return "accept"
	}
	if name, known := p.names[s]; known {
		return name
	}
	p.names[s] = p.taken.fresh("parse_" + s.Name)
	p.order = append(p.order, s)
	return p.names[s]
}

func (p *parserText) state(s *ir.State) {
	b := &p.b
	fmt.Fprintf(b, "\n    state %s {\n", p.names[s])
	for _, header := range s.Extract {
		fmt.Fprintf(b, "        pkt.extract(hdr.%s);\n", header.Name)
	}
	if s.Skip > 0 {
		fmt.Fprintf(b, "        pkt.advance(%s);\n", literal(ir.Uint(uint64(8*s.Skip)), 32))
	}
	otherwise := p.name(s.Default, s.Refuse)
	if s.Select == nil {
		fmt.Fprintf(b, "        transition %s;\n    }\n", otherwise)
		return
	}
	fmt.Fprintf(b, "        transition select(%s) {\n", p.expression(s.Select))
	bits := s.Select.Width()
	for _, one := range s.Cases {
		value := literal(one.Value, bits)
		if one.Mask != ir.Mask(bits) {
			value += " &&& " + literal(one.Mask, bits)
		}
		fmt.Fprintf(b, "            %s: %s;\n", value, p.name(one.Next, false))
	}
	fmt.Fprintf(b, "            default: %s;\n        }\n    }\n", otherwise)
}

// deparser writes the deparser of ingress or egress: its mirrors, then the headers.
func (t *text) deparser(gress ir.Gress) {
	metadata := deparserMetadata(gress)
	fmt.Fprintf(&t.b, "\ncontrol %sDeparser(\n        packet_out pkt,\n        inout headers_t hdr,\n"+
		"        in %v_metadata_t md,\n        in %v_intrinsic_metadata_for_deparser_t %s) {\n",
		control(gress), gress, gress, metadata)
	var mirrors, emits strings.Builder
	for _, kind := range t.program.Mirrors {
		if kind.Gress != gress {
			continue
		}
		mirror, number := fmt.Sprintf("mirror_%d", kind.Type), literal(ir.Uint(kind.Type), 4)
		fmt.Fprintf(&mirrors, "    Mirror(%s) %s;\n", number, mirror)
		fmt.Fprintf(&emits, "        if (%s.mirror_type == %s) {\n            %s.emit%s;\n        }\n",
			metadata, number, mirror, t.before(kind))
	}
	if mirrors.Len() > 0 {
		mirrors.WriteString("\n")
	}
	fmt.Fprintf(&t.b, "%s    apply {\n%s        pkt.emit(hdr);\n    }\n}\n", mirrors.String(),
		emits.String())
}

// before returns the arguments of a mirror: the session and the header that it puts in front.
func (t *text) before(kind ir.MirrorKind) string {
	session := t.expression(kind.Session)
	if kind.Before == nil {
		return "(" + session + ")"
	}
	fields := make([]string, len(kind.Before.Fields))
	for at, field := range kind.Before.Fields {
		fields[at] = t.expression(field)
	}
	sign := ", "
	if len(fields) > 4 {
		sign = ",\n                 "
	}
	return fmt.Sprintf("<%s_h>(%s,\n                {%s})", kind.Before.Name, session,
		strings.Join(fields, sign))
}
