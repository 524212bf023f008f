package p4

import "github.com/sluicefc/sluice/tofino/ir"

// typed returns an operand whose width is known, and which is no condition.
func (r *reader) typed(o operand) ir.Expr {
	r.failIf(o.x == nil, "has no width: write BITSwNUMBER")
	r.failIf(o.condition, "is a condition where a number must stand")
	return o.x
}

// sizedTo returns an operand of a certain width.
func (r *reader) sizedTo(o operand, bits int) ir.Expr {
	if o.x == nil {
		r.failIf(o.n < 0 || !ir.Uint(uint64(o.n)).Fits(bits), "%d does not fit %d bits", o.n, bits)
		return ir.Number(bits, uint64(o.n))
	}
	x := r.typed(o)
	r.failIf(x.Width() != bits, "has %d bits where %d must stand", x.Width(), bits)
	return x
}

// number returns the value of a constant.
func (r *reader) number(o operand) int64 {
	if o.x == nil {
		return o.n
	}
	constant, is := o.x.(ir.Const)
	r.failIf(!is || !constant.Value.Fits(63), "must be a constant of at most 63 bits")
	return int64(constant.Value.Lo)
}

// condition returns an operand that is a condition.
func (r *reader) condition(o operand) ir.Expr {
	r.failIf(o.x == nil || !o.condition, "is no condition: compare it with a number")
	return o.x
}

// truth returns a condition that always holds, or never.
func truth(is bool) operand {
	if is {
		return operand{x: ir.All{}, condition: true}
	}
	return operand{x: ir.Any{}, condition: true}
}

// holds reports whether a relation holds, from how the sides compare: less than, equal to or more
// than 0.
func holds(relation ir.Relation, compared int) bool {
	switch relation {
	case ir.Equal:
		return compared == 0
	case ir.NotEqual:
		return compared != 0
	case ir.Less:
		return compared < 0
	case ir.LessOrEqual:
		return compared <= 0
	case ir.More:
		return compared > 0
	default:
		return compared >= 0
	}
}

// mostFolded bounds numbers without a width, so that no product wraps.
const mostFolded = 1 << 62

// fold computes with numbers without a width.
func (r *reader) fold(sign string, x, y int64) operand {
	if relation, compares := relations[sign]; compares {
		switch {
		case x < y:
			return truth(holds(relation, -1))
		case x > y:
			return truth(holds(relation, 1))
		}
		return truth(holds(relation, 0))
	}
	big := x > mostFolded/2 || x < -mostFolded/2 || y > mostFolded/2 || y < -mostFolded/2
	shifts := sign == "<<" || sign == ">>"
	r.failIf(big || shifts && (y < 0 || y > 62 || x < 0), "%d %s %d is too large", x, sign, y)
	switch sign {
	case "+":
		return operand{n: x + y}
	case "-":
		return operand{n: x - y}
	case "*":
		product := x * y
		r.failIf(x != 0 && (product/x != y || product > mostFolded), "%d * %d is too large", x, y)
		return operand{n: product}
	case "/", "%":
		r.failIf(x < 0 || y <= 0, "%d %s %d: must be positive", x, sign, y)
		if sign == "/" {
			return operand{n: x / y}
		}
		return operand{n: x % y}
	case "<<":
		r.failIf(x > mostFolded>>y, "%d << %d is too large", x, y)
		return operand{n: x << y}
	case ">>":
		return operand{n: x >> y}
	case "&":
		return operand{n: x & y}
	case "|":
		return operand{n: x | y}
	case "^":
		return operand{n: x ^ y}
	}
	r.fail("%s of numbers without a width", sign)
	return operand{}
}

// foldSized computes with constants of a width, modulo that.
func (r *reader) foldSized(sign string, left ir.Expr, y ir.Const) ir.Expr {
	x, is := left.(ir.Const)
	r.failIf(!is, "%s of what is no constant", sign)
	r.failIf(x.Bits > 64 || x.Value.Hi|y.Value.Hi != 0, "%s of a constant of more than 64 bits", sign)
	a, b := x.Value.Lo, y.Value.Lo
	mask := ir.Mask(x.Bits).Lo
	switch sign {
	case "+":
		a += b
	case "-":
		a -= b
	case "*":
		a *= b
	case "<<":
		a <<= min(b, 64)
	case ">>":
		a >>= min(b, 64)
	case "&":
		a &= b
	case "|":
		a |= b
	case "^":
		a ^= b
	default:
		r.fail("%s of two constants", sign)
	}
	return ir.Number(x.Bits, a&mask)
}
