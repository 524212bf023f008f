package p4

import (
	"math/big"
	"strconv"
	"strings"

	"github.com/sluicefc/sluice/tofino/internal/cpp"
	"github.com/sluicefc/sluice/tofino/ir"
)

// operand is an expression, or a number without a width, which takes the width of what is beside
// it.
type operand struct {
	x ir.Expr // nil for a number
	n int64
	// condition reports that the expression is a condition and no number of one bit.
	condition bool
}

// operators of numbers, and relations, by rank: a later row binds closer.
var ranks = [][]string{
	{"||"}, {"&&"}, {"==", "!="}, {"<", ">", "<=", ">="}, {"|"}, {"^"}, {"&"}, {"<<", ">>"},
	{"++", "+", "-", "|+|", "|-|"}, {"*", "/", "%"},
}

var (
	operators = map[string]ir.Operator{"+": ir.Add, "-": ir.Sub, "|+|": ir.AddSaturated,
		"|-|": ir.SubSaturated, "&": ir.And, "|": ir.Or, "^": ir.Xor}
	relations = map[string]ir.Relation{"==": ir.Equal, "!=": ir.NotEqual, "<": ir.Less,
		"<=": ir.LessOrEqual, ">": ir.More, ">=": ir.MoreOrEqual}
)

// mostDeep bounds how deep expressions and blocks are inside each other.
const mostDeep = 200

func (r *reader) expression() operand { return r.ranked(0) }

// ranked reads operands with operators of a rank or higher between them, from the left.
func (r *reader) ranked(rank int) operand {
	if rank == len(ranks) {
		return r.prefix()
	}
	left := r.ranked(rank + 1)
	for {
		sign := r.sign(ranks[rank])
		if sign == "" {
			return left
		}
		left = r.combined(sign, left, r.ranked(rank+1))
	}
}

// sign takes the next token if it is one of some signs. ">>" comes as two tokens.
func (r *reader) sign(signs []string) string {
	next := r.peek()
	twice := next == ">" && r.peek(1) == ">"
	for _, sign := range signs {
		if sign == ">>" && twice {
			r.want(">", ">")
			return sign
		}
		if sign == next && !twice {
			r.next()
			return sign
		}
	}
	return ""
}

func (r *reader) combined(sign string, left, right operand) operand {
	relation, compares := relations[sign]
	operator, known := operators[sign]
	switch {
	case sign == "||":
		return operand{x: join[ir.Any](r.condition(left), r.condition(right)), condition: true}
	case sign == "&&":
		return operand{x: join[ir.All](r.condition(left), r.condition(right)), condition: true}
	case left.x == nil && right.x == nil:
		return r.fold(sign, left.n, right.n)
	case sign == "++":
		return r.concatenated(r.typed(left), r.typed(right))
	case sign == "<<" || sign == ">>":
		by := ir.Const{Value: ir.Uint(uint64(r.number(right)))}
		return operand{x: r.foldSized(sign, r.typed(left), by)}
	}
	r.failIf(left.condition || right.condition, "%s of a condition", sign)
	var x, y ir.Expr
	if left.x == nil {
		y = right.x
		x = r.sizedTo(left, y.Width())
	} else {
		x = left.x
		y = r.sizedTo(right, x.Width())
	}
	a, first := x.(ir.Const)
	b, second := y.(ir.Const)
	switch {
	case compares && first && second:
		return truth(holds(relation, a.Value.Compare(b.Value)))
	case compares:
		return operand{x: ir.Compare{Op: relation, X: x, Y: y}, condition: true}
	case first && second:
		return operand{x: r.foldSized(sign, a, b)}
	}
	r.failIf(!known, "%s of what is no constant", sign)
	return operand{x: ir.Binary{Op: operator, X: x, Y: y}}
}

// join puts conditions together without one inside another of the same kind.
func join[T ir.All | ir.Any](left, right ir.Expr) ir.Expr {
	var parts []ir.Expr
	for _, x := range []ir.Expr{left, right} {
		switch inner := x.(type) {
		case T:
			parts = append(parts, inner...)
		default:
			parts = append(parts, x)
		}
	}
	return any(T(parts)).(ir.Expr)
}

// concatenated joins constants to a constant, and other parts to a row of parts.
func (r *reader) concatenated(x, y ir.Expr) operand {
	a, first := x.(ir.Const)
	b, second := y.(ir.Const)
	if first && second && a.Bits+b.Bits <= 64 {
		return operand{x: ir.Number(a.Bits+b.Bits, a.Value.Lo<<b.Bits|b.Value.Lo)}
	}
	parts := ir.Concat{x}
	if row, is := x.(ir.Concat); is {
		parts = append(ir.Concat{}, row...)
	}
	parts = append(parts, y)
	r.failIf(parts.Width() > ir.MaxWidth, "has more than %d bits", ir.MaxWidth)
	return operand{x: parts}
}

