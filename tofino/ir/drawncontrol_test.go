package ir

import (
	"fmt"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// drawnControl is a control made of choices, with small fields so that tests often repeat.
type drawnControl struct {
	t          *rapid.T
	given, own []*Field // of the packet, and of the program
	program    *Program
	filled     []TableConfig
}

func (d *drawnControl) machine() *Machine {
	for at, bits := range []int{1, 2, 2, 3} {
		d.given = append(d.given, &Field{Name: fmt.Sprint("given", at), Bits: bits})
		d.own = append(d.own, &Field{Name: fmt.Sprint("own", at), Bits: bits})
	}
	header := &Header{Name: "given", Fields: d.given}
	d.program = &Program{Name: "drawn", Headers: []*Header{header}}
	d.program.Parse[Ingress] = &State{Name: "start", Extract: []*Header{header}}
	d.program.Metadata[Ingress] = d.own
	d.program.Control[Ingress] = d.steps(3)
	m, err := NewMachine(d.program)
	require.NoError(d.t, err)
	require.NoError(d.t, m.Load(&Config{Tables: d.filled}))
	return m
}

func (d *drawnControl) number(most int, of string) int {
	return rapid.IntRange(0, most).Draw(d.t, of)
}

func (d *drawnControl) field() *Field {
	fields := append(d.own, d.given...)
	return fields[d.number(len(fields)-1, "field")]
}

func (d *drawnControl) steps(depth int) (steps []Step) {
	for range 1 + d.number(3, "steps") {
		kind := d.number(2, "step")
		switch {
		case depth > 0 && kind == 1:
			steps = append(steps, If{d.condition(2), d.steps(depth - 1), d.steps(depth - 1)})
		case depth > 0 && kind == 2:
			steps = append(steps, d.apply(depth-1))
		default:
			steps = append(steps, Do{d.action()})
		}
	}
	return steps
}

// action is one assignment: of a number, of a field, or of a sum.
func (d *drawnControl) action() *Action {
	to := d.field()
	var value Expr = Number(to.Bits, uint64(d.number(1<<to.Bits-1, "number")))
	if from := d.field(); from != to && from.Bits == to.Bits {
		value = []Expr{value, from, Binary{X: from, Y: value}}[d.number(2, "value")]
	}
	a := &Action{Name: fmt.Sprint("a", len(d.program.Actions)), Body: []Statement{Assign{to, value}}}
	d.program.Actions = append(d.program.Actions, a)
	return a
}

// apply is a table by one field, with an entry for some of its values.
func (d *drawnControl) apply(depth int) Apply {
	key := d.field()
	t := &Table{Name: fmt.Sprint("t", len(d.program.Tables)), Size: 8,
		Keys: []Key{{Name: "key", X: key}}, Actions: []*Action{d.action(), d.action(), d.action()}}
	t.Default = Call{Action: t.Actions[d.number(2, "default")]}
	d.program.Tables = append(d.program.Tables, t)
	filled := TableConfig{Table: t}
	for value := range uint64(1) << key.Bits {
		if runs := d.number(3, "entry"); runs < 3 {
			filled.Entries = append(filled.Entries,
				Entry{Keys: []KeyValue{ExactKey(value)}, Call: Call{Action: t.Actions[runs]}})
		}
	}
	d.filled = append(d.filled, filled)
	if rapid.Bool().Draw(d.t, "by action") {
		return Apply{Table: t, After: []Branch{{Action: t.Actions[1], Then: d.steps(depth)}}}
	}
	return Apply{Table: t, Hit: d.steps(depth), Miss: d.steps(0)}
}

func (d *drawnControl) condition(depth int) Expr {
	switch kind := d.number(5, "condition"); {
	case depth > 0 && kind == 1:
		return All{d.condition(depth - 1), d.condition(depth - 1)}
	case depth > 0 && kind == 2:
		return Any{d.condition(depth - 1), d.condition(depth - 1)}
	case depth > 0 && kind == 3:
		return Not{d.condition(depth - 1)}
	}
	field := d.field()
	return Compare{Op: Relation(d.number(5, "relation")), X: field,
		Y: Number(field.Bits, uint64(d.number(1<<field.Bits-1, "number")))}
}

// run is the model: it takes the text as it stands.
func (d *drawnControl) run(steps []Step, values map[*Field]uint64) {
	for _, step := range steps {
		switch step := step.(type) {
		case Do:
			act(step.Action, values)
		case If:
			if holds(step.Condition, values) {
				d.run(step.Then, values)
			} else {
				d.run(step.Else, values)
			}
		case Apply:
			call, after := step.Table.Default, step.Miss
			for _, filled := range d.filled {
				for _, e := range filled.Entries {
					if filled.Table == step.Table &&
						e.Keys[0].Value.Lo == values[step.Table.Keys[0].X.(*Field)] {
						call, after = e.Call, step.Hit
					}
				}
			}
			act(call.Action, values)
			d.run(after, values)
			for _, branch := range step.After {
				if branch.Action == call.Action {
					d.run(branch.Then, values)
				}
			}
		}
	}
}

func act(a *Action, values map[*Field]uint64) {
	assigned := a.Body[0].(Assign)
	values[assigned.To] = meant(assigned.Value, values)
}

// meant returns the value of an expression.
func meant(x Expr, values map[*Field]uint64) uint64 {
	switch x := x.(type) {
	case *Field:
		return values[x]
	case Const:
		return x.Value.Lo
	default:
		sum := x.(Binary)
		return (meant(sum.X, values) + meant(sum.Y, values)) & (1<<sum.Width() - 1)
	}
}

func holds(x Expr, values map[*Field]uint64) bool {
	switch x := x.(type) {
	case All:
		return holds(x[0], values) && holds(x[1], values)
	case Any:
		return holds(x[0], values) || holds(x[1], values)
	case Not:
		return !holds(x.X, values)
	}
	compared := x.(Compare)
	a, b := meant(compared.X, values), meant(compared.Y, values)
	return [relations]bool{a == b, a != b, a < b, a <= b, a > b, a >= b}[compared.Op]
}
