package p4

import (
	"fmt"
	"math"
	"slices"

	"github.com/sluicefc/sluice/tofino/ir"
)

// alu makes a program of the stateful ALU of statements.
type alu struct {
	*reader
	one     *instance
	halves  []member
	memory  map[*ir.Field]half // names of halves of the element
	outs    map[string]int     // names of results
	inputs  []string           // what packets give, as text
	when    ir.Guard           // where the statement at hand runs
	values  [][]valued         // by result, what it is and where
	covered []ir.Guard         // by result, where it has a value
}

// half is what a name in a register action stands for.
type half struct {
	of   ir.Half
	copy bool // of the element as it was; else as it is
}

// valued is a value of a result where a guard holds.
type valued struct {
	when  ir.Guard
	sum   ir.Sum
	after bool
	held  int // the value is which of that many comparisons held
}

// alu reads the function apply of a register action, with the element and the results as
// parameters.
func (r *reader) alu(one *instance, halves []member) {
	u := &alu{reader: r, one: one, halves: halves, memory: map[*ir.Field]half{},
		outs:   map[string]int{},
		values: make([][]valued, len(one.outputs)), covered: make([]ir.Guard, len(one.outputs))}
	outside := r.fields
	r.fields = map[string]*ir.Field{}
	for name, field := range outside {
		r.fields[name] = field
	}
	r.want("void", "apply")
	first := true
	r.list("(", ")", func() {
		if first {
			r.want("inout")
			u.element(false)
			first = false
			return
		}
		r.want("out")
		bits := r.width()
		at := len(u.outs)
		r.failIf(at >= len(one.outputs) || one.outputs[at] != bits, "results differ from the declaration")
		u.outs[r.name()] = at
	})
	r.failIf(len(u.outs) != len(one.outputs), "has %d results: declared are %d", len(u.outs),
		len(one.outputs))
	u.body(ir.Always)
	u.finish()
	r.fields = outside
}

// element names the halves of the element, or of a copy of it.
func (u *alu) element(copied bool) {
	kind, _ := u.reader.element()
	u.failIf(kind != u.one.register.kind, "the element is of another type")
	name := u.name()
	for at, one := range u.halves {
		full := name
		if one.name != "" {
			full += "." + one.name
		}
		u.failIf(u.fields[full] != nil, "%s is declared twice", full)
		field := &ir.Field{Name: full, Bits: one.bits}
		u.fields[full] = field
		u.memory[field] = half{of: ir.Low + ir.Half(at), copy: copied}
	}
}

// body reads statements under a guard.
func (u *alu) body(when ir.Guard) {
	u.deep++
	defer func() { u.deep-- }()
	u.failIf(u.deep > mostDeep, "is more than %d levels deep", mostDeep)
	if u.peek() != "{" {
		u.does(when)
		return
	}
	u.block(func() { u.does(when) })
}

func (u *alu) does(when ir.Guard) {
	u.when = when
	switch {
	case u.take("if"):
		u.want("(")
		holds := u.guard(u.condition(u.expression()))
		u.want(")")
		u.body(when & holds)
		if u.take("else") {
			u.body(when &^ holds)
		}
	case u.sized() || u.peek() == u.one.register.kind:
		u.failIf(len(u.one.action.Updates) > 0 || when != ir.Always,
			"a copy is made before anything is written")
		u.element(true)
		u.want("=")
		from := u.name()
		u.failIf(!u.is(from), "%s is not the element", from)
		u.want(";")
	default:
		u.assign(when)
	}
}

// is reports whether a name is the element as it is.
func (u *alu) is(name string) bool {
	if u.halves[0].name != "" {
		name += "." + u.halves[0].name
	}
	which, known := u.memory[u.fields[name]]
	return known && !which.copy
}

