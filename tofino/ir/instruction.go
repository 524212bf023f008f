package ir

import "slices"

// instruction is a piece of a control that has been taken apart: an action, one test of a condition
// or the use of a table. Nil is the end.
type instruction struct {
	number int
	kind   instructionKind
	body   block    // of an action
	writes []effect // of an action
	test   test
	table  *lookup
	// next are the instructions that may follow: one after an action; two after a test, for no and for
	// yes; after a table as many as way has numbers.
	next []*instruction
	// live are the positions of values that a later test may read before they change.
	live bitmap
}

type instructionKind uint8

const (
	ends instructionKind = iota
	acts
	testsField
	testsOther
	applies
)

// way numbers the outcomes of a table.
func way(action int, matched bool) int {
	if matched {
		return 2*action + 1
	}
	return 2 * action
}

// test is a condition without parts: that the value at a position is a number, or another
// condition.
type test struct {
	at     int
	number uint64
	bit    bool    // the value is a bit
	holds  decided // the other condition, nil if the value is compared with the number
	reads  []int   // positions that holds reads; nil if a value there has more than 64 bits
}

// effect is what an action does to the value at a position.
type effect struct {
	to   int
	kind effectKind
	// number is what the value becomes, or from the position of the value that it becomes.
	number uint64
	from   int
}

type effectKind uint8

const (
	becomesAny effectKind = iota
	becomesNumber
	becomesValue
)

// bitmap is a set of positions.
type bitmap []uint64

func (b bitmap) has(at int) bool { return b[at/64]>>(at%64)&1 != 0 }
func (b bitmap) add(at int)      { b[at/64] |= 1 << (at % 64) }
func (b bitmap) remove(at int)   { b[at/64] &^= 1 << (at % 64) }

func (b bitmap) join(other bitmap) {
	for at := range other {
		b[at] |= other[at]
	}
}

// parts takes a control apart, from its end on.
type parts struct {
	machine *Machine
	count   int
}

func (s *parts) add(i instruction) *instruction {
	s.count++
	i.number = s.count
	i.live = make(bitmap, s.machine.positions/64+1)
	for at, next := range i.next {
		live := slices.Clone(i.live)
		clear(live)
		if next != nil {
			live.join(next.live)
		}
		writes := i.writes
		if i.kind == applies {
			writes = i.table.writes[at/2]
		}
		before(live, writes)
		i.live.join(live)
	}
	if i.kind == testsField {
		i.live.add(i.test.at)
	}
	for _, at := range i.test.reads {
		i.live.add(at)
	}
	return &i
}

// before changes what is live after effects to what is live before them.
func before(live bitmap, writes []effect) {
	var from []int
	for _, write := range writes {
		if live.has(write.to) && write.kind == becomesValue {
			from = append(from, write.from)
		}
		live.remove(write.to)
	}
	for _, at := range from {
		live.add(at)
	}
}

// steps takes a sequence apart that something follows.
func (s *parts) steps(steps []Step, next *instruction) *instruction {
	for _, step := range slices.Backward(steps) {
		switch step := step.(type) {
		case Do:
			next = s.add(instruction{kind: acts, body: s.machine.body(step.Action),
				writes: s.machine.effects(step.Action), next: []*instruction{next}})
		case If:
			next = s.condition(step.Condition, s.steps(step.Then, next), s.steps(step.Else, next))
		case Apply:
			next = s.apply(step, next)
		}
	}
	return next
}

// apply takes the use of a table apart. A control branches on the action or on whether an entry
// matched, not on both.
func (s *parts) apply(step Apply, next *instruction) *instruction {
	i := instruction{kind: applies, table: s.machine.tables[step.Table],
		next: make([]*instruction, 2*len(step.Table.Actions))}
	hit, miss := s.steps(step.Hit, next), s.steps(step.Miss, next)
	for action := range step.Table.Actions {
		i.next[way(action, true)], i.next[way(action, false)] = hit, miss
	}
	for _, branch := range step.After {
		then, action := s.steps(branch.Then, next), step.Table.action(branch.Action)
		i.next[way(action, true)], i.next[way(action, false)] = then, then
	}
	return s.add(i)
}

// condition takes a condition apart: no part is tested once the whole is decided.
func (s *parts) condition(x Expr, yes, no *instruction) *instruction {
	switch x := x.(type) {
	case All:
		for _, part := range slices.Backward(x) {
			yes = s.condition(part, yes, no)
		}
		return yes
	case Any:
		for _, part := range slices.Backward(x) {
			no = s.condition(part, yes, no)
		}
		return no
	case Not:
		return s.condition(x.X, no, yes)
	case Valid:
		return s.field(test{at: s.machine.headers[x.Header].valid, number: 1, bit: true}, yes, no)
	}
	compared := x.(Compare)
	field, isField := compared.X.(*Field)
	number, isConst := compared.Y.(Const)
	if isField && isConst && field.Bits <= 64 && compared.Op <= NotEqual {
		if compared.Op == NotEqual {
			yes, no = no, yes
		}
		return s.field(test{at: s.machine.fields[field], number: number.Value.Lo, bit: field.Bits == 1},
			yes, no)
	}
	return s.add(instruction{kind: testsOther, next: []*instruction{no, yes},
		test: test{holds: s.machine.relation(compared), reads: s.machine.reads(compared)}})
}

// field adds the test of a value.
func (s *parts) field(t test, yes, no *instruction) *instruction {
	return s.add(instruction{kind: testsField, test: t, next: []*instruction{no, yes}})
}

// reads returns the positions of the values that a condition reads, nil if one of them has more
// than 64 bits.
func (m *Machine) reads(x Expr) (positions []int) {
	wide := false
	Walk(x, func(part Expr) {
		if field, is := part.(*Field); is {
			wide = wide || field.Bits > 64
			positions = append(positions, m.fields[field])
		}
	})
	if wide {
		return nil
	}
	return positions
}

// effects returns what an action does to values.
func (m *Machine) effects(a *Action) (effects []effect) {
	for _, statement := range a.Body {
		switch statement := statement.(type) {
		case Assign:
			e := effect{to: m.fields[statement.To]}
			switch value := statement.Value.(type) {
			case Const:
				if value.Value.Hi == 0 {
					e.kind, e.number = becomesNumber, value.Value.Lo
				}
			case *Field:
				e.kind, e.from = becomesValue, m.fields[value]
			}
			effects = append(effects, e)
		case SetValid:
			effects = append(effects, effect{to: m.headers[statement.Header].valid, kind: becomesNumber,
				number: uint64(numbered(statement.Valid))})
		default:
			for _, field := range Writes(statement) {
				effects = append(effects, effect{to: m.fields[field]})
			}
		}
	}
	return effects
}
