package lang

import (
	"slices"
	"strings"

	"github.com/sluicefc/sluice/tofino/ir"
)

// operand is an expression, or a constant that takes the width of what is beside it.
type operand struct {
	x ir.Expr // nil for a constant
	n int64
}

// sized returns an operand of so many bits, cut or with zeros in front.
func (o operand) sized(bits int) ir.Expr {
	switch {
	case o.x == nil:
		return ir.Number(bits, uint64(o.n))
	case o.x.Width() < bits:
		return ir.Concat{ir.Number(bits-o.x.Width(), 0), o.x}
	case o.x.Width() > bits:
		return ir.Slice{X: o.x, High: bits - 1}
	}
	return o.x
}

// typed returns an operand whose width is known.
func (r *reader) typed(o operand) ir.Expr {
	if o.x == nil {
		r.fail("has no width: write BITSwN")
	}
	return o.x
}

// condition reads alternatives, one of which must hold.
func (r *reader) condition() ir.Expr {
	any := ir.Any{r.all()}
	for r.take("||") {
		any = append(any, r.all())
	}
	if len(any) == 1 {
		return any[0]
	}
	return any
}

func (r *reader) all() ir.Expr {
	all := ir.All{r.compared()}
	for r.take("&&") {
		all = append(all, r.compared())
	}
	if len(all) == 1 {
		return all[0]
	}
	return all
}

var relations = map[string]ir.Relation{"==": ir.Equal, "!=": ir.NotEqual, "<": ir.Less,
	"<=": ir.LessOrEqual, ">": ir.More, ">=": ir.MoreOrEqual}

// compared reads a comparison, a condition in brackets, that a header is there, or a bit.
func (r *reader) compared() ir.Expr {
	if r.take("!") {
		if next := r.peek().text; next == "(" || next == "valid" {
			return ir.Not{X: r.compared()}
		}
		return ir.Compare{X: r.bit(r.postfix()), Y: ir.Number(1, 0)}
	}
	if r.take("valid") {
		return ir.Valid{Header: bracketed(r, r.header)}
	}
	if at := r.at; r.take("(") {
		x := r.condition()
		if r.take(")") && !r.operates() {
			return x
		}
		r.at = at // it was a number in brackets
	}
	left := r.number()
	op, is := relations[r.peek().text]
	if !is {
		return ir.Compare{X: r.bit(left), Y: ir.Number(1, 1)}
	}
	r.next()
	right, x := r.number(), r.typed(left)
	return ir.Compare{Op: op, X: x, Y: right.sized(x.Width())}
}

// bracketed reads a part in brackets.
func bracketed[T any](r *reader, part func() T) T {
	r.want("(")
	read := part()
	r.want(")")
	return read
}

// bit returns an operand that must be one bit.
func (r *reader) bit(o operand) ir.Expr {
	x := r.typed(o)
	if x.Width() != 1 {
		r.fail("is no condition")
	}
	return x
}

var operators = map[string]ir.Operator{"+": ir.Add, "-": ir.Sub, "|+|": ir.AddSaturated,
	"|-|": ir.SubSaturated, "&": ir.And, "|": ir.Or, "^": ir.Xor}

// operates reports whether an expression goes on.
func (r *reader) operates() bool {
	next := r.peek().text
	_, operator := operators[next]
	_, relation := relations[next]
	return operator || relation || slices.Contains([]string{"++", "<<", "*", "[", "as"}, next)
}

// number reads operands with operators between them, from the left.
func (r *reader) number() operand {
	left := r.postfix()
	for {
		sign := r.peek().text
		op, binary := operators[sign]
		switch {
		case sign == "++":
			parts := ir.Concat{r.typed(left)}
			for r.take("++") {
				parts = append(parts, r.typed(r.postfix()))
			}
			left = operand{x: parts}
		case left.x == nil && (binary || sign == "*" || sign == "<<"):
			r.next()
			right := r.postfix()
			if right.x != nil && binary {
				left = operand{x: ir.Binary{Op: op, X: left.sized(right.x.Width()), Y: right.x}}
				continue
			}
			left.n = r.fold(sign, left.n, right.n)
		case binary:
			r.next()
			left = operand{x: ir.Binary{Op: op, X: left.x, Y: r.postfix().sized(left.x.Width())}}
		default:
			return left
		}
	}
}

