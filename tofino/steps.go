package tofino

import "github.com/sluicefc/sluice/tofino/ir"

// is is the condition that a field has a value.
func is(f *ir.Field, value uint64) ir.Expr { return ir.Compare{X: f, Y: ir.Number(f.Bits, value)} }

// isNot is the condition that a field does not have a value.
func isNot(f *ir.Field, value uint64) ir.Expr {
	return ir.Compare{Op: ir.NotEqual, X: f, Y: ir.Number(f.Bits, value)}
}

// wide returns an expression with zeros in front, or without its first bits.
func wide(x ir.Expr, bits int) ir.Expr {
	switch own := x.Width(); {
	case own < bits:
		return ir.Concat{ir.Number(bits-own, 0), x}
	case own > bits:
		return ir.Slice{X: x, High: bits - 1}
	}
	return x
}

// copyOf gives a field another's value, in its own width.
func copyOf(to *ir.Field, from ir.Expr) ir.Statement { return assign(to, wide(from, to.Bits)) }

// where runs steps if a condition holds.
func where(condition ir.Expr, steps ...ir.Step) ir.Step {
	return ir.If{Condition: condition, Then: steps}
}

// way is a step that a condition leads to.
type way struct {
	condition ir.Expr
	then      ir.Step
}

// choose runs the first step whose condition holds, if one does.
func choose(ways ...way) ir.Step {
	step := ir.If{Condition: ways[0].condition, Then: []ir.Step{ways[0].then}}
	if len(ways) > 1 {
		step.Else = []ir.Step{choose(ways[1:]...)}
	}
	return step
}

// either runs some steps if a condition holds, else others.
func either(condition ir.Expr, then, otherwise ir.Step) ir.Step {
	return ir.If{Condition: condition, Then: []ir.Step{then}, Else: []ir.Step{otherwise}}
}

// uses is the statement that runs an action of a register.
func uses(r *ir.Register, action int, index ir.Expr, input ir.Expr, to ...*ir.Field) ir.Statement {
	return ir.Execute{Action: r.Actions[action], Index: index, Phv: [2]ir.Expr{input}, To: to}
}

// kind are the steps of a kind of packet, kinds the steps of the first kind that a packet is.
type kind struct {
	condition ir.Expr
	then      []ir.Step
}

func kinds(of ...kind) ir.Step {
	step := ir.If{Condition: of[0].condition, Then: of[0].then}
	if len(of) > 1 {
		step.Else = []ir.Step{kinds(of[1:]...)}
	}
	return step
}