// prefix reads an operand with what stands before it.
func (r *reader) prefix() operand {
	r.deep++
	defer func() { r.deep-- }()
	r.failIf(r.deep > mostDeep, "is more than %d levels deep", mostDeep)
	switch {
	case r.take("!"):
		x := r.condition(r.prefix())
		if not, is := x.(ir.Not); is {
			return operand{x: not.X, condition: true}
		}
		return operand{x: ir.Not{X: x}, condition: true}
	case r.take("-"):
		return operand{n: -r.number(r.prefix())}
	case r.peek() == "(" && (r.peek(1) == "bit" || r.types[r.peek(1)].bits > 0):
		r.want("(")
		bits := r.width()
		r.want(")")
		return operand{x: r.cast(r.prefix(), bits)}
	}
	o := r.primary()
	for r.take("[") {
		slice := ir.Slice{X: r.typed(o), High: int(r.number(r.expression()))}
		r.want(":")
		slice.Low = int(r.number(r.expression()))
		r.want("]")
		r.failIf(slice.Low < 0 || slice.High < slice.Low || slice.High >= slice.X.Width(),
			"bits %d to %d of %d", slice.High, slice.Low, slice.X.Width())
		o = operand{x: slice}
	}
	return o
}

// cast gives an operand another width: it is cut, or gets zeros in front.
func (r *reader) cast(o operand, bits int) ir.Expr {
	if o.x == nil {
		return r.sizedTo(o, bits)
	}
	x := r.typed(o)
	constant, is := x.(ir.Const)
	switch width := x.Width(); {
	case width == bits:
		return x
	case is && width < bits:
		return ir.Const{Value: constant.Value, Bits: bits}
	case width < bits:
		return ir.Concat{ir.Number(bits-width, 0), x}
	}
	return ir.Slice{X: x, High: bits - 1}
}

// primary reads a number, a name, or an expression in brackets.
func (r *reader) primary() operand {
	switch t := r.next(); {
	case t.Text == "(":
		o := r.expression()
		r.want(")")
		return o
	case t.Kind == cpp.Number:
		return r.literal(t.Text)
	case t.Text == "true" || t.Text == "false":
		return truth(t.Text == "true")
	case t.Kind == cpp.Name:
		r.at--
		return r.named()
	default:
		r.fail("%q begins no expression", t.Text)
	}
	return operand{}
}

// literal returns the value of a number, 32w0xFF or 255.
func (r *reader) literal(text string) operand {
	width, digits, sized := strings.Cut(text, "w")
	if !sized {
		n, err := strconv.ParseInt(text, 0, 64)
		r.failIf(err != nil, "%s is no number of at most 63 bits", text)
		return operand{n: n}
	}
	bits, err := strconv.Atoi(width)
	r.failIf(err != nil || bits < 1 || bits > ir.MaxWidth, "%s has no width of 1 to %d bits", text,
		ir.MaxWidth)
	r.failIf(len(digits) > ir.MaxWidth, "%s is too long", text)
	number, ok := new(big.Int).SetString(digits, 0)
	r.failIf(!ok || number.Sign() < 0 || number.BitLen() > bits, "%s does not fit", text)
	return operand{x: ir.Const{Value: ir.BytesValue(number.Bytes()), Bits: bits}}
}

// named reads what begins with a name: a constant, a parameter, a field, whether a header is there,
// what follows in the packet, or a hash.
func (r *reader) named() operand {
	name := r.name()
	switch {
	case r.peek() == "." && name == r.pkt && r.pkt != "":
		r.want(".", "lookahead", "<")
		bits := r.width()
		r.want(">", "(", ")")
		return operand{x: ir.Peek(bits)}
	case r.peek() == "." && r.functions[name] != nil:
		r.want(".", "get", "(")
		hash := ir.Hash{Function: r.functions[name]}
		r.list("{", "}", func() { hash.Fields = append(hash.Fields, r.typed(r.expression())) })
		r.want(")")
		return operand{x: hash}
	}
	if param := r.params[name]; param != nil {
		return operand{x: param}
	}
	if constant, is := r.constants[name]; is {
		return operand{x: constant}
	}
	if n, is := r.untyped[name]; is {
		return operand{n: n}
	}
	for r.fields[name] == nil && r.take(".") {
		if header := r.valid[name]; header != nil && r.take("isValid") {
			r.want("(", ")")
			return operand{x: ir.Valid{Header: header}, condition: true}
		}
		name += "." + r.name()
	}
	field := r.fields[name]
	r.failIf(field == nil, "%s is nothing that was declared", name)
	return operand{x: field}
}