func (r *reader) fold(sign string, x, y int64) int64 {
	switch sign {
	case "+":
		return x + y
	case "-":
		return x - y
	case "*":
		return x * y
	case "<<":
		return x << (uint(y) % 64)
	case "&":
		return x & y
	case "|":
		return x | y
	}
	r.fail("%s is nothing between constants", sign)
	return 0
}

// postfix reads an operand, bits of it, and a width.
func (r *reader) postfix() operand {
	o := r.primary()
	for r.take("[") {
		slice := ir.Slice{X: r.typed(o)}
		if r.take(":") {
			slice.High = r.constant() - 1
		} else if slice.High = r.constant(); r.take(":") {
			slice.Low = r.constant()
		} else {
			slice.Low = slice.High
		}
		r.want("]")
		o = operand{x: slice}
	}
	if r.take("as") {
		bits := r.primary()
		if bits.x != nil {
			r.fail("a width must be a constant")
		}
		o = operand{x: o.sized(int(bits.n))}
	}
	return o
}

func (r *reader) primary() operand {
	t := r.peek()
	switch {
	case t.text == "(":
		return bracketed(r, r.number)
	case r.take("peek"):
		return operand{x: ir.Peek(bracketed(r, r.constant))}
	case r.take("sized"):
		r.want("(")
		bits := r.constant()
		r.want(",")
		n := r.constant()
		r.want(")")
		return operand{x: ir.Number(bits, uint64(n))}
	case t.isNumber():
		text := r.next()
		if bits, n, sized := strings.Cut(text, "w"); sized {
			return operand{x: ir.Number(int(r.parsed(bits)), uint64(r.parsed(n)))}
		}
		return operand{n: r.parsed(text)}
	}
	name := r.word()
	for _, param := range r.params {
		if param.Name == name {
			return operand{x: param}
		}
	}
	if f := r.field(name, r.gress); f != nil {
		return operand{x: f}
	}
	if x := r.Exprs[name]; x != nil {
		return operand{x: x}
	}
	if n, is := r.Numbers[name]; is {
		return operand{n: int64(n)}
	}
	f := named(r.Program.Functions, func(f *ir.HashFunction) bool { return f.Name == name })
	if f == nil {
		r.fail("%s is nothing that was declared", name)
	}
	hash := ir.Hash{Function: f}
	r.list("(", ")", func() { hash.Fields = append(hash.Fields, r.typed(r.number())) })
	return operand{x: hash}
}

// field returns a field by its name: of a header, of metadata, or intrinsic as package ir calls it;
// nil if there is none.
func (s *Source) field(name string, gress ir.Gress) *ir.Field {
	fields := s.Program.Metadata[gress]
	if header, field, of := strings.Cut(name, "."); of && s.headers[header] != nil {
		fields, name = s.headers[header].Fields, field
	} else if f := intrinsics[name]; f != nil {
		return f
	}
	return named(fields, func(f *ir.Field) bool { return f.Name == name })
}

// fieldOf returns the field that the next word names.
func (r *reader) fieldOf(gress ir.Gress) *ir.Field { return r.known(r.word(), gress) }

// known returns the field of a name.
func (r *reader) known(name string, gress ir.Gress) *ir.Field {
	f := r.field(name, gress)
	if f == nil {
		r.fail("%s is no field", name)
	}
	return f
}

func (r *reader) header() *ir.Header { return among(r, r.headers, "header") }

var intrinsics = map[string]*ir.Field{
	"IngressPort": ir.IngressPort, "IngressTime": ir.IngressTime, "EgressSpec": ir.EgressSpec,
	"QueueSpec": ir.QueueSpec, "MulticastGroup": ir.MulticastGroup, "ExcludedPort": ir.ExcludedPort,
	"IngressDrop": ir.IngressDrop, "IngressMirror": ir.IngressMirror,
	"IngressMirrorPort": ir.IngressMirrorPort, "IngressMirrorQID": ir.IngressMirrorQID,
	"EgressPort": ir.EgressPort, "EgressQueue": ir.EgressQueue, "ReplicaID": ir.ReplicaID,
	"QueueDepth": ir.QueueDepth, "PacketBytes": ir.PacketBytes, "EgressTime": ir.EgressTime,
	"EgressDrop": ir.EgressDrop, "EgressMirror": ir.EgressMirror,
	"EgressMirrorPort": ir.EgressMirrorPort, "EgressMirrorQID": ir.EgressMirrorQID,
	"GhostDepth": ir.GhostDepth, "GhostQueue": ir.GhostQueue, "GhostPipe": ir.GhostPipe,
}
