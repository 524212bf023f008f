package ir

// pass is a packet's pass through one gress.
type pass struct {
	values []Value // of fields, and whether headers are valid, by position
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
		return m.slice(x, params)
	case Concat:
		return m.concat(x, params)
	case Binary:
		return operation(x.Op, m.value(x.X, params), m.value(x.Y, params), x.Width())
	case Hash:
		return m.hash(x, params)
	default:
		panic("ir: a condition where the validator wants a value")
	}
}

func (m *Machine) slice(x Slice, params []*Param) evaluated {
	low, width := x.Low, x.Width()
	if field, is := x.X.(*Field); is && field.Bits <= 64 {
		at, mask := m.fields[field], Mask(width).Lo
		return func(p *pass) Value { return Value{Lo: p.values[at].Lo >> low & mask} }
	}
	inner := m.value(x.X, params)
	return func(p *pass) Value { return inner(p).shiftRight(low).low(width) }
}

// values compiles expressions that stand side by side.
func (m *Machine) values(parts []Expr, params []*Param) (values []evaluated, widths []int) {
	for _, part := range parts {
		values, widths = append(values, m.value(part, params)), append(widths, part.Width())
	}
	return values, widths
}

// concat compiles values side by side.
func (m *Machine) concat(parts Concat, params []*Param) evaluated {
	values, widths := m.values(parts, params)
	if parts.Width() <= 64 {
		return func(p *pass) Value {
			var sum uint64
			for at, value := range values {
				sum = sum<<widths[at] | value(p).Lo
			}
			return Value{Lo: sum}
		}
	}
	return func(p *pass) Value {
		var sum Value
		for at, value := range values {
			sum = sum.shiftLeft(widths[at]).or(value(p))
		}
		return sum
	}
}

func operation(op Operator, x, y evaluated, width int) evaluated {
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
	values, widths := m.values(h.Fields, params)
	return func(p *pass) Value {
		bits := packer{octets: p.scratch[:0]}
		for at, value := range values {
			bits.put(value(p), widths[at])
		}
		p.scratch = bits.octets
		return h.Function.sum(bits.octets)
	}
}

func (m *Machine) relation(x Compare) decided {
	left, right, op := m.value(x.X, nil), m.value(x.Y, nil), x.Op
	return func(p *pass) bool { return op.holds(left(p).Compare(right(p))) }
}

// truths says for which signs of a difference a relation is true: -1 by bit 0, 0 by bit 1, 1 by bit
// 2.
var truths = [relations]uint8{Equal: 0b010, NotEqual: 0b101, Less: 0b001, LessOrEqual: 0b011,
	More: 0b100, MoreOrEqual: 0b110}

// holds reports whether the relation is true of the sign of a difference.
func (r Relation) holds(sign int) bool { return truths[r]>>(sign+1)&1 != 0 }

// apply gives a packet to a table and returns the way on.
func (m *Machine) apply(p *pass, table *lookup) int {
	call, matched := table.find(p)
	p.data = call.data
	if m.trace != nil {
		m.met(p, table, call, matched)
	}
	table.bodies[call.action].run(p)
	return way(call.action, matched)
}

// body compiles an action. No statement reads what another writes, so that statements may run one
// after the other.
func (m *Machine) body(a *Action) block {
	var compiled block
	for _, statement := range a.Body {
		switch statement := statement.(type) {
		case Assign:
			compiled = append(compiled, m.assign(statement, a.Params))
		case Execute:
			compiled = append(compiled, m.execute(statement, a.Params))
		case Flow:
			word := m.value(statement.Word, a.Params)
			compiled = append(compiled, func(p *pass) { p.word, p.hasWord = uint32(word(p).Lo), true })
		case SetValid:
			at, valid := m.headers[statement.Header].valid, Uint(uint64(numbered(statement.Valid)))
			compiled = append(compiled, func(p *pass) { p.values[at] = valid })
		}
	}
	return compiled
}

func (m *Machine) assign(a Assign, params []*Param) func(*pass) {
	to := m.fields[a.To]
	switch x := a.Value.(type) {
	case Const:
		return func(p *pass) { p.values[to] = x.Value }
	case *Field:
		from := m.fields[x]
		return func(p *pass) { p.values[to] = p.values[from] }
	}
	value := m.value(a.Value, params)
	return func(p *pass) { p.values[to] = value(p) }
}
