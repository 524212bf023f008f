package lang

import (
	"strings"

	"github.com/sluicefc/sluice/tofino/ir"
)

// register reads a register with its actions.
func (r *reader) register() {
	reg := &ir.Register{Pair: r.take("pair")}
	if r.take("egress") {
		reg.Gress = ir.Egress
	}
	reg.Name = r.word()
	if reg.Shared = reg.Name == "shared" && r.peek().isWord(); reg.Shared {
		reg.Name = r.word()
	}
	reg.Bits = int(r.parsed(r.next()))
	r.want("[")
	reg.Size = r.constant()
	r.want("]")
	if r.take("=") {
		reg.Initial[0] = uint32(r.constant())
	}
	reg.Source = r.text()
	r.list("{", "}", func() {
		a := r.registerAction()
		reg.Actions, r.ofALU[a.Name] = append(reg.Actions, a), a
	})
	r.Program.Registers = append(r.Program.Registers, reg)
}

func (r *reader) registerAction() *ir.RegisterAction {
	a := &ir.RegisterAction{Name: r.word()}
	r.list("(", ")", func() { a.Predicates = append(a.Predicates, r.predicate()) })
	if r.peek().text == "{" {
		r.list("{", "}", func() { a.Updates = append(a.Updates, r.update()) })
	}
	for arrow := r.take("->"); arrow; arrow = r.take(",") {
		out := ir.Output{After: r.take("new"), Sum: r.sum()}
		out.When = r.when()
		a.Outputs = append(a.Outputs, out)
	}
	return a
}

// predicate reads a comparison: what is on its right side is taken from what is on its left.
func (r *reader) predicate() ir.Predicate {
	p := ir.Predicate{Sum: r.sum()}
	sign := r.next()
	op, is := relations[sign]
	if !is {
		r.fail("%q compares nothing", sign)
	}
	p.Op = op
	r.term(&p.Sum, true)
	return p
}

// sum reads terms of a half, an input and a constant.
func (r *reader) sum() (sum ir.Sum) {
	r.term(&sum, false)
	for {
		switch {
		case r.take("+"):
			r.term(&sum, false)
		case r.take("-"):
			r.term(&sum, true)
		default:
			return sum
		}
	}
}

var halves = map[string]ir.Half{"low": ir.Low, "high": ir.High}

func (r *reader) term(sum *ir.Sum, minus bool) {
	switch next := r.peek().text; next {
	case "low", "high":
		sum.Memory = halves[r.next()]
	case "in1", "in2":
		sum.Input, sum.Minus = int(r.next()[2]-'0'), minus
	default:
		o := r.postfix()
		if o.x != nil {
			r.fail("must be low, high, in1, in2 or a constant")
		}
		if minus {
			o.n = -o.n
		}
		sum.Constant += int32(o.n)
	}
}

func (r *reader) update() ir.Update {
	half := r.word()
	u := ir.Update{To: halves[half]}
	if u.To == ir.NoHalf {
		r.fail("%s is no half", half)
	}
	switch sign := r.next(); sign {
	case "=":
		if u.Sum = r.sum(); r.take("|+|") {
			u.Saturated = true
			r.term(&u.Sum, false)
		}
	case "+=", "-=":
		u.Sum.Memory = u.To
		r.term(&u.Sum, sign == "-=")
	default:
		r.fail("%q must be =, += or -=", sign)
	}
	u.When = r.when()
	return u
}

// when reads a guard, if there is one.
func (r *reader) when() ir.Guard {
	if !r.take("if") {
		return ir.Always
	}
	return r.guard()
}

var guards = [...]ir.Guard{ir.First, ir.Second, ir.Third, ir.Fourth}

func (r *reader) guard() ir.Guard {
	some := r.both()
	for r.take("|") {
		some |= r.both()
	}
	return some
}

func (r *reader) both() ir.Guard {
	all := r.holds()
	for r.take("&") {
		all &= r.holds()
	}
	return all
}

func (r *reader) holds() ir.Guard {
	if r.take("!") {
		return ir.Always ^ r.holds()
	}
	if r.peek().text == "(" {
		return bracketed(r, r.guard)
	}
	name := r.word()
	at := strings.Index("abcd", name)
	if at < 0 || len(name) != 1 {
		r.fail("%s is no predicate: they are a, b, c and d", name)
	}
	return guards[at]
}
