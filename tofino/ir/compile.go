package ir

// pass is one way of a packet through one gress.
type pass struct {
	values []Value // of fields, by position
	valid  []bool  // of headers, by position
	data   []Value // of the action that runs
	pipe   int
	gress  Gress

	word    uint32
	hasWord bool
	scratch []byte
}

// evaluated computes a value, decided a condition, block runs steps.
type (
	evaluated func(*pass) Value
	decided   func(*pass) bool
	block     []func(*pass)
)

func (b block) run(p *pass) {
	for _, step := range b {
		step(p)
	}
}

// value compiles an expression that is a number, of an action with these parameters.
func (m *Machine) value(x Expr, params []*Param) evaluated {
	switch x := x.(type) {
	case *Field:
		at := m.fields[x]
		return func(p *pass) Value { return p.values[at] }
	case Const:
		return func(*pass) Value { return x.Value }
	case *Param:
		at := 0
		for params[at] != x {
			at++
		}
		return func(p *pass) Value { return p.data[at] }
	case Slice:
		inner, low, width := m.value(x.X, params), x.Low, x.Width()
		return func(p *pass) Value { return inner(p).shiftRight(low).low(width) }
	case Concat:
		return m.concat(x, params)
	case Binary:
		return binary(x.Op, m.value(x.X, params), m.value(x.Y, params), x.Width())
	case Hash:
		return m.hash(x, params)
	default:
		panic("ir: a condition where the validator wants a value")
	}
}

// concat compiles values side by side.
func (m *Machine) concat(parts Concat, params []*Param) evaluated {
	values, widths := make([]evaluated, len(parts)), make([]int, len(parts))
	for at, part := range parts {
		values[at], widths[at] = m.value(part, params), part.Width()
	}
	return func(p *pass) Value {
		var sum Value
		for at, value := range values {
			sum = sum.shiftLeft(widths[at]).or(value(p))
		}
		return sum
	}
}

// binary compiles an operation.
func binary(op Operator, x, y evaluated, width int) evaluated {
	switch op {
	case Add:
		return func(p *pass) Value { return x(p).plus(y(p)).low(width) }
	case Sub:
		return func(p *pass) Value { return x(p).minus(y(p)).low(width) }
	case And:
		return func(p *pass) Value { return x(p).and(y(p)) }
	case Or:
		return func(p *pass) Value { return x(p).or(y(p)) }
	case Xor:
		return func(p *pass) Value { return x(p).xor(y(p)) }
	case AddSaturated:
		return func(p *pass) Value {
			a, sum := x(p), Value{}
			sum = a.plus(y(p)).low(width)
			if sum.Compare(a) < 0 {
				return Mask(width)
			}
			return sum
		}
	default: // SubSaturated
		return func(p *pass) Value {
			a, b := x(p), y(p)
			if a.Compare(b) < 0 {
				return Value{}
			}
			return a.minus(b)
		}
	}
}

// hash compiles a hash of octets. Fields that are not whole octets are packed side by side.
func (m *Machine) hash(h Hash, params []*Param) evaluated {
	values, widths := make([]evaluated, len(h.Fields)), make([]int, len(h.Fields))
	for at, field := range h.Fields {
		values[at], widths[at] = m.value(field, params), field.Width()
	}
	return func(p *pass) Value {
		bits := packer{octets: p.scratch[:0]}
		for at, value := range values {
			bits.put(value(p), widths[at])
		}
		p.scratch = bits.octets
		return h.Function.sum(bits.octets)
	}
}

// condition compiles an expression that is true or false.
func (m *Machine) condition(x Expr) decided {
	switch x := x.(type) {
	case Compare:
		if test := m.fieldTest(x); test != nil {
			return test
		}
		left, right, op := m.value(x.X, nil), m.value(x.Y, nil), x.Op
		return func(p *pass) bool { return op.holds(left(p).Compare(right(p))) }
	case All:
		parts := m.conditions(x)
		return func(p *pass) bool {
			for _, part := range parts {
				if !part(p) {
					return false
				}
			}
			return true
		}
	case Any:
		parts := m.conditions(x)
		return func(p *pass) bool {
			for _, part := range parts {
				if part(p) {
					return true
				}
			}
			return false
		}
	case Not:
		inner := m.condition(x.X)
		return func(p *pass) bool { return !inner(p) }
	case Valid:
		at := m.headers[x.Header].at
		return func(p *pass) bool { return p.valid[at] }
	default:
		panic("ir: a value where the validator wants a condition")
	}
}

// fieldTest compiles the condition that a field has a value, or has not, which most are; nil for
// another.
func (m *Machine) fieldTest(x Compare) decided {
	field, isField := x.X.(*Field)
	number, isConst := x.Y.(Const)
	if !isField || !isConst || x.Op > NotEqual {
		return nil
	}
	at, value, equal := m.fields[field], number.Value, x.Op == Equal
	return func(p *pass) bool { return (p.values[at] == value) == equal }
}

func (m *Machine) conditions(parts []Expr) []decided {
	compiled := make([]decided, len(parts))
	for at, part := range parts {
		compiled[at] = m.condition(part)
	}
	return compiled
}

// holds reports whether the relation is true of the sign of a difference.
func (r Relation) holds(sign int) bool {
	switch r {
	case Equal:
		return sign == 0
	case NotEqual:
		return sign != 0
	case Less:
		return sign < 0
	case LessOrEqual:
		return sign <= 0
	case More:
		return sign > 0
	default:
		return sign >= 0
	}
}

// steps compiles a sequence of a control.
func (m *Machine) steps(steps []Step) block {
	var compiled block
	for _, step := range steps {
		switch step := step.(type) {
		case Do:
			body := m.body(step.Action)
			compiled = append(compiled, body.run)
		case If:
			test, then, otherwise := m.condition(step.Condition), m.steps(step.Then), m.steps(step.Else)
			compiled = append(compiled, func(p *pass) {
				if test(p) {
					then.run(p)
				} else {
					otherwise.run(p)
				}
			})
		case Apply:
			compiled = append(compiled, m.apply(step))
		}
	}
	return compiled
}

// apply compiles a table and what follows it.
func (m *Machine) apply(step Apply) func(*pass) {
	table, hit, miss := m.tables[step.Table], m.steps(step.Hit), m.steps(step.Miss)
	after := make([]block, len(step.Table.Actions))
	for _, branch := range step.After {
		after[step.Table.action(branch.Action)] = m.steps(branch.Then)
	}
	return func(p *pass) {
		call, matched := table.find(p)
		p.data = call.data
		if m.trace != nil {
			m.met(p, table, call, matched)
		}
		table.bodies[call.action].run(p)
		if matched {
			hit.run(p)
		} else {
			miss.run(p)
		}
		after[call.action].run(p)
	}
}

// body compiles an action. Its statements read nothing that others of it write, so that one after
// the other is the same as at once.
func (m *Machine) body(a *Action) block {
	var compiled block
	for _, statement := range a.Body {
		switch statement := statement.(type) {
		case Assign:
			to, value := m.fields[statement.To], m.value(statement.Value, a.Params)
			compiled = append(compiled, func(p *pass) { p.values[to] = value(p) })
		case Execute:
			compiled = append(compiled, m.execute(statement, a.Params))
		case Flow:
			word := m.value(statement.Word, a.Params)
			compiled = append(compiled, func(p *pass) { p.word, p.hasWord = uint32(word(p).Lo), true })
		case SetValid:
			at, valid := m.headers[statement.Header].at, statement.Valid
			compiled = append(compiled, func(p *pass) { p.valid[at] = valid })
		}
	}
	return compiled
}