// assign reads an assignment to a half of the element or to a result.
func (u *alu) assign(when ir.Guard) {
	path := u.path()
	u.want("=")
	if at, is := u.outs[path]; is {
		if u.peek() == "this" {
			u.which(at, when)
		} else {
			u.result(at, when, u.sizedTo(u.expression(), u.one.outputs[at]))
		}
		u.want(";")
		return
	}
	field := u.fields[path]
	to, is := u.memory[field]
	u.failIf(!is || to.copy, "%s is neither the element nor a result", path)
	value := u.sizedTo(u.expression(), field.Bits)
	update := ir.Update{When: when, To: to.of}
	if binary, is := value.(ir.Binary); is && (binary.Op == ir.AddSaturated ||
		binary.Op == ir.SubSaturated) {
		update.Saturated = true
		value = ir.Binary{Op: binary.Op - ir.AddSaturated + ir.Add, X: binary.X, Y: binary.Y}
	}
	u.failIf(u.add(&update.Sum, value, false), "an update reads the element as it was: copy it first")
	kept := u.one.action.Updates[:0]
	for _, before := range u.one.action.Updates {
		if before.To == to.of {
			before.When &^= when
		}
		if before.When != 0 {
			kept = append(kept, before)
		}
	}
	for _, values := range u.values {
		for _, one := range values {
			early := one.after && one.sum.Memory == to.of && one.when&when != 0
			u.failIf(early, "a result read %s before its last change", path)
		}
	}
	if u.one.action.Updates = kept; when != 0 {
		u.one.action.Updates = append(kept, update)
	}
	u.want(";")
}

// result gives a result a value where a guard holds.
func (u *alu) result(at int, when ir.Guard, value ir.Expr) {
	one := valued{when: when}
	if bits := u.one.register.Bits; value.Width() > bits {
		value = widened(value)
		u.failIf(value.Width() > bits, "a result of %d bits of elements of %d", value.Width(), bits)
	}
	one.after = u.add(&one.sum, value, false)
	u.covered[at] |= when
	kept := u.values[at][:0]
	for _, before := range u.values[at] {
		if before.when &^= when; before.when != 0 {
			kept = append(kept, before)
		}
	}
	u.values[at] = kept
	if when == 0 || one.sum == (ir.Sum{}) {
		return
	}
	for i := range kept {
		if kept[i].sum == one.sum && kept[i].after == one.after {
			kept[i].when |= when
			return
		}
	}
	u.values[at] = append(kept, one)
}

// which reads this.predicate(COMPARISON, ...), whose value is which of the comparisons held: they
// are the first of the ALU's, in their order.
func (u *alu) which(at int, when ir.Guard) {
	u.want("this", ".", "predicate")
	held := 0
	u.list("(", ")", func() {
		guard := u.guard(u.condition(u.expression()))
		u.failIf(held == len(guards) || guard != guards[held],
			"%d of this.predicate is not comparison %d of the action", held+1, held+1)
		held++
	})
	u.failIf(held == 0, "this.predicate compares nothing")
	u.failIf(when != ir.Always || u.covered[at] != 0,
		"what this.predicate gives is a result's only value, and without a condition")
	u.failIf(u.one.outputs[at] < 1<<held, "a result of %d bits for %d comparisons: must have %d",
		u.one.outputs[at], held, 1<<held)
	u.covered[at] = ir.Always
	u.values[at] = []valued{{when: ir.Always, held: held}}
}

// finish makes the results, each of which has one value beside 0.
func (u *alu) finish() {
	for at, values := range u.values {
		name := ""
		for other, number := range u.outs {
			if number == at {
				name = other
			}
		}
		u.failIf(u.covered[at] != ir.Always, "%s has not always a value", name)
		u.failIf(len(values) > 1, "%s has two values beside 0: the ALU has one", name)
		output := ir.Output{When: ir.Always}
		if len(values) == 1 {
			one := values[0]
			output = ir.Output{When: one.when, Sum: one.sum, After: one.after, Held: one.held > 0}
			u.failIf(one.held > 0 && one.held < len(u.one.action.Predicates),
				"compares what this.predicate does not name")
			u.failIf(one.held > 0 && one.when != ir.Always,
				"what this.predicate gives is a result's only value, and without a condition")
		}
		u.one.action.Outputs = append(u.one.action.Outputs, output)
	}
}

// guard returns where a condition holds, and adds the comparisons in it to the predicates.
func (u *alu) guard(x ir.Expr) ir.Guard {
	switch x := x.(type) {
	case ir.All:
		all := ir.Always
		for _, part := range x {
			all &= u.guard(part)
		}
		return all
	case ir.Any:
		some := ir.Guard(0)
		for _, part := range x {
			some |= u.guard(part)
		}
		return some
	case ir.Not:
		return ir.Always ^ u.guard(x.X)
	case ir.Compare:
		p := ir.Predicate{Op: x.Op}
		now := u.add(&p.Sum, x.X, false)
		now = u.add(&p.Sum, x.Y, true) || now
		u.failIf(now, "a condition reads the element as it was: copy it first")
		return u.predicate(p)
	}
	u.fail("the ALU has comparisons only")
	return 0
}

