package emit

import (
	"fmt"
	"math/bits"
	"strings"

	"github.com/sluicefc/sluice/tofino/ir"
)

// instance is a register action with the inputs of one place, or of several places that give it the
// same inputs.
type instance struct {
	name     string
	register *ir.Register
	action   *ir.RegisterAction
	inputs   [2]string
	outputs  [ir.MaxOutputs]int // bits of each output that a place takes, 0 for none
}

// collect finds the instances that the actions of a gress need, with the widths of their outputs.
func (t *text) collect(actions []*ir.Action) {
	t.instances = nil
	for action, e := range ir.Executes(actions) {
		one := t.instance(action, e)
		for at, field := range e.To {
			if field != nil {
				one.outputs[at] = max(one.outputs[at], field.Bits)
			}
		}
	}
	for _, register := range t.program.Registers {
		count := 0
		for _, one := range t.instances {
			if one.register == register {
				count++
			}
		}
		t.fault(count > ir.MaxRegisterActions, "register %s: %d actions with inputs of their own, at "+
			"most %d", register.Name, count, ir.MaxRegisterActions)
	}
}

// instance returns the instance that a place uses.
func (t *text) instance(action *ir.Action, e ir.Execute) *instance {
	inputs := t.inputs(action, e)
	count := 0
	for _, one := range t.instances {
		if one.action == e.Action {
			if one.inputs == inputs {
				return one
			}
			count++
		}
	}
	register := t.owner[e.Action]
	one := &instance{name: t.names.fresh(register.Name + "_" + e.Action.Name), register: register,
		action: e.Action, inputs: inputs}
	t.instances = append(t.instances, one)
	return one
}

// inputs returns what a place gives a register action, as wide as the register.
func (t *text) inputs(action *ir.Action, e ir.Execute) (inputs [2]string) {
	register := t.owner[e.Action]
	for at, x := range e.Phv {
		if x == nil {
			continue
		}
		ir.Walk(x, func(part ir.Expr) {
			if param, is := part.(*ir.Param); is {
				t.fault(true, "action %s: gives %s the parameter %v: a register action is declared outside "+
					"of actions and takes fields alone", action.Name, e.Action.Name, param.Name)
			}
		})
		t.fault(x.Width() > register.Bits, "action %s: input %d of %s has %d bits, register %s has %d",
			action.Name, at+1, e.Action.Name, x.Width(), register.Name, register.Bits)
		inputs[at] = cast(t.expression(x), x.Width(), register.Bits)
	}
	return inputs
}

// wide is cast for an expression that may have several parts.
func wide(text string, from, to int) string {
	if from != to && strings.Contains(text, " ") {
		text = "(" + text + ")"
	}
	return cast(text, from, to)
}

// cast returns an expression with another number of bits.
func cast(text string, from, to int) string {
	if from == to {
		return text
	}
	return fmt.Sprintf("(bit<%d>)%s", to, text)
}

func element(r *ir.Register) string {
	if r.Pair {
		return r.Name + "_pair_t"
	}
	return fmt.Sprintf("bit<%d>", r.Bits)
}

// register returns the declaration of a register, and the type of its elements if that is a pair.
func (t *text) register(r *ir.Register) (kind, declared string) {
	initial := literal(ir.Uint(uint64(r.Initial[0])), r.Bits)
	if r.Pair {
		kind = fmt.Sprintf("\nstruct %s {\n    bit<%d> low;\n    bit<%d> high;\n}\n", element(r), r.Bits,
			r.Bits)
		initial = "{" + initial + ", " + literal(ir.Uint(uint64(r.Initial[1])), r.Bits) + "}"
	}
	return kind, fmt.Sprintf("Register<%s, bit<%d>>(%s, %s) %s;\n", element(r), t.index(r),
		literal(ir.Uint(uint64(r.Size)), 32), initial, r.Name)
}

// index returns the bits of a register's index, as wide as the widest index of a place.
func (t *text) index(r *ir.Register) int {
	widest := 0
	for _, e := range ir.Executes(t.program.Actions) {
		if t.owner[e.Action] == r {
			widest = max(widest, e.Index.Width())
		}
	}
	return max(widest, bits.Len(uint(r.Size-1)), 1)
}

