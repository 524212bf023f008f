package emit

import (
	"fmt"
	"strings"

	"github.com/sluicefc/sluice/tofino/ir"
)

// Signs of the language by the representation's operators and relations.
var (
	operators = map[ir.Operator]string{ir.Add: "+", ir.Sub: "-", ir.AddSaturated: "|+|",
		ir.SubSaturated: "|-|", ir.And: "&", ir.Or: "|", ir.Xor: "^"}
	relations = map[ir.Relation]string{ir.Equal: "==", ir.NotEqual: "!=", ir.Less: "<",
		ir.LessOrEqual: "<=", ir.More: ">", ir.MoreOrEqual: ">="}
	negations = map[ir.Relation]ir.Relation{ir.Equal: ir.NotEqual, ir.NotEqual: ir.Equal,
		ir.Less: ir.MoreOrEqual, ir.LessOrEqual: ir.More, ir.More: ir.LessOrEqual,
		ir.MoreOrEqual: ir.Less}
)

// expression returns the text of an expression, in brackets if it has several parts.
func (t *text) expression(x ir.Expr) string {
	switch x := x.(type) {
	case *ir.Field:
		if place, known := t.places[x]; known {
			return place
		}
		return x.Name // intrinsic
	case *ir.Param:
		return x.Name
	case ir.Const:
		return literal(x.Value, x.Bits)
	case ir.Slice:
		return fmt.Sprintf("%s[%d:%d]", t.expression(x.X), x.High, x.Low)
	case ir.Peek:
		return fmt.Sprintf("pkt.lookahead<bit<%d>>()", int(x))
	case ir.Concat:
		return t.joined(x, " ++ ", "")
	case ir.Binary:
		return "(" + t.expression(x.X) + " " + operators[x.Op] + " " + t.expression(x.Y) + ")"
	case ir.Compare:
		return "(" + t.expression(x.X) + " " + relations[x.Op] + " " + t.meant(x.X, x.Y) + ")"
	case ir.All:
		return t.joined(x, " && ", "true")
	case ir.Any:
		return t.joined(x, " || ", "false")
	case ir.Not:
		return "!" + t.expression(x.X)
	case ir.Valid:
		return "hdr." + x.Header.Name + ".isValid()"
	case ir.Hash:
		return t.hash(x)
	}
	t.fault(true, "an expression of an unknown kind")
	return ""
}

// meant returns the text of an expression that is compared with another or assigned to it: a value
// to which the other gives a name is the name.
func (t *text) meant(beside, x ir.Expr) string {
	if field, is := beside.(*ir.Field); is {
		if value, constant := x.(ir.Const); constant && field.Values[value.Value.Lo] != "" {
			return field.Values[value.Value.Lo]
		}
	}
	return t.expression(x)
}

// joined returns parts with a sign between them, in brackets if there are several.
func (t *text) joined(parts []ir.Expr, sign, none string) string {
	texts := make([]string, len(parts))
	for at, part := range parts {
		texts[at] = t.expression(part)
	}
	switch len(parts) {
	case 0:
		return none
	case 1:
		return texts[0]
	}
	return "(" + strings.Join(texts, sign) + ")"
}

// bare takes the brackets off an expression that stands alone.
func bare(text string) string {
	if !strings.HasPrefix(text, "(") {
		return text
	}
	open := 0
	for at, letter := range text {
		switch letter {
		case '(':
			open++
		case ')':
			open--
		}
		if open == 0 && at < len(text)-1 {
			return text
		}
	}
	return text[1 : len(text)-1]
}

func literal(v ir.Value, bits int) string {
	if v.Hi == 0 && v.Lo < 10 {
		return fmt.Sprintf("%dw%d", bits, v.Lo)
	}
	return fmt.Sprintf("%dw%v", bits, v)
}

// hash returns a call of an instance of a hash function, which it declares for it.
func (t *text) hash(x ir.Hash) string {
	f := x.Function
	name := t.names.fresh(f.Name)
	t.hashed = append(t.hashed, hashUse{t.gress, name, x})
	kind := "HashAlgorithm_t.IDENTITY"
	switch f.Kind {
	case ir.CRC:
		polynomial := t.names.fresh(name + "_poly")
		number := func(value uint32) string { return literal(ir.Uint(uint64(value)), f.Bits) }
		fmt.Fprintf(&t.hashes, "    CRCPolynomial<bit<%d>>(%s, %t, false, false,\n        %s, %s) %s;\n",
			f.Bits, number(f.Polynomial), f.Reflected, number(f.Init), number(f.XorOut), polynomial)
		kind = "HashAlgorithm_t.CUSTOM, " + polynomial
	case ir.Fold:
		kind = fmt.Sprintf("HashAlgorithm_t.XOR%d", f.Bits)
	}
	fmt.Fprintf(&t.hashes, "    Hash<bit<%d>>(%s) %s;\n", f.Bits, kind, name)
	fields := make([]string, len(x.Fields))
	for at, field := range x.Fields {
		fields[at] = bare(t.expression(field))
	}
	sign := ", "
	if len(fields) > 4 {
		sign = ",\n            "
	}
	return name + ".get({" + strings.Join(fields, sign) + "})"
}