var guards = [...]ir.Guard{ir.First, ir.Second, ir.Third, ir.Fourth}

// predicate returns where a predicate holds. It adds it to the action's, unless one of these is the
// same or its contrary.
func (u *alu) predicate(p ir.Predicate) ir.Guard {
	turned := ir.Predicate{Op: swapped[p.Op], Sum: negative(p.Sum)}
	for at, known := range u.one.action.Predicates {
		switch {
		case known == p || known == turned:
			return guards[at]
		case known == (ir.Predicate{Op: contrary[p.Op], Sum: p.Sum}),
			known == (ir.Predicate{Op: contrary[turned.Op], Sum: turned.Sum}):
			return ir.Always ^ guards[at]
		}
	}
	at := len(u.one.action.Predicates)
	u.failIf(at == len(guards), "compares more than %d times", len(guards))
	u.one.action.Predicates = append(u.one.action.Predicates, p)
	return guards[at]
}

var (
	contrary = [...]ir.Relation{ir.Equal: ir.NotEqual, ir.NotEqual: ir.Equal, ir.Less: ir.MoreOrEqual,
		ir.LessOrEqual: ir.More, ir.More: ir.LessOrEqual, ir.MoreOrEqual: ir.Less}
	swapped = [...]ir.Relation{ir.Equal: ir.Equal, ir.NotEqual: ir.NotEqual, ir.Less: ir.More,
		ir.LessOrEqual: ir.MoreOrEqual, ir.More: ir.Less, ir.MoreOrEqual: ir.LessOrEqual}
)

func negative(s ir.Sum) ir.Sum {
	s.Negative = s.Memory != ir.NoHalf && !s.Negative
	s.Minus = s.Input != 0 && !s.Minus
	s.Constant = -s.Constant
	return s
}

// add adds an expression to a sum, or subtracts it, and reports whether it reads a half of the
// element that was changed before.
func (u *alu) add(sum *ir.Sum, x ir.Expr, minus bool) (changed bool) {
	x = bare(x)
	switch x := x.(type) {
	case ir.Const:
		u.failIf(!x.Value.Fits(31), "the constant %v has more than 31 bits", x.Value)
		constant := int64(sum.Constant) + int64(x.Value.Lo)
		if minus {
			constant = int64(sum.Constant) - int64(x.Value.Lo)
		}
		u.failIf(constant > math.MaxInt32 || constant < -math.MaxInt32, "constants are too large")
		sum.Constant = int32(constant)
		return false
	case *ir.Field:
		if which, is := u.memory[x]; is {
			u.failIf(sum.Memory != ir.NoHalf, "a sum has one half of the element")
			sum.Memory, sum.Negative = which.of, minus
			return !which.copy && slices.ContainsFunc(u.one.action.Updates, func(one ir.Update) bool {
				return one.To == which.of && one.When&u.when != 0
			})
		}
	case ir.Binary:
		if x.Op == ir.Add || x.Op == ir.Sub {
			changed = u.add(sum, x.X, minus)
			return u.add(sum, x.Y, minus != (x.Op == ir.Sub)) || changed
		}
	}
	u.failIf(sum.Input != 0, "a sum has one input")
	sum.Input, sum.Minus = u.input(x), minus
	return false
}

// bare returns an expression without zeros in front and without a cut to its low bits: sums wrap at
// the width of what they are for.
func bare(x ir.Expr) ir.Expr {
	x = widened(x)
	if cut, is := x.(ir.Slice); is && cut.Low == 0 {
		if inner := widened(cut.X); inner.Width() <= cut.High+1 {
			return bare(inner)
		}
	}
	return x
}

// input returns the number of what a packet gives.
func (u *alu) input(x ir.Expr) int {
	ir.Walk(x, func(part ir.Expr) {
		field, named := part.(*ir.Field)
		_, memory := u.memory[field]
		u.failIf(named && memory, "a half of the element is added, subtracted or compared only")
		_, param := part.(*ir.Param)
		u.failIf(param, "a register action takes fields alone")
	})
	u.failIf(x.Width() > u.one.register.Bits, "an input of %d bits for elements of %d", x.Width(),
		u.one.register.Bits)
	text := fmt.Sprintf("%#v", []ir.Expr{x})
	at := slices.Index(u.inputs, text)
	if at < 0 {
		at = len(u.inputs)
		u.failIf(at == 2, "has more than two inputs")
		u.inputs, u.one.inputs = append(u.inputs, text), append(u.one.inputs, x)
	}
	return at + 1
}