// declaration writes an instance: it first copies the element as it was, from which all conditions
// and sums are computed.
func (t *text) declaration(b *strings.Builder, one *instance) {
	r, a := one.register, one.action
	count, results, params := "", "", ""
	outputs := 0
	for at, width := range one.outputs {
		if width > 0 {
			outputs++
			results += fmt.Sprintf(", bit<%d>", width)
			params += fmt.Sprintf(", out bit<%d> rv%d", width, at+1)
		}
	}
	switch outputs {
	case 0:
		results = ", void"
	case 1:
	default:
		count = fmt.Sprint(outputs)
	}
	fmt.Fprintf(b, "    RegisterAction%s<%s, bit<%d>%s>(%s) %s = {\n", count, element(r), t.index(r),
		results, r.Name, one.name)
	fmt.Fprintf(b, "        void apply(inout %s value%s) {\n", element(r), params)
	fmt.Fprintf(b, "            %s before = value;\n", element(r))
	var body guarded
	for at, output := range a.Outputs {
		if width := one.outputs[at]; width > 0 && !always(output.When, len(a.Predicates)) {
			body.add("true", fmt.Sprintf("rv%d = %s;", at+1, literal(ir.Value{}, width)))
		}
	}
	for _, update := range a.Updates {
		body.add(t.guard(one, update.When), half("value", r, update.To)+" = "+
			t.sum(one, &update.Sum, "before", r.Bits, update.Saturated)+";")
	}
	for at, output := range a.Outputs {
		width := one.outputs[at]
		if width == 0 {
			continue
		}
		from := "before"
		if output.After {
			from = "value"
		}
		value := t.sum(one, &output.Sum, from, min(width, r.Bits), false)
		body.add(t.guard(one, output.When), fmt.Sprintf("rv%d = %s;", at+1,
			wide(value, min(width, r.Bits), width)))
	}
	body.write(b)
	b.WriteString("        }\n    };\n")
}

func half(name string, r *ir.Register, h ir.Half) string {
	switch {
	case !r.Pair:
		return name
	case h == ir.High:
		return name + ".high"
	default:
		return name + ".low"
	}
}

// terms splits a sum into the terms that are added and the terms that are subtracted.
func (t *text) terms(one *instance, s *ir.Sum, from string, width int) (plus, minus []string) {
	add := func(negative bool, term string) {
		if negative {
			minus = append(minus, term)
		} else {
			plus = append(plus, term)
		}
	}
	r := one.register
	if s.Memory != ir.NoHalf {
		add(s.Negative, cast(half(from, r, s.Memory), r.Bits, width))
	}
	if s.Input > 0 {
		add(s.Minus, cast(one.inputs[s.Input-1], r.Bits, width))
	}
	if s.Constant != 0 {
		size := uint64(max(int64(s.Constant), -int64(s.Constant)))
		t.fault(!ir.Uint(size).Fits(width), "register action %s: the constant %d does not fit register "+
			"%s", one.action.Name, s.Constant, r.Name)
		add(s.Constant < 0, literal(ir.Uint(size), width))
	}
	return plus, minus
}

// sum returns the text of a sum as a value of so many bits.
func (t *text) sum(one *instance, s *ir.Sum, from string, width int, saturated bool) string {
	plus, minus := t.terms(one, s, from, width)
	t.fault(saturated && len(plus)+len(minus) > 2, "register action %s: a saturated sum of three "+
		"terms", one.action.Name)
	add, subtract := " + ", " - "
	if saturated {
		add, subtract = " |+| ", " |-| "
	}
	if len(plus) == 0 {
		plus = []string{literal(ir.Value{}, width)}
	}
	return strings.Join(append([]string{strings.Join(plus, add)}, minus...), subtract)
}

// predicate returns a comparison, or its contrary: subtracted terms stand on the right, so that two
// terms are compared and nothing wraps.
func (t *text) predicate(one *instance, p *ir.Predicate, holds bool) string {
	width := one.register.Bits
	plus, minus := t.terms(one, &p.Sum, "before", width)
	side := func(terms []string) string {
		if len(terms) == 0 {
			return literal(ir.Value{}, width)
		}
		return strings.Join(terms, " + ")
	}
	op := p.Op
	if !holds {
		op = negations[op]
	}
	return side(plus) + " " + relations[op] + " " + side(minus)
}
