package fit

import "github.com/sluicefc/sluice/tofino/ir"

// Kind is a kind of packet, by what is known of it all the way: values of fields, and which headers
// it has. Branches that it does not take are no part of its chain.
type Kind struct {
	Name   string
	Fields map[*ir.Field]uint64
	Valid  map[*ir.Header]bool
}

// StagesOf estimates how many stages one kind of packet needs in a gress, and names the chain. A
// program in which kinds exclude one another has a chain in [Report] that no packet takes: tables
// of one kind behind those of another that share a field with them. The largest of all kinds is a
// lower bound too, for stages are shared.
func StagesOf(p *ir.Program, gress ir.Gress, k Kind) (int, []string) {
	d := newDepth(&ir.Program{Registers: p.Registers})
	d.steps(k.taken(p.Control[gress]), known{}, nil)
	return d.deepest, d.chain()
}

// taken returns the steps that a kind of packet may take.
func (k *Kind) taken(steps []ir.Step) (taken []ir.Step) {
	for _, step := range steps {
		switch step := step.(type) {
		case ir.If:
			switch holds, sure := k.holds(step.Condition); {
			case sure && holds:
				taken = append(taken, k.taken(step.Then)...)
			case sure:
				taken = append(taken, k.taken(step.Else)...)
			default:
				taken = append(taken, ir.If{Condition: k.rest(step.Condition), Then: k.taken(step.Then),
					Else: k.taken(step.Else)})
			}
		case ir.Apply:
			step.Hit, step.Miss = k.taken(step.Hit), k.taken(step.Miss)
			taken = append(taken, step)
		default:
			taken = append(taken, step)
		}
	}
	return taken
}

// holds reports whether a condition holds of the kind, if that is sure.
func (k *Kind) holds(x ir.Expr) (holds, sure bool) {
	switch x := x.(type) {
	case ir.Valid:
		holds, sure = k.Valid[x.Header]
		return holds, sure
	case ir.Not:
		holds, sure = k.holds(x.X)
		return !holds, sure
	case ir.All:
		return k.all(x, true)
	case ir.Any:
		return k.all(x, false)
	case ir.Compare:
		field, is := x.X.(*ir.Field)
		number, constant := x.Y.(ir.Const)
		value, given := k.Fields[field]
		if is && constant && given && x.Op <= ir.NotEqual {
			return (ir.Uint(value) == number.Value) == (x.Op == ir.Equal), true
		}
	}
	return false, false
}

// all reports whether every part of a condition has a value, or one has the other.
func (k *Kind) all(parts []ir.Expr, value bool) (holds, sure bool) {
	sure = true
	for _, part := range parts {
		one, certain := k.holds(part)
		if certain && one != value {
			return !value, true
		}
		sure = sure && certain
	}
	return value, sure
}

// rest returns what of a condition is not sure.
func (k *Kind) rest(x ir.Expr) ir.Expr {
	var parts []ir.Expr
	keep := func(all []ir.Expr) {
		for _, part := range all {
			if _, sure := k.holds(part); !sure {
				parts = append(parts, k.rest(part))
			}
		}
	}
	switch x := x.(type) {
	case ir.All:
		keep(x)
		return ir.All(parts)
	case ir.Any:
		keep(x)
		return ir.Any(parts)
	}
	return x
}
