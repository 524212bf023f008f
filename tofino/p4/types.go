package p4

import (
	"github.com/sluicefc/sluice/tofino/internal/cpp"
	"github.com/sluicefc/sluice/tofino/ir"
)

// kind is a type: a number of bits, or members.
type kind struct {
	bits    int
	members []member
	header  bool
}

type member struct {
	name, kind string
	bits       int
}

func newReader(in []cpp.Token, file, name string) *reader {
	p := &ir.Program{Name: name}
	return &reader{in: in, file: file, made: &Program{Program: p, Constants: map[string]uint64{},
		fields: map[string]*ir.Field{}}, types: map[string]kind{}, constants: map[string]ir.Const{},
		untyped: map[string]int64{}, headers: map[string]*ir.Header{}, zeroed: map[string]bool{},
		parts: map[string]bool{}, registers: map[string]*register{}, instances: map[string]*instance{},
		functions: map[string]*ir.HashFunction{}, polynomials: map[string]ir.HashFunction{},
		actions: map[string]*ir.Action{}, tables: map[string]*ir.Table{}}
}

// declaration reads what stands outside of parsers and controls.
func (r *reader) declaration() {
	marks := r.annotations()
	switch word := r.peek(); word {
	case "":
	case "const":
		r.constantOf()
	case "typedef":
		r.next()
		bits := r.width()
		r.types[r.name()] = kind{bits: bits}
		r.want(";")
	case "header", "struct":
		r.next()
		name := r.name()
		r.failIf(r.types[name].members != nil, "%s is declared twice", name)
		r.zeroed[name] = marks[autoInit]
		r.types[name] = kind{members: r.members(), header: word == "header"}
	case "parser":
		r.parser()
		r.scope = scope{}
	case "control":
		r.control()
		r.scope = scope{}
	case "Register":
		r.register()
	case "Pipeline":
		r.pipeline()
	case "Switch":
		r.next()
		r.list("(", ")", func() { r.name() })
		r.want("main", ";")
	default:
		r.next()
		r.fail("%q begins no declaration that this reader knows", word)
	}
}

// autoInit is the annotation of a structure whose fields begin as zeros.
const autoInit = "pa_auto_init_metadata"

// mostMembers bounds the fields of a structure.
const mostMembers = 1 << 12

func (r *reader) members() (list []member) {
	seen := map[string]bool{}
	r.block(func() {
		r.annotations()
		one := member{}
		if r.sized() {
			one.bits = r.width()
		} else {
			one.kind = r.name()
			r.failIf(!r.types[one.kind].header, "%s is no header and no number of bits", one.kind)
		}
		one.name = r.name()
		r.failIf(seen[one.name], "%s is declared twice", one.name)
		r.failIf(len(list) == mostMembers, "has more than %d fields", mostMembers)
		seen[one.name] = true
		list = append(list, one)
		r.want(";")
	})
	return list
}

// sized reports whether a type of bits is next: "bit", or a name that typedef gave.
func (r *reader) sized() bool {
	return r.peek() == "bit" || r.types[r.peek()].bits > 0
}

// width reads a type of bits.
func (r *reader) width() int {
	if name := r.name(); name != "bit" {
		r.failIf(r.types[name].bits == 0, "%s is no number of bits", name)
		return r.types[name].bits
	}
	r.want("<")
	bits := r.number(r.primary())
	r.want(">")
	r.failIf(bits < 1 || bits > ir.MaxWidth, "has %d bits: must be 1 to %d", bits, ir.MaxWidth)
	return int(bits)
}

// constantOf reads a constant.
func (r *reader) constantOf() {
	r.want("const")
	if r.take("int") {
		name := r.name()
		r.want("=")
		r.untyped[name] = r.number(r.expression())
		r.want(";")
		return
	}
	bits := r.width()
	name := r.name()
	r.want("=")
	value, is := r.sizedTo(r.expression(), bits).(ir.Const)
	r.failIf(!is, "%s is no constant", name)
	_, known := r.constants[name]
	r.failIf(known, "%s is declared twice", name)
	if r.constants[name] = value; value.Value.Hi == 0 {
		r.made.Constants[name] = value.Value.Lo
	}
	r.want(";")
}

// pipeline reads the declaration that puts the parts together.
func (r *reader) pipeline() {
	r.want("Pipeline")
	var parts []string
	r.list("(", ")", func() {
		parts = append(parts, r.name())
		r.want("(", ")")
	})
	r.want("pipe", ";")
	wanted := []string{"IngressParser", "Ingress", "IngressDeparser", "EgressParser", "Egress",
		"EgressDeparser", "Ghost"}
	r.failIf(len(parts) < 6 || len(parts) > 7 || (len(parts) == 7) != r.parts["Ghost"],
		"the pipeline must have six parts, and Ghost if there is one")
	for at, part := range parts {
		r.failIf(part != wanted[at], "part %d of the pipeline is %s: must be %s", at+1, part, wanted[at])
		r.failIf(!r.parts[part], "%s is not declared", part)
	}
	r.piped = true
}

// finish checks what can be known at the end alone.
func (r *reader) finish() {
	r.at = len(r.in)
	r.failIf(!r.piped, "no Pipeline is declared")
	r.mirrors()
	r.used()
}
